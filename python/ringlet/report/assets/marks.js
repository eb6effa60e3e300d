// Marks of the charts on a canvas: curves, points, bars, steps, intervals, levels. As ringlet.plots.draw draws them on
// paper.
// The scripts of a page share one object.
"use strict";

const ringlet = {};

(() => {
  // Markers in a square from -1 to 1, as SVG paths: the canvas and the legend take the same.
  const MARKERS = {
    circle: "M 1 0 A 1 1 0 1 1 -1 0 A 1 1 0 1 1 1 0 Z",
    square: "M -.9 -.9 H .9 V .9 H -.9 Z",
    triangle: "M 0 -1.1 L 1.1 .9 H -1.1 Z",
    down: "M 0 1.1 L 1.1 -.9 H -1.1 Z",
    diamond: "M 0 -1.2 L 1.2 0 L 0 1.2 L -1.2 0 Z",
    cross: "M -1 -1 L 1 1 M -1 1 L 1 -1",
    plus: "M -.4 -1.1 H .4 V -.4 H 1.1 V .4 H .4 V 1.1 H -.4 V .4 H -1.1 V -.4 H -.4 Z",
    star: "M 0 -1.4 L .33 -.45 L 1.33 -.43 L .53 .17 L .82 1.13 L 0 .56 L -.82 1.13 L -.53 .17 L -1.33 -.43 L -.33 -.45"
      + " Z",
    left: "M -1.1 0 L .9 -1.1 V 1.1 Z",
    right: "M 1.1 0 L -.9 -1.1 V 1.1 Z",
    hourglass: "M -1 -1 H 1 L -1 1 H 1 Z",
  };
  // A cross of two lines has nothing that could be hollow: its outline has.
  const OPEN = {
    ...MARKERS,
    cross: "M -.7 -1.1 L 0 -.4 L .7 -1.1 L 1.1 -.7 L .4 0 L 1.1 .7 L .7 1.1 L 0 .4 L -.7 1.1 L -1.1 .7 L -.4 0"
      + " L -1.1 -.7 Z",
  };
  const DASHES = {
    solid: [], dashed: [6, 4], dashdot: [8, 3, 2, 3], dashdotdot: [7, 3, 2, 3, 2, 3], dotted: [2, 3],
  };
  const MARKER_SIZE = 4;

  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const colour = (name) => style(name === "ink" ? "--ink" : `--${name}`);
  const number = (value) => (value == null ? "none" : String(Number(value.toPrecision(4))));

  function wordsFor(series, at, hollow) {
    const value = series.y[at];
    if (value == null) return null;
    const base = series.base ? series.base[at] : 0;
    const known = series.low && series.low[at] != null;
    const ends = known ? ` (${number(series.low[at])} to ${number(series.high[at])})` : "";
    const least = series.beyond?.[at] ? "above " : "";
    return least + number(value - base) + ends + (series.hollow?.[at] ? `, ${hollow}` : "");
  }

  function marksOf(u, series) {
    const place = (x, offset) => u.valToPos(x + offset, "x", true);
    // A curve stands where its values are.
    const shift = series.mark === "line" ? 0 : series.offset;
    const level = (y) => u.valToPos(y, "y", true);
    const zero = u.scales.y.distr === 3 ? u.scales.y.min : 0;
    const marks = [];
    series.x.forEach((x, at) => {
      const y = series.y[at];
      if (y == null || (u.scales.y.distr === 3 && y <= 0)) return;
      marks.push({
        at,
        x: place(x, shift),
        aside: place(x, series.offset),
        left: place(x, shift - series.width / 2),
        right: place(x, shift + series.width / 2),
        y: level(y),
        base: level(series.base ? series.base[at] : zero),
      });
    });
    return marks;
  }

  function drawSeries(u, series) {
    const { ctx } = u;
    const ratio = uPlot.pxRatio;
    const marks = marksOf(u, series);
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
    if (series.mark === "stairs") {
      marks.forEach(({ x, y }, i) => {
        if (i) ctx.lineTo(marks[i - 1].x, y);
        else ctx.moveTo(x, y);
        ctx.lineTo(x, y);
      });
      // They fall to 0 at the last, on a logarithmic axis to its lower end.
      const last = marks.at(-1);
      if (last) ctx.lineTo(last.x, last.base);
    }
    ctx.stroke();
    ctx.setLineDash([]);
    if (series.mark === "bars") {
      marks.forEach(({ left, right, y, base }) => ctx.fillRect(left, y, right - left, base - y));
    }
    drawIntervals(u, series, marks, ratio);
    if (["line", "points", "stairs"].includes(series.mark) && series.marker) drawMarkers(ctx, series, marks, ratio);
    if (series.labels) drawLabels(ctx, series, marks, ratio);
  }

  function drawIntervals(u, series, marks, ratio) {
    if (!series.low) return;
    const { ctx } = u;
    const log = u.scales.y.distr === 3;
    if (series.mark === "bars") ctx.strokeStyle = colour("ink");
    ctx.lineWidth = ratio;
    ctx.beginPath();
    for (const { at, aside, y } of marks) {
      if (series.low[at] == null) continue;
      // An arm to below zero would end at the floor of a logarithmic axis, as if that were its end.
      ctx.moveTo(aside, log && series.low[at] <= 0 ? y : u.valToPos(series.low[at], "y", true));
      ctx.lineTo(aside, u.valToPos(series.high[at], "y", true));
    }
    ctx.stroke();
  }

  function drawMarkers(ctx, series, marks, ratio) {
    const shape = new Path2D(MARKERS[series.marker]);
    const open = new Path2D(OPEN[series.marker]);
    const size = MARKER_SIZE * ratio;
    for (const { at, x, y } of marks) {
      ctx.save();
      ctx.translate(x, y);
      ctx.scale(size, size);
      ctx.lineWidth = 0.4;
      if (series.hollow?.[at]) {
        ctx.fillStyle = style("--paper");
        ctx.fill(open);
        ctx.stroke(open);
      } else if (series.marker === "cross") ctx.stroke(shape);
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
    for (const level of levels) {
      ctx.setLineDash(DASHES[level.dashes].map((length) => length * uPlot.pxRatio));
      const y = u.valToPos(level.value, "y", true);
      ctx.strokeStyle = colour(level.colour);
      ctx.beginPath();
      ctx.moveTo(u.bbox.left, y);
      ctx.lineTo(u.bbox.left + u.bbox.width, y);
      ctx.stroke();
    }
    ctx.setLineDash([]);
  }

  Object.assign(ringlet, { MARKERS, OPEN, DASHES, style, number, wordsFor, drawSeries, drawLevels });
})();
