"""Draws a node, a switch with its ports, and a host behind a bridge as blocks, with what waits in each queue.

After richter1999, Figures 6.1 (bridge), 6.13 (port) and 6.14 (switch). `python docs/generators/block_diagrams.py`
writes the pictures, which `docs/explanation/model.md`, `network-model.md` and `docs/how-to/topologies.md` show.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape

IMAGES = Path(__file__).parents[2] / "docs" / "images"

WIDTH = 640
"""Width of a picture in its own units; text of 13 stays legible at half of it."""

FILLS = {"queue": "#d9e8f6", "work": "#f1efe7", "outside": "#ffffff"}
"""Colours of what holds packets, of what handles them, and of what stands outside of ringlet's rings."""

STYLE = """
  text { font: 13px sans-serif; fill: #1b1b1b; text-anchor: middle; }
  .title { font-weight: bold; }
  .key { font: 12px monospace; fill: #14508c; }
  .note { font-size: 12px; fill: #444444; }
  rect { stroke: #444444; stroke-width: 1.2; }
  path { stroke: #444444; stroke-width: 1.6; fill: none; marker-end: url(#arrow); }
  .ring { stroke: #14508c; stroke-width: 3; }
"""

Point = tuple[float, float]


@dataclass
class Picture:
    """A picture of boxes and arrows."""

    name: str
    words: str
    """What it shows, for those who do not see it."""
    height: int
    parts: list[str] = field(default_factory=list)

    def box(
        self, x: float, y: float, width: float, title: str, lines: Sequence[str] = (), *, key: str = "", kind: str
    ) -> float:
        """Draws a box and returns the height at which it ends.

        Args:
            x, y: its left upper corner.
            width: its width; its height is that of its text.
            title: its name.
            lines: what it holds or does.
            key: key of a scenario that gives its size.
            kind: one of `FILLS`.
        """
        text = [("title", title), *(("note", line) for line in lines), *([("key", key)] if key else [])]
        height = 18 * len(text) + 12
        rounded = 0 if kind == "queue" else 6
        self.parts.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{rounded}" fill="{FILLS[kind]}"/>'
        )
        self.parts += [
            f'<text class="{name}" x="{x + width / 2}" y="{y + 20 + 18 * place}">{escape(line)}</text>'
            for place, (name, line) in enumerate(text)
        ]
        return y + height

    def arrow(self, *points: Point, ring: bool = False) -> None:
        """Draws an arrow through points; one of a ring's link is wide."""
        way = " L".join(f"{x} {y}" for x, y in points)
        name = "ring" if ring else "link"
        self.parts.append(f'<path class="{name}" d="M{way}"/>')

    def note(self, x: float, y: float, text: str) -> None:
        """Writes a line at its middle."""
        self.parts.append(f'<text class="note" x="{x}" y="{y}">{escape(text)}</text>')

    def written(self) -> str:
        """Returns the picture as SVG."""
        inside = "\n".join(f"  {part}" for part in self.parts)
        return f"""\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" role="img" aria-labelledby="title">
  <title id="title">{escape(self.words)}</title>
  <style>{STYLE}  </style>
  <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse"
    orient="auto"><path d="M0 0 L8 4 L0 8 z" style="fill: #444444; stroke: none; marker-end: none"/></marker>
  <rect width="{WIDTH}" height="{self.height}" fill="#ffffff" style="stroke: none"/>
{inside}
</svg>
"""


def node() -> Picture:
    """Returns a node: what comes in is stripped or passes, and own packets go out between."""
    picture = Picture(
        "node", "A node: stripper, bypass FIFO and output on the ring; queues of the host above them", 370
    )
    picture.box(20, 12, 600, "Host", ["makes requests, serves what it receives, answers requests"], kind="outside")
    picture.box(20, 100, 170, "Receive queues", ["packets until served"], key="queues.receive", kind="queue")
    picture.box(225, 100, 180, "Response queue", ["responses until accepted"], key="queues.responses", kind="queue")
    picture.box(440, 100, 180, "Transmit queue", ["requests until accepted"], key="queues.transmit", kind="queue")
    picture.box(55, 250, 130, "Stripper", ["takes what is", "addressed here"], kind="work")
    picture.box(250, 250, 150, "Bypass FIFO", ["what passes while an", "own packet goes out"], kind="queue")
    picture.box(460, 250, 125, "Output", ["flow control says", "what goes first"], kind="work")
    picture.arrow((105, 250), (105, 166))
    picture.note(165, 212, "send packets")
    picture.arrow((105, 100), (105, 60))
    picture.arrow((315, 60), (315, 100))
    picture.arrow((530, 60), (530, 100))
    picture.arrow((315, 166), (315, 208), (500, 208), (500, 250))
    picture.arrow((545, 166), (545, 250))
    picture.arrow((0, 283), (55, 283), ring=True)
    picture.arrow((185, 283), (250, 283), ring=True)
    picture.arrow((400, 283), (460, 283), ring=True)
    picture.arrow((585, 283), (640, 283), ring=True)
    picture.note(320, 345, "What is stripped leaves its echo, behind created idles: both pass as all else does.")
    return picture


