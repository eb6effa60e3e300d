// The chosen node or port as blocks, with what is in each queue (richter1999, Figures 6.13 and 6.14).

import {
  BUSY_ECHO, DRAIN, ECHO, IDLE, RETRY, SEND, SENDING, SENDING_CONTROL, TRAIN, ACCEPTED, ACKNOWLEDGED, DELIVERED,
  RETURNED,
} from "ringlet/recording";

const TIMED_OUT = 7, GIVEN_UP = 8, DROPPED = 9;
const ANSWERS = [ACKNOWLEDGED, RETURNED, TIMED_OUT, GIVEN_UP];
const AGAIN = [RETURNED, TIMED_OUT];

// Times of packets in the queues of each interface, as far as the window tells.
export class Queues {
  constructor(network) {
    this.network = network;
    this.places = new Map();
    this.hasEchoes = network.meta.echoes;
  }

  // Stays of packets in an interface's queues: { packet, from, to } in cycles, the last one not included. What began
  // before the window, nobody knows when, is from -Infinity.
  of(place) {
    if (!this.places.has(place)) this.places.set(place, this.find(place));
    return this.places.get(place);
  }

  find(place) {
    const { network } = this;
    const { runs, heads, packets, meta } = network;
    const isPort = Boolean(meta.ports?.[place]);
    const events = this.eventsAt(place), moved = this.movedAt(place), ready = this.readyAt(place);
    const sends = new Map();
    for (let run = runs.first[place]; run < runs.first[place + 1]; run++) {
      const kind = network.kind(run);
      if (network.activity(run) !== SENDING || (kind !== SEND && kind !== RETRY)) continue;
      grow(sends, runs.packet[run],
        { start: runs.cycle[run], end: runs.cycle[run] + runs.symbols[run], isAgain: kind === RETRY });
    }
    const named = new Set(sends.keys());
    for (let row = heads.first[place]; row < heads.first[place + 1]; row++) named.add(heads.value[row]);
    for (const [packet, fates] of events) if (fates.some(isAnswer)) named.add(packet);
    named.delete(-1);
    const wait = (queue, packet, from, to) => {
      if (!meta.takesAhead) return void queue.push({ packet, from, to });
      // What is taken out before it is sent is in the queue until it is head no more, and when it is head again.
      let isFirst = true;
      for (let row = heads.first[place], behind = heads.first[place + 1]; row < behind; row++) {
        const start = heads.cycle[row], end = row + 1 < behind ? heads.cycle[row + 1] : Infinity;
        if (heads.value[row] !== packet || start >= to || end <= from) continue;
        queue.push({ packet, from: isFirst ? from : start, to: Math.min(end, to) });
        isFirst = false;
      }
    };
    const waiting = [], again = [], unanswered = [], received = [];
    for (const packet of named) {
      const sent = sends.get(packet) ?? [], answers = events.get(packet)?.filter(isAnswer) ?? [];
      // What no B-Link brings in the window was on the way from one at its start, or is there.
      let queue = waiting, from = isPort ? moved.into.get(packet) ?? meta.fromLink
        : ready ? ready.get(packet) ?? -Infinity : packets.generated[packet];
      // What is sent again, or answered, was sent before the window.
      const early = answers[0]?.cycle < (sent[0]?.start ?? Infinity) ? answers[0] : null;
      if (sent[0]?.isAgain) [queue, from] = [again, -Infinity];
      if (early) {
        unanswered.push({ packet, from: -Infinity, to: early.cycle });
        [queue, from] = [again, AGAIN.includes(early.fate) ? early.cycle : null];
      }
      for (const { start, end } of sent) {
        wait(queue, packet, from ?? start, end);
        const answer = answers.find((one) => one.cycle >= start);
        unanswered.push({ packet, from: end, to: answer?.cycle ?? Infinity });
        [queue, from] = [again, answer && AGAIN.includes(answer.fate) ? answer.cycle : null];
      }
      if (from !== null) wait(queue, packet, from, Infinity);
    }
    for (const [packet, fates] of events) {
      const accepted = fates.find((one) => one.fate === ACCEPTED);
      const served = fates.find((one) => one.fate === DELIVERED || one.fate === DROPPED);
      const to = isPort ? moved.from.get(packet) : served?.cycle;
      if (!accepted && to === undefined) continue;
      received.push({ packet, from: accepted?.cycle ?? -Infinity, to: to ?? Infinity });
    }
    if (isPort) for (const [packet, to] of moved.from) {
      if (!events.has(packet)) received.push({ packet, from: -Infinity, to });
    }
    return inOrder({ waiting, again, unanswered, received });
  }

