// Okabe and Ito's colour-blind-safe palette, as the style sheet holds it for light and dark.

import { LEVELS, LOOK, NODE_SHADES } from "ringlet/recording";

const NAMES = ["send", "retry", "echo", "busy", "control", "go", "some", "stop", "idle", "answer"];

export class Colours {
  constructor() {
    this.read();
    this.listeners = [];
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.read();
      this.listeners.forEach((listener) => listener());
    });
  }

  read() {
    const style = getComputedStyle(document.documentElement);
    const value = (name) => style.getPropertyValue(`--${name}`).trim();
    this.looks = NAMES.map(value);
    for (const name of ["text", "muted", "page", "panel", "line", "accent", "fifo"]) this[name] = value(name);
    // The lowest priority is pale, the highest is the accent.
    const low = rgb(value("retry")), high = rgb(value("accent"));
    for (let level = 0; level < LEVELS; level++) {
      const share = level / (LEVELS - 1);
      const mixed = low.map((one, k) => Math.round(one + (high[k] - one) * share));
      this.looks.push(`#${mixed.map((one) => one.toString(16).padStart(2, "0")).join("")}`);
    }
    for (let shade = 0; shade < NODE_SHADES; shade++) this.looks.push(value(`node-${shade}`));
    this.bytes = this.looks.map(rgb);
    this.panelBytes = rgb(this.panel);
    this.fifoBytes = rgb(this.fifo);
  }

  isIdle(look) {
    return look >= LOOK.go && look <= LOOK.idle;
  }
}

function rgb(colour) {
  const number = parseInt(colour.slice(1), 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}
