/** A viewer: its actions, and the keys and buttons that it holds. */

import { ForbiddenError, InputError } from "../../../core/errors.ts";
import { ACTIONS } from "../../actions/mod.ts";
import type { ActionRunner } from "../../actions/runner.ts";
import type { Caller } from "../../operator/calls.ts";
import type { Point, Region } from "../../desktop/desktop.ts";
import type { Quality } from "../../live/link.ts";
import { type Held, heldName } from "../../operator/held.ts";
import { parseViewerMessage, type ViewerInput } from "./protocol.ts";

/** Inputs that may wait; a viewer that sends faster is ended. */
const WAITING = 1000;
/** Bytes that may wait to be sent before error messages to a viewer that does not read are dropped. */
const UNREAD = 1024 * 1024;

/** A caller with a link. */
export interface Guest {
  name: string;
  /** Tells whether the guest only looks, or acts as well. */
  rights: "look" | "act";
}

/** Receives a viewer's messages. */
export interface ViewerListener {
  /** The viewer has shown a picture. */
  acknowledged(held: number): void;
  /** Called when the viewer has answered {@linkcode Viewer.ask}. */
  answered(): void;
  /** The viewer has chosen a quality. */
  chosen(quality: Quality): void;
  /** Called at each input of the viewer. */
  acted(): void;
}

/** A client of the live picture. */
export class Viewer {
  readonly #leaving = new AbortController();
  readonly #caller: Caller;
  /** Keys and buttons that the viewer holds down, by {@linkcode heldName}. */
  readonly #held = new Map<string, Held>();
  #turn: Promise<void> = Promise.resolve();
  #waiting = 0;
  /** A move that waits for a long action; the next move takes its place. */
  #waitingMove: Point | undefined;

  /**
   * @param runner Runs the actions that the viewer asks for.
   * @param guest The viewer's link; undefined if the viewer has every right.
   */
  constructor(
    readonly socket: WebSocket,
    readonly runner: ActionRunner,
    readonly guest: Guest | undefined,
    readonly listener: ViewerListener,
  ) {
    this.#caller = { signal: this.#leaving.signal, by: "page", client: guest?.name };
    socket.binaryType = "arraybuffer";
    socket.addEventListener("message", ({ data }) => this.#receive(data));
  }

  /** Tells the viewer the size of the screen that the following pictures show. */
  show({ x, y, width, height }: Region): void {
    const readOnly = this.runner.readOnly || this.#looksOnly, isGuest = this.guest !== undefined;
    this.#send(JSON.stringify({ type: "screen", x, y, width, height, readOnly, isGuest }));
  }

  /** Sends the viewer a picture. */
  sendPicture(message: Uint8Array<ArrayBuffer>): void {
    this.#send(message);
  }

  /** Sends the viewer an error message. */
  sendError(message: string): void {
    if (this.socket.bufferedAmount <= UNREAD) this.#send(JSON.stringify({ type: "error", message }));
  }

  /** Tells the viewer whether a trace is recorded. */
  sendTrace(state: string): void {
    this.#send(JSON.stringify({ type: "trace", state }));
  }

  /** Asks the viewer for an answer, which measures its connection. */
  ask(): void {
    this.#send('{"type":"ping"}');
  }

  /** Sends the viewer the number of viewers, itself included. */
  sendCount(count: number): void {
    this.#send(JSON.stringify({ type: "viewers", count }));
  }

  /** Releases the keys and buttons that the viewer holds. */
  close(): void {
    if (this.#leaving.signal.aborted) return;
    this.#leaving.abort();
    this.#turn = this.#turn.then(() => this.#releaseHeld()).catch(() => {});
  }

  get #looksOnly(): boolean {
    return this.guest?.rights === "look";
  }

  #send(message: string | Uint8Array<ArrayBuffer>) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(message);
  }

  #receive(data: unknown) {
    try {
      if (typeof data !== "string") throw new InputError("a message must be text");
      const message = parseViewerMessage(data);
      if (message.type === "ack") return this.listener.acknowledged(message.held ?? 0);
      if (message.type === "pong") return this.listener.answered();
      if (message.type === "quality") return this.listener.chosen(message.quality);
      if (this.#looksOnly) throw new ForbiddenError("this link only looks");
      if (message.type === "move" && this.#waitingMove) return void Object.assign(this.#waitingMove, message);
      this.#waitingMove = message.type === "move" ? message : undefined;
      if (++this.#waiting > WAITING) return this.socket.close(1008, "too many messages");
      // Handles messages in the order of their arrival, however long each takes.
      this.#turn = this.#turn.then(() => this.#do(message)).catch((error) => this.sendError(error.message))
        .finally(() => {
          this.#waiting--;
          this.listener.acted();
        });
    } catch (error) {
      this.sendError((error as Error).message);
    }
  }

  async #do(input: ViewerInput): Promise<void> {
    if (input === this.#waitingMove) this.#waitingMove = undefined;
    this.runner.permission.personActs();
    const { runner } = this, caller = this.#caller;
    switch (input.type) {
      case "move":
        return await runner.run(ACTIONS.move, input, caller);
      case "button":
        return await this.#press(["button", input.button], input.down, input);
      case "scroll":
        return await runner.run(ACTIONS.scroll, input, caller);
      case "key":
        return await this.#press(["key", input.key], input.down);
      case "text":
        return await runner.run(ACTIONS.type, input, caller);
      case "release":
        return await this.#releaseHeld();
    }
  }

  async #press(held: Held, down: boolean, point?: Point): Promise<void> {
    const { runner } = this, caller = this.#caller;
    const [kind, name] = held, values = { [kind]: name, x: point?.x, y: point?.y };
    if (down) {
      await runner.run(ACTIONS.press, values, caller);
      this.#held.set(heldName(held), held);
    } else if (this.#held.delete(heldName(held))) {
      await runner.noted(ACTIONS.release, values, caller, () => runner.operator.releaseOwned([held], point));
    } else await runner.run(ACTIONS.release, values, caller);
  }

  async #releaseHeld(): Promise<void> {
    const held = [...this.#held.values()];
    this.#held.clear();
    await this.runner.operator.releaseOwned(held);
  }
}
