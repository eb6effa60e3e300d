// A recording: columns decoded once, and what they say of a cycle. Cycles count from the window's start.

export const IDLE = 0, SEND = 1, RETRY = 2, ECHO = 3, BUSY_ECHO = 4, CONTROL = 5, TRAIN = 6, EVENT = 7;
export const PASS = 0, SENDING = 1, DRAIN = 2, INSERT = 3, SENDING_CONTROL = 4;
export const ACCEPTED = 0, REFUSED = 1, ACKNOWLEDGED = 2, RETURNED = 3, DELIVERED = 4;

// Looks of a symbol: 5 to 8 are shades of an idle; from `level` on stand shades of priorities, from `node` on those of
// nodes.
export const LOOK = {
  send: 0, retry: 1, echo: 2, busy: 3, control: 4, go: 5, some: 6, stop: 7, idle: 8, answer: 9, level: 10, node: 18,
};

// Shades of priorities: what there are more of share the last one.
export const LEVELS = 8;

// Shades of nodes: every eighth node has the same.
export const NODE_SHADES = 8;

export function nodeLook(node) {
  return node < 0 ? LOOK.answer : LOOK.node + (node % NODE_SHADES);
}

async function inflate(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

function sum(deltas) {
  for (let i = 1; i < deltas.length; i++) deltas[i] += deltas[i - 1];
}

// A packet is told by its distance from the one before.
function decodePackets({ packet, code }) {
  let last = 0;
  for (let i = 0; i < packet.length; i++) {
    const kind = code[i] & 15;
    if ((kind >= SEND && kind <= BUSY_ECHO) || kind === EVENT) {
      last += packet[i];
      packet[i] = last;
    } else packet[i] = -1;
  }
}

// The last place in [from, to) whose value is at most `value`, or -1.
function lastUpTo(values, from, to, value) {
  let low = from, high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1 >= from ? low - 1 : -1;
}

// All that was recorded: rows in order of ring, interface and cycle. Interfaces are counted here by their places, ring
// by ring.
export class Network {
  static async decode(meta, text) {
    const buffer = await inflate(text);
    const types = { Uint8Array, Uint16Array, Int32Array };
    const columns = {};
    for (const { name, type, length, offset } of meta.columns) {
      const [table, column] = name.split(".");
      (columns[table] ??= {})[column] = new types[type](buffer, offset, length);
    }
    const changing = ["runs", "stays", "heads", "transmit_lengths", "receive_lengths", "withheld", "slot_lengths"];
    for (const table of changing) {
      sum(columns[table].cycle);
    }
    sum(columns.stays.packet);
    sum(columns.events.packet);
    decodePackets(columns.runs);
    return new Network(meta, columns);
  }

  // Columns hold numbers as they are here: cycles from the window's start, and packets or -1.
  constructor(meta, columns) {
    Object.assign(this, columns);
    this.meta = meta;
    this.cycles = meta.cycles;
    this.interfaces = meta.rings.reduce((sum, ring) => sum + ring.count, 0);
    this.rings = new Map();
    this.places = new Int32Array(this.interfaces);
    meta.numbers.forEach((number, place) => (this.places[number] = place));
    this.indexPackets();
    this.priorities = [...new Set(this.packets.priority)].sort((a, b) => a - b);
    this.colourBy = "kind"; // or "source", "destination", "priority"
  }

  // One of the rings, made at its first use.
  ring(number) {
    if (!this.rings.has(number)) this.rings.set(number, new Recording(this, number));
    return this.rings.get(number);
  }

  ringOf(place) {
    return this.meta.rings.findIndex((ring) => place < ring.first + ring.count);
  }

  // What an interface is called.
  name(place) {
    return this.meta.names ? this.meta.names[place] : `node ${this.meta.numbers[place]}`;
  }

  nodeName(node) {
    if (node < 0) return "a node that is not recorded";
    return this.meta.nodeNames ? this.meta.nodeNames[node] : this.name(this.places[node]);
  }

  // A packet in words, with the message that it belongs to.
  packetName(number) {
    const message = this.meta.flows[this.packets.flow[number]];
    return message ? `packet ${number} of '${message}'` : `packet ${number}`;
  }

  // The rows of what a port's B-Link carries, in order of time.
  transfersOf({ switch: number, link }) {
    this.byLink ??= new Map();
    if (!this.byLink.size) {
      const { entry } = this.transfers;
      for (let row = 0; row < entry.length; row++) {
        const port = this.meta.ports[entry[row]], key = `${port.switch}.${port.link}`;
        if (!this.byLink.has(key)) this.byLink.set(key, []);
        this.byLink.get(key).push(row);
      }
    }
    return this.byLink.get(`${number}.${link}`) ?? [];
  }

  // The longest that a queue of a port is in the window.
  longest(table) {
    this.most ??= {};
    if (!(table in this.most)) {
      const { first, value } = this[table];
      let most = 1;
      for (let place = 0; place < this.interfaces; place++) {
        if (!this.meta.ports[place]) continue;
        for (let i = first[place]; i < first[place + 1]; i++) most = Math.max(most, value[i]);
      }
      this.most[table] = most;
    }
    return this.most[table];
  }

  // The value of something that changes, at an interface.
  valueAt(table, place, cycle) {
    const { first, cycle: cycles, value } = this[table];
    const row = lastUpTo(cycles, first[place], first[place + 1], cycle);
    return row < 0 ? 0 : value[row];
  }

  placeOfRun(run) {
    return lastUpTo(this.runs.first, 0, this.interfaces, run);
  }

  // Runs of each packet, in order of time.
  indexPackets() {
    const { packet, cycle } = this.runs;
    const count = this.packets.source.length;
    const first = new Int32Array(count + 1);
    for (let i = 0; i < packet.length; i++) if (packet[i] >= 0) first[packet[i] + 1]++;
    for (let i = 0; i < count; i++) first[i + 1] += first[i];
    const place = first.slice(0, count);
    const runs = new Int32Array(first[count]);
    for (let i = 0; i < packet.length; i++) if (packet[i] >= 0) runs[place[packet[i]]++] = i;
    for (let p = 0; p < count; p++) runs.subarray(first[p], first[p + 1]).sort((a, b) => cycle[a] - cycle[b]);
    this.byPacket = { first, runs };
  }

  runsOfPacket(packet) {
    return this.byPacket.runs.subarray(this.byPacket.first[packet], this.byPacket.first[packet + 1]);
  }

  kind(run) {
    return this.runs.code[run] & 15;
  }

  activity(run) {
    return this.runs.code[run] >> 4;
  }
}

// One ring: its interfaces are counted from 0 here, and called nodes, ports or not.
export class Recording {
  constructor(network, number) {
    const { first, count, hopDelays, name } = network.meta.rings[number];
    Object.assign(this, { network, number, first, nodes: count, hopDelays, ringName: name });
    for (const key of ["meta", "cycles", "packets", "events"]) this[key] = network[key];
    for (const table of ["runs", "stays", "heads", "transmit_lengths", "receive_lengths", "withheld"]) {
      this[table] = { ...network[table], first: network[table].first.subarray(first, first + count + 1) };
    }
    this.looks = this.paintLooks();
    this.fills = this.countFills();
    this.largestFill = this.fills.reduce((most, fill) => Math.max(most, fill), 0);
    // Its ports, with what they belong to.
    this.ports = [];
    for (let node = 0; node < count; node++) {
      const port = network.meta.ports?.[first + node];
      if (port) this.ports.push({ node, place: first + node, ...port, transfers: network.transfersOf(port) });
    }
  }

  name(node) {
    return this.network.name(this.first + node);
  }

  isPort(node) {
    return Boolean(this.meta.ports?.[this.first + node]);
  }

  // The same as short as it can be.
  label(node) {
    const port = this.meta.ports?.[this.first + node];
    if (port) return `S${port.switch}.${port.port}`;
    const { numbers, nodeNames } = this.meta;
    const name = nodeNames ? nodeNames[numbers[this.first + node] % nodeNames.length] : this.name(node);
    return name.replace("node ", "");
  }

  runsOfPacket(packet) {
    return this.network.runsOfPacket(packet);
  }

  // The node of this ring that emits a run, or -1.
  nodeOfRun(run) {
    const node = this.network.placeOfRun(run) - this.first;
    return node >= 0 && node < this.nodes ? node : -1;
  }

  // The run that a node emits in a cycle, or -1 outside the window.
  runAt(node, cycle) {
    const { first, cycle: starts, symbols } = this.runs;
    const run = lastUpTo(starts, first[node], first[node + 1], cycle);
    return run >= 0 && cycle < starts[run] + symbols[run] ? run : -1;
  }

  // The run that comes into a node in a cycle, and the place of the symbol within it.
  inputAt(node, cycle) {
    const before = (node + this.nodes - 1) % this.nodes;
    const emitted = cycle - this.hopDelays[before];
    const run = this.runAt(before, emitted);
    return { run, position: run < 0 ? 0 : emitted - this.runs.cycle[run] };
  }

  kind(run) {
    return this.runs.code[run] & 15;
  }

  activity(run) {
    return this.runs.code[run] >> 4;
  }

  valueAt(table, node, cycle) {
    const { first, cycle: cycles, value } = this[table];
    const place = lastUpTo(cycles, first[node], first[node + 1], cycle);
    return place < 0 ? 0 : value[place];
  }

  // Head of a transmit queue and since when, or null.
  headAt(node, cycle) {
    const { first, cycle: cycles, value } = this.heads;
    const place = lastUpTo(cycles, first[node], first[node + 1], cycle);
    return place < 0 || value[place] < 0 ? null : { packet: value[place], since: cycles[place] };
  }

  fillAt(node, cycle) {
    return this.fills[node * this.cycles + cycle];
  }

  // What is in a bypass FIFO after a cycle, the oldest first, each with its symbols inside.
  contentAt(node, cycle) {
    const { first, cycle: enters, symbols, packet, kind, wait, leaving, replaced } = this.stays;
    const inside = [];
    for (let i = lastUpTo(enters, first[node], first[node + 1], cycle); i >= first[node] && i >= 0; i--) {
      const isReplaced = replaced[i] > 0 && cycle >= enters[i] + replaced[i];
      const come = isReplaced ? leaving[i] + 1 : Math.min(symbols[i] + 1, cycle + 1 - enters[i]);
      const left = wait[i] > 0 ? Math.max(0, Math.min(leaving[i] + 1, cycle + 1 - enters[i] - wait[i])) : 0;
      const shown = isReplaced ? BUSY_ECHO : kind[i];
      if (come > left) inside.unshift({ packet: packet[i], kind: shown, symbols: come - left });
      else if (this.meta.firstInFirstOut && wait[i] > 0) break;
    }
    return inside;
  }

  // The shade of an idle: what its go bits, or its go level, allow.
  idleLook(word) {
    const { goBits, levels } = this.meta;
    if (levels) return word === 0 ? LOOK.go : word >= levels ? LOOK.stop : LOOK.some;
    if (!goBits) return LOOK.idle;
    const all = 2 ** goBits - 1, go = (word & all) >>> 0;
    return go === all ? LOOK.go : go ? LOOK.some : LOOK.stop;
  }

  look(run) {
    const kind = this.kind(run);
    return kind === IDLE ? this.idleLook(this.runs.word[run]) : this.packetLook(kind, this.runs.packet[run]);
  }

  packetLook(kind, packet) {
    const by = this.network.colourBy;
    const isPacket = kind === SEND || kind === RETRY, isEcho = kind === ECHO || kind === BUSY_ECHO;
    if (isPacket && by === "priority") {
      const rank = this.network.priorities.indexOf(this.packets.priority[packet]);
      return LOOK.level + Math.min(LEVELS - 1, rank);
    }
    if (by === "source" || by === "destination") {
      if (isPacket) return nodeLook(this.packets[by][packet]);
      if (isEcho) return LOOK.answer;
    }
    return kind === SEND ? LOOK.send : kind === RETRY ? LOOK.retry : kind === ECHO ? LOOK.echo
      : kind === BUSY_ECHO ? LOOK.busy : LOOK.control;
  }

  repaint() {
    this.looks = this.paintLooks();
  }

  // The look of every symbol: one byte for each node and cycle.
  paintLooks() {
    const looks = new Uint8Array(this.nodes * this.cycles);
    const { first, cycle, symbols } = this.runs;
    for (let node = 0; node < this.nodes; node++) {
      const row = node * this.cycles;
      for (let run = first[node]; run < first[node + 1]; run++) {
        const from = Math.max(0, cycle[run]), to = Math.min(this.cycles, cycle[run] + symbols[run]);
        if (to > from) looks.fill(this.look(run), row + from, row + to);
      }
    }
    return looks;
  }

  // Symbols in each bypass FIFO after each cycle, separating idles included.
  countFills() {
    const fills = new Int32Array(this.nodes * this.cycles);
    const { first, cycle, symbols, wait, leaving, replaced } = this.stays;
    const add = (row, from, count, step) => {
      for (let c = Math.max(0, from); c < Math.min(this.cycles, from + count); c++) fills[row + c] += step;
    };
    for (let node = 0; node < this.nodes; node++) {
      const row = node * this.cycles;
      for (let i = first[node]; i < first[node + 1]; i++) {
        add(row, cycle[i], symbols[i] + 1, 1);
        if (wait[i] > 0) add(row, cycle[i] + wait[i], leaving[i] + 1, -1);
        if (replaced[i] > 0 && cycle[i] + replaced[i] < this.cycles) {
          fills[row + Math.max(0, cycle[i] + replaced[i])] += leaving[i] - symbols[i];
        }
        // What happened before the window.
        const come = Math.max(0, Math.min(symbols[i] + 1, -cycle[i]));
        const left = wait[i] > 0 ? Math.max(0, Math.min(leaving[i] + 1, -cycle[i] - wait[i])) : 0;
        fills[row] += come - left;
      }
      for (let c = 1; c < this.cycles; c++) fills[row + c] += fills[row + c - 1];
    }
    return fills;
  }
}
