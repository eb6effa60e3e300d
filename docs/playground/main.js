// Puts the playground together: sliders, a ring that plays, and what its nodes get beside their fair share.

import { Colours } from "ringlet/colours";
import { Engine } from "ringlet/engine";
import { Explainer } from "ringlet/explain";
import { Network } from "ringlet/recording";
import { RingView } from "ringlet/ring";
import { fileOf, hopDelayOf, optimumOf, specOf } from "ringlet/spec";
import { SPEEDS, View } from "ringlet/view";

const WINDOW = 2000; // cycles that are recorded at a time
const WARM_UP = 20_000; // cycles before the counts begin
const MEASURED = 1_000_000; // cycles that are counted
const FRAME_MS = 10; // time of a frame that goes into simulation

const $ = (id) => document.getElementById(id);
const count = new Intl.NumberFormat("en").format;

async function inflate(id) {
  const bytes = Uint8Array.from(atob($(id).textContent), (character) => character.charCodeAt(0));
  $(id).remove();
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const tables = JSON.parse(new TextDecoder().decode(await inflate("tables")));
const engine = await Engine.compile(await inflate("engine"));
const colours = new Colours();

// --- Settings -------------------------------------------------------------------------------------------------------

const settings = {
  protocol: "sci", nodes: 8, pattern: "fan-in", load: tables.loads.length - 1, mix: "send80", hopDelay: 4, seed: 1,
};
const LISTS = { nodes: tables.nodes, hopDelay: tables.hopDelays };
const TITLES = {
  protocol: Object.fromEntries(Object.entries(tables.protocols).map(([name, { title }]) => [name, title])),
  pattern: Object.fromEntries(Object.entries(tables.patterns).map(([name, { title }]) => [name, title])),
  mix: tables.mixes,
};

function read(fragment) {
  for (const [name, text] of new URLSearchParams(fragment.replace(/^#/, ""))) {
    const number = Number(text);
    if (name in TITLES && text in TITLES[name]) settings[name] = text;
    else if (name in LISTS && LISTS[name].includes(number)) settings[name] = number;
    else if (name === "load" && Number.isInteger(number) && number in tables.loads) settings.load = number;
    else if (name === "seed" && Number.isInteger(number) && number >= 0 && number < 1e9) settings.seed = number;
  }
}

for (const [name, titles] of Object.entries(TITLES)) {
  for (const [value, title] of Object.entries(titles)) $(name).append(new Option(title, value));
  $(name).addEventListener("change", (event) => change({ [name]: event.target.value }));
}
for (const [name, values] of Object.entries(LISTS)) {
  $(name).max = values.length - 1;
  $(name).addEventListener("input", (event) => change({ [name]: values[event.target.value] }));
}
$("load").max = tables.loads.length - 1;
$("load").addEventListener("input", (event) => change({ load: Number(event.target.value) }));
$("again").addEventListener("click", () => change({ seed: settings.seed + 1 }));

function showSettings() {
  for (const name of Object.keys(TITLES)) $(name).value = settings[name];
  for (const [name, values] of Object.entries(LISTS)) {
    $(name).value = values.indexOf(settings[name]);
    $(name).setAttribute("aria-valuetext", settings[name]);
    $(`${name}-value`).textContent = settings[name];
  }
  const load = tables.loads[settings.load] ?? "saturated";
  $("load").value = settings.load;
  $("load").setAttribute("aria-valuetext", load);
  $("load-value").textContent = load;
  $("file").textContent = fileOf(tables, settings);
  $("seed").textContent = settings.seed;
  const { made, go_bits: goBits, levels } = tables.protocols[settings.protocol].reading;
  for (const id of ["made-letter", "made-entry"]) $(id).hidden = !made;
  $("made").textContent = made ?? "";
  $("go-entry").hidden = !goBits && !levels;
}

function change(values) {
  Object.assign(settings, values);
  history.replaceState(null, "", `#${new URLSearchParams(settings)}`);
  begin();
}

// --- The ring -------------------------------------------------------------------------------------------------------

const ARRAYS = { code: Uint8Array, kind: Uint8Array, fate: Uint8Array };

// The next window of the ring, as the player holds a recording.
function nextWindow() {
  const { from, cycles, ...rows } = engine.record(WINDOW);
  const columns = { transfers: { entry: [], exit: [], packet: [], start: [], end: [] } };
  for (const [table, content] of Object.entries(rows)) {
    columns[table] = {};
    for (const [name, values] of Object.entries(content)) {
      columns[table][name] = (ARRAYS[name] ?? Int32Array).from(values);
    }
  }
  const { nodes, protocol, hopDelay } = settings;
  const { reading, symbolTimeNs } = tables.protocols[protocol];
  const meta = {
    start: from, cycles, symbolTimeNs, numbers: Array.from({ length: nodes }, (_, node) => node), names: null,
    ports: null, rings: [{ name: "the ring", first: 0, count: nodes, hopDelays: Array(nodes).fill(hopDelay) }],
    flows: [], moments: [],
    goBits: reading.go_bits, sumsLast: reading.sums_last, meanings: reading.meanings, levels: reading.levels,
    awaited: reading.awaited, heldBack: reading.held_back, grouped: reading.grouped,
    firstInFirstOut: reading.first_in_first_out,
  };
  return new Network(meta, columns).ring(0);
}

let recording, explainer, view, ring;
let found, optimum, step;

function begin() {
  const { protocol, nodes, mix, hopDelay } = settings;
  settings.hopDelay = hopDelayOf(tables, settings);
  const refused = settings.hopDelay === hopDelay ? "" : tables.protocols[protocol].spec[mix][nodes][hopDelay];
  showSettings();
  optimum = optimumOf(tables, settings);
  try {
    engine.build(specOf(tables, settings));
    recording = nextWindow();
  } catch (error) {
    $("problem").textContent = error.message;
    $("problem").hidden = false;
    throw error;
  }
  $("problem").textContent = refused && `${refused}; ${settings.hopDelay} is taken.`;
  $("problem").hidden = !refused;
  const { playing = true, speed = 4 } = view ?? {};
  explainer = new Explainer(recording);
  view = new View(recording, explainer, () => {});
  Object.assign(view, { playing, speed });
  if (ring) ring.show(recording);
  else {
    ring = new RingView($("ring"), recording, colours);
    ring.resize();
  }
  found = null;
  step = 1000;
  makeRows();
  draw();
}

function playOn(milliseconds) {
  view.advance(milliseconds);
  if (view.cycle < recording.cycles - 1) return;
  recording = nextWindow();
  explainer.recording = recording;
  view.recording = recording;
  ring.show(recording);
  view.set({ cycle: 0, fraction: 0, packet: -1, playing: true });
}

function play() {
  view.set({ playing: !view.playing });
}

$("play").addEventListener("click", play);
$("speed").max = SPEEDS.length - 1;
$("speed").addEventListener("input", (event) => view.set({ speed: Number(event.target.value) }));
$("ring").addEventListener("click", (event) => {
  const box = event.target.getBoundingClientRect();
  const { node, packet = -1 } = ring.hit(event.clientX - box.left, event.clientY - box.top, view.time);
  view.set({ packet, ...(node === undefined ? {} : { node }) });
});
addEventListener("keydown", (event) => {
  if (event.key !== " " || event.target.closest("button, select, input, summary")) return;
  event.preventDefault();
  play();
});

// --- What the nodes get ---------------------------------------------------------------------------------------------

// The same ring runs ahead of the picture, as fast as frames allow.
function measure() {
  if (found && found.measured >= MEASURED) return;
  const end = performance.now() + FRAME_MS;
  while (performance.now() < end) {
    if (!found) {
      engine.advance(WARM_UP);
      engine.reset();
      found = { measured: 0 };
    }
    const began = performance.now();
    const cycles = Math.min(step, MEASURED - found.measured);
    if (!cycles) return;
    const { flows } = engine.advance(cycles);
    found = { measured: found.measured + cycles, flows };
    if (performance.now() - began < FRAME_MS / 4) step *= 2;
  }
}

const rates = () => found.flows.delivered_symbols.map((symbols) => symbols / found.measured);

function makeRows() {
  $("nodes-found").replaceChildren(...Array.from({ length: settings.nodes }, (_, node) => {
    const row = document.createElement("tr");
    row.innerHTML = "<th scope='row'></th><td class='bars'><div class='bar'></div><div class='best'></div></td>" +
      "<td class='number'></td><td class='number'></td>";
    row.firstChild.textContent = node;
    return row;
  }));
}

// True if clearly less is delivered than Poisson sources offer: their queues, and so latency, grow with the run.
function rising(symbols, packets) {
  const load = tables.loads[settings.load];
  if (load === null || !packets) return false;
  const due = (load * settings.nodes * found.measured * packets) / symbols;
  return due - packets > Math.max(0.02 * due, 5 * Math.sqrt(due));
}

function showFound() {
  if (!found?.flows) return;
  const got = rates();
  const most = Math.max(...got, ...(optimum ?? []), 1e-9) * 1.05;
  [...$("nodes-found").children].forEach((row, node) => {
    const [, bars, measured, best] = row.children;
    bars.children[0].style.width = `${(100 * got[node]) / most}%`;
    bars.children[1].hidden = !optimum;
    if (optimum) bars.children[1].style.left = `${(100 * optimum[node]) / most}%`;
    measured.textContent = got[node].toFixed(3);
    best.textContent = optimum ? optimum[node].toFixed(3) : "-";
  });
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const total = sum(got), packets = sum(found.flows.delivered_packets);
  $("total").textContent = `${total.toFixed(3)} words per cycle` +
    (optimum ? `, ${Math.round((100 * total) / sum(optimum))} % of the fair share` : "");
  const latency = packets ? sum(found.flows.latency_sum_cycles) / packets : 0;
  $("latency").textContent = packets
    ? `${count(Math.round(latency))} cycles${rising(sum(found.flows.delivered_symbols), packets)
      ? ", and rising: more is offered than delivered" : ""}` : "-";
  $("measured").textContent = `${count(found.measured)} cycles counted after ${count(WARM_UP)}`;
}

// --- Frames ---------------------------------------------------------------------------------------------------------

const READABLE_MS = 100; // between two changes of the words
let wordsShown = -READABLE_MS;

function draw(now = performance.now()) {
  ring.draw(view.time, view);
  if (view.playing && now - wordsShown < READABLE_MS) return;
  wordsShown = now;
  showFound();
  $("play").textContent = view.playing ? "Pause" : "Play";
  $("play").setAttribute("aria-pressed", view.playing);
  $("speed").value = view.speed;
  $("rate").textContent = `${SPEEDS[view.speed]} / s`;
  $("cycle").textContent = count(view.cycle + recording.meta.start);
  const name = recording.name(view.node), what = explainer.explain(view.node, view.cycle);
  $("explanation").textContent = `${name[0].toUpperCase()}${name.slice(1)}: ${what}`;
}

let lastFrame = performance.now();
function frame(now) {
  const elapsed = Math.min(100, now - lastFrame);
  lastFrame = now;
  measure();
  if (view.playing) playOn(elapsed);
  draw(now);
  requestAnimationFrame(frame);
}

function resize() {
  ring.resize();
  draw();
}

colours.listeners.push(() => draw());
addEventListener("resize", resize);
addEventListener("hashchange", () => {
  read(location.hash);
  begin();
});

read(location.hash);
begin();
if (matchMedia("(prefers-reduced-motion: reduce)").matches) view.set({ playing: false });
requestAnimationFrame(frame);
// For tests.
window.playground = {
  engine, tables, settings, specOf, optimumOf, fileOf, change, rates,
  get found() { return found; }, get recording() { return recording; }, get view() { return view; }, MEASURED, WARM_UP,
};
document.body.dataset.ready = "true";
