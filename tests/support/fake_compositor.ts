/** The other end of a Wayland connection, under a test's control: it does what real compositors do not. */

import { encodeMessage } from "../../ffi/wayland/wire/wire.ts";
import { splitMessages } from "./wayland_messages.ts";

/** A fake compositor's behaviour. */
interface FakeOptions {
  /** The globals that the compositor advertises, each in version 1. */
  globals?: string[];
  /** Responds to a bound global, given its interface and new object. */
  bound?: (name: string, object: number) => Uint8Array | undefined;
  /** Responds to a request; by default only to the registry and synchronization. */
  answer?: (object: number, opcode: number, body: Uint8Array) => Uint8Array | undefined;
}

/** A socket that speaks Wayland. `using` closes it. */
export class FakeCompositor {
  readonly #listener: Deno.UnixListener;
  /** The number of connections so far, and the interfaces bound over them. */
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

  /** Responds to wl_display.sync with its callback, and to wl_display.get_registry with the globals. */
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

  /** Responds to wl_registry.bind, whose new object comes last. */
  #bind(body: Uint8Array): Uint8Array | undefined {
    const id = new DataView(body.buffer, body.byteOffset + body.length - 4).getUint32(0, true);
    const name = this.options.globals![new DataView(body.buffer, body.byteOffset).getUint32(0, true) - 1];
    this.bound.push(name);
    return this.options.bound?.(name, id);
  }
}
