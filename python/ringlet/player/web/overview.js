// The whole network, drawn as `ringlet topology` draws it: rings coloured by what they carry, switches by their
// B-Links, with the packets in their buffers; a click opens a ring.

import { IDLE } from "ringlet/recording";

const BINS = 200; // stretches of the window of which loads are known
const SCALE = [
  [0, [205, 213, 222]], [0.25, [86, 180, 233]], [0.5, [0, 158, 115]], [0.75, [230, 159, 0]], [1, [213, 94, 0]],
];

export class Overview {
  // `choose(place)` is called with the interface whose ring is to be opened.
  constructor(element, network, colours, choose) {
    Object.assign(this, { element, network, colours });
    this.bin = Math.max(1, Math.ceil(network.cycles / BINS));
    this.ringLoads = this.countRings();
    this.switchLoads = this.countSwitches();
    this.parts = { ring: new Map(), switch: new Map(), port: new Map(), node: new Map() };
    for (const part of element.querySelectorAll("svg [id]")) {
      const [, kind, number] = /^(ring|switch|port|node)-(\d+)\./.exec(part.id) ?? [];
      if (!kind) continue;
      const kept = this.parts[kind];
      if (!kept.has(Number(number))) kept.set(Number(number), []);
      kept.get(Number(number)).push(part);
    }
    this.portsOf = this.findPorts();
    this.badges = this.addBadges();
    for (const [number, parts] of this.parts.ring) {
      for (const part of parts) {
        part.style.cursor = "pointer";
        part.addEventListener("click", () => choose(network.meta.rings[number].first));
        this.widen(part);
      }
    }
    for (const [number, parts] of this.parts.node) {
      for (const part of parts) {
        part.style.cursor = "pointer";
        part.addEventListener("click", () => choose(network.places[number]));
      }
    }
    this.shown = null;
  }

  // A thin line is hard to hit.
  widen(part) {
    for (const path of part.querySelectorAll("path")) {
      const wide = path.cloneNode();
      const style = "fill: none; stroke: #000; stroke-opacity: 0; stroke-width: 9; pointer-events: stroke";
      wide.setAttribute("style", style);
      wide.removeAttribute("id");
      wide.classList.add("wide");
      path.after(wide);
    }
  }

  // Share of each stretch in which a ring's links carry anything but idles.
  countRings() {
    const { network, bin } = this;
    return network.meta.rings.map(({ first, count }) => {
      const loads = new Float32Array(BINS + 1);
      const { first: rows, cycle, symbols } = network.runs;
      for (let run = rows[first]; run < rows[first + count]; run++) {
        if (network.kind(run) !== IDLE) spread(loads, bin, Math.max(0, cycle[run]), cycle[run] + symbols[run],
          network.cycles);
      }
      return loads.map((load) => load / (bin * count));
    });
  }

  // The same of a switch's B-Links.
  countSwitches() {
    const { network, bin } = this;
    const loads = new Map(), links = new Map();
    for (const port of network.meta.ports) if (port) links.set(port.switch, Math.max(links.get(port.switch) ?? 0,
      port.link + 1));
    for (const number of links.keys()) loads.set(number, new Float32Array(BINS + 1));
    const { entry, start, end } = network.transfers;
    for (let row = 0; row < entry.length; row++) {
      spread(loads.get(network.meta.ports[entry[row]].switch), bin, Math.max(0, start[row]), end[row], network.cycles);
    }
    return new Map([...loads].map(([number, load]) => [number, load.map((one) => one / (bin * links.get(number)))]));
  }

  // Places of the ports of each switch.
  findPorts() {
    const ports = new Map();
    this.network.meta.ports.forEach((port, place) => {
      if (!port) return;
      if (!ports.has(port.switch)) ports.set(port.switch, []);
      ports.get(port.switch).push(place);
    });
    return ports;
  }

  // A number at each switch: the packets in its buffers.
  addBadges() {
    const svg = this.element.querySelector("svg");
    const badges = new Map();
    for (const [number, parts] of this.parts.switch) {
      const box = parts[0].getBBox();
      const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
      text.setAttribute("x", box.x + 0.78 * box.width);
      text.setAttribute("y", box.y + box.height - 3);
      text.setAttribute("class", "badge");
      svg.append(text);
      badges.set(number, text);
    }
    return badges;
  }

  paint() {
    this.shown = null;
  }

  draw(cycle, opened, packet) {
    const { network } = this;
    const at = Math.min(BINS, Math.floor(cycle / this.bin));
    const held = new Map();
    for (const [number, places] of this.portsOf) {
      held.set(number, places.reduce((sum, place) => sum + this.held(place, cycle), 0));
    }
    const state = `${at} ${opened} ${packet} ${[...held.values()].join(" ")}`;
    if (state === this.shown) return;
    this.shown = state;
    for (const [number, parts] of this.parts.ring) {
      const load = this.ringLoads[number][at];
      for (const part of parts) paintStroke(part, shade(load), number === opened ? 3.2 : 1.5);
    }
    for (const [number, parts] of this.parts.switch) {
      const load = this.switchLoads.get(number)?.[at] ?? 0;
      for (const part of parts) part.querySelectorAll("path, use").forEach((path) => (path.style.fill = shade(load)));
      const packets = held.get(number) ?? 0;
      this.badges.get(number).textContent = packets ? String(packets) : "";
    }
    const { count, name } = network.meta.rings[opened];
    const busy = Math.round(100 * this.ringLoads[opened][at]);
    const words = `${name}: ${count} interfaces, its links ${busy} % busy around this cycle`;
    const line = this.element.querySelector("figcaption");
    if (line.textContent !== words) line.textContent = words;
  }

  // Packets in both buffers of a port.
  held(place, cycle) {
    return this.network.valueAt("receive_lengths", place, cycle) + this.network.valueAt("transmit_lengths", place,
      cycle);
  }
}

// Adds the cycles from `from` to before `to` to the stretches in which they lie.
function spread(loads, bin, from, to, cycles) {
  const end = Math.min(to, cycles);
  for (let at = Math.floor(from / bin); at * bin < end; at++) {
    loads[at] += Math.min(end, (at + 1) * bin) - Math.max(from, at * bin);
  }
}

function shade(load) {
  const share = Math.max(0, Math.min(1, load));
  const above = SCALE.findIndex(([value]) => value >= share);
  const [high, to] = SCALE[above], [low, from] = SCALE[Math.max(0, above - 1)];
  const along = high > low ? (share - low) / (high - low) : 0;
  return `rgb(${from.map((one, k) => Math.round(one + (to[k] - one) * along)).join(",")})`;
}

function paintStroke(part, colour, width) {
  for (const path of part.querySelectorAll("path:not(.wide), use")) {
    path.style.stroke = colour;
    path.style.strokeWidth = width;
    if (path.style.fill && path.style.fill !== "none") path.style.fill = colour;
  }
}
