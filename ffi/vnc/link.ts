/** This thread's side of the connection to a VNC server, which a Worker has. */

import { DesktopUnavailableError, rebuiltError } from "../../core/errors.ts";
import { startWorker, type WorkerRole } from "../../core/worker.ts";
import type { ClipboardMessage } from "../../rfb/clipboard.ts";
import { addressOf, type VncTarget } from "./address.ts";
import type { FromReceiver, ServerFacts, ToReceiver } from "./receiver.ts";
import { SharedPicture } from "./picture.ts";

/** The time in which the server handles input, in milliseconds. */
const HANDLED_MS = 5000;
/** The time in which the Worker sends the last input, in milliseconds. */
const END_MS = 600;
const NO_FACTS: ServerFacts = { displays: [], hasManyButtons: false, hasFences: false };

/** Listeners of a link. */
export interface LinkEvents {
  /** The picture is not the same memory any more, or there is none. */
  replaced(): void;
  clipboard(message: ClipboardMessage): void;
}

/** A connection that comes back by itself. */
export class Link {
  /** The facts that the server has told so far. */
  facts: ServerFacts = NO_FACTS;
  isSecure = false;
  /** The desktop's name. */
  name = "";
  #events: LinkEvents | undefined;
  /** Messages that came before a listener. */
  #early: ClipboardMessage[] = [];
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
      event.preventDefault(); // an error that no handler takes ends the process
      this.#end(event.message);
      this.#opening.reject(new Error(event.message));
    };
    this.#post({ type: "open", target });
  }

  /**
   * Connects.
   * @returns Once the server has sent its picture.
   * @throws NoDesktopError if there is no server, or it does not let deskhand in.
   */
  static async open(module: WorkerRole, target: VncTarget): Promise<Link> {
    const link = new Link(module, target);
    await link.#opening.promise.catch((error) => {
      link.#worker.terminate();
      throw error;
    });
    return link;
  }

  /** Sets the listener; it gets what came before. */
  listen(events: LinkEvents): void {
    this.#events = events;
    for (const message of this.#early.splice(0)) events.clipboard(message);
  }

  /** The present picture. @throws DesktopUnavailableError while there is no connection. */
  get picture(): SharedPicture {
    return this.#picture ?? this.#gone();
  }

  /**
   * Sends input.
   * @returns When the server has handled it, where it tells; otherwise when it has taken the bytes.
   * @throws DesktopUnavailableError if the connection is lost, or the server does not answer.
   */
  async send(bytes: Uint8Array): Promise<void> {
    if (!this.#picture) this.#gone();
    const number = this.#number = this.#number + 1 >>> 0, sent = Promise.withResolvers<void>();
    this.#waiting.set(number, sent);
    const timer = setTimeout(() => sent.reject(this.#error("does not answer")), HANDLED_MS);
    this.#post({ type: "send", bytes, number });
    try {
      await sent.promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(number);
    }
  }

  /** Ends the connection when the last input is sent. */
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
        if (this.#events) return this.#events.clipboard(report.message);
        this.#early.push(report.message);
        return;
      case "sent":
        this.#waiting.get(report.number)?.resolve();
    }
  }

  #replace(picture: SharedPicture | undefined): void {
    this.#picture = picture;
    this.#events?.replaced();
  }

  #end(reason: string): void {
    this.#lost = reason;
    this.facts = NO_FACTS;
    this.#replace(undefined);
    for (const sent of this.#waiting.values()) sent.reject(this.#error("is gone"));
  }

  #gone(): never {
    throw this.#error(`is gone (${this.#lost}); waiting for it to be back`);
  }

  #error(what: string): DesktopUnavailableError {
    return new DesktopUnavailableError(`the VNC server ${addressOf(this.target)} ${what}`);
  }
}