  // Cycles in which packets were in their slots, where a bridge fills them; else null.
  readyAt(place) {
    const { fills, meta } = this.network;
    if (!meta.bridges?.[place]) return null;
    const ready = new Map();
    for (let row = fills.first[place]; row < fills.first[place + 1]; row++) {
      if (!ready.has(fills.packet[row])) ready.set(fills.packet[row], fills.ready[row]);
    }
    return ready;
  }

  // Stays of packets in the bridge of a place, or null: requests that wait for a slot, those that a master sets up or
  // that wait for the bus, the one that has the bus, those that come into their slots, and received ones that are
  // being stored.
  bridgeOf(place) {
    const { fills, packets, meta } = this.network;
    const bridge = meta.bridges?.[place];
    if (!bridge) return null;
    this.bridges ??= new Map();
    if (this.bridges.has(place)) return this.bridges.get(place);
    const waiting = [], setUp = [], bus = [], coming = [], storing = [], named = new Set();
    for (let row = fills.first[place]; row < fills.first[place + 1]; row++) {
      const packet = fills.packet[row], taken = fills.taken[row], start = fills.start[row], end = fills.end[row];
      // When a request that begins again waits is not known.
      if (!packets.response[packet] && !named.has(packet)) {
        waiting.push({ packet, from: packets.generated[packet], to: taken });
      }
      named.add(packet);
      setUp.push({ packet, from: taken, to: start });
      bus.push({ packet, from: start, to: end });
      coming.push({ packet, from: end, to: fills.ready[row] });
    }
    for (const [packet, fates] of this.eventsAt(place)) {
      const served = fates.find((one) => one.fate === DELIVERED);
      if (served) storing.push({ packet, from: served.cycle, to: served.cycle + bridge.store });
    }
    this.bridges.set(place, inOrder({ waiting, setUp, bus, coming, storing }));
    return this.bridges.get(place);
  }

  // Events of packets at an interface, by packet, in order of time.
  eventsAt(place) {
    if (!this.events) {
      this.events = new Map();
      const { packet, cycle, node, fate } = this.network.events;
      for (let row = 0; row < packet.length; row++) {
        if (!this.events.has(node[row])) this.events.set(node[row], new Map());
        grow(this.events.get(node[row]), packet[row], { cycle: cycle[row], fate: fate[row] });
      }
      for (const here of this.events.values()) {
        for (const fates of here.values()) fates.sort((one, other) => one.cycle - other.cycle);
      }
    }
    return this.events.get(place) ?? new Map();
  }

  // Times at which B-Links have moved packets into a port's transmit buffer, and from its receive buffer.
  movedAt(place) {
    const into = new Map(), from = new Map();
    const { entry, exit, packet, end, stored } = this.network.transfers;
    for (let row = 0; row < packet.length; row++) {
      if (exit[row] === place) into.set(packet[row], stored[row]);
      if (entry[row] === place) from.set(packet[row], end[row]);
    }
    return { into, from };
  }

  // Packets in a queue at a cycle, the oldest first.
  at(stays, cycle) {
    return stays.filter(({ from, to }) => from <= cycle && cycle < to).map(({ packet }) => packet);
  }
}

// The stays in each queue, the oldest first.
function inOrder(queues) {
  const byAge = (one, other) => one.from - other.from;
  return Object.fromEntries(Object.entries(queues).map(([name, stays]) => [name, stays.sort(byAge)]));
}

