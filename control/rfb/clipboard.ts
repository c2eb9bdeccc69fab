/** Texts of the clipboard, between one viewer and the desktop. */

import { type ClipboardMessage, ClipboardWriter, TEXT_LIMIT } from "../../rfb/clipboard.ts";
import { SERVER_MESSAGE } from "../../rfb/protocol.ts";
import { ACTIONS } from "../actions/mod.ts";
import type { ViewerActions } from "../actions/viewer_actions.ts";

/** The time that a program takes at most to copy, in most cases, in milliseconds. */
const COPY_MS = 100;

const writer = new ClipboardWriter(SERVER_MESSAGE.cutText);

/** Hands texts to and fro. A viewer without the extended clipboard gets `?` for what is not of Latin-1. */
export class ViewerClipboard {
  /** The text that both sides know. */
  #text: string | undefined;
  #isExtended = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly actions: ViewerActions,
    readonly send: (bytes: Uint8Array) => void,
    readonly refused: (error: Error) => void,
  ) {}

  /** The viewer knows the extended clipboard. */
  extend(): void {
    if (this.#isExtended) return;
    this.#isExtended = true;
    this.send(writer.caps());
  }

  /** Offers the desktop's text to the viewer soon, if it is another one: the viewer has come, or has copied. */
  offerLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#offer().catch(() => {}), COPY_MS); // none, or none that may be read
  }

  /** Handles a message of the viewer. */
  receive(message: ClipboardMessage): void {
    if (message.type === "latin1" || message.type === "provide") this.#take(message.text);
    else if (message.type === "notify") message.hasText && this.send(writer.request());
    else if (message.type === "peek") this.send(writer.notify(this.#text !== undefined));
    else if (message.type === "request") this.send(writer.provide(this.#text ?? ""));
  }

  /** The viewer has left. */
  close(): void {
    clearTimeout(this.#timer);
  }

  /** Puts a viewer's text on the desktop's clipboard. */
  #take(text: string): void {
    this.#text = text;
    this.actions.queue(async () => void await this.actions.run(ACTIONS.setClipboard, { text }), this.refused);
  }

  async #offer(): Promise<void> {
    const { text } = await this.actions.run(ACTIONS.clipboard, {});
    const isNews = text !== undefined && text !== this.#text && text.length <= TEXT_LIMIT &&
      !this.actions.isClosed;
    if (!isNews) return;
    this.#text = text;
    this.send(this.#isExtended ? writer.notify(true) : writer.latin1(text));
  }
}
