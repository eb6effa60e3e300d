// The space-time diagram: links down, time across, and under each link how full its node's bypass FIFO is; below them
// the ports of the ring, with their B-Links and buffers.

import { LOOK } from "ringlet/recording";

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

  show(recording) {
    this.recording = recording;
    this.paint();
    this.resize();
    this.clamp();
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
    const { ports } = this.recording;
    this.labels = ports.length ? 76 : 44;
    this.portsTop = nodes * this.row + (ports.length ? 8 : 0);
    this.portRow = 30;
    this.bottom = this.portsTop + ports.length * this.portRow;
    this.canvas.style.height = `${this.bottom + 22}px`;
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
      const begin = Math.max(from, Math.floor(this.left));
      const cycles = Math.min(from + width, Math.ceil(this.left + this.shown)) - begin;
      if (cycles <= 0) continue;
      const place = [this.x(begin), 0, cycles * this.pitch, height];
      context.drawImage(picture, begin - from, 0, cycles, picture.height, ...place);
    }
    context.fillStyle = colours.page;
    for (let node = 1; node < recording.nodes; node++) {
      context.fillRect(this.labels, node * row - 1, canvas.clientWidth, 1);
    }
    if (view.packet >= 0) this.drawPacket(view.packet);
    context.restore();
    context.save();
    context.beginPath();
    context.rect(this.labels, 0, canvas.clientWidth, this.bottom);
    context.clip();
    recording.ports.forEach((port, index) => this.drawPort(port, this.portsTop + index * this.portRow, view));
    context.fillStyle = colours.accent;
    context.fillRect(this.x(time) - 1, 0, 2, this.bottom);
    context.restore();
    this.drawLabels(view, this.bottom);
  }

  // What the port's B-Link carries (into the port, out of it, and faintly between others), and under it how full the
  // port's buffers are: what came from this ring, and what goes on to it.
  drawPort({ node, place, transfers }, top, view) {
    const { context, recording, colours } = this;
    const { entry, exit, packet, start, end } = recording.network.transfers;
    const from = Math.floor(this.left), to = this.left + this.shown;
    context.fillStyle = colours.panel;
    context.fillRect(this.labels, top, this.canvas.clientWidth, this.portRow - 3);
    for (let i = firstEnding(transfers, end, from); i < transfers.length; i++) {
      const row = transfers[i];
      if (start[row] > to) break;
      const isOwn = entry[row] === place || exit[row] === place;
      context.globalAlpha = isOwn ? 1 : 0.35;
      context.fillStyle = entry[row] === place ? colours.looks[LOOK.send] : exit[row] === place
        ? colours.looks[LOOK.go] : colours.looks[LOOK.stop];
      const x = this.x(start[row]), width = Math.max(1, (end[row] - start[row]) * this.pitch - 0.5);
      context.fillRect(x, top, width, 13);
      if (packet[row] === view.packet) {
        context.globalAlpha = 1;
        context.strokeStyle = colours.text;
        context.lineWidth = 2;
        context.strokeRect(x + 1, top + 1, Math.max(2, width - 2), 11);
      }
    }
    context.globalAlpha = 1;
    this.drawLevel("receive_lengths", node, top + 14, LOOK.send, from, to);
    this.drawLevel("transmit_lengths", node, top + 21, LOOK.go, from, to);
  }

  // A queue's length over time: a bar that is darker the longer the queue is.
  drawLevel(table, node, top, look, from, to) {
    const { context, recording, colours } = this;
    const { first, cycle, value } = recording[table];
    const most = recording.network.longest(table);
    context.fillStyle = colours.looks[look];
    for (let i = first[node]; i < first[node + 1]; i++) {
      const until = i + 1 < first[node + 1] ? cycle[i + 1] : recording.cycles;
      if (!value[i] || until < from || cycle[i] > to) continue;
      context.globalAlpha = 0.25 + 0.75 * Math.min(1, value[i] / most);
      context.fillRect(this.x(cycle[i]), top, Math.max(1, (until - cycle[i]) * this.pitch), 6);
    }
    context.globalAlpha = 1;
  }

  // Outlines a packet, and its echo, on every link.
  drawPacket(packet) {
    const { context, recording, colours, row } = this;
    const { cycle, symbols } = recording.runs;
    context.strokeStyle = colours.text;
    context.lineWidth = 2;
    for (const run of recording.runsOfPacket(packet)) {
      const x = this.x(cycle[run]), width = symbols[run] * this.pitch;
      if (recording.nodeOfRun(run) < 0 || x + width < this.labels || x > this.canvas.clientWidth) continue;
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
      const label = recording.meta.ports ? recording.label(node) : node;
      context.fillText(recording.ports.length ? label : `link ${label}`, this.labels - 5, node * row + row / 2);
    }
    for (const [index, { node }] of recording.ports.entries()) {
      const top = this.portsTop + index * this.portRow;
      context.font = `${node === view.node ? 700 : 400} 10px system-ui, sans-serif`;
      context.fillStyle = node === view.node ? colours.accent : colours.muted;
      context.fillText(`${recording.label(node)} B-Link`, this.labels - 5, top + 7);
      context.fillText("buffers", this.labels - 5, top + 20);
    }
    context.textAlign = "center";
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = colours.muted;
    const step = niceStep(90 / this.pitch);
    for (let c = Math.ceil(this.left / step) * step; c < this.left + this.shown; c += step) {
      const x = this.x(c);
      context.fillRect(x, height, 1, 4);
      if (x <= this.labels + 12 || x >= canvas.clientWidth - 14) continue;
      context.fillText(String(c + recording.meta.start), x, height + 13);
    }
  }

  hitPort({ node, transfers }, x, cycle) {
    const { recording } = this;
    if (x < this.labels) return { node };
    const at = Math.max(0, Math.min(recording.cycles - 1, cycle));
    const { packet, start, end } = recording.network.transfers;
    const row = transfers[firstEnding(transfers, end, at)];
    return { cycle: at, node, packet: row !== undefined && start[row] <= at ? packet[row] : -1 };
  }

  // Cycle and node at a point, and the packet there.
  hit(x, y) {
    const { recording } = this;
    const cycle = Math.floor(this.left + (x - this.labels) / this.pitch);
    const port = y >= this.portsTop ? recording.ports[Math.floor((y - this.portsTop) / this.portRow)] : undefined;
    if (port) return this.hitPort(port, x, cycle);
    const node = Math.floor(y / this.row);
    if (x < this.labels || node >= recording.nodes) return node < recording.nodes && node >= 0 ? { node } : {};
    const at = Math.max(0, Math.min(recording.cycles - 1, cycle));
    const run = recording.runAt(node, at);
    return { cycle: at, node, packet: run >= 0 ? recording.runs.packet[run] : -1 };
  }
}

// The first of these rows, in order of time, that ends behind a cycle.
function firstEnding(rows, end, cycle) {
  let low = 0, high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (end[rows[middle]] <= cycle) low = middle + 1;
    else high = middle;
  }
  return low;
}

function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? 10 * power;
}
