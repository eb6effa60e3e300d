// One panel of a chart: uPlot has the axes, the cursor and the zoom; a label follows the cursor, arrow keys read the
// figures.
"use strict";

(() => {
  const { style, number, wordsFor, drawSeries, drawLevels, yRange, xRange, ticks, xAxis, yWidth, swatch } = ringlet;

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  // `hidden` holds the names of the series that the legend has hidden.
  function drawPanel(panel, hidden) {
    const places = [...new Set(panel.series.flatMap((series) => series.x))].sort((a, b) => a - b);
    const frame = element("div", {
      class: "panel",
      tabindex: "0",
      role: "img",
      "aria-label": `${panel.title ? panel.title + ": " : ""}${panel.y.label} over ${panel.x.label}. `
        + "Arrow keys read the figures.",
    });
    const said = element("p", { class: "sr-only", "aria-live": "polite" });
    const tip = element("div", { class: "tip", hidden: "" });
    const whole = xRange(panel, places);
    const drawable = () => panel.series.filter((series) => !hidden.has(series.legend ?? series.name));
    const axis = () => ({
      stroke: () => style("--ink"),
      font: "12px system-ui, sans-serif",
      grid: { stroke: () => style("--line"), width: 1 },
      ticks: { stroke: () => style("--line"), width: 1 },
    });
    const wordsAt = (index) => {
      const place = places[index];
      const where = panel.x.categories.length ? panel.x.categories[place].replace("\n", " ") : number(place);
      const lines = drawable().flatMap((series) => {
        const at = series.x.indexOf(place);
        const words = at < 0 ? null : wordsFor(series, at, panel.hollow);
        return words == null ? [] : [[series, words]];
      });
      return [`${panel.x.label}: ${where}`, lines];
    };
    const read = (u) => {
      const index = u.cursor.idx;
      tip.hidden = index == null || u.cursor.left < 0;
      if (tip.hidden) return;
      const [where, lines] = wordsAt(index);
      tip.replaceChildren(
        element("strong", {}, where),
        ...lines.map(([series, words]) => element("span", {}, swatch(series), `${series.name}: ${words}`)),
      );
      // On the side of the cursor that has room.
      const left = u.cursor.left + u.over.offsetLeft;
      const right = left > frame.clientWidth / 2;
      tip.style.left = right ? "auto" : `${left + 12}px`;
      tip.style.right = right ? `${frame.clientWidth - left + 12}px` : "auto";
    };
    const height = () => Math.round(Math.min(340, Math.max(230, 0.62 * frame.clientWidth)));
    const options = {
      width: Math.max(frame.clientWidth, 200),
      height: 280,
      padding: [10, 12, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: !panel.x.categories.length, y: false } },
      scales: {
        x: {
          time: false,
          distr: panel.x.scale === "log" ? 3 : 1,
          // The data's own ends mean the whole; anything else is what a reader zoomed to.
          range: (u, low, high) => (low === places[0] && high === places[places.length - 1] ? whole : [low, high]),
        },
        y: { distr: panel.y.scale === "log" ? 3 : 1, range: () => yRange(panel, hidden) },
      },
      axes: [
        {
          ...axis(),
          ...xAxis(panel),
          grid: { show: !panel.x.categories.length, stroke: () => style("--line"), width: 1 },
        },
        { ...axis(), size: yWidth, ...ticks(panel.y.scale) },
      ],
      series: [
        {},
        ...panel.series.map(({ name }) => ({ label: name, scale: "y", paths: () => null, points: { show: false } })),
      ],
      hooks: {
        draw: [
          (u) => {
            u.ctx.save();
            u.ctx.beginPath();
            u.ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
            u.ctx.clip();
            drawLevels(u, panel.levels.filter((level) => !hidden.has(level.name)));
            for (const series of drawable()) drawSeries(u, series);
            u.ctx.restore();
          },
        ],
        setCursor: [read],
      },
    };
    const data = [
      places,
      ...panel.series.map((series) => {
        const at = new Map(series.x.map((x, index) => [x, series.y[index]]));
        return places.map((place) => at.get(place) ?? null);
      }),
    ];
    // Labels are text of the page: on a narrow screen they wrap, where a canvas would cut them off.
    const holder = element("div", { class: "holder" });
    if (panel.title) holder.append(element("p", { class: "panel-title" }, panel.title));
    if (panel.note) holder.append(element("p", { class: "note" }, panel.note));
    holder.append(
      element("p", { class: "y-label" }, `↑ ${panel.y.label}`),
      frame,
      element("p", { class: "x-label" }, panel.x.categories.length ? panel.x.label : `${panel.x.label} →`),
      said,
    );
    const plot = new uPlot(options, data, frame);
    frame.append(tip);
    frame.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1, Home: -places.length, End: places.length }[event.key];
      if (event.key === "Escape") plot.setCursor({ left: -10, top: -10 });
      if (!step) return;
      event.preventDefault();
      const now = plot.cursor.left >= 0 ? (plot.cursor.idx ?? -1) : step > 0 ? -1 : places.length;
      const next = Math.min(places.length - 1, Math.max(0, now + step));
      plot.setCursor({ left: plot.valToPos(places[next], "x"), top: 20 });
      const [where, lines] = wordsAt(next);
      said.textContent = `${where}. ${lines.map(([series, words]) => `${series.name} ${words}`).join("; ")}`;
    });
    frame.addEventListener("blur", () => plot.setCursor({ left: -10, top: -10 }));
    new ResizeObserver(() => {
      if (frame.clientWidth) plot.setSize({ width: frame.clientWidth, height: height() });
    }).observe(frame);
    return { holder, redraw: () => plot.setData(data) };
  }

  Object.assign(ringlet, { element, drawPanel });
})();