def switch() -> Picture:
    """Returns a switch of four ports, one of them with all that it has."""
    picture = Picture("switch", "A switch of four ports: buffers of requests and of responses, and the B-Link", 430)
    picture.note(320, 20, "Port 0, an interface of its ring as a node is")
    picture.arrow((0, 63), (40, 63), ring=True)
    picture.box(40, 36, 140, "Stripper", ["accepts or refuses"], kind="work")
    picture.arrow((180, 63), (250, 63), ring=True)
    picture.box(250, 36, 140, "Bypass FIFO", ["what passes"], kind="queue")
    picture.arrow((390, 63), (460, 63), ring=True)
    picture.box(460, 36, 140, "Output", ["own packets go out"], kind="work")
    picture.arrow((600, 63), (640, 63), ring=True)
    for x, name in ((20, "requests"), (165, "responses")):
        picture.box(x, 130, 135, "Receive buffers", [name, "until moved"], key="switch.receive", kind="queue")
        picture.arrow((110, 84), (110, 106), (x + 67, 106), (x + 67, 130))
        picture.arrow((x + 67, 214), (x + 67, 258))
    for x, name in ((340, "requests"), (485, "responses")):
        picture.box(x, 130, 135, "Transmit buffers", [name, "until accepted"], key="switch.transmit", kind="queue")
        picture.arrow((x + 67, 258), (x + 67, 214))
        picture.arrow((x + 67, 130), (x + 67, 106), (530, 106), (530, 84))
    picture.note(160, 240, "to_link")
    picture.note(480, 240, "from_link")
    picture.box(20, 258, 600, "B-Link", ["moves one packet at a time, 8 bytes a cycle"], key="switch.rate", kind="work")
    for place, x in enumerate((70, 265, 460), start=1):
        picture.arrow((x + 35, 324), (x + 35, 356))
        picture.arrow((x + 75, 356), (x + 75, 324))
        picture.box(x, 356, 110, f"Port {place}", ["as port 0"], kind="work")
    return picture


def bridge() -> Picture:
    """Returns a host behind a bridge: combined buffers of one master, or split ones of several."""
    picture = Picture(
        "bridge", "A host behind a bridge: masters, the host's bus, write buffers, and the link controller", 400
    )
    masters = ["processors and devices that write"]
    picture.box(40, 12, 280, "Bus masters", masters, key="host.adapter.masters", kind="outside")
    picture.box(40, 106, 280, "Host's bus", ["fills a buffer, or moves a response"], kind="work")
    held = ["requests until accepted: combined", "for one master, or one for each"]
    picture.box(40, 186, 280, "Write buffers", held, key="host.adapter.streams", kind="queue")
    picture.box(350, 88, 250, "Memory", ["has data after"], key="host.store_delay", kind="outside")
    waiting = ["packets until they are", "received and served"]
    picture.box(350, 186, 250, "Receive queues", waiting, key="queues.receive", kind="queue")
    picture.box(40, 306, 560, "Link controller", ["stripper, bypass FIFO and output, as those of a node"], kind="work")
    for x, ends in ((180, (78, 106)), (180, (154, 186)), (180, (270, 306)), (475, (306, 270)), (475, (186, 154))):
        picture.arrow(*((x, y) for y in ends))
    picture.arrow((0, 333), (40, 333), ring=True)
    picture.arrow((600, 333), (640, 333), ring=True)
    return picture


PICTURES = (node, switch, bridge)


def main() -> None:
    """Writes each picture."""
    for made in PICTURES:
        picture = made()
        (IMAGES / f"blocks-{picture.name}.svg").write_text(picture.written(), encoding="utf-8")


if __name__ == "__main__":
    main()
