/** How long a program takes to answer while it does something else: pings on a thread of their own. */

import type { PingerMessage } from "./pinger_worker.ts";

/** Pings a program until it is stopped. */
export class Pinger {
  readonly #worker = new Worker(new URL("./pinger_worker.ts", import.meta.url), { type: "module" });

  private constructor() {}

  /**
   * Starts to ask for the pointer's position, again 5 ms after each answer.
   * @param url Of the control API.
   * @returns When the first answer has come.
   */
  static async start(url: string): Promise<Pinger> {
    const pinger = new Pinger();
    const started = pinger.#next();
    pinger.#worker.postMessage(url);
    await started;
    return pinger;
  }

  /** Ends the pings; gives how long the slowest took, in milliseconds. */
  async stop(): Promise<number> {
    const slowest = this.#next();
    this.#worker.postMessage("stop");
    const { slowestMs } = await slowest;
    this.#worker.terminate();
    return slowestMs;
  }

  #next(): Promise<PingerMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<PingerMessage>();
    this.#worker.onmessage = ({ data }) => resolve(data);
    this.#worker.onerror = (event) => reject(new Error(event.message));
    return promise;
  }
}
