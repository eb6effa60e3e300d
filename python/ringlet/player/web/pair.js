// Two players beside each other in lock-step. The page around both passes on what either says; who was used last leads.

export class Pair {
  // `state()` is what is shown here, `show(state)` shows what the other one does, `open(fragment)` reads an address.
  constructor({ state, show, open }) {
    Object.assign(this, { state, show, open });
    this.paired = false;
    this.leads = true;
    this.turn = 0; // counts changes of the lead, so that what was said before one is not heard after it
    this.following = false;
    addEventListener("message", ({ data, source }) => {
      if (source !== window.parent) return;
      if (data?.ringletPair) this.join(data.ringletPair);
      if (data?.ringletState) this.follow(data.ringletState);
    });
  }

  join({ fragment }) {
    this.paired = true;
    this.quietly(() => this.open(fragment));
  }

  follow(state) {
    if (state.turn < this.turn) return;
    Object.assign(this, { turn: state.turn, leads: false });
    this.quietly(() => this.show(state));
  }

  quietly(action) {
    this.following = true;
    action();
    this.following = false;
  }

  // Says what is shown here now, unless the other one asked for it.
  tell() {
    if (!this.paired || this.following) return;
    if (!this.leads) Object.assign(this, { leads: true, turn: this.turn + 1 });
    window.parent.postMessage({ ringletState: { turn: this.turn, ...this.state() } }, "*");
  }
}
