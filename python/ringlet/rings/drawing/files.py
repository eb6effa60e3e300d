"""Files of drawings, and a drawing as an element of a page."""

from io import StringIO
from pathlib import Path

from matplotlib import rc_context
from matplotlib.figure import Figure

from ringlet.errors import RingletError
from ringlet.files import writing
from ringlet.rings.network import MAX_DRAWN, Network

FORMATS = (".svg", ".png", ".pdf")

PNG_DPI = 150


def check_size(network: Network) -> None:
    """Raises RingletError if a network has more than `MAX_DRAWN` interfaces."""
    if network.interfaces > MAX_DRAWN:
        allowed = f"at most {MAX_DRAWN} interfaces of nodes and ports in a drawing"
        raise RingletError.not_allowed("--plot", f"<{network.interfaces} interfaces>", allowed)


def check_format(file: Path) -> None:
    """Raises RingletError if a drawing cannot be written to a file of this name."""
    if file.suffix.lower() not in FORMATS:
        raise RingletError.not_allowed("--plot", str(file), f"a file that ends in {', '.join(FORMATS)}")
    if not file.parent.is_dir():
        raise RingletError(f"--plot: {file.parent}: no such directory")


def svg(figure: Figure) -> str:
    """Returns a drawing as an SVG element for a page, without a background and with its text as text."""
    written = StringIO()
    with rc_context({"svg.hashsalt": "ringlet", "svg.fonttype": "none"}):
        figure.savefig(written, format="svg", transparent=True, metadata={"Date": None})
    text = written.getvalue()
    return text[text.index("<svg") :]


def save(figure: Figure, file: Path) -> None:
    """Writes a drawing; the same network makes the same file.

    Raises:
        RingletError: a format that is not known.
        OSError: the file cannot be written.
    """
    check_format(file)
    undated = {".svg": {"Date": None}, ".png": {"Software": None}, ".pdf": {"CreationDate": None}}
    with rc_context({"svg.hashsalt": "ringlet"}), writing(file) as aside:
        figure.savefig(aside, dpi=PNG_DPI, metadata=undated[file.suffix.lower()])
