"""Drawings of networks: multistage networks stage by stage, tori of two dimensions as grids, all others as circles."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib import rc_context
from matplotlib.figure import Figure

from ringlet.errors import RingletError
from ringlet.files import writing
from ringlet.topology.banyan import Banyan
from ringlet.topology.drawing.circles import draw_circles
from ringlet.topology.drawing.grid import draw_grid
from ringlet.topology.drawing.stages import draw_stages
from ringlet.topology.network import Network

FORMATS = (".svg", ".png", ".pdf")

MAX_DRAWN = 4096
"""Interfaces up to which a network is drawn: beyond, nothing could be told apart."""

PNG_DPI = 150


def draw(network: Network, title: str, *, banyan: Banyan | None = None, grid: Sequence[int] | None = None) -> Figure:
    """Draws a network.

    Args:
        network: rings, nodes and switches.
        title: what stands above it.
        banyan: the stages of a multistage network.
        grid: routers in both dimensions of a torus that has two.

    Raises:
        RingletError: more than `MAX_DRAWN` interfaces.
    """
    if network.interfaces > MAX_DRAWN:
        allowed = f"at most {MAX_DRAWN} interfaces of nodes and ports in a drawing"
        raise RingletError.not_allowed("--plot", f"<{network.interfaces} interfaces>", allowed)
    if banyan is not None:
        return draw_stages(network, banyan, title)
    if grid is not None:
        return draw_grid(network, (grid[0], grid[1]), title)
    return draw_circles(network, title)


def check_format(file: Path) -> None:
    """Raises RingletError if a drawing cannot be written to a file of this name."""
    if file.suffix.lower() not in FORMATS:
        raise RingletError.not_allowed("--plot", str(file), f"a file that ends in {', '.join(FORMATS)}")
    if not file.parent.is_dir():
        raise RingletError(f"--plot: {file.parent}: no such directory")


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
