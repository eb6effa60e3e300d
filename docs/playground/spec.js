// From sliders to what the engine simulates, and to the scenario file that says the same. All numbers stand in tables.

// The engine's spec of some settings: { protocol, nodes, pattern, load, mix, hopDelay, seed }; a load is a place in the
// list of loads.
export function specOf(tables, settings) {
  const { protocol, nodes, pattern, load, mix, hopDelay, seed } = settings;
  const fixed = tables.protocols[protocol];
  const place = fixed.spec[mix][nodes][hopDelay];
  if (typeof place === "string") throw new Error(place);
  const flows = tables.flows[tables.made[protocol][pattern].flows[nodes]];
  return {
    ...tables.specs[place],
    seed,
    nodes,
    hop_delay: { common: hopDelay, each: null },
    flows: flows.map((flow, source) => ({
      ...fixed.flow[mix], ...flow, source, arrivals: tables.arrivals[mix][load], sizes: tables.sizes[mix],
    })),
  };
}

// The shortest hop delay, from the wanted one on, with which the protocol runs on such a ring: slots need room.
export function hopDelayOf(tables, { protocol, nodes, mix, hopDelay }) {
  const rings = tables.protocols[protocol].spec[mix][nodes];
  return tables.hopDelays.find((delay) => delay >= hopDelay && typeof rings[delay] === "number");
}

// What each node gets at best, in words per cycle, or null where nothing is known. The table is of saturated nodes: all
// rates rise together, so that a load only cuts them.
export function optimumOf(tables, { protocol, nodes, pattern, mix, load }) {
  const saturated = tables.optima[tables.made[protocol][pattern].optimum[mix][nodes]];
  const offered = tables.loads[load] ?? Infinity;
  return saturated?.map((rate) => Math.min(rate, offered)) ?? null;
}

export function fileOf(tables, { protocol, nodes, pattern, load, mix, hopDelay, seed }) {
  const keys = Object.entries(tables.patterns[pattern].keys[nodes]).map(([key, value]) => `${key} = ${value}\n`);
  const offered = tables.loads[load];
  const arrivals = offered === null ? 'arrivals = "saturated"' : `arrivals = "poisson"\nload = ${offered}`;
  return `[network]\nnodes = ${nodes}\nhop_delay = ${hopDelay}\n\n[flow_control]\nprotocol = "${protocol}"\n\n` +
    `[traffic]\ntransaction = "${mix}"\npattern = "${pattern}"\n${keys.join("")}${arrivals}\n\n[run]\nseed = ${seed}\n`;
}
