// Draws the charts of a report with uPlot, from the same description that makes the figures on paper.
// uPlot has the axes, the cursor and the zoom; the marks are drawn here, as ringlet.plots.draw draws them.
"use strict";

(() => {
  // Markers in a square from -1 to 1, as SVG paths: the canvas and the legend take the same.
  const MARKERS = {
    circle: "M 1 0 A 1 1 0 1 1 -1 0 A 1 1 0 1 1 1 0 Z",
    square: "M -.9 -.9 H .9 V .9 H -.9 Z",
    triangle: "M 0 -1.1 L 1.1 .9 H -1.1 Z",
    down: "M 0 1.1 L 1.1 -.9 H -1.1 Z",
    diamond: "M 0 -1.2 L 1.2 0 L 0 1.2 L -1.2 0 Z",
    cross: "M -1 -1 L 1 1 M -1 1 L 1 -1",
  };
  const DASHES = { solid: [], dashed: [6, 4], dotted: [2, 3] };
  const MARKER_SIZE = 4;
  const SVG = "http://www.w3.org/2000/svg";

  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const colour = (name) => style(name === "ink" ? "--ink" : `--${name}`);
  const number = (value) => (value == null ? "none" : String(Number(value.toPrecision(4))));

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  // ----------------------------------------------------------------------------------------------- what is drawn

  function wordsFor(series, at) {
    const value = series.y[at];
    if (value == null) return null;
    const base = series.base ? series.base[at] : 0;
    const ends = series.low && series.low[at] != null ? ` (${number(series.low[at])} to ${number(series.high[at])})` : "";
    return number(value - base) + ends;
  }

  function marksOf(u, series, ratio) {
    const place = (x, offset) => u.valToPos(x + offset, "x", true);
    const level = (y) => u.valToPos(y, "y", true);
    const zero = u.scales.y.distr === 3 ? u.scales.y.min : 0;
    const marks = [];
    series.x.forEach((x, at) => {
      const y = series.y[at];
      if (y == null || (u.scales.y.distr === 3 && y <= 0)) return;
      marks.push({
        at,
        x: place(x, series.offset),
        left: place(x, series.offset - series.width / 2),
        right: place(x, series.offset + series.width / 2),
        y: level(y),
        base: level(series.base ? series.base[at] : zero),
      });
    });
    return marks;
  }

  function drawSeries(u, series) {
    const { ctx } = u;
    const ratio = uPlot.pxRatio;
    const marks = marksOf(u, series, ratio);
    ctx.strokeStyle = ctx.fillStyle = colour(series.colour);
    ctx.lineWidth = 1.6 * ratio;
    ctx.setLineDash(DASHES[series.dashes].map((length) => length * ratio));
    ctx.beginPath();
    if (series.mark === "line") marks.forEach(({ x, y }, i) => (i ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
    if (series.mark === "steps") {
      const half = (u.valToPos(1, "x", true) - u.valToPos(0, "x", true)) / 2;
      marks.forEach(({ x, y }, i) => {
        if (i) ctx.lineTo(x - half, y);
        else ctx.moveTo(x - half, y);
        ctx.lineTo(x + half, y);
      });
    }
    ctx.stroke();
    ctx.setLineDash([]);
    if (series.mark === "bars") marks.forEach(({ left, right, y, base }) => ctx.fillRect(left, y, right - left, base - y));
    drawIntervals(u, series, marks, ratio);
    if ((series.mark === "line" || series.mark === "points") && series.marker) drawMarkers(ctx, series, marks, ratio);
    if (series.labels) drawLabels(ctx, series, marks, ratio);
  }

  function drawIntervals(u, series, marks, ratio) {
    if (!series.low) return;
    const { ctx } = u;
    const least = u.scales.y.distr === 3 ? u.scales.y.min : -Infinity;
    if (series.mark === "bars") ctx.strokeStyle = colour("ink");
    ctx.lineWidth = ratio;
    ctx.beginPath();
    for (const { at, x } of marks) {
      if (series.low[at] == null) continue;
      ctx.moveTo(x, u.valToPos(Math.max(series.low[at], least), "y", true));
      ctx.lineTo(x, u.valToPos(series.high[at], "y", true));
    }
    ctx.stroke();
  }

  function drawMarkers(ctx, series, marks, ratio) {
    const shape = new Path2D(MARKERS[series.marker]);
    const size = MARKER_SIZE * ratio;
    for (const { x, y } of marks) {
      ctx.save();
      ctx.translate(x, y);
      ctx.scale(size, size);
      ctx.lineWidth = 0.4;
      if (series.marker === "cross") ctx.stroke(shape);
      else ctx.fill(shape);
      ctx.restore();
    }
  }

  function drawLabels(ctx, series, marks, ratio) {
    ctx.fillStyle = colour("ink");
    ctx.font = `${10 * ratio}px system-ui, sans-serif`;
    ctx.textAlign = "center";
    ctx.textBaseline = "bottom";
    for (const { at, x, left, right, y } of marks) {
      const text = series.labels[at];
      // A label wider than its bar and the gap beside it would run into the next.
      if (ctx.measureText(text).width < 1.3 * (right - left)) ctx.fillText(text, x, y - 2 * ratio);
    }
  }

  function drawLevels(u, levels) {
    const { ctx } = u;
    ctx.lineWidth = 1.2 * uPlot.pxRatio;
    ctx.setLineDash(DASHES.dashed.map((length) => length * uPlot.pxRatio));
    for (const level of levels) {
      const y = u.valToPos(level.value, "y", true);
      ctx.strokeStyle = colour(level.colour);
      ctx.beginPath();
      ctx.moveTo(u.bbox.left, y);
      ctx.lineTo(u.bbox.left + u.bbox.width, y);
      ctx.stroke();
    }
    ctx.setLineDash([]);
  }

  // ----------------------------------------------------------------------------------------------------- the axes

  function yRange(panel, hidden) {
    const { y } = panel;
    const values = panel.levels.filter((level) => !hidden.has(level.name)).map((level) => level.value);
    let labelled = false;
    for (const series of panel.series) {
      if (hidden.has(series.name)) continue;
      values.push(...series.y, ...(series.low || []), ...(series.high || []));
      if (series.mark === "bars" && y.scale === "linear") values.push(0);
      labelled ||= Boolean(series.labels);
    }
    const shown = values.filter((value) => value != null && (y.scale === "linear" || value > 0));
    if (!shown.length) return y.scale === "log" ? [1, 10] : [0, 1];
    let low = Math.min(...shown);
    let high = Math.max(...shown);
    if (y.scale === "log") [low, high] = [low / 1.2, high * 1.2];
    else {
      const room = high - low || Math.abs(high) || 1;
      if (low !== 0) low -= 0.05 * room;
      high += (labelled ? 0.14 : 0.05) * room;
    }
    return [y.low ?? low, y.high ?? high];
  }

  function xRange(panel, places) {
    const { x } = panel;
    if (x.categories.length) return [-0.6, x.categories.length - 0.4];
    const [low, high] = [places[0], places[places.length - 1]];
    if (x.scale === "log") return [x.low ?? low / 1.2, x.high ?? high * 1.2];
    const room = 0.04 * (high - low || Math.abs(high) || 1);
    return [x.low ?? low - room, x.high ?? high + room];
  }

  // Ticks at 1, 2, ... 9 times each power of ten; numbers at 1, 2 and 5, over many decades at 1 alone, within one at all.
  function logTicks(scale) {
    if (scale !== "log") return {};
    const power = (value) => 10 ** Math.floor(Math.log10(value) + 1e-9);
    return {
      splits: (u, axis, low, high) => {
        const ticks = [];
        for (let ten = power(low); ten <= high; ten *= 10) {
          for (let digit = 1; digit < 10; digit += 1) ticks.push(Number((digit * ten).toPrecision(6)));
        }
        return ticks.filter((tick) => tick >= low && tick <= high);
      },
      filter: (u, splits) => splits,
      values: (u, splits) => {
        const decades = Math.log10(splits[splits.length - 1] / splits[0]);
        const shown = decades > 3 ? [1] : decades > 0.8 ? [1, 2, 5] : [1, 2, 3, 4, 5, 6, 7, 8, 9];
        return splits.map((tick) => (shown.includes(Math.round(tick / power(tick))) ? number(tick) : ""));
      },
    };
  }

  function xAxis(panel) {
    const { categories } = panel.x;
    if (!categories.length) return { size: 30, ...logTicks(panel.x.scale) };
    const lines = Math.max(...categories.map((name) => name.split("\n").length));
    const widest = Math.max(...categories.flatMap((name) => name.split("\n").map((line) => line.length)));
    return {
      size: 12 + 18 * lines,
      // As many names as there is room for: every one, every second, ...
      splits: (u) => {
        const step = Math.ceil((categories.length * (7 * widest + 6)) / Math.max(u.bbox.width / uPlot.pxRatio, 1));
        return categories.map((_, place) => place).filter((place) => place % Math.max(step, 1) === 0);
      },
      values: (u, splits) => splits.map((place) => categories[place] ?? ""),
    };
  }

  // -------------------------------------------------------------------------------------------------- one panel

  function drawPanel(chart, panel, hidden) {
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
    const drawable = () => panel.series.filter((series) => !hidden.has(series.name));
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
        const words = at < 0 ? null : wordsFor(series, at);
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
          // The data's own ends mean the whole; anything else is what somebody zoomed to.
          range: (u, low, high) => (low === places[0] && high === places[places.length - 1] ? whole : [low, high]),
        },
        y: { distr: panel.y.scale === "log" ? 3 : 1, range: () => yRange(panel, hidden) },
      },
      axes: [
        { ...axis(), ...xAxis(panel), grid: { show: !panel.x.categories.length, stroke: () => style("--line"), width: 1 } },
        { ...axis(), size: 50, ...logTicks(panel.y.scale) },
      ],
      series: [{}, ...panel.series.map((series) => ({ label: series.name, scale: "y", paths: () => null, points: { show: false } }))],
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

  // ------------------------------------------------------------------------------------------------- the legend

  function swatch(series) {
    const picture = document.createElementNS(SVG, "svg");
    picture.setAttribute("viewBox", "-8 -4 16 8");
    picture.setAttribute("aria-hidden", "true");
    picture.setAttribute("class", "swatch");
    const add = (attributes) => {
      const path = document.createElementNS(SVG, "path");
      for (const [key, value] of Object.entries(attributes)) path.setAttribute(key, value);
      picture.append(path);
    };
    const ink = `var(--${series.colour})`;
    if (series.mark === "bars") add({ d: "M -6 -4 H 6 V 4 H -6 Z", fill: ink });
    else {
      if (series.mark !== "points") {
        add({ d: "M -8 0 H 8", stroke: ink, "stroke-width": 1.4, "stroke-dasharray": DASHES[series.dashes].map((x) => x / 2).join(" ") });
      }
      const drawn = series.mark !== "steps" && series.marker;
      if (drawn) {
        const cross = series.marker === "cross";
        add({ d: MARKERS[series.marker], transform: "scale(3)", fill: cross ? "none" : ink, stroke: cross ? ink : "none", "stroke-width": 0.4 });
      }
    }
    return picture;
  }

  function legend(chart, hidden, redraw) {
    const entries = new Map();
    for (const panel of chart.panels) {
      for (const series of panel.series) if (!entries.has(series.name)) entries.set(series.name, series);
      for (const level of panel.levels) {
        const known = entries.get(level.name);
        const one = known ? known.colour === level.colour : true;
        entries.set(level.name, { mark: "line", marker: null, dashes: "dashed", colour: one ? level.colour : "ink", name: level.name });
      }
    }
    if (entries.size < 2 && !chart.legendTitle) return [];
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
    return [list];
  }

  // -------------------------------------------------------------------------------------------------- the charts

  function draw(place) {
    const chart = JSON.parse(place.querySelector("script").textContent);
    const hidden = new Set();
    const panels = chart.panels.map((panel) => drawPanel(chart, panel, hidden));
    const redraw = () => panels.forEach((panel) => panel.redraw());
    const grid = element("div", { class: "panels", style: `--columns: ${Math.min(chart.columns, chart.panels.length)}` }, ...panels.map((panel) => panel.holder));
    place.querySelector("svg")?.remove();
    place.append(...legend(chart, hidden, redraw), grid);
    return redraw;
  }

  const redraws = [...document.querySelectorAll(".chart")].map(draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => redraws.forEach((redraw) => redraw()));
})();
