// The life of a packet: where it has been, step by step.

import { BUSY_ECHO, DRAIN, ECHO, RETRY, SEND, SENDING } from "ringlet/recording";

const FATES = [
  (name) => `${name} accepts it`,
  (name) => `${name} refuses it`,
  () => "the echo is back: accepted",
  () => "the echo is back: busy",
  (name) => `served at ${name}`,
  (name) => `lost on the link to ${name}`,
  (name) => `its echo is lost on the link to ${name}`,
  (name) => `${name} misses the echo and will send it again`,
  (name) => `${name} misses the echo and gives it up`,
  (name) => `served at ${name}, and dropped: the other copy was there first`,
];

// Steps of a packet within the window, on whatever rings, in order of time: { cycle, place, text }.
export function journey(network, packet) {
  const { packets, runs, events, heads, transfers } = network;
  const steps = [];
  const takers = new Map();
  const add = (cycle, place, text) => steps.push({ cycle, place, text });
  const source = packets.source[packet];
  if (source >= 0 && packets.generated[packet] >= 0) add(packets.generated[packet], network.places[source],
    "generated");
  for (let place = 0; place < network.interfaces; place++) {
    for (let i = heads.first[place]; i < heads.first[place + 1]; i++) {
      const where = network.meta.ports ? ` of ${network.name(place)}` : "";
      if (heads.value[i] === packet && heads.cycle[i] >= 0) add(heads.cycle[i], place, `head of the queue${where}`);
    }
  }
  for (const run of network.runsOfPacket(packet)) {
    const place = network.placeOfRun(run), kind = network.kind(run), activity = network.activity(run);
    const name = network.name(place);
    const leaves = activity === DRAIN ? "leaves the bypass FIFO of" : "passes";
    if (kind === SEND || kind === RETRY) {
      if (activity === SENDING) add(runs.cycle[run], place, kind === SEND ? `sent by ${name}`
        : `sent again by ${name}`);
      else add(runs.cycle[run], place, `${leaves} ${name}`);
    } else if (kind === ECHO || kind === BUSY_ECHO) {
      const isFresh = place === takers.get(runs.to[run]);
      add(runs.cycle[run], place, isFresh ? `echo from ${name}` : `echo ${leaves} ${name}`);
    }
    // Who takes it off the ring echoes to who has sent it.
    if ((kind === SEND || kind === RETRY) && activity === SENDING) takers.set(place, runs.to[run]);
  }
  for (let i = 0; transfers && i < transfers.packet.length; i++) {
    if (transfers.packet[i] !== packet || transfers.start[i] < 0) continue;
    const { switch: number } = network.meta.ports[transfers.entry[i]];
    add(transfers.start[i], transfers.exit[i], `moved by switch ${number} to ${network.name(transfers.exit[i])}`);
  }
  for (let i = lowerBound(events.packet, packet); i < events.packet.length && events.packet[i] === packet; i++) {
    add(events.cycle[i], events.node[i], FATES[events.fate[i]](network.name(events.node[i])));
  }
  return steps.sort((a, b) => a.cycle - b.cycle);
}

function lowerBound(values, value) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