function isAnswer({ fate }) {
  return ANSWERS.includes(fate);
}

function grow(map, key, value) {
  if (!map.has(key)) map.set(key, []);
  map.get(key).push(value);
}

// Contents of each block of a node or port in a cycle.
export function blocksAt(queues, recording, node, cycle) {
  const { network } = queues;
  const place = recording.first + node;
  const stays = queues.of(place);
  const head = recording.headAt(node, cycle)?.packet;
  const again = queues.at(stays.again, cycle);
  const waits = [...again, ...queues.at(stays.waiting, cycle)].filter((packet) => packet !== head);
  const length = (table) => recording.valueAt(table, node, cycle);
  const run = recording.runAt(node, cycle), input = recording.inputAt(node, cycle);
  const unanswered = queues.at(stays.unanswered, cycle);
  const port = network.meta.ports?.[place];
  return {
    port,
    head: head ?? -1,
    // The recording's length is without what waits to be sent again.
    transmit: {
      count: length("transmit_lengths") + again.length,
      packets: head === undefined ? waits : [head, ...waits],
    },
    receive: { count: length("receive_lengths"), packets: queues.at(stays.received, cycle) },
    unanswered: queues.hasEchoes ? { count: unanswered.length, packets: unanswered } : null,
    bypass: { symbols: recording.fillAt(node, cycle), content: recording.contentAt(node, cycle) },
    input: input.run,
    output: run,
    takes: input.run >= 0 && recording.kind(input.run) !== IDLE && recording.runs.to[input.run] === place,
    moved: port ? movedNow(network, port, cycle) : null,
    bridge: bridgeAt(queues, place, cycle),
  };
}

// Contents of a bridge in a cycle, or null where there is none.
function bridgeAt(queues, place, cycle) {
  const stays = queues.bridgeOf(place);
  if (!stays) return null;
  const inside = (name) => {
    const packets = queues.at(stays[name], cycle);
    return { count: packets.length, packets };
  };
  const waiting = queues.network.valueAt("slot_lengths", place, cycle);
  return {
    ...queues.network.meta.bridges[place],
    // What gets no slot in the window has no number.
    waiting: { count: waiting, packets: inside("waiting").packets.slice(0, waiting) },
    setUp: inside("setUp"),
    bus: inside("bus").packets[0] ?? -1,
    coming: inside("coming"),
    storing: inside("storing"),
  };
}

// The packet that a port's B-Link carries in a cycle, or null.
function movedNow(network, port, cycle) {
  const { entry, exit, packet, start, end } = network.transfers;
  const row = network.transfersOf(port).find((one) => start[one] <= cycle && cycle < end[one]);
  return row === undefined ? null : { packet: packet[row], entry: entry[row], exit: exit[row] };
}

const NARROW = 110; // a column with room for short names only
const CHIP = { width: 38, height: 17, gap: 4 };
const ROWS = 2; // of packets in a box
const BRIDGE = 170; // height of a bridge

// Draws the blocks in an SVG element as wide as its place.
export class Blocks {
  constructor(svg, network, colours) {
    Object.assign(this, { svg, network, colours });
    this.queues = new Queues(network);
    this.resize();
  }

  // Asks for the width, which lays the page out, when it may have changed only.
  resize() {
    this.width = Math.max(300, this.svg.clientWidth);
  }

  at(recording, node, cycle) {
    return blocksAt(this.queues, recording, node, cycle);
  }

