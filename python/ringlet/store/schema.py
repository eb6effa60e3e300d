"""The tables of a store."""

APPLICATION_ID = 0x52494E47
"""Marks the file as ours: "RING"."""

FORMAT = 2
"""Version of the tables. Rows have checksums since 2."""

TABLES = """
CREATE TABLE scenarios (
    id INTEGER PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,    -- SHA-256 of the content
    content BLOB NOT NULL,          -- resolved scenario without its seed: JSON, compressed by zlib
    checksum INTEGER NOT NULL       -- of table and columns, in every table: 64 bits of BLAKE2b
);
CREATE TABLE layouts (
    id INTEGER PRIMARY KEY,
    content TEXT NOT NULL UNIQUE,   -- JSON: name and kind of each figure
    checksum INTEGER NOT NULL
);
CREATE TABLE results (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,       -- SHA-256 of scenario, seed and engine
    scenario INTEGER NOT NULL REFERENCES scenarios,
    seed INTEGER NOT NULL,
    engine TEXT NOT NULL,           -- release of ringlet and digest of its sources
    wall_s REAL NOT NULL,           -- wall-clock time of the run
    layout INTEGER NOT NULL REFERENCES layouts,
    figures BLOB NOT NULL,          -- totals: 64-bit floats, little-endian, in the order of the layout
    checksum INTEGER NOT NULL
);
CREATE TABLE documents (
    result INTEGER PRIMARY KEY REFERENCES results,
    document BLOB NOT NULL,         -- all that was found: JSON, compressed by zlib
    checksum INTEGER NOT NULL
);
CREATE TABLE studies (
    id INTEGER PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,    -- SHA-256 of content, engine, and the files it names
    content TEXT NOT NULL,          -- JSON: base scenario, axes, replications
    engine TEXT NOT NULL,
    begun REAL NOT NULL,            -- seconds since 1970: when it was run last
    checksum INTEGER NOT NULL
);
CREATE TABLE points (
    study INTEGER NOT NULL REFERENCES studies,
    point INTEGER NOT NULL,
    replication INTEGER NOT NULL,
    result INTEGER NOT NULL REFERENCES results,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (study, point, replication)
) WITHOUT ROWID;
CREATE TABLE failures (
    study INTEGER NOT NULL REFERENCES studies,
    point INTEGER NOT NULL,
    replication INTEGER NOT NULL,
    reason TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (study, point, replication)
) WITHOUT ROWID;
CREATE TABLE parts (
    study INTEGER PRIMARY KEY REFERENCES studies,
    rows INTEGER NOT NULL,          -- of points and failures that the study has
    checksum INTEGER NOT NULL       -- exclusive or of their checksums: one that is lost is missed
);
CREATE TABLE damaged (
    id INTEGER PRIMARY KEY,
    found REAL NOT NULL,            -- seconds since 1970
    place TEXT NOT NULL,            -- table and key of a row whose checksum was wrong
    content TEXT NOT NULL           -- what it held: type and bytes in hexadecimal of each column
);
CREATE TRIGGER point_in AFTER INSERT ON points BEGIN {more}; END;
CREATE TRIGGER point_out AFTER DELETE ON points BEGIN {less}; END;
CREATE TRIGGER failure_in AFTER INSERT ON failures BEGIN {more}; END;
CREATE TRIGGER failure_out AFTER DELETE ON failures BEGIN {less}; END;
""".format(
    # SQLite has no exclusive or.
    **{
        name: f"UPDATE parts SET rows = rows {sign} 1, "
        f"checksum = (checksum | {row}.checksum) - (checksum & {row}.checksum) WHERE study = {row}.study"
        for name, sign, row in (("more", "+", "NEW"), ("less", "-", "OLD"))
    }
)
"""`results` are the runs; `points` says which of them make up a study. Documents lie apart, so that figures are read
fast."""

STATEMENTS = TABLES.strip().removesuffix(";").split(";\n")
"""One for each table and trigger, as SQLite keeps them."""
