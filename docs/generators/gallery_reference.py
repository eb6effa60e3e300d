"""Writes the gallery from the folder of examples, with the picture of each that `gallery_pictures.py` makes."""

from pathlib import Path

from example_reference import ROW
from scenario_reference import write_changed

INTRODUCTION = """# Gallery

A picture of each example, made from its file by `python docs/generators/gallery_pictures.py`; [the
examples](examples.md) has the files themselves. `ringlet plot FILE` draws the same, and `ringlet topology FILE --plot
FILE` a network.
"""


def write(path: Path) -> None:
    """Writes the page."""
    write_changed(path, render(path.parents[2] / "examples", path.parents[1] / "images" / "gallery"))


def render(examples: Path, pictures: Path) -> str:
    """Returns the page: the examples that the table of the folder's README lists, each with its picture.

    Raises:
        FileNotFoundError: an example has no picture.
    """
    parts = [INTRODUCTION, "::::{container} gallery"]
    for name, words in ROW.findall((examples / "README.md").read_text(encoding="utf-8")):
        picture = pictures / f"{Path(name).stem}.svg"
        if not picture.exists():
            message = f"{picture} is missing: python docs/generators/gallery_pictures.py makes it"
            raise FileNotFoundError(message)
        target = name.replace(".", "-")
        shown = f"![{words}](../images/gallery/{picture.name})"
        parts.append(f":::{{container}} example\n{shown}\n\n[**{name}**](examples.md#{target}): {words}\n:::")
    parts.append("::::")
    return "\n\n".join(parts) + "\n"
