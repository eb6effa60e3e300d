// Puts the page together.

import { Blocks } from "ringlet/blocks";
import { Colours } from "ringlet/colours";
import { Explainer } from "ringlet/explain";
import { journey } from "ringlet/packet";
import { showLegend } from "ringlet/legend";
import { Pair } from "ringlet/pair";
import { Network } from "ringlet/recording";
import { Overview } from "ringlet/overview";
import { RingView } from "ringlet/ring";
import { SpaceTimeView } from "ringlet/spacetime";
import { SPEEDS, View } from "ringlet/view";

const $ = (id) => document.getElementById(id);

const meta = JSON.parse($("meta").textContent);
const network = await Network.decode(meta, $("content").textContent);
$("content").remove();
const colours = new Colours();
let recording = network.ring(0);
const explainer = new Explainer(recording);
const view = new View(recording, explainer, (place) => open(network.ringOf(place)));
const ring = new RingView($("ring"), recording, colours);
const spacetime = new SpaceTimeView($("spacetime"), recording, colours);

const overview = $("overview") ? new Overview($("overview"), network, colours, (place) => go({ place })) : null;

const blocks = new Blocks($("blocks"), network, colours);

const pair = new Pair({
  state() {
    const { cycle, fraction, playing, speed } = view;
    const fragment = view.fragment.replace(/&packet=\d+/, ""); // packets of two runs differ
    return { cycle, fraction, playing, speed, fragment, place: recording.first + view.node, colour: network.colourBy };
  },
  show({ cycle, fraction, playing, speed, place, colour }) {
    colourBy(colour);
    view.goTo({ cycle, fraction, playing, speed, place });
    spacetime.keep(view.cycle);
  },
  open: readAddress,
});

const count = new Intl.NumberFormat("en").format;
let needsDrawing = true;

function text(id, value) {
  const element = $(id);
  if (element.textContent !== value) element.textContent = value;
}

function button(label, title, action) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = label;
  made.title = title;
  made.addEventListener("click", action);
  return made;
}

// Opens another ring.
function open(number) {
  recording = network.ring(number);
  explainer.recording = view.recording = recording;
  ring.show(recording);
  spacetime.show(recording);
  if ($("ring-choice")) $("ring-choice").value = number;
  needsDrawing = true;
}

// --- The panel ------------------------------------------------------------------------------------------------------

function showTime() {
  const cycle = view.cycle + meta.start;
  text("cycle", count(cycle));
  text("nanoseconds", `${count(Math.round(cycle * meta.symbolTimeNs))} ns`);
  $("scrub").value = view.cycle;
  $("scrub").setAttribute("aria-valuetext", `cycle ${cycle}`);
  $("play").setAttribute("aria-pressed", view.playing);
  text("play", view.playing ? "Pause" : "Play");
  text("rate", `${SPEEDS[view.speed]} / s`);
}

function showNode() {
  const { node, cycle } = view;
  const state = explainer.state(node, cycle);
  const name = recording.name(node);
  text("node", name[0].toUpperCase() + name.slice(1));
  text("state", `${state.letter}, ${state.name}`);
  text("explanation", explainer.explain(node, cycle));
  const run = recording.runAt(node, cycle), input = recording.inputAt(node, cycle);
  text("input", explainer.symbol(input.run, input.position));
  text("output", explainer.symbol(run, run < 0 ? 0 : cycle - recording.runs.cycle[run]));
  const fill = recording.fillAt(node, cycle);
  const inside = recording.contentAt(node, cycle).filter((entry) => entry.packet >= 0).slice(0, 4);
  const isEcho = (entry) => entry.kind === 3 || entry.kind === 4;
  const names = inside.map((entry) => `${isEcho(entry) ? "echo of " : ""}packet ${entry.packet}`);
  const held = names.length ? `: ${names.join(", ")}` : "";
  text("fifo", fill ? `${count(fill)} symbol${fill === 1 ? "" : "s"}${held}` : "empty");
  const { count: queue } = blocks.at(recording, node, cycle).transmit, head = recording.headAt(node, cycle);
  const first = head ? `; head: ${explainer.packet(head.packet)}` : "";
  text("queue", `${count(queue)} packet${queue === 1 ? "" : "s"}${first}`);
  const received = recording.valueAt("receive_lengths", node, cycle);
  text("received", `${count(received)} packet${received === 1 ? "" : "s"}`);
  if ($("saved")) text("saved", explainer.saved(node, cycle) || "nothing");
  text("blocks-name", `Inside ${name}`);
  if ($("blocks-part").open) blocks.draw(recording, node, cycle, view.packet);
  for (const element of document.querySelectorAll(".diagram [data-state]")) {
    element.classList.toggle("now", element.dataset.state === state.letter);
  }
}

let shownPacket = null;

