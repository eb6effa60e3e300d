// Ranges and ticks of the charts.
"use strict";

(() => {
  const { number } = ringlet;

  function yRange(panel, hidden) {
    const { y } = panel;
    const values = panel.levels.filter((level) => !hidden.has(level.name)).map((level) => level.value);
    let labelled = false;
    for (const series of panel.series) {
      if (hidden.has(series.legend ?? series.name)) continue;
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

  // Plain numbers; on a logarithmic axis ticks at 1, 2, ... 9 times each power of ten; numbers at 1, 2 and 5, over many
  // decades at 1 alone; over less than one at round numbers that are equally far apart.
  const NARROW = 8;
  function round(low, high) {
    const least = (high - low) / 6;
    const power = 10 ** Math.floor(Math.log10(least));
    const step = [1, 2, 5, 10].map((digit) => digit * power).find((one) => one >= least);
    const found = [];
    for (let at = Math.ceil(low / step); at * step <= high; at += 1) found.push(Number((at * step).toPrecision(12)));
    return found;
  }

  // The most digits whose numbers have room beside each other along a logarithmic x axis.
  function fitting(u, digits, min, max) {
    const decade = u.bbox.width / uPlot.pxRatio / Math.log10(max / min);
    const widest = 7 * Math.max(number(max).length, number(min).length) + 6;
    const apart = (one) => Math.min(...one.map((digit, k) => decade * Math.log10((one[k + 1] ?? 10) / digit)));
    return [digits, [1, 2, 5], [1, 3], [1]].find((one) => one.length <= digits.length && apart(one) >= widest) ?? [1];
  }

  function ticks(scale) {
    // Without the separators of the reader's country: 1.200 means two things.
    if (scale !== "log") return { values: (u, splits) => splits.map((tick) => String(Number(tick.toPrecision(12)))) };
    const power = (value) => 10 ** Math.floor(Math.log10(value) + 1e-9);
    return {
      splits: (u, axis, low, high) => {
        if (high / low < NARROW) return round(low, high);
        const found = [];
        for (let ten = power(low); ten <= high; ten *= 10) {
          for (let digit = 1; digit < 10; digit += 1) found.push(Number((digit * ten).toPrecision(6)));
        }
        return found.filter((tick) => tick >= low && tick <= high);
      },
      filter: (u, splits) => splits,
      values: (u, splits, axis) => {
        const { min, max } = u.scales[u.axes[axis].scale];
        if (max / min < NARROW) return splits.map(number);
        const decades = Math.log10(splits[splits.length - 1] / splits[0]);
        const all = decades > 3 ? [1] : decades > 0.8 ? [1, 2, 5] : [1, 2, 3, 4, 5, 6, 7, 8, 9];
        const shown = axis ? all : fitting(u, all, min, max);
        return splits.map((tick) => (shown.includes(Math.round(tick / power(tick))) ? number(tick) : ""));
      },
    };
  }

  // As wide as the longest number needs: six digits and more have room.
  const yWidth = (u, values) => Math.max(50, 18 + 8 * Math.max(0, ...(values ?? []).map((text) => text.length)));

  const WHOLE_STEPS = Array.from({ length: 16 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();

  function xAxis(panel) {
    const { categories, whole } = panel.x;
    if (!categories.length) {
      return { size: 30, ...(whole ? { incrs: WHOLE_STEPS } : {}), ...ticks(panel.x.scale) };
    }
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

  Object.assign(ringlet, { yRange, xRange, ticks, xAxis, yWidth });
})();
