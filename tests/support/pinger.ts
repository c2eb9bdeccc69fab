/** The time that a program takes to answer while it does other work: pings on a thread of their own. */

import type { PingerMessage, PingerStart } from "./pinger_worker.ts";

/** Pings a program until it is stopped. */
export class Pinger {
  readonly #worker = new Worker(new URL("./pinger_worker.ts", import.meta.url), { type: "module" });

  private constructor() {}

  /**
   * Starts to ask for the pointer's position, again 10 ms after each answer.
   * @param start Its control API and its process.
   * @returns When the first answer has come.
   */
  static async start(start: PingerStart): Promise<Pinger> {
    const pinger = new Pinger();
    const started = pinger.#next();
    pinger.#worker.postMessage(start);
    await started;
    return pinger;
  }

  /** Ends the pings; gives how long the slowest took. */
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
