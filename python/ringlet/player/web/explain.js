// What a node does in a cycle, in one sentence, and its state (picker1994, Figure 2).

import {
  BUSY_ECHO, CONTROL, DRAIN, ECHO, EVENT, IDLE, INSERT, LOOK, PASS, RETRY, SEND, SENDING, SENDING_CONTROL, TRAIN,
} from "ringlet/recording";

const STATES = {
  A: { letter: "A", name: "passing", colour: (colours) => colours.muted },
  B: { letter: "B", name: "sending", colour: (colours) => colours.looks[LOOK.send] },
  C: { letter: "C", name: "recovering", colour: (colours) => colours.looks[LOOK.busy] },
  D: { letter: "D", name: "blocked", colour: (colours) => colours.looks[LOOK.echo] },
  P: { letter: "P", name: "sending for the protocol", colour: (colours) => colours.looks[LOOK.control] },
};

export class Explainer {
  constructor(recording) {
    this.recording = recording;
    this.hasGo = recording.meta.goBits > 0;
  }

  state(node, cycle) {
    const { recording } = this;
    const run = recording.runAt(node, cycle);
    const activity = run < 0 ? PASS : recording.activity(run);
    if (activity === SENDING) return STATES.B;
    if (activity === DRAIN) return STATES.C;
    if (activity === INSERT || activity === SENDING_CONTROL) return STATES.P;
    return recording.headAt(node, cycle) || recording.valueAt("transmit_lengths", node, cycle) ? STATES.D : STATES.A;
  }

  packet(number) {
    const { source, destination } = this.recording.packets;
    const { network } = this.recording;
    return `${network.packetName(number)} (${network.nodeName(source[number])} to ` +
      `${network.nodeName(destination[number]).replace("node ", "")})`;
  }

  // A symbol in words.
  symbol(run, position) {
    const { recording } = this;
    if (run < 0) return "not recorded";
    const { packet, symbols, maker, word } = recording.runs;
    const place = `symbol ${position + 1} of ${symbols[run]}`;
    switch (recording.kind(run)) {
      case IDLE: return this.idle(word[run]);
      case SEND: return `${this.packet(packet[run])}, ${place}`;
      case RETRY: return `${this.packet(packet[run])}, sent again, ${place}`;
      case ECHO: return `echo of packet ${packet[run]}: accepted, ${place}`;
      case BUSY_ECHO: return `echo of packet ${packet[run]}: busy, ${place}`;
      case CONTROL: return `${control(word[run])} of ${recording.network.name(maker[run])}, ${place}`;
      case TRAIN: return `the train, ${place}`;
      case EVENT: return `event of ${recording.network.name(maker[run])}: packet ${packet[run]} has inherited ` +
        `priority ${word[run]}, ${place}`;
    }
    return "";
  }

  idle(word) {
    const { goBits, sumsLast, levels, meanings } = this.recording.meta;
    if (levels && word === 0) return "idle, go for all";
    if (levels) return word >= levels ? "idle, go for no node" : `idle, go from priority ${word}`;
    if (!this.hasGo) return "idle";
    const go = (word & (2 ** goBits - 1)) >>> 0;
    if (goBits === 1) return go ? "idle with a go bit" : "idle without a go bit";
    if (meanings.length) return `idle, go ${meanings[go]}`;
    if (!go) return "idle without a go bit";
    return `idle with go bits ${bits(go, goBits, sumsLast)}`;
  }

  // The withheld go bits of a node, in words, or "".
  saved(node, cycle) {
    const word = this.recording.valueAt("withheld", node, cycle);
    const { goBits, sumsLast, levels } = this.recording.meta;
    if (!word || (!this.hasGo && !levels)) return "";
    if (levels) return "a go level";
    return goBits === 1 ? "a go bit" : `go bits ${bits(word & (2 ** goBits - 1), goBits, sumsLast)}`;
  }

