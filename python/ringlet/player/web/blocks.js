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
    const events = this.eventsAt(place), moved = this.movedAt(place);
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
      let queue = waiting, from = isPort ? moved.into.get(packet) ?? meta.fromLink : packets.generated[packet];
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
    const byAge = (one, other) => one.from - other.from;
    return Object.fromEntries(
      Object.entries({ waiting, again, unanswered, received }).map(([name, stays]) => [name, stays.sort(byAge)]));
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
    svg.setAttribute("viewBox", `0 0 ${width} 268`);
    svg.setAttribute("height", 268);
    svg.setAttribute("aria-label", this.words(found, node));
    svg.replaceChildren();
    const middle = (at) => x[at] + column / 2;
    const sends = isWork(SENDING) || isWork(SENDING_CONTROL);
    // Arrows first: boxes lie over their ends.
    this.arrow([[0, 226], [x[0], 226]], { ring: true, now: found.input >= 0 });
    this.arrow([[x[0] + column, 226], [x[1], 226]], { ring: true, now: found.input >= 0 && !found.takes });
    this.arrow([[x[1] + column, 226], [x[2], 226]], { ring: true, now: !sends });
    this.arrow([[x[2] + column, 226], [width, 226]], { ring: true, now: found.output >= 0 });
    const taken = found.takes ? recording.kind(found.input) : IDLE;
    const isEcho = taken === ECHO || taken === BUSY_ECHO;
    this.arrow([[middle(0), 192], [middle(0), 150]], { now: found.takes && !isEcho });
    if (found.unanswered) {
      this.arrow([[x[0] + column - 8, 192], [x[0] + column - 8, 171], [middle(1), 171], [middle(1), 150]],
        { now: isEcho });
      this.label(middle(1) + 6, 166, "echo", "start");
    }
    this.arrow([[middle(2), 150], [middle(2), 192]], { now: sends });
    this.arrow([[middle(0), 68], [middle(0), 44]], { now: found.moved?.entry === recording.first + node });
    this.arrow([[middle(2), 44], [middle(2), 68]], { now: found.moved?.exit === recording.first + node });
    this.outside(found, width);
    const queue = found.port ? "buffers" : "queue";
    this.queue(x[0], 68, column, named(`Receive ${queue}`, "Receive"), found.receive);
    if (found.unanswered) this.queue(x[1], 68, column, named("Sent, no echo yet", "No echo yet"), found.unanswered);
    this.queue(x[2], 68, column, named(`Transmit ${queue}`, "Transmit"), found.transmit, found.head);
    this.work(x[0], column, "Stripper", found.input, found.takes ? "takes" : "lets pass");
    this.bypass(x[1], column, found.bypass);
    this.work(x[2], column, "Output", found.output, isWork(DRAIN) ? "from the FIFO" : sends ? "sends" : "lets pass");
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

  queue(x, y, width, title, { count, packets }, head = -1) {
    this.box(x, y, width, 82, "queue");
    this.text(x + width / 2, y + 16, title, "title");
    const room = Math.max(1, Math.floor((width - 8 + CHIP.gap) / (CHIP.width + CHIP.gap)));
    const shown = packets.slice(0, room * ROWS);
    const across = Math.min(room, Math.max(1, shown.length));
    const left = x + (width - across * (CHIP.width + CHIP.gap) + CHIP.gap) / 2;
    shown.forEach((packet, place) => {
      const at = [place % across, Math.floor(place / across)];
      this.chip(left + at[0] * (CHIP.width + CHIP.gap), y + 23 + at[1] * (CHIP.height + CHIP.gap),
        { packet, kind: SEND, isHead: packet === head });
    });
    const more = count - shown.length;
    this.label(x + width / 2, y + 76, !count ? "empty" : more && shown.length ? `and ${more} more`
      : count === 1 ? "1 packet" : `${count} packets`);
  }

  // Packets and echoes in a bypass FIFO: what leaves first is on the right, as on the ring.
  bypass(x, width, { symbols, content }) {
    this.box(x, 192, width, 72, "queue");
    this.text(x + width / 2, 208, "Bypass FIFO", "title");
    const room = width - 12, most = Math.max(this.recording.largestFill, 1);
    let right = x + width - 6;
    for (const { packet, kind, symbols: length } of content) {
      const wide = (room * length) / most;
      const bar = this.add("rect", { x: right - wide, y: 217, width: Math.max(1, wide - 0.7), height: 18 });
      bar.style.fill = this.colours.looks[this.recording.packetLook(kind, packet)];
      if (packet >= 0) bar.dataset.packet = packet;
      right -= wide;
    }
    this.add("rect", { x: x + 6, y: 217, width: room, height: 18, class: "room" });
    this.label(x + width / 2, 253, symbols ? symbolCount(symbols) : "empty");
  }

  work(x, width, title, run, what) {
    const { recording } = this;
    this.box(x, 192, width, 72, "work");
    this.text(x + width / 2, 208, title, "title");
    const kind = run < 0 ? IDLE : recording.kind(run), packet = run < 0 ? -1 : recording.runs.packet[run];
    if (run < 0) return void this.label(x + width / 2, 230, "not recorded");
    if (packet >= 0) this.chip(x + width / 2 - CHIP.width / 2, 217, { packet, kind });
    else this.label(x + width / 2, 230, kind === IDLE ? "idle" : kind === TRAIN ? "a train" : "control");
    this.label(x + width / 2, 253, what);
  }

  chip(x, y, { packet, kind, isHead = false }) {
    const group = this.add("g", { class: packet === this.followed ? "followed" : isHead ? "head" : "" });
    group.dataset.packet = packet;
    const fill = this.colours.looks[this.recording.packetLook(kind, packet)];
    const mark = { x, y, width: CHIP.width, height: CHIP.height, rx: 3 };
    this.add("rect", mark, group).style.fill = fill;
    const text = this.add("text", { x: x + CHIP.width / 2, y: y + 13, class: "chip" }, group);
    text.textContent = packet;
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
