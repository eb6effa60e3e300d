// The engine: requests and answers in JSON, in the memory of the compiled crate `ringlet-web`.

export class Engine {
  static async compile(bytes) {
    const { instance } = await WebAssembly.instantiate(bytes, {});
    return new Engine(instance.exports);
  }

  constructor(exports) {
    this.exports = exports;
  }

  ask(request) {
    const { room, answer, place, memory } = this.exports;
    const text = new TextEncoder().encode(JSON.stringify(request));
    // Memory may grow, and its old buffer is empty then.
    const to = room(text.length);
    new Uint8Array(memory.buffer, to, text.length).set(text);
    const length = answer();
    const said = JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, place(), length)));
    if (said.error !== undefined) throw new Error(said.error);
    return said.ok;
  }

  build(spec) {
    return this.ask({ do: "build", spec });
  }

  advance(cycles) {
    return this.ask({ do: "advance", cycles });
  }

  reset() {
    return this.ask({ do: "reset" });
  }

  record(cycles) {
    return this.ask({ do: "record", cycles });
  }
}