  // What the node does in this cycle.
  explain(node, cycle) {
    const { recording } = this;
    const run = recording.runAt(node, cycle);
    if (run < 0) return `${capital(recording.name(node))}: not recorded.`;
    const position = cycle - recording.runs.cycle[run];
    const input = recording.inputAt(node, cycle);
    switch (recording.activity(run)) {
      case SENDING: return this.sending(node, cycle, run, position, input);
      case DRAIN: return this.draining(node, cycle, run, position);
      case INSERT:
        if (recording.kind(run) === IDLE) return "The idle behind what the protocol has made.";
        return `Sends what the protocol has made: ${this.symbol(run, position)}.`;
      case SENDING_CONTROL: return "Sends a control symbol: it needs no idle around it and overtakes packets.";
      default: return this.passing(node, cycle, run, input);
    }
  }

  sending(node, cycle, run, position, input) {
    const { recording } = this;
    const { packet, symbols, word } = recording.runs;
    const fill = recording.fillAt(node, cycle);
    if (recording.kind(run) === IDLE) {
      const look = recording.idleLook(word[run]);
      const saved = this.saved(node, cycle);
      const none = saved
        ? ` It carries no go bit: the node keeps ${saved} until its bypass FIFO is empty.`
        : " It carries no go bit, for none has come in.";
      const carries = !this.hasGo ? "" : look === LOOK.stop ? none : " It carries the go bit that came in meanwhile.";
      const then = fill ? ` Its bypass FIFO holds ${symbolCount(fill)}: it has to empty that first (state C).` : "";
      return `Its packet is out; this is the idle behind it.${carries}${then}`;
    }
    const number = packet[run], last = recording.headAt(node, cycle);
    const again = recording.kind(run) === RETRY ? ", which was refused before," : "";
    const idles = input.run < 0 || recording.kind(input.run) === IDLE;
    const held = fill
      ? ` What comes in meanwhile waits in its bypass FIFO (${symbolCount(fill)}).`
      : idles ? " Only idles come in, so its bypass FIFO stays empty." : "";
    const saved = this.saved(node, cycle);
    const { network } = recording;
    const taker = recording.runs.to[run], end = recording.packets.destination[number];
    const by = taker >= 0 && taker !== network.places[end] ? ` by way of ${network.name(taker)}` : "";
    return `Sends packet ${number ?? last}${again} to ${network.nodeName(end)}${by}: symbol ${position + 1} of ` +
      `${symbols[run]}.${held}${saved ? ` It has saved ${saved}.` : ""}`;
  }

  draining(node, cycle, run, position) {
    const { recording } = this;
    const fill = recording.fillAt(node, cycle);
    if (recording.kind(run) === IDLE && recording.contentAt(node, cycle)[0]?.kind === TRAIN) {
      return `Holds the train in its bypass FIFO while it reads and rewrites it (${symbolCount(fill)}).`;
    }
    const saved = this.saved(node, cycle);
    const head = recording.headAt(node, cycle);
    const wants = head ? " Its own packet has to wait." : "";
    const keeps = saved
      ? ` It keeps ${saved} back, so that other nodes stop sending.`
      : this.hasGo ? " Any go bit that comes in now will be kept back." : "";
    if (recording.kind(run) !== IDLE) {
      const left = fill === 1 ? "1 symbol is" : `${fill} symbols are`;
      return `Empties its bypass FIFO: ${this.symbol(run, position)}; ${left} left.${wants}${keeps}`;
    }
    const next = recording.runAt(node, cycle + 1);
    if (fill) return `An idle between two packets of its bypass FIFO, with ${symbolCount(fill)} left.${wants}${keeps}`;
    const sends = next >= 0 && recording.activity(next) === SENDING;
    const gives = !this.hasGo
      ? ""
      : recording.idleLook(recording.runs.word[run]) === LOOK.stop
        ? ", and it has no go bit to give on"
        : ", and this idle carries the go bit it has saved";
    const then = sends ? "Its own packet follows at once." : "It lets symbols pass again.";
    return `Its bypass FIFO is empty${gives}. ${then}`;
  }

