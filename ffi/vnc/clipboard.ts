/** A VNC desktop's clipboard: text, in full Unicode if the server supports the extended clipboard. */

import { delay } from "@std/async/delay";
import type { Clipboard, ClipboardContent, ClipboardKind } from "../../control/desktop/desktop.ts";
import { InputError, StateError, UnsupportedError } from "../../core/errors.ts";
import { within } from "../../core/until.ts";
import { type ClipboardMessage, ClipboardWriter, isLatin1, TEXT_LIMIT } from "../../rfb/clipboard.ts";
import { CLIENT_MESSAGE } from "../../rfb/protocol.ts";

/** Maximum time for a program to request the text that it pastes, in milliseconds. */
const PASTED_MS = 3000;
/**
 * Delay between offering a text and pressing the paste keys, and after the text was fetched, in milliseconds.
 */
const OFFERED_MS = 30, TAKEN_MS = 50;
/** Maximum number of offers of a text until the server waits for a program to request it. */
const OFFERS = 4;

/** The part of the connection that the clipboard uses. */
interface Connection {
  /** Throws without a connection. */
  readonly picture: unknown;
  send(bytes: Uint8Array): Promise<void>;
}

/** Texts that the server reports, and texts offered to it. */
export class VncClipboard implements Clipboard {
  readonly selections = ["clipboard"] as const;
  readonly #writer = new ClipboardWriter(CLIENT_MESSAGE.cutText);
  /** The text on the desktop's clipboard, as last reported by the server. */
  #text: string | undefined;
  /** Whether deskhand offers the text: the server then reports that the previous text is gone. */
  #isOwn = false;
  /** Whether the server supports the extended clipboard. */
  isExtended = false;
  #provided = () => {};

  constructor(readonly link: Connection) {}

  /** Discards the state of an earlier connection. */
  reset(): void {
    this.#text = undefined;
    this.#isOwn = this.isExtended = false;
  }

  /** Handles a message from the server. */
  receive(message: ClipboardMessage): void {
    switch (message.type) {
      case "latin1":
      case "provide":
        this.#text = message.text;
        this.#isOwn = false;
        return;
      case "caps":
        this.isExtended = true; // the Worker has already answered
        return;
      case "notify":
        if (message.hasText) return this.#answer(this.#writer.request());
        if (!this.#isOwn) this.#text = undefined;
        return;
      case "peek":
        return this.#answer(this.#writer.notify(this.#text !== undefined));
      case "request":
        this.#answer(this.#writer.provide(this.#text ?? ""));
        this.#provided();
    }
  }

  kinds(): Promise<ClipboardKind[]> {
    return Promise.try(() => {
      this.link.picture;
      return this.#text === undefined ? [] : ["text"];
    });
  }

  read(kind: ClipboardKind): Promise<ClipboardContent | undefined> {
    return Promise.try(() => {
      this.link.picture;
      return kind === "text" && this.#text !== undefined ? { text: this.#text } : undefined;
    });
  }

  async write(content: ClipboardContent): Promise<void> {
    if (!("text" in content)) throw new UnsupportedError("VNC clipboards do not support pictures");
    await this.#offer(content.text);
  }

  keep(): Promise<boolean> {
    return Promise.resolve(true);
  }

  /**
   * Types a text by pasting it. A server with the extended clipboard requests the text exactly when a program
   * pastes it. Afterwards, offers the previous content again, or none.
   * @param press Presses the paste keys.
   * @throws UnsupportedError if the server does not request texts; StateError if no program pasted.
   */
  async paste(text: string, press: () => Promise<void>): Promise<void> {
    if (!this.isExtended) {
      throw new UnsupportedError(
        "this VNC server does not report whether a program has pasted the text: type only ASCII characters",
      );
    }
    const before = this.#text, taken = Promise.withResolvers<true>();
    try {
      await this.#offerQuietly(text);
      this.#provided = () => taken.resolve(true);
      await press();
      if (!await within(PASTED_MS, taken.promise)) {
        throw new StateError(
          "no program pasted the text: check that --desktop-paste names the keys with which the program pastes",
        );
      }
      await delay(TAKEN_MS);
    } finally {
      this.#provided = () => {};
      await (before === undefined ? this.#withdraw() : this.#offer(before));
    }
  }

  /** Leaves the desktop's clipboard empty. */
  async #withdraw(): Promise<void> {
    this.#text = undefined;
    await this.link.send(this.#writer.notify(false));
  }

  /**
   * Offers a text repeatedly until the server no longer requests it immediately, as Xvnc does if there was
   * another text before.
   */
  async #offerQuietly(text: string): Promise<void> {
    for (let tries = 0, isAsked = true; isAsked && tries < OFFERS; tries++) {
      isAsked = false;
      this.#provided = () => isAsked = true;
      await this.#offer(text);
      await delay(OFFERED_MS);
    }
  }

  async #offer(text: string): Promise<void> {
    if (new TextEncoder().encode(text).length > TEXT_LIMIT) {
      throw new InputError(`VNC clipboards hold up to ${TEXT_LIMIT} bytes of text`);
    }
    if (!this.isExtended && !isLatin1(text)) {
      throw new UnsupportedError("this VNC server's clipboard supports Latin-1 text only");
    }
    this.#text = text;
    this.#isOwn = true;
    await this.link.send(this.isExtended ? this.#writer.notify(true) : this.#writer.latin1(text));
  }

  #answer(message: Uint8Array): void {
    this.link.send(message).catch(() => {}); // the connection is lost
  }
}
