// What is shown: the cycle, what is chosen, and whether it plays. The page's address keeps it.

export const SPEEDS = [1, 2, 5, 10, 25, 60, 150, 400, 1000];

export class View {
  // `open(place)` opens the ring of an interface.
  constructor(recording, explainer, open) {
    Object.assign(this, { recording, explainer, open });
    this.cycle = 0;
    this.fraction = 0;
    this.node = 0;
    this.packet = -1;
    this.playing = false;
    this.speed = 3;
    this.listeners = [];
  }

  // The end of the cycle shown, and while it plays the way into the next one.
  get time() {
    return this.cycle + 1 + this.fraction;
  }

  state(node, cycle) {
    return this.explainer.state(node, cycle);
  }

  onChange(listener) {
    this.listeners.push(listener);
  }

  set(change) {
    Object.assign(this, change);
    const last = this.recording.cycles - 1;
    if (this.cycle >= last) {
      this.fraction = 0;
      this.playing = false;
    }
    this.cycle = Math.max(0, Math.min(last, Math.floor(this.cycle)));
    this.node = Math.max(0, Math.min(this.recording.nodes - 1, Math.floor(this.node)));
    if (this.packet >= this.recording.packets.source.length) this.packet = -1;
    this.listeners.forEach((listener) => listener(change));
  }

  step(cycles) {
    this.set({ cycle: this.cycle + cycles, fraction: 0, playing: false });
  }

  // Advances by the time since the last frame.
  advance(milliseconds) {
    const time = this.fraction + (milliseconds / 1000) * SPEEDS[this.speed];
    const whole = Math.floor(time);
    this.fraction = time - whole;
    if (whole) this.set({ cycle: this.cycle + whole });
  }

  get fragment() {
    const packet = this.packet >= 0 ? `&packet=${this.packet}` : "";
    const { meta, first, network } = this.recording;
    const colour = network.colourBy === "kind" ? "" : `&colour=${network.colourBy}`;
    return `#cycle=${this.cycle + meta.start}&node=${meta.numbers[first + this.node]}${packet}${colour}`;
  }

  read(fragment) {
    const values = new URLSearchParams(fragment.replace(/^#/, ""));
    const number = (name, otherwise) => {
      const value = parseInt(values.get(name) ?? "", 10);
      return Number.isFinite(value) ? value : otherwise;
    };
    if (![...values.keys()].length) return;
    const cycle = number("cycle", this.cycle + this.recording.meta.start) - this.recording.meta.start;
    const { numbers, first } = { ...this.recording.meta, first: this.recording.first };
    const place = numbers.indexOf(number("node", numbers[first + this.node]));
    this.goTo({ cycle, place: Math.max(0, place), packet: number("packet", -1), fraction: 0, playing: false });
  }

  // To an interface of whatever ring.
  goTo({ place, ...change }) {
    const { first, nodes } = this.recording;
    if (place < first || place >= first + nodes) this.open(place);
    this.set({ ...change, node: place - this.recording.first });
  }
}
