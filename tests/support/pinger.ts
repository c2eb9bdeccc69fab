/** How long a program takes to respond while it does other work: pings on a separate thread. */

import type { PingerMessage, PingerStart } from "./pinger_worker.ts";

/** Pings a program until stopped. */
export class Pinger {
  readonly #worker = new Worker(new URL("./pinger_worker.ts", import.meta.url), { type: "module" });

  private constructor() {}

  /**
   * Starts querying the pointer position, again 10 ms after each response.
   * @param start The program's control API and process.
   * @returns Once the first response has arrived.
   */
  static async start(start: PingerStart): Promise<Pinger> {
    const pinger = new Pinger();
    const started = pinger.#next();
    pinger.#worker.postMessage(start);
    await started;
    return pinger;
  }

  /** Stops the pings; returns the time of the slowest. */
  async stop(): Promise<PingerMessage> {
    const slowest = this.#next();
    this.#worker.postMessage("stop");
    const message = await slowest;
    this.#worker.terminate();
    return message;
  }

  #next(): Promise<PingerMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<PingerMessage>();
    this.#worker.onmessage = ({ data }) => resolve(data);
    this.#worker.onerror = (event) => reject(new Error(event.message));
    return promise;
  }
}
