// The picture of a series in a legend.
"use strict";

(() => {
  const { MARKERS, OPEN, DASHES } = ringlet;

  const SVG = "http://www.w3.org/2000/svg";

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
        const dashes = DASHES[series.dashes].map((x) => x / 2).join(" ");
        add({ d: "M -8 0 H 8", stroke: ink, "stroke-width": 1.4, "stroke-dasharray": dashes });
      }
      const drawn = series.mark !== "steps" && series.marker;
      if (drawn) {
        const hollow = series.mark === "points" && series.hollow?.every(Boolean);
        const [fill, stroke] = hollow || series.marker === "cross" ? ["none", ink] : [ink, "none"];
        add({ d: (hollow ? OPEN : MARKERS)[series.marker], transform: "scale(3)", fill, stroke, "stroke-width": 0.4 });
      }
    }
    return picture;
  }

  Object.assign(ringlet, { swatch });
})();
