"""The tables of a store."""

APPLICATION_ID = 0x52494E47
"""Marks the file as ours: "RING"."""

FORMAT = 1
"""Version of the tables."""

TABLES = """
CREATE TABLE scenarios (
    id INTEGER PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,    -- SHA-256 of the content
    content BLOB NOT NULL           -- resolved scenario without its seed: JSON, compressed by zlib
);
CREATE TABLE layouts (
    id INTEGER PRIMARY KEY,
    content TEXT NOT NULL UNIQUE    -- JSON: name and kind of each figure
);
CREATE TABLE results (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,       -- SHA-256 of scenario, seed and engine
    scenario INTEGER NOT NULL REFERENCES scenarios,
    seed INTEGER NOT NULL,
    engine TEXT NOT NULL,           -- release of ringlet and digest of its sources
    wall_s REAL NOT NULL,           -- wall-clock time of the run
    layout INTEGER NOT NULL REFERENCES layouts,
    figures BLOB NOT NULL           -- totals: 64-bit floats, little-endian, in the order of the layout
);
CREATE TABLE documents (
    result INTEGER PRIMARY KEY REFERENCES results,
    document BLOB NOT NULL          -- all that was found: JSON, compressed by zlib
);
CREATE TABLE studies (
    id INTEGER PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,    -- SHA-256 of content, engine, and the files it names
    content TEXT NOT NULL,          -- JSON: base scenario, axes, replications
    engine TEXT NOT NULL,
    begun REAL NOT NULL             -- seconds since 1970: when it was run last
);
CREATE TABLE points (
    study INTEGER NOT NULL REFERENCES studies,
    point INTEGER NOT NULL,
    replication INTEGER NOT NULL,
    result INTEGER NOT NULL REFERENCES results,
    PRIMARY KEY (study, point, replication)
) WITHOUT ROWID;
CREATE TABLE failures (
    study INTEGER NOT NULL REFERENCES studies,
    point INTEGER NOT NULL,
    replication INTEGER NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (study, point, replication)
) WITHOUT ROWID;
"""
"""`results` are the runs; `points` says which of them make up a study. Documents lie apart, so that figures are read fast."""

TAKE_IN = """
INSERT OR IGNORE INTO scenarios (digest, content) SELECT digest, content FROM other.scenarios;
INSERT OR IGNORE INTO layouts (content) SELECT content FROM other.layouts;
INSERT OR IGNORE INTO results (key, scenario, seed, engine, wall_s, layout, figures)
    SELECT theirs.key, scenarios.id, theirs.seed, theirs.engine, theirs.wall_s, layouts.id, theirs.figures
    FROM other.results AS theirs
    JOIN other.scenarios AS their_scenarios ON their_scenarios.id = theirs.scenario
    JOIN main.scenarios AS scenarios ON scenarios.digest = their_scenarios.digest
    JOIN other.layouts AS their_layouts ON their_layouts.id = theirs.layout
    JOIN main.layouts AS layouts ON layouts.content = their_layouts.content;
INSERT OR IGNORE INTO documents (result, document)
    SELECT results.id, their_documents.document
    FROM other.documents AS their_documents
    JOIN other.results AS theirs ON theirs.id = their_documents.result
    JOIN main.results AS results ON results.key = theirs.key;
"""
"""Copies the runs of the attached store `other` that are not here yet."""