  draw(recording, node, cycle, followed) {
    const { svg } = this;
    Object.assign(this, { recording, followed });
    const found = this.at(recording, node, cycle);
    const { width } = this;
    const gap = width < 500 ? 14 : 26;
    const column = (width - 2 * gap - 2 * 14) / 3;
    const x = [14, 14 + column + gap, 14 + 2 * (column + gap)];
    const named = (long, short) => (column < NARROW ? short : long);
    const isWork = (activity) => found.output >= 0 && recording.activity(found.output) === activity;
    // A bridge is between the host and the queues.
    const top = found.bridge ? BRIDGE : 0, ring = top + 226, works = top + 192, queues = top + 68;
    svg.setAttribute("viewBox", `0 0 ${width} ${top + 268}`);
    svg.setAttribute("height", top + 268);
    svg.setAttribute("aria-label", this.words(found, node));
    svg.replaceChildren();
    const middle = (at) => x[at] + column / 2;
    const sends = isWork(SENDING) || isWork(SENDING_CONTROL);
    // Arrows first: boxes lie over their ends.
    this.arrow([[0, ring], [x[0], ring]], { ring: true, now: found.input >= 0 });
    this.arrow([[x[0] + column, ring], [x[1], ring]], { ring: true, now: found.input >= 0 && !found.takes });
    this.arrow([[x[1] + column, ring], [x[2], ring]], { ring: true, now: !sends });
    this.arrow([[x[2] + column, ring], [width, ring]], { ring: true, now: found.output >= 0 });
    const taken = found.takes ? recording.kind(found.input) : IDLE;
    const isEcho = taken === ECHO || taken === BUSY_ECHO;
    this.arrow([[middle(0), works], [middle(0), queues + 82]], { now: found.takes && !isEcho });
    if (found.unanswered) {
      const turn = queues + 103, from = x[0] + column - 8;
      this.arrow([[from, works], [from, turn], [middle(1), turn], [middle(1), queues + 82]], { now: isEcho });
      this.label(middle(1) + 6, queues + 98, "echo", "start");
    }
    this.arrow([[middle(2), queues + 82], [middle(2), works]], { now: sends });
    if (found.bridge) this.bridge(found.bridge, { x, column, middle, named });
    else {
      this.arrow([[middle(0), queues], [middle(0), 44]], { now: found.moved?.entry === recording.first + node });
      this.arrow([[middle(2), 44], [middle(2), queues]], { now: found.moved?.exit === recording.first + node });
    }
    this.outside(found, width);
    const queue = found.port ? "buffers" : "queue";
    this.queue(x[0], queues, column, named(`Receive ${queue}`, "Receive"), found.receive);
    if (found.unanswered) {
      this.queue(x[1], queues, column, named("Sent, no echo yet", "No echo yet"), found.unanswered);
    }
    const coming = found.bridge?.coming.packets;
    this.queue(x[2], queues, column, named(`Transmit ${queue}`, "Transmit"), found.transmit,
      { head: found.head, coming, isNarrow: column < NARROW });
    this.work(x[0], works, column, "Stripper", found.input, found.takes ? "takes" : "lets pass");
    this.bypass(x[1], works, column, found.bypass);
    this.work(x[2], works, column, "Output", found.output,
      isWork(DRAIN) ? "from the FIFO" : sends ? "sends" : "lets pass");
  }

  // Blocks between host and queues: requests that wait for a buffer, masters, and the bus that fills buffers; beside
  // them what has been received and is being stored.
  bridge({ slots, masters, waiting, setUp, bus, coming, storing }, { x, column, middle, named }) {
    const wide = 2 * column + x[2] - x[1] - column;
    this.arrow([[middle(1), 44], [middle(1), 68]]);
    this.arrow([[x[1] + column, 109], [x[2], 109]]);
    this.arrow([[middle(2), 150], [middle(2), 174]], { now: bus >= 0 });
    this.arrow([[middle(2), 214], [middle(2), BRIDGE + 68]], { now: coming.count > 0 });
    this.arrow([[middle(0), BRIDGE + 68], [middle(0), 150]], { now: storing.count > 0 });
    this.arrow([[middle(0), 68], [middle(0), 44]]);
    this.queue(x[0], 68, column, named("Being stored", "Storing"), storing);
    const what = masters ? `one of ${slots} masters` : `one of ${slots} buffers`;
    this.queue(x[1], 68, column, named(`Wait for ${what}`, masters ? "For a master" : "For a buffer"), waiting);
    const [long, short] = masters ? ["Set up, then wait", "Set up"] : ["Wait for the bus", "For the bus"];
    this.queue(x[2], 68, column, named(long, short), setUp);
    this.box(x[1], 174, wide, 40, "work");
    this.text(x[1] + named(48, 38), 198, named("Host's bus", "Bus"), "title");
    if (bus < 0) this.label(x[1] + wide / 2, 198, "fills no buffer");
    else this.chip(x[1] + wide / 2 - CHIP.width / 2, 186, { packet: bus, kind: SEND });
  }

