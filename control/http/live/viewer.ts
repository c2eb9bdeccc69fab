/** A viewer of the page: its messages and its actions. */

import { ForbiddenError, InputError } from "../../../core/errors.ts";
import { ACTIONS } from "../../actions/mod.ts";
import type { ActionRunner } from "../../actions/runner.ts";
import { ViewerActions } from "../../actions/viewer_actions.ts";
import type { Point, Region } from "../../desktop/desktop.ts";
import type { Quality } from "../../live/link.ts";
import { parseViewerMessage, type ViewerInput } from "./protocol.ts";

/** Bytes that may wait to be sent before error messages to a viewer that does not read are dropped. */
const UNREAD = 1024 * 1024;

/** A caller with a link. */
export interface Guest {
  name: string;
  /** Whether the guest only looks, or acts as well. */
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
}

/** A client of the live picture. */
export class Viewer {
  readonly #actions: ViewerActions;
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
    this.#actions = new ViewerActions(runner, "page", guest?.name);
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
    this.#actions.close();
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
      if (this.#looksOnly) throw new ForbiddenError("this link is view-only");
      if (message.type === "move" && this.#waitingMove) return void Object.assign(this.#waitingMove, message);
      this.#waitingMove = message.type === "move" ? message : undefined;
      if (this.#actions.isFull) return this.socket.close(1008, "too many messages");
      this.#actions.queue(() => this.#do(message), (error) => this.sendError(error.message));
    } catch (error) {
      this.sendError((error as Error).message);
    }
  }

  async #do(input: ViewerInput): Promise<void> {
    if (input === this.#waitingMove) this.#waitingMove = undefined;
    const actions = this.#actions;
    switch (input.type) {
      case "move":
        return await actions.run(ACTIONS.move, input);
      case "button":
        return await actions.press(["button", input.button], input.down, input);
      case "scroll":
        return await actions.run(ACTIONS.scroll, input);
      case "key":
        return await actions.press(["key", input.key], input.down);
      case "text":
        return await actions.run(ACTIONS.type, input);
      case "release":
        return await actions.releaseHeld();
    }
  }
}
