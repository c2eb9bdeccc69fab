/** A connection to a compositor together with the protocols that the compositor offers. */

import { Connection } from "./connection.ts";
import { Registry } from "./registry.ts";

/** A connection that is inspected first, and may then become the desktop's. */
export class Link {
  #registry: Registry | undefined;

  constructor(readonly connection: Connection) {}

  /**
   * Connects to the compositor.
   * @param path The path of the compositor's socket.
   * @returns undefined if no compositor is there, or it does not let this user in.
   * @throws NoDesktopError if the C library cannot be used.
   */
  static open(path: string): Link | undefined {
    const connection = Connection.open(path);
    return connection && new Link(connection);
  }

  /**
   * Makes an object that closes the connection when it is closed.
   * @param link The connection; without it there is no object.
   * @param make Makes the object; the connection is closed if that fails.
   * @throws The errors of `make`.
   */
  static use<T>(link: Link | undefined, make: (link: Link) => T): T | undefined {
    try {
      return link && make(link);
    } catch (error) {
      link!.connection.close();
      throw error;
    }
  }

  /**
   * The protocols that the compositor offers; the first reading asks the compositor.
   * @throws DesktopUnavailableError if the compositor does not answer.
   */
  get registry(): Registry {
    return this.#registry ??= new Registry(this.connection);
  }
}