  // The same for those who do not see it.
  words(found, node) {
    const { recording, network } = this;
    const said = ({ count, packets }) => {
      const names = packets.length ? ` (${packets.join(", ")})` : "";
      return count ? `${count} packet${count === 1 ? "" : "s"}${names}` : "empty";
    };
    const parts = [
      `receive ${found.port ? "buffers" : "queue"}: ${said(found.receive)}`,
      `transmit ${found.port ? "buffers" : "queue"}: ${said(found.transmit)}`,
      ...(found.unanswered ? [`sent, no echo yet: ${said(found.unanswered)}`] : []),
      `bypass FIFO: ${found.bypass.symbols ? symbolCount(found.bypass.symbols) : "empty"}`,
      ...(found.bridge ? bridgeWords(found.bridge, said) : []),
      ...(found.moved ? [`B-Link: packet ${found.moved.packet} to ${network.name(found.moved.exit)}`] : []),
    ];
    return `Block diagram of ${recording.name(node)}; ${parts.join("; ")}.`;
  }

  // Above the queues: the host of a node, or the B-Link of a port with what it carries.
  outside({ port, moved }, width) {
    this.box(14, 4, width - 28, 40, port ? "work" : "outside");
    if (!port) {
      this.text(width / 2, 21, "Host", "title");
      this.label(width / 2, 37, "serves what it receives, makes requests");
      return;
    }
    const short = (place) => this.network.ring(this.network.ringOf(place)).label(
      place - this.network.meta.rings[this.network.ringOf(place)].first);
    this.text(width / 2, 21, `B-Link ${port.link} of switch ${port.switch}`, "title");
    if (!moved) return void this.label(width / 2, 37, "moves nothing");
    this.label(width / 2 - CHIP.width, 37, `${short(moved.entry)} to ${short(moved.exit)}:`);
    this.chip(width / 2 + 14, 26, { packet: moved.packet, kind: SEND });
  }

  queue(x, y, width, title, { count, packets }, { head = -1, coming = [], isNarrow = false } = {}) {
    this.box(x, y, width, 82, "queue");
    this.text(x + width / 2, y + 16, title, "title");
    const room = Math.max(1, Math.floor((width - 8 + CHIP.gap) / (CHIP.width + CHIP.gap)));
    const shown = [...packets, ...coming].slice(0, room * ROWS);
    const across = Math.min(room, Math.max(1, shown.length));
    const left = x + (width - across * (CHIP.width + CHIP.gap) + CHIP.gap) / 2;
    shown.forEach((packet, place) => {
      const at = [place % across, Math.floor(place / across)];
      this.chip(left + at[0] * (CHIP.width + CHIP.gap), y + 23 + at[1] * (CHIP.height + CHIP.gap),
        { packet, kind: SEND, isHead: packet === head, isComing: place >= packets.length });
    });
    const all = count + coming.length, more = all - shown.length;
    const here = !count ? "empty" : count === 1 ? "1 packet" : `${count} packets`;
    const comes = isNarrow ? `${count}, ${coming.length} coming` : `${here}, ${coming.length} coming in`;
    this.label(x + width / 2, y + 76, more && shown.length ? `and ${more} more` : coming.length ? comes : here);
  }

