// The space-time diagram: links down, time across, and under each link how full its node's bypass FIFO is.

const SUBROWS = 4; // rows of pixels for a link in the picture: three for its symbols, one for the FIFO
const TILE = 4096; // cycles in one picture

export class SpaceTimeView {
  constructor(canvas, recording, colours) {
    Object.assign(this, { canvas, recording, colours });
    this.context = canvas.getContext("2d");
    this.pitch = 4; // pixels per cycle
    this.left = 0; // first cycle shown
    this.labels = 44;
    this.paint();
  }

  // Paints every symbol once; frames only copy.
  paint() {
    const { recording, colours } = this;
    this.tiles = [];
    for (let from = 0; from < recording.cycles; from += TILE) {
      const width = Math.min(TILE, recording.cycles - from);
      const picture = document.createElement("canvas");
      picture.width = width;
      picture.height = recording.nodes * SUBROWS;
      const context = picture.getContext("2d");
      const image = context.createImageData(width, picture.height);
      const most = Math.max(1, recording.largestFill);
      for (let node = 0; node < recording.nodes; node++) {
        for (let c = 0; c < width; c++) {
          const source = node * recording.cycles + from + c;
          const colour = colours.bytes[recording.looks[source]];
          const share = recording.fills[source] / most;
          for (let sub = 0; sub < SUBROWS; sub++) {
            const pixel = 4 * ((node * SUBROWS + sub) * width + c);
            for (let k = 0; k < 3; k++) {
              image.data[pixel + k] = sub < SUBROWS - 1 ? colour[k]
                : colours.panelBytes[k] + (colours.fifoBytes[k] - colours.panelBytes[k]) * Math.sqrt(share);
            }
            image.data[pixel + 3] = 255;
          }
        }
      }
      context.putImageData(image, 0, 0);
      this.tiles.push({ from, width, picture });
    }
  }

  resize() {
    const ratio = devicePixelRatio || 1;
    const { nodes } = this.recording;
    this.row = Math.max(9, Math.min(26, Math.floor(420 / nodes)));
    this.canvas.style.height = `${nodes * this.row + 22}px`;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  get shown() {
    return (this.canvas.clientWidth - this.labels) / this.pitch;
  }

  zoom(factor, around) {
    const least = (this.canvas.clientWidth - this.labels) / this.recording.cycles;
    const pitch = Math.max(Math.min(least, 1), Math.min(24, this.pitch * factor));
    const at = (around - this.left) * this.pitch;
    this.left = around - at / pitch;
    this.pitch = pitch;
    this.clamp();
  }

  clamp() {
    this.left = Math.max(0, Math.min(this.recording.cycles - this.shown, this.left));
    if (this.recording.cycles < this.shown) this.left = 0;
  }

  // Keeps a cycle in sight, with more room after it than before.
  keep(cycle) {
    if (cycle < this.left || cycle > this.left + this.shown * 0.85) this.left = cycle - this.shown * 0.3;
    this.clamp();
  }

  x(cycle) {
    return this.labels + (cycle - this.left) * this.pitch;
  }

  draw(time, view) {
    const { context, recording, colours, canvas, row } = this;
    const height = recording.nodes * row;
    context.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
    context.save();
    context.beginPath();
    context.rect(this.labels, 0, canvas.clientWidth, height);
    context.clip();
    context.imageSmoothingEnabled = this.pitch < 1;
    for (const { from, width, picture } of this.tiles) {
      const begin = Math.max(from, Math.floor(this.left)), end = Math.min(from + width, Math.ceil(this.left + this.shown));
      if (end <= begin) continue;
      context.drawImage(picture, begin - from, 0, end - begin, picture.height, this.x(begin), 0, (end - begin) * this.pitch, height);
    }
    context.fillStyle = colours.page;
    for (let node = 1; node < recording.nodes; node++) context.fillRect(this.labels, node * row - 1, canvas.clientWidth, 1);
    if (view.packet >= 0) this.drawPacket(view.packet);
    context.fillStyle = colours.accent;
    context.fillRect(this.x(time) - 1, 0, 2, height);
    context.restore();
    this.drawLabels(view, height);
  }

  // Outlines a packet, and its echo, on every link.
  drawPacket(packet) {
    const { context, recording, colours, row } = this;
    const { cycle, symbols } = recording.runs;
    context.strokeStyle = colours.text;
    context.lineWidth = 2;
    for (const run of recording.runsOfPacket(packet)) {
      const x = this.x(cycle[run]), width = symbols[run] * this.pitch;
      if (x + width < this.labels || x > this.canvas.clientWidth) continue;
      context.strokeRect(x, recording.nodeOfRun(run) * row + 1, Math.max(3, width), row * 0.75 - 2);
    }
  }

  drawLabels(view, height) {
    const { context, recording, colours, canvas, row } = this;
    context.textBaseline = "middle";
    context.textAlign = "right";
    const every = row < 12 ? 4 : 1;
    for (let node = 0; node < recording.nodes; node++) {
      const isChosen = node === view.node;
      if (node % every && !isChosen) continue;
      context.font = `${isChosen ? 700 : 400} 11px system-ui, sans-serif`;
      context.fillStyle = isChosen ? colours.accent : colours.muted;
      context.fillText(`link ${node}`, this.labels - 5, node * row + row / 2);
    }
    context.textAlign = "center";
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = colours.muted;
    const step = niceStep(90 / this.pitch);
    for (let c = Math.ceil(this.left / step) * step; c < this.left + this.shown; c += step) {
      const x = this.x(c);
      context.fillRect(x, height, 1, 4);
      if (x > this.labels + 12 && x < canvas.clientWidth - 14) context.fillText(String(c + recording.meta.start), x, height + 13);
    }
  }

  // Cycle and node at a point, and the packet there.
  hit(x, y) {
    const { recording } = this;
    const cycle = Math.floor(this.left + (x - this.labels) / this.pitch);
    const node = Math.floor(y / this.row);
    if (x < this.labels || node >= recording.nodes) return node < recording.nodes && node >= 0 ? { node } : {};
    const at = Math.max(0, Math.min(recording.cycles - 1, cycle));
    const run = recording.runAt(node, at);
    return { cycle: at, node, packet: run >= 0 ? recording.runs.packet[run] : -1 };
  }
}

function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? 10 * power;
}
