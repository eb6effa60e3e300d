"""Works to cite, ringlet and the papers it reproduces, as BibTeX, in the style of APA, and as the file they come from.

They are read from the package's copy of `CITATION.cff` (Citation File Format 1.2.0).
"""

import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, TypeAlias

import yaml

Work: TypeAlias = Mapping[str, Any]
"""A work with the keys of the Citation File Format."""

SOFTWARE = "ringlet"
"""Name of ringlet itself among the works."""

_SPECIAL = re.compile(r"[&%$#_{}]")
"""Characters that TeX reads as commands."""


def source() -> str:
    """Returns the text of `CITATION.cff`."""
    return files("ringlet").joinpath("CITATION.cff").read_text(encoding="utf-8")


def works() -> dict[str, Work]:
    """Returns each work by its name: ringlet, then papers by first author and year, as `ringlet reproduce` has them."""
    software = yaml.safe_load(source())
    papers = software.pop("references")
    return {SOFTWARE: software, **{_first_author(each).lower() + str(each["year"]): each for each in papers}}


def as_cff(name: str, work: Work) -> str:
    """Returns a work in the Citation File Format: ringlet's as its whole file, a paper as a reference for another's."""
    if name == SOFTWARE:
        return source()
    return str(yaml.safe_dump({"references": [dict(work)]}, sort_keys=False, allow_unicode=True, width=120))


def as_bibtex(name: str, work: Work) -> str:
    """Returns a work as an entry of BibTeX, whose key is its name."""
    collection, institution = work.get("collection-title"), work.get("institution")
    kind = "incollection" if collection else "techreport" if institution else "misc"
    version = f"Version {work['version']}, computer software" if "version" in work else None
    fields = {
        "author": " and ".join(_inverted(one, "{{{}}}") for one in work["authors"]),
        "title": f"{{{_tex(work['title'])}}}",
        "booktitle": collection and _tex(collection),
        "editor": " and ".join(_inverted(one, "{{{}}}") for one in work.get("editors", ())),
        "chapter": work.get("section"),
        "publisher": _named(work.get("publisher")),
        "institution": ", ".join(filter(None, (work.get("department"), _named(institution)))),
        "year": _year(work),
        "url": work.get("url"),
        "note": work.get("notes") or version,
    }
    lines = [f"  {field} = {{{value}}},\n" for field, value in fields.items() if value]
    return f"@{kind}{{{name},\n{''.join(lines)}}}\n"


def as_apa(_name: str, work: Work) -> str:
    """Returns a work as an entry of a list of references in the style of APA, seventh edition, as plain text."""
    names = [_inverted(one, "{}") for one in work["authors"]]
    people = names[0] if len(names) == 1 else f"{', '.join(names[:-1])}, & {names[-1]}"
    title = work["title"]
    if "version" in work:
        title = f"{title} (Version {work['version']}) [Computer software]"
    elif "notes" in work:
        title = f"{title} ({work['notes']})"
    entry = [f"{people.removesuffix('.')}. ({_year(work) or 'n.d.'}). {title}."]
    if "collection-title" in work:
        editors = " & ".join(f"{one['given-names']} {one['family-names']}" for one in work["editors"])
        entry.append(f"In {editors} (Eds.), {work['collection-title']} (Chapter {work['section']}).")
    publisher = _named(work.get("publisher")) or ", ".join(
        filter(None, (work.get("department"), _named(work.get("institution"))))
    )
    entry.append(f"{publisher}." if publisher else "")
    entry.append(work.get("url", ""))
    return f"{' '.join(filter(None, entry))}\n"


def _inverted(person: Mapping[str, str], entity: str) -> str:
    """Returns a person as `Picker, D.`; an entity's name in a pattern."""
    return entity.format(person["name"]) if "name" in person else f"{person['family-names']}, {person['given-names']}"


def _first_author(work: Work) -> str:
    return str(work["authors"][0]["family-names"])


def _named(entity: Mapping[str, str] | None) -> str | None:
    return entity["name"] if entity else None


def _year(work: Work) -> str | None:
    year = work.get("year") or str(work.get("date-released", ""))[:4]
    return str(year) or None


def _tex(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)
