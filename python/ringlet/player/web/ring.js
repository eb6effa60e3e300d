// The ring: nodes on a circle, the symbols of each link on the arc to the next node.

import { LOOK, nodeLook, RETRY, SEND } from "ringlet/recording";

const TOP = -Math.PI / 2;

export class RingView {
  constructor(canvas, recording, colours) {
    Object.assign(this, { canvas, recording, colours });
    this.context = canvas.getContext("2d");
  }

  resize() {
    const ratio = devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.fit();
  }

  show(recording) {
    this.recording = recording;
    this.fit();
  }

  fit() {
    const { nodes } = this.recording;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.centre = [width / 2, height / 2];
    this.radius = Math.max(1, Math.min(width, height) / 2 - 46); // a frame may have no size yet
    this.step = (2 * Math.PI) / nodes;
    const room = (this.radius * this.step) / 2;
    this.nodeRadius = Math.max(3, Math.min(17, room * 0.55));
    this.gap = Math.min(this.step * 0.35, (this.nodeRadius + 3) / this.radius);
    this.thickness = Math.max(5, Math.min(14, this.nodeRadius * 0.8));
  }

  angle(node) {
    return TOP + node * this.step;
  }

  point(angle, radius) {
    return [this.centre[0] + Math.cos(angle) * radius, this.centre[1] + Math.sin(angle) * radius];
  }

  // Where on its arc a link's place (0: at its node, hop delay: at the next) is.
  place(link, position) {
    const length = this.step - 2 * this.gap;
    return this.angle(link) + this.gap + (position / this.recording.hopDelays[link]) * length;
  }

  // `time` is the end of a cycle, or a moment within the next one.
  draw(time, view) {
    const { context, recording, canvas } = this;
    context.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
    this.labels = [];
    for (let link = 0; link < recording.nodes; link++) this.drawLink(link, time, view);
    const cycle = Math.min(recording.cycles - 1, Math.max(0, Math.ceil(time) - 1));
    for (let node = 0; node < recording.nodes; node++) this.drawNode(node, cycle, view);
  }

  drawLink(link, time, view) {
    const { context, recording, colours } = this;
    const { cycle: starts, symbols, packet } = recording.runs;
    const hopDelay = recording.hopDelays[link];
    const pitch = (this.radius * (this.step - 2 * this.gap)) / hopDelay;
    this.arc(this.place(link, 0), this.place(link, hopDelay), 1.5, colours.line);
    let run = recording.runAt(link, Math.max(0, Math.min(recording.cycles - 1, Math.ceil(time) - 1)));
    for (; run >= recording.runs.first[link] && run >= 0; run--) {
      const newest = time - starts[run] - symbols[run], oldest = time - starts[run];
      if (newest >= hopDelay) break;
      if (oldest <= 0) continue;
      const look = recording.look(run);
      const from = Math.max(0, newest), to = Math.min(hopDelay, oldest);
      if (colours.isIdle(look)) this.drawIdles(link, from, to, oldest, look, pitch);
      else {
        const chosen = packet[run] >= 0 && packet[run] === view.packet;
        if (chosen) this.arc(this.place(link, from), this.place(link, to), this.thickness + 6, colours.accent);
        this.arc(this.place(link, from), this.place(link, to), this.thickness, colours.looks[look]);
        this.drawSeams(link, from, to, oldest, pitch);
        if (oldest <= hopDelay) this.drawHead(link, oldest, run, pitch);
      }
    }
  }

  arc(from, to, width, colour) {
    const { context } = this;
    context.beginPath();
    context.arc(...this.centre, this.radius, from, Math.max(to, from + 1e-4));
    context.lineWidth = width;
    context.strokeStyle = colour;
    context.stroke();
  }

  // Idles are small: a full dot lets a node send, an empty one does not.
  drawIdles(link, from, to, oldest, look, pitch) {
    const { context, colours } = this;
    if (pitch < 4) {
      this.arc(this.place(link, from), this.place(link, to), look === LOOK.go ? 4 : 2, colours.looks[look]);
      return;
    }
    const size = Math.max(1.8, Math.min(4.5, pitch * 0.28));
    for (let position = oldest - 0.5; position > from - 0.5; position--) {
      if (position > to || position < from) continue;
      const [x, y] = this.point(this.place(link, position), this.radius);
      context.beginPath();
      context.arc(x, y, size, 0, 2 * Math.PI);
      context.fillStyle = look === LOOK.stop ? colours.page : colours.looks[look];
      context.fill();
      if (look === LOOK.stop || look === LOOK.some) {
        context.lineWidth = 1.5;
        context.strokeStyle = colours.looks[LOOK.stop];
        context.stroke();
      }
    }
  }

  // Fine lines between a packet's symbols.
  drawSeams(link, from, to, oldest, pitch) {
    if (pitch < 6) return;
    const { context, colours } = this;
    context.strokeStyle = colours.page;
    context.lineWidth = 1;
    context.beginPath();
    for (let position = oldest - 1; position > from; position--) {
      if (position > to) continue;
      const angle = this.place(link, position);
      context.moveTo(...this.point(angle, this.radius - this.thickness / 2));
      context.lineTo(...this.point(angle, this.radius + this.thickness / 2));
    }
    context.stroke();
  }