  passing(node, cycle, run, input) {
    const { recording } = this;
    const head = recording.headAt(node, cycle);
    const stripped = this.stripping(node, cycle, run, input);
    const waiting = recording.valueAt("transmit_lengths", node, cycle);
    const before = stripped ? `${stripped} ` : "";
    if (!head && waiting) {
      const packets = waiting === 1 ? "a packet waits" : `${waiting} packets wait`;
      return `${before}Blocked: ${packets}, and ${this.withheldHead()}.`;
    }
    if (!head) return stripped || "It has nothing to send: what comes in goes out.";
    const next = recording.runAt(node, cycle + 1);
    const sends = next >= 0 && recording.activity(next) === SENDING && recording.kind(next) !== IDLE;
    const to = `to ${recording.network.nodeName(recording.packets.destination[head.packet])}`;
    if (sends) {
      const lets = `It emits an idle${this.hasGo ? " with a go bit" : ""}, and its bypass FIFO is empty`;
      return `${before}${lets}: its packet ${to} follows.`;
    }
    const waited = cycle - Math.max(0, head.since) + 1;
    const since = `for ${head.since <= 0 ? "at least " : ""}${waited} cycle${waited === 1 ? "" : "s"}`;
    return `${before}Blocked: its packet ${to} has waited ${since} for ${this.awaited(head.packet)}.`;
  }

  // Why no packet of those that wait is head.
  withheldHead() {
    return this.recording.meta.heldBack;
  }

  awaited(packet) {
    return this.recording.meta.awaited.replace("{priority}", this.recording.packets.priority[packet]);
  }

  // What comes in is for this node, in words, or "".
  stripping(node, cycle, run, input) {
    const { recording } = this;
    if (input.run < 0) return "";
    const { packet, symbols } = recording.runs;
    const kind = recording.kind(input.run), number = packet[input.run];
    if (number < 0) return "";
    const { network } = recording;
    const isHere = recording.runs.to[input.run] === recording.first + node;
    const sender = network.name(senderOf(recording, number));
    if ((kind === SEND || kind === RETRY) && isHere) {
      const out = recording.kind(run);
      if (out === ECHO) return `Packet ${number} was for this node: its last symbols become an echo that says ` +
        `accepted.`;
      if (out === BUSY_ECHO) return `Packet ${number} found no place here: its echo says busy, and ${sender} will ` +
        `send it again.`;
      const extended = this.hasGo && recording.idleLook(recording.runs.word[run]) === LOOK.go
        ? ", with the last go bit repeated (go bit extension)" : "";
      return `Packet ${number} is for this node and leaves the ring (symbol ${input.position + 1} of ` +
        `${symbols[input.run]}); idles take its place${extended}.`;
    }
    if ((kind === ECHO || kind === BUSY_ECHO) && isHere) {
      return kind === ECHO ? `The echo of its packet ${number} is back: accepted.`
        : `The echo of its packet ${number} is back: busy, so it will be sent again.`;
    }
    return "";
  }
}

// The interface that has sent the packet of a run on this ring.
function senderOf(recording, number) {
  for (const other of recording.runsOfPacket(number)) {
    if (recording.nodeOfRun(other) >= 0 && recording.activity(other) === SENDING) return recording.first
      + recording.nodeOfRun(other);
  }
  const source = recording.packets.source[number];
  return source < 0 ? recording.first : recording.network.places[source];
}

function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}

function symbolCount(number) {
  return `${number} symbol${number === 1 ? "" : "s"}`;
}

// The groups of go bits; `sumsLast`: the last one is of all groups from there on.
function bits(word, count, sumsLast) {
  const set = [];
  for (let bit = 0; bit < count; bit++) if ((word >> bit) & 1) set.push(bit);
  if (sumsLast && set.at(-1) === count - 1) set[set.length - 1] = `${count - 1} and beyond`;
  if (set.length > 4) return sumsLast ? "of many groups" : `of ${set.length} groups`;
  return `of group${set.length === 1 ? "" : "s"} ${set.join(", ")}`;
}

// Kinds as the engine packs them: 0 STOP-THRU, 1 STOP-TO, 2 its release.
function control(word) {
  const kind = word & 3;
  if (kind === 0) return (word >> 5) & 1 ? `STOP-THRU below priority ${(word >> 8) & 255}` : "STOP-THRU lifted";
  return kind === 1 ? "STOP-TO" : "STOP-TO released";
}
