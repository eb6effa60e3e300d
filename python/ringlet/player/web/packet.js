// The life of a packet: where it has been, step by step.

import { BUSY_ECHO, DRAIN, ECHO, RETRY, SEND, SENDING } from "ringlet/recording";

const FATES = [
  (node) => `node ${node} accepts it`,
  (node) => `node ${node} refuses it`,
  () => "the echo is back: accepted",
  () => "the echo is back: busy",
  (node) => `served at node ${node}`,
];

// Steps of a packet within the window, in order of time: { cycle, node, text }.
export function journey(recording, packet) {
  const { packets, runs, events, heads } = recording;
  const steps = [];
  const add = (cycle, node, text) => steps.push({ cycle, node, text });
  const source = packets.source[packet];
  if (packets.generated[packet] >= 0) add(packets.generated[packet], source, "generated");
  for (let i = heads.first[source]; i < heads.first[source + 1]; i++) {
    if (heads.value[i] === packet && heads.cycle[i] >= 0) add(heads.cycle[i], source, "head of the queue");
  }
  for (const run of recording.runsOfPacket(packet)) {
    const node = recording.nodeOfRun(run), kind = recording.kind(run), activity = recording.activity(run);
    const leaves = activity === DRAIN ? "leaves the bypass FIFO of" : "passes";
    if (kind === SEND || kind === RETRY) {
      if (activity === SENDING) add(runs.cycle[run], node, kind === SEND ? `sent by node ${node}` : `sent again by node ${node}`);
      else add(runs.cycle[run], node, `${leaves} node ${node}`);
    } else if (kind === ECHO || kind === BUSY_ECHO) {
      if (node !== packets.destination[packet]) add(runs.cycle[run], node, `echo ${leaves} node ${node}`);
      else add(runs.cycle[run], node, `echo from node ${node}`);
    }
  }
  for (let i = lowerBound(events.packet, packet); i < events.packet.length && events.packet[i] === packet; i++) {
    add(events.cycle[i], events.node[i], FATES[events.fate[i]](events.node[i]));
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