  // The first symbol shows where the packet goes; a text that would cover another is left out.
  drawHead(link, oldest, run, pitch) {
    const { context, colours, recording } = this;
    const kind = recording.kind(run);
    const angle = this.place(link, oldest);
    const [x, y] = this.point(angle, this.radius);
    context.save();
    context.translate(x, y);
    context.rotate(angle + Math.PI / 2);
    context.fillStyle = colours.looks[recording.look(run)];
    context.beginPath();
    const half = this.thickness / 2 + 1.5;
    context.moveTo(0, -half);
    context.lineTo(Math.min(7, half), 0);
    context.lineTo(0, half);
    context.fill();
    context.restore();
    if ((kind === SEND || kind === RETRY) && this.nodeRadius >= 7) {
      const packet = recording.runs.packet[run];
      const label = this.point(this.place(link, oldest - Math.min(0.5, oldest / 2)), this.radius - this.thickness - 7);
      const end = recording.network.nodeName(recording.packets.destination[packet]).replace("node ", "");
      const text = `to ${end}`, width = 6.5 * text.length, [x, y] = label;
      if (this.labels.some((one) => Math.abs(one.y - y) < 11 && Math.abs(one.x - x) < (one.width + width) / 2)) return;
      this.labels.push({ x, y, width });
      this.text(text, ...label, colours.text, 11);
    }
  }

  text(text, x, y, colour, size, weight = "400") {
    const { context } = this;
    context.font = `${weight} ${size}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillStyle = colour;
    context.fillText(text, x, y);
  }

  drawNode(node, cycle, view) {
    const { context, recording, colours, nodeRadius } = this;
    const angle = this.angle(node);
    const [x, y] = this.point(angle, this.radius);
    const state = view.state(node, cycle);
    this.drawFifo(node, cycle, angle);
    context.beginPath();
    context.arc(x, y, nodeRadius, 0, 2 * Math.PI);
    context.fillStyle = colours.panel;
    context.fill();
    context.lineWidth = node === view.node ? 4 : 2;
    context.strokeStyle = node === view.node ? colours.accent : state.colour(colours);
    context.stroke();
    const { colourBy } = recording.network;
    const number = recording.meta.numbers[recording.first + node];
    if (colourBy === "source" || colourBy === "destination") {
      context.beginPath();
      context.arc(x, y, nodeRadius + 3.5, 0, 2 * Math.PI);
      context.lineWidth = 3;
      context.strokeStyle = colours.looks[nodeLook(recording.isPort(node) ? -1 : number)];
      context.stroke();
    }
    if (nodeRadius >= 6) this.text(state.letter, x, y + 0.5, state.colour(colours), Math.max(10, nodeRadius), "700");
    else {
      context.fillStyle = state.colour(colours);
      context.beginPath();
      context.arc(x, y, nodeRadius * 0.6, 0, 2 * Math.PI);
      context.fill();
    }
    const queue = recording.valueAt("transmit_lengths", node, cycle);
    const named = nodeRadius >= 5 || node % 4 === 0;
    if (named) this.text(recording.label(node), ...this.point(angle, this.radius + nodeRadius + 12), colours.text,
      nodeRadius >= 7 ? 13 : 10, "600");
    if (queue > 0 && this.nodeRadius >= 9) this.drawQueue(angle, queue);
  }

  // What waits to be sent: a square for each packet, up to five.
  drawQueue(angle, queue) {
    const { colours, context } = this;
    for (let i = 0; i < Math.min(queue, 5); i++) {
      const [x, y] = this.point(angle, this.radius + this.nodeRadius + 21 + i * 5);
      context.fillStyle = colours.looks[LOOK.send];
      context.fillRect(x - 1.8, y - 1.8, 3.6, 3.6);
    }
  }

  // The bypass FIFO: a bar towards the middle, as long as it is full.
  drawFifo(node, cycle, angle) {
    const { recording, colours, context } = this;
    const fill = recording.fillAt(node, cycle);
    if (!fill) return;
    const room = this.radius * 0.42;
    const scale = room / Math.max(40, recording.largestFill);
    const width = Math.max(3, Math.min(10, this.nodeRadius));
    let from = this.radius - this.nodeRadius - 3;
    context.lineWidth = width;
    for (const entry of recording.contentAt(node, cycle)) {
      const to = from - entry.symbols * scale;
      context.strokeStyle = colours.looks[recording.packetLook(entry.kind, entry.packet)];
      context.beginPath();
      context.moveTo(...this.point(angle, from));
      context.lineTo(...this.point(angle, to + Math.min(1, (from - to) / 3)));
      context.stroke();
      from = to;
    }
    if (this.nodeRadius >= 9) this.text(String(fill), ...this.point(angle, from - 9), colours.muted, 10);
  }

  // What is at a point: a node, or a packet on a link, or nothing.
  hit(x, y, time) {
    const { recording } = this;
    const dx = x - this.centre[0], dy = y - this.centre[1];
    const distance = Math.hypot(dx, dy);
    const turn = (((Math.atan2(dy, dx) - TOP) % (2 * Math.PI)) + 2 * Math.PI) % (2 * Math.PI);
    const nearest = Math.round(turn / this.step) % recording.nodes;
    const [nx, ny] = this.point(this.angle(nearest), this.radius);
    if (Math.hypot(x - nx, y - ny) <= Math.max(this.nodeRadius + 5, 10)) return { node: nearest };
    if (Math.abs(distance - this.radius) > Math.max(14, this.thickness)) return {};
    const link = Math.floor(turn / this.step) % recording.nodes;
    const along = (turn - link * this.step - this.gap) / (this.step - 2 * this.gap);
    const cycle = Math.floor(time - along * recording.hopDelays[link]);
    const run = recording.runAt(link, cycle);
    const packet = run >= 0 ? recording.runs.packet[run] : -1;
    return packet >= 0 ? { packet } : { node: nearest };
  }
}
