/** This thread's side of the connection to a VNC server, which a Worker owns. */

import { DesktopUnavailableError, rebuiltError } from "../../core/errors.ts";
import { deadline } from "../../core/until.ts";
import { startWorker, type WorkerRole } from "../../core/worker.ts";
import { addressOf, type VncTarget } from "./address.ts";
import { VncClipboard } from "./clipboard.ts";
import type { FromReceiver, ServerFacts, ToReceiver } from "./receiver.ts";
import { SharedPicture } from "./picture.ts";

/** Maximum time for the server to handle input, in milliseconds. */
const HANDLED_MS = 5000;
/** Maximum time for the Worker to send the last input, in milliseconds. */
const END_MS = 600;
const NO_FACTS: ServerFacts = { displays: [], hasManyButtons: false, hasFences: false };

/** A connection that reconnects on its own. */
export class Link {
  /** The state that the server has reported so far. */
  facts: ServerFacts = NO_FACTS;
  isSecure = false;
  /** The desktop's name. */
  name = "";
  /** How often the server has been connected. */
  connections = 0;
  readonly clipboard = new VncClipboard(this);
  /** Called when the picture moves to other memory or, with an error, when the connection is lost. */
  replaced: (error?: DesktopUnavailableError) => void = () => {};
  #picture: SharedPicture | undefined;
  #lost = "";
  #number = 0;
  readonly #waiting = new Map<number, PromiseWithResolvers<void>>();
  readonly #opening = Promise.withResolvers<void>();
  readonly #worker: Worker;

  private constructor(module: WorkerRole, readonly target: VncTarget) {
    this.#worker = startWorker(module);
    this.#worker.onmessage = ({ data }: MessageEvent<FromReceiver>) => this.#handle(data);
    this.#worker.onerror = (event) => {
      event.preventDefault(); // an unhandled error would end the process
      this.#end(event.message);
      this.#opening.reject(new Error(event.message));
    };
    this.#post({ type: "open", target });
  }

  /**
   * Connects.
   * @returns Once the server has sent its picture.
   * @throws NoDesktopError if there is no server, or it refuses deskhand.
   */
  static async open(module: WorkerRole, target: VncTarget): Promise<Link> {
    const link = new Link(module, target);
    await link.#opening.promise.catch((error) => {
      link.#worker.terminate();
      throw error;
    });
    return link;
  }

  /** The current picture. @throws DesktopUnavailableError while there is no connection. */
  get picture(): SharedPicture {
    if (!this.#picture) throw this.#gone();
    return this.#picture;
  }

  /**
   * Sends input.
   * @returns When the server has handled it, if the server reports that; otherwise when it has received the
   * bytes.
   * @throws DesktopUnavailableError if the connection is lost, or the server does not answer.
   */
  async send(bytes: Uint8Array): Promise<void> {
    if (!this.#picture) throw this.#gone();
    const number = this.#number = this.#number + 1 >>> 0, sent = Promise.withResolvers<void>();
    this.#waiting.set(number, sent);
    const withdraw = deadline(HANDLED_MS, () => sent.reject(this.#error("is not responding")));
    this.#post({ type: "send", bytes, number });
    try {
      await sent.promise;
    } finally {
      withdraw();
      this.#waiting.delete(number);
    }
  }

  /** Ends the connection after the last input has been sent. */
  close(): void {
    const ended = new Int32Array(new SharedArrayBuffer(4));
    this.#picture = undefined;
    this.#post({ type: "close", ended });
    Atomics.wait(ended, 0, 0, END_MS);
    this.#worker.terminate();
  }

  #post(message: ToReceiver): void {
    this.#worker.postMessage(message);
  }

  #handle(report: FromReceiver): void {
    switch (report.type) {
      case "opened":
        ({ name: this.name, isSecure: this.isSecure } = report);
        this.connections++;
        this.#replace(new SharedPicture(report.picture));
        return this.#opening.resolve();
      case "failed":
        return this.#opening.reject(rebuiltError(report.error));
      case "lost":
        return this.#end(report.reason);
      case "resized":
        return this.#replace(new SharedPicture(report.picture));
      case "facts":
        this.facts = { ...this.facts, ...report.facts };
        return;
      case "clipboard":
        return this.clipboard.receive(report.message);
      case "sent":
        this.#waiting.get(report.number)?.resolve();
    }
  }

  #replace(picture: SharedPicture): void {
    this.#picture = picture;
    this.replaced();
  }

  #end(reason: string): void {
    this.#lost = reason;
    this.facts = NO_FACTS;
    this.#picture = undefined;
    this.clipboard.reset();
    this.replaced(this.#gone());
    for (const sent of this.#waiting.values()) sent.reject(this.#error("is gone"));
  }

  #gone(): DesktopUnavailableError {
    return this.#error(`is gone (${this.#lost}); waiting for it to return`);
  }

  #error(what: string): DesktopUnavailableError {
    return new DesktopUnavailableError(`the VNC server ${addressOf(this.target)} ${what}`);
  }
}