function showPacket() {
  $("packet").hidden = view.packet < 0;
  if (view.packet < 0) return void (shownPacket = null);
  const { packets } = recording;
  const number = view.packet;
  const steps = $("journey");
  if (shownPacket !== number) {
    shownPacket = number;
    text("packet-name", `Packet ${number}`);
    const priority = packets.priority[number] ? `, priority ${packets.priority[number]}` : "";
    const group = meta.grouped ? `, group ${packets.group[number]}` : "";
    const kind = packets.response[number] ? "response" : "request";
    const ends = `From ${network.nodeName(packets.source[number])} to ${network.nodeName(packets.destination[number])}`;
    const message = meta.flows[packets.flow[number]] ? `, message '${meta.flows[packets.flow[number]]}'` : "";
    text("packet-text", `${ends}, ${packets.symbols[number]} symbols, ${kind}${message}${priority}${group}.`);
    steps.replaceChildren(...journey(network, number).map(({ cycle, place, text: what }) => {
      const row = document.createElement("li");
      row.dataset.cycle = cycle;
      row.append(button(`${count(cycle + meta.start)}: ${what}`, "Go there", () => go({ cycle, place })));
      return row;
    }));
  }
  let now = null;
  for (const row of steps.children) {
    const isPast = Number(row.dataset.cycle) <= view.cycle;
    row.classList.toggle("past", isPast);
    row.classList.remove("now");
    if (isPast) now = row;
  }
  now?.classList.add("now");
}

function go(change) {
  view.goTo({ fraction: 0, playing: false, place: recording.first + view.node, ...change });
  spacetime.keep(view.cycle);
}

for (const [index, moment] of meta.moments.entries()) {
  const { name, cycle, node, packet, text: what } = moment;
  const made = button(name, what, () => {
    spacetime.left = cycle - meta.start - spacetime.shown * 0.3;
    go({ cycle: cycle - meta.start, place: network.places[node], packet: packet ?? -1 });
    text("moment", what);
  });
  made.dataset.moment = index;
  const label = document.createElement("span");
  label.className = "muted";
  label.textContent = ` ${count(cycle)}`;
  made.append(label);
  $("moments").append(made);
}
if (!meta.moments.length) $("moments-part").hidden = true;

// --- What a person does ---------------------------------------------------------------------------------------------

$("scrub").max = recording.cycles - 1;
$("scrub").addEventListener("input", (event) => go({ cycle: Number(event.target.value) }));
$("speed").max = SPEEDS.length - 1;
$("speed").addEventListener("input", (event) => view.set({ speed: Number(event.target.value) }));
$("play").addEventListener("click", () => play());
$("back").addEventListener("click", () => step(-1));
$("forward").addEventListener("click", () => step(1));
$("colour-by").addEventListener("change", (event) => {
  colourBy(event.target.value);
  view.set({}); // for the address
});
$("ring-choice")?.addEventListener("change", (event) => go({ place: meta.rings[Number(event.target.value)].first }));
$("unfollow").addEventListener("click", () => view.set({ packet: -1 }));
$("zoom-in").addEventListener("click", () => zoom(1.6));
$("zoom-out").addEventListener("click", () => zoom(1 / 1.6));

// Colours packets by what the page offers: by what they are, their sources, destinations or priorities.
function colourBy(wanted) {
  const offered = [...$("colour-by").options].map((option) => option.value);
  const what = offered.includes(wanted) ? wanted : "kind";
  if (what === network.colourBy) return;
  network.colourBy = $("colour-by").value = what;
  network.rings.forEach((one) => one.repaint());
  spacetime.paint();
  showLegend(network);
  needsDrawing = true;
}

