/** A connection to PipeWire, with the loop that its thread runs. */

import { DesktopUnavailableError } from "../../../core/errors.ts";
import { cString } from "../libc.ts";
import { Loop } from "./loop.ts";
import { openPipeWire, type PipeWire } from "./symbols.ts";

/** The PipeWire to connect to: plain data. */
export interface Remote {
  /** A connection to PipeWire that the portal opened, taken over; without it the session's PipeWire is asked. */
  fd?: number;
  /** The path of PipeWire's socket; the environment's if left out. */
  remote?: string;
}

/** An open connection. */
export class Connection {
  readonly pw: PipeWire;
  readonly loop: Loop;
  #context: Deno.PointerValue = null;
  #core: Deno.PointerValue = null;

  /**
   * @param purpose The use of the connection, as the beginning of messages, such as `pictures of this desktop`.
   * @throws DesktopUnavailableError if PipeWire is not there, or refuses.
   */
  constructor(remote: Remote, purpose: string) {
    const pw = this.pw = openPipeWire(purpose);
    this.loop = Loop.open(pw);
    try {
      this.#context = pw.pw_context_new(this.loop.pointer, null, 0n);
      if (!this.#context) {
        throw new DesktopUnavailableError(
          `${purpose} comes by PipeWire, whose configuration for programs (client.conf) cannot be read: ` +
            "install it (Debian, Ubuntu: pipewire-bin; Fedora: pipewire)",
        );
      }
      this.#core = this.#connect(remote, purpose);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** The `struct pw_core *`. */
  get core(): Deno.PointerObject {
    return this.#core!;
  }

  /** Frees everything, after the streams. */
  close(): void {
    if (this.#core) this.pw.pw_core_disconnect(this.#core);
    if (this.#context) this.pw.pw_context_destroy(this.#context);
    this.loop.close();
  }

  #connect({ fd, remote }: Remote, purpose: string): Deno.PointerObject {
    const properties = remote === undefined
      ? null
      : this.pw.pw_properties_new_string(cString(`remote.name="${remote}"`));
    const core = fd === undefined
      ? this.pw.pw_context_connect(this.#context, properties, 0n)
      : this.pw.pw_context_connect_fd(this.#context, fd, null, 0n);
    if (core) return core;
    throw new DesktopUnavailableError(
      `PipeWire does not answer, by which ${purpose} comes: its services (pipewire, wireplumber) ` +
        "have to run in the session",
    );
  }
}
