"""Files of XML, read without entities, which could stand for more text than memory holds."""

from pathlib import Path
from xml.etree import ElementTree

from ringlet.errors import RingletError


def xml_root(file: Path, content: bytes) -> ElementTree.Element:
    """Returns the outermost element of a file's content.

    Raises:
        RingletError: the content is no XML, or declares entities.
    """
    if any("<!ENTITY".encode(encoding) in content for encoding in ("utf-8", "utf-16-le", "utf-16-be")):
        raise RingletError.not_allowed(str(file), "<an entity>", "XML without declarations of entities")
    try:
        return ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise RingletError(f"{file}: not XML: {error}") from None