// What an address says behind its `#`.
function readAddress(fragment) {
  colourBy(new URLSearchParams(fragment.replace(/^#/, "")).get("colour"));
  view.read(fragment);
  spacetime.keep(view.cycle);
}

function play() {
  const atEnd = view.cycle >= recording.cycles - 1;
  view.set({ playing: !view.playing, cycle: atEnd ? 0 : view.cycle });
}

function step(cycles) {
  view.step(cycles);
  spacetime.keep(view.cycle);
}

function zoom(factor) {
  spacetime.zoom(factor, view.cycle);
  needsDrawing = true;
}

function position(event) {
  const box = event.target.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

$("ring").addEventListener("click", (event) => choose(ring.hit(...position(event), view.time)));

$("blocks").addEventListener("click", (event) => {
  const chosen = event.target.closest("[data-packet]");
  if (chosen) view.set({ packet: Number(chosen.dataset.packet) });
});
$("blocks-part").addEventListener("toggle", () => {
  blocks.resize();
  needsDrawing = true;
});

function choose({ node, packet }) {
  if (packet !== undefined && packet >= 0) view.set({ packet });
  if (node !== undefined) view.set({ node });
}

let drag = null;
$("spacetime").addEventListener("pointerdown", (event) => {
  drag = { x: event.clientX, left: spacetime.left, moved: false };
  event.target.setPointerCapture(event.pointerId);
});
$("spacetime").addEventListener("pointermove", (event) => {
  if (!drag) return;
  drag.moved ||= Math.abs(event.clientX - drag.x) > 4;
  if (!drag.moved) return;
  spacetime.left = drag.left - (event.clientX - drag.x) / spacetime.pitch;
  spacetime.clamp();
  needsDrawing = true;
});
$("spacetime").addEventListener("pointercancel", () => (drag = null));
$("spacetime").addEventListener("pointerup", (event) => {
  if (drag && !drag.moved) {
    const hit = spacetime.hit(...position(event));
    const change = { fraction: 0, playing: false };
    if (hit.cycle !== undefined) {
      Object.assign(change, { cycle: hit.cycle, packet: hit.packet >= 0 ? hit.packet : view.packet });
    }
    if (hit.node !== undefined) change.node = hit.node;
    view.set(change);
  }
  drag = null;
});
$("spacetime").addEventListener("wheel", (event) => {
  event.preventDefault();
  if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    spacetime.left += event.deltaX / spacetime.pitch;
    spacetime.clamp();
  } else {
    const [x] = position(event);
    spacetime.zoom(Math.exp(-event.deltaY / 300), spacetime.left + (x - spacetime.labels) / spacetime.pitch);
  }
  needsDrawing = true;
}, { passive: false });

const KEYS = {
  " ": play,
  ArrowRight: (event) => step(event.shiftKey ? 10 : 1),
  ArrowLeft: (event) => step(event.shiftKey ? -10 : -1),
  ArrowDown: () => view.set({ node: (view.node + 1) % recording.nodes }),
  ArrowUp: () => view.set({ node: (view.node + recording.nodes - 1) % recording.nodes }),
  Home: () => go({ cycle: 0 }),
  End: () => go({ cycle: recording.cycles - 1 }),
  "+": () => zoom(1.6),
  "=": () => zoom(1.6),
  "-": () => zoom(1 / 1.6),
  "<": () => view.set({ speed: Math.max(0, view.speed - 1) }),
  ">": () => view.set({ speed: Math.min(SPEEDS.length - 1, view.speed + 1) }),
  m: nextMoment,
  b: () => ($("blocks-part").open = !$("blocks-part").open),
  Escape: () => view.set({ packet: -1 }),
};

function nextMoment() {
  const later = meta.moments.findIndex((moment) => moment.cycle - meta.start > view.cycle);
  $("moments").children[Math.max(0, later)]?.click();
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const onRange = event.target instanceof HTMLInputElement;
  const onButton = event.target instanceof HTMLButtonElement;
  if (onRange && (event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End")) return;
  if (onButton && event.key === " ") return;
  const action = KEYS[event.key];
  if (!action) return;
  event.preventDefault();
  action(event);
});

// --- Frames ---------------------------------------------------------------------------------------------------------

// A page inside of another one, such as a notebook, has no address of its own to change.
const addressed = location.href.split("#")[0] !== "about:srcdoc";
let fragmentTimer = 0;
view.onChange(() => {
  needsDrawing = true;
  pair.tell();
  $("speed").value = view.speed;
  // A screen reader reads what stands still.
  $("explanation").setAttribute("aria-live", view.playing ? "off" : "polite");
  if (!view.playing && addressed) {
    clearTimeout(fragmentTimer);
    fragmentTimer = setTimeout(() => history.replaceState(null, "", view.fragment), 200);
  }
});

function resize() {
  ring.resize();
  spacetime.resize();
  blocks.resize();
  spacetime.clamp();
  // At once: a canvas that changes its size is blank.
  draw();
}

const READABLE_MS = 100; // between two changes of the words while it plays
let wordsShown = 0;

function draw(now = performance.now()) {
  showTime();
  if (!view.playing || now - wordsShown >= READABLE_MS) {
    wordsShown = now;
    showNode();
    showPacket();
  }
  if (view.playing) spacetime.keep(view.cycle);
  ring.draw(view.time, view);
  spacetime.draw(view.time, view);
  overview?.draw(view.cycle, recording.number, view.packet);
}

let lastFrame = performance.now();
function frame(now) {
  const elapsed = Math.min(100, now - lastFrame);
  lastFrame = now;
  if (view.playing && pair.leads) {
    view.advance(elapsed);
    pair.tell();
    needsDrawing = true;
  }
  if (needsDrawing) {
    needsDrawing = false;
    draw(now);
  }
  requestAnimationFrame(frame);
}

addEventListener("resize", resize);
addEventListener("hashchange", () => readAddress(location.hash));
colours.listeners.push(() => {
  spacetime.paint();
  overview?.paint();
  needsDrawing = true;
});

$("speed").value = view.speed;
resize();
showLegend(network);
readAddress(location.hash);
spacetime.left = Math.max(0, view.cycle - spacetime.shown * 0.3);
spacetime.clamp();
draw();
requestAnimationFrame(frame);
// A page inside of another one says how high it is, so that its frame can show all of it.
if (window.parent !== window) {
  const whole = document.documentElement;
  const height = () => Math.ceil(whole.getBoundingClientRect().height);
  new ResizeObserver(() => window.parent.postMessage({ ringletPlayerHeight: height() }, "*")).observe(whole);
}
// For tests and for links from a report.
window.ringlet = {
  view, network, get recording() { return recording; }, draw, spacetime, ring, explainer, overview, blocks,
};
document.body.dataset.ready = "true";
