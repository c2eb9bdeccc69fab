/** A virtual desktop's keyboard, which has a key for every character. */

import {
  type Button,
  type Clipboard,
  type ClipboardContent,
  type ClipboardKind,
  type Direction,
  type InputAction,
  type Keyboard,
  type LoggedAction,
  type Observer,
  type Point,
  type Pointer,
  type Selection,
  SELECTIONS,
} from "../../control/desktop/desktop.ts";
import { charactersOf, keyOfCharacter } from "../text.ts";
import { OwnActions } from "../watch.ts";
import type { Desk } from "./desk.ts";
import type { TextClipboard } from "./text_field.ts";

/** Number of characters typed before other work gets a turn. */
const TYPING_BATCH = 64;

/** Sends keys and text to the desk. */
export class VirtualKeyboard implements Keyboard {
  constructor(readonly desk: Desk, readonly observer: VirtualObserver) {}

  key(key: string, down: boolean): Promise<void> {
    this.desk.key(key, down);
    const action = { type: "key", key, down } as const;
    this.observer.append(action);
    this.observer.report(action);
    return Promise.resolve();
  }

  async type(text: string, signal?: AbortSignal): Promise<void> {
    const characters = charactersOf(text);
    let typed = "";
    try {
      for (const code of characters) {
        signal?.throwIfAborted();
        const character = String.fromCodePoint(code), key = keyOfCharacter(code);
        this.desk.type(key, character);
        typed += character;
        for (const down of [true, false]) this.observer.report({ type: "key", key, down });
        if (typed.length % TYPING_BATCH === 0) await new Promise((resolve) => setTimeout(resolve));
      }
    } finally {
      this.observer.append({ type: "text", text: typed });
    }
  }

  /** Does nothing, since there is no keyboard map. */
  restore(): Promise<void> {
    return Promise.resolve();
  }
}

// A virtual desktop's pointer.

/** Moves the pointer, presses buttons and turns the wheel on the desk. */
export class VirtualPointer implements Pointer {
  constructor(readonly desk: Desk, readonly observer: VirtualObserver) {}

  position(): Promise<Point> {
    return Promise.resolve({ ...this.desk.pointer });
  }

  move({ x, y }: Point): Promise<void> {
    this.desk.move({ x, y });
    return this.#happened({ type: "move", x, y });
  }

  button(button: Button, down: boolean): Promise<void> {
    this.desk.button(button, down);
    return this.#happened({ type: "button", button, down, ...this.desk.pointer });
  }

  scroll(direction: Direction, amount: number): Promise<void> {
    this.desk.scroll(direction, amount);
    return this.#happened({ type: "scroll", direction, amount, ...this.desk.pointer });
  }

  #happened(action: InputAction): Promise<void> {
    this.observer.append(action);
    this.observer.report(action);
    return Promise.resolve();
  }
}

// A virtual desktop's clipboard, in memory.

/** Stores the content written last. */
export class VirtualClipboard implements Clipboard, TextClipboard {
  readonly selections = SELECTIONS;
  readonly #contents = new Map<Selection, ClipboardContent>();

  kinds(selection: Selection): Promise<ClipboardKind[]> {
    const content = this.#contents.get(selection);
    return Promise.resolve(content ? ["text" in content ? "text" : "png"] : []);
  }

  read(kind: ClipboardKind, selection: Selection): Promise<ClipboardContent | undefined> {
    const content = this.#contents.get(selection);
    return Promise.resolve(content && kind in content ? content : undefined);
  }

  write(content: ClipboardContent, selection: Selection): Promise<void> {
    this.#contents.set(selection, content);
    return Promise.resolve();
  }

  /** The text that the desk's programs copy and paste. */
  get text(): string {
    const content = this.#contents.get("clipboard");
    return content && "text" in content ? content.text : "";
  }

  set text(text: string) {
    this.#contents.set("clipboard", { text });
  }

  /** Nothing is lost: the whole desktop ends with the program. */
  keep(): Promise<boolean> {
    return Promise.resolve(true);
  }
}

// A virtual desktop's events: a log, and the listeners.

/** Maximum number of actions in the log; older ones are dropped. */
const LOG_LIMIT = 10_000;

/** Logs actions and reports them to listeners. */
export class VirtualObserver extends OwnActions implements Observer {
  readonly #log: LoggedAction[] = [];

  /** The actions so far, oldest first. */
  get log(): readonly LoggedAction[] {
    return this.#log;
  }

  /** Adds an entry to the log. */
  append(action: LoggedAction): void {
    this.#log.push(action);
    if (this.#log.length > LOG_LIMIT) this.#log.shift();
  }
}
