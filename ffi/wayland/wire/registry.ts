/** The globals of a compositor (wl_registry): interfaces by name and version. */

import { DesktopUnavailableError } from "../../../core/errors.ts";
import type { Connection, Handler } from "./connection.ts";
import { DISPLAY, REGISTRY } from "./wire.ts";

/** A global that a compositor offers. */
export interface Global {
  /** The global's number (wl_registry: name) on this connection. */
  name: number;
  interface: string;
  version: number;
}

/** The globals of a connection, kept up to date by its events. */
export class Registry {
  readonly globals = new Map<number, Global>();
  readonly #object: number;

  /** @throws DesktopUnavailableError if the compositor does not answer. */
  constructor(readonly connection: Connection) {
    this.#object = connection.newId((opcode, args) => {
      const name = args.uint();
      if (opcode === REGISTRY.globalRemove) this.globals.delete(name);
      else this.globals.set(name, { name, interface: args.string(), version: args.uint() });
    });
    connection.request(DISPLAY.object, DISPLAY.getRegistry, this.#object);
    connection.roundtrip();
  }

  /** Every global of an interface. */
  all(name: string): Global[] {
    return [...this.globals.values()].filter((global) => global.interface === name);
  }

  /** The version of an interface that is offered; 0 if the interface is not offered. */
  version(name: string): number {
    return this.all(name)[0]?.version ?? 0;
  }

  /**
   * Makes an object of a global.
   * @param version The newest one that the caller knows.
   */
  bind(global: Global, version: number, handler?: Handler): number {
    const id = this.connection.newId(handler);
    const known = Math.min(version, global.version);
    this.connection.request(this.#object, REGISTRY.bind, global.name, global.interface, known, id);
    return id;
  }

  /**
   * Makes an object of the first global of an interface.
   * @throws DesktopUnavailableError if none is offered.
   */
  bindFirst(name: string, version: number, handler?: Handler): number {
    const global = this.all(name)[0];
    if (!global) throw new DesktopUnavailableError(`the compositor does not offer ${name}`);
    return this.bind(global, version, handler);
  }
}
