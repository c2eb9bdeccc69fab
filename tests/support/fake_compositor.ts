/** The other end of a Wayland connection, as a test wants it: it does things that no real compositor does on demand. */

import { encodeMessage } from "../../ffi/wayland/wire/wire.ts";
import { splitMessages } from "./wayland_messages.ts";

/** The behaviour of a fake compositor. */
interface FakeOptions {
  /** The globals that the compositor offers, each in version 1. */
  globals?: string[];
  /** Answers a bound global by its interface and new object. */
  bound?: (name: string, object: number) => Uint8Array | undefined;
  /** Answers a request; the registry and synchronization if left out. */
  answer?: (object: number, opcode: number, body: Uint8Array) => Uint8Array | undefined;
}

/** A socket that speaks Wayland. `using` ends it. */
export class FakeCompositor {
  readonly #listener: Deno.UnixListener;
  /** The number of connections so far, and the interfaces that were bound over them. */
  connections = 0;
  readonly bound: string[] = [];

  constructor(readonly path: string, readonly options: FakeOptions = {}) {
    this.#listener = Deno.listen({ transport: "unix", path });
    void this.#serve();
  }

  [Symbol.dispose]() {
    this.#listener.close();
  }

  async #serve() {
    for await (const connection of this.#listener) {
      this.connections++;
      void this.#talk(connection).catch(() => {});
    }
  }

  async #talk(connection: Deno.UnixConn) {
    const registry = { object: 0 };
    const answer = this.options.answer ??
      ((object, opcode, body) => this.#usual(object, opcode, body, registry));
    let pending = new Uint8Array();
    for await (const chunk of connection.readable) {
      const bytes = new Uint8Array([...pending, ...chunk]), { messages, consumed } = splitMessages(bytes);
      pending = bytes.slice(consumed);
      for (const { object, opcode, args: { bytes: body } } of messages) {
        for (let reply = answer(object, opcode, body); reply?.length;) {
          reply = reply.subarray(await connection.write(reply));
        }
      }
    }
  }

  /** Answers wl_display.sync by its callback, and wl_display.get_registry by the globals. */
  #usual(
    object: number,
    opcode: number,
    body: Uint8Array,
    registry: { object: number },
  ): Uint8Array | undefined {
    if (object === registry.object) return this.#bind(body);
    if (object !== 1) return undefined;
    const id = new DataView(body.buffer, body.byteOffset).getUint32(0, true);
    if (opcode === 0) return encodeMessage(id, 0, [0]);
    registry.object = id;
    const globals = this.options.globals ?? [];
    return new Uint8Array(globals.flatMap((name, i) => [...encodeMessage(id, 0, [i + 1, name, 1])]));
  }

  /** Answers wl_registry.bind, whose new object comes last. */
  #bind(body: Uint8Array): Uint8Array | undefined {
    const id = new DataView(body.buffer, body.byteOffset + body.length - 4).getUint32(0, true);
    const name = this.options.globals![new DataView(body.buffer, body.byteOffset).getUint32(0, true) - 1];
    this.bound.push(name);
    return this.options.bound?.(name, id);
  }
}
