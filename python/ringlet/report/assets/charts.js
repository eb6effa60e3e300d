// Draws the charts of a page, from the same descriptions that make the figures on paper.
"use strict";

(() => {
  const { element, drawPanel, swatch } = ringlet;

  function legend(chart, hidden, redraw) {
    const entries = new Map();
    for (const panel of chart.panels) {
      // What several series share comes behind them.
      for (const series of [...panel.series].sort((a, b) => Boolean(a.legend) - Boolean(b.legend))) {
        const name = series.legend ?? series.name;
        const known = entries.get(name);
        // A name that series of several colours share stands in ink.
        if (!known) entries.set(name, series);
        else if (series.legend && known.colour !== series.colour) entries.set(name, { ...series, colour: "ink" });
      }
      for (const level of panel.levels) {
        const known = entries.get(level.name);
        const one = known ? known.colour === level.colour : true;
        const colour = one ? level.colour : "ink";
        entries.set(level.name, { mark: "line", marker: null, dashes: level.dashes, colour, name: level.name });
      }
    }
    const hollow = [...new Set(chart.panels.map((panel) => panel.hollow).filter(Boolean))];
    if (entries.size + hollow.length < 2 && !chart.legendTitle) return [];
    const list = element("div", { class: "legend", role: "group", "aria-label": "Show or hide series" });
    if (chart.legendTitle) list.append(element("span", {}, `${chart.legendTitle}:`));
    for (const [name, series] of entries) {
      const button = element("button", { type: "button", "aria-pressed": "true" }, swatch(series), name);
      button.addEventListener("click", () => {
        if (!hidden.delete(name)) hidden.add(name);
        button.setAttribute("aria-pressed", String(!hidden.has(name)));
        redraw();
      });
      list.append(button);
    }
    const ring = { mark: "points", marker: "circle", colour: "ink", hollow: [true] };
    list.append(...hollow.map((words) => element("span", { class: "hollow" }, swatch(ring), words)));
    return [list];
  }

  function draw(place) {
    const chart = JSON.parse(place.querySelector("script").textContent);
    const hidden = new Set();
    const panels = chart.panels.map((panel) => drawPanel(panel, hidden));
    const redraw = () => panels.forEach((panel) => panel.redraw());
    const columns = `--columns: ${Math.min(chart.columns, chart.panels.length)}`;
    const grid = element("div", { class: "panels", style: columns }, ...panels.map((panel) => panel.holder));
    place.querySelector("svg")?.remove();
    place.append(...legend(chart, hidden, redraw), grid);
    return redraw;
  }

  const redraws = [...document.querySelectorAll(".chart:has(> script)")].map(draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => redraws.forEach((redraw) => redraw()));
})();