  // Packets and echoes in a bypass FIFO: what leaves first is on the right, as on the ring.
  bypass(x, y, width, { symbols, content }) {
    this.box(x, y, width, 72, "queue");
    this.text(x + width / 2, y + 16, "Bypass FIFO", "title");
    const room = width - 12, most = Math.max(this.recording.largestFill, 1);
    let right = x + width - 6;
    for (const { packet, kind, symbols: length } of content) {
      const wide = (room * length) / most;
      const bar = this.add("rect", { x: right - wide, y: y + 25, width: Math.max(1, wide - 0.7), height: 18 });
      bar.style.fill = this.colours.looks[this.recording.packetLook(kind, packet)];
      if (packet >= 0) bar.dataset.packet = packet;
      right -= wide;
    }
    this.add("rect", { x: x + 6, y: y + 25, width: room, height: 18, class: "room" });
    this.label(x + width / 2, y + 61, symbols ? symbolCount(symbols) : "empty");
  }

  work(x, y, width, title, run, what) {
    const { recording } = this;
    this.box(x, y, width, 72, "work");
    this.text(x + width / 2, y + 16, title, "title");
    const kind = run < 0 ? IDLE : recording.kind(run), packet = run < 0 ? -1 : recording.runs.packet[run];
    if (run < 0) return void this.label(x + width / 2, y + 38, "not recorded");
    if (packet >= 0) this.chip(x + width / 2 - CHIP.width / 2, y + 25, { packet, kind });
    else this.label(x + width / 2, y + 38, kind === IDLE ? "idle" : kind === TRAIN ? "a train" : "control");
    this.label(x + width / 2, y + 61, what);
  }

  chip(x, y, { packet, kind, isHead = false, isComing = false }) {
    const state = packet === this.followed ? "followed" : isHead ? "head" : "";
    const group = this.add("g", { class: isComing ? `${state} coming` : state });
    group.dataset.packet = packet;
    const mark = this.add("rect", { x, y, width: CHIP.width, height: CHIP.height, rx: 3 }, group);
    const text = this.add("text", { x: x + CHIP.width / 2, y: y + 13, class: "chip" }, group);
    text.textContent = packet;
    if (isComing) return;
    const fill = this.colours.looks[this.recording.packetLook(kind, packet)];
    mark.style.fill = fill;
    text.style.fill = ink(fill);
  }

  box(x, y, width, height, kind) {
    this.add("rect", { x, y, width, height, rx: kind === "queue" ? 0 : 6, class: kind });
  }

  text(x, y, text, name) {
    this.add("text", { x, y, class: name }).textContent = text;
  }

  label(x, y, text, anchor = "middle") {
    const made = this.add("text", { x, y, class: "small" });
    made.style.textAnchor = anchor;
    made.textContent = text;
  }

  arrow(points, { ring = false, now = false } = {}) {
    const name = `${ring ? "ring" : "way"}${now ? " now" : ""}`;
    this.add("path", { d: `M${points.map((point) => point.join(" ")).join(" L")}`, class: name });
    const [[fromX, fromY], [toX, toY]] = points.slice(-2);
    const turn = (Math.atan2(toY - fromY, toX - fromX) * 180) / Math.PI;
    const tip = { d: "M-8 -4.5 L0 0 L-8 4.5 z", transform: `translate(${toX} ${toY}) rotate(${turn})` };
    this.add("path", { ...tip, class: `tip${now ? " now" : ""}` });
  }

  add(name, attributes, into = this.svg) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    into.append(made);
    return made;
  }
}

function bridgeWords({ masters, waiting, setUp, bus, coming, storing }, said) {
  return [
    `wait for a ${masters ? "master" : "buffer"}: ${said(waiting)}`,
    `${masters ? "set up, then wait for the bus" : "wait for the bus"}: ${said(setUp)}`,
    `bus: ${bus < 0 ? "fills no buffer" : `packet ${bus}`}`,
    `coming in: ${said(coming)}`,
    `being stored: ${said(storing)}`,
  ];
}

function symbolCount(number) {
  return `${number} symbol${number === 1 ? "" : "s"}`;
}

// Black or white, whichever stands out more from a colour.
function ink(colour) {
  const linear = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  const light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  return light > 0.179 ? "#000000" : "#ffffff";
}
