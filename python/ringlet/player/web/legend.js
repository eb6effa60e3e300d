// The legend's entries of packets, by what colours them.

import { NODE_SHADES, nodeLook } from "ringlet/recording";

export function showLegend(network) {
  const by = network.colourBy, ofNodes = by === "source" || by === "destination";
  for (const entry of document.querySelectorAll(".legend [data-by]")) {
    entry.hidden = !entry.dataset.by.split(" ").includes(by);
  }
  for (const entry of document.querySelectorAll(".legend .of-node")) entry.remove();
  if (!ofNodes) return;
  const nodes = [...new Set(network.packets[by])].filter((node) => node >= 0).sort((a, b) => a - b);
  const names = new Map();
  for (const node of nodes) names.set(nodeLook(node), [...(names.get(nodeLook(node)) ?? []), network.nodeName(node)]);
  const entries = [...names].sort(([a], [b]) => a - b).map(([look, sharing]) => {
    const entry = document.createElement("li"), swatch = document.createElement("span");
    entry.className = "of-node";
    swatch.className = "swatch";
    swatch.style.background = `var(--node-${look - nodeLook(0)})`;
    const more = sharing.length > 2 ? `, ... (each ${NODE_SHADES}th)` : "";
    entry.append(swatch, `${by === "source" ? "from" : "to"} ${sharing.slice(0, 2).join(", ")}${more}`);
    return entry;
  });
  document.querySelector(".legend").prepend(...entries);
}
