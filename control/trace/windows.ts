/** The active window as a trace notes it, and windows that a trace leaves out. */

import { printable } from "../../core/printable.ts";
import type { Region, WindowInfo } from "../desktop.ts";
import type { Operator } from "../operator.ts";
import { activeOf } from "../windows/difference.ts";
import { listWindows } from "../windows/list.ts";
import type { TraceEntry } from "./entry.ts";

/** The time from an action to the look at the windows, and from one look to the next, in milliseconds. */
const LOOK_MS = 250, APART_MS = 1000;
/** The longest title that is kept. */
const TITLE_LIMIT = 300;
/** The title of a window that is left out. */
const HIDDEN = "(hidden)";

/** A title pattern, such as `KeePass*`, as an expression: `*` stands for any text, case is ignored. */
export function titlePattern(text: string): RegExp {
  const parts = text.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^]*")}$`, "iu");
}

/** Looks which window is active, at most once a second. */
export class ActiveWindow {
  /** The windows that were noted last. */
  last: (TraceEntry & { kind: "window" }) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lookedAt = -Infinity;
  #note: ((id: string, title: string) => void) | undefined;
  /** The titles of windows that were left out. */
  readonly #hidden = new Set<string>();

  /** @param patterns The patterns of the titles of windows that are left out. */
  constructor(readonly operator: Operator, readonly patterns: readonly RegExp[]) {}

  /** Begins. @param note Gets each change. */
  open(note: (id: string, title: string) => void): void {
    this.#note = note;
    this.#lookedAt = -Infinity;
    this.lookSoon();
  }

  /** Looks soon. */
  lookSoon(): void {
    if (this.#timer !== undefined || !this.#note) return;
    const wait = Math.max(LOOK_MS, this.#lookedAt + APART_MS - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#look();
    }, wait);
  }

  /** Ends the follower. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#note = undefined;
  }

  /** A text without the titles of windows that are left out. */
  readonly veil = (text: string): string => {
    if (!this.patterns.length) return text;
    if (this.#isHidden(text)) return HIDDEN;
    return [...this.#hidden].reduce((rest, title) => title ? rest.replaceAll(title, HIDDEN) : rest, text);
  };

  /** The regions of the windows that are left out; undefined if the region of one of them is unknown. */
  hiddenRegions(windows: readonly WindowInfo[]): Region[] | undefined {
    const hidden = windows.filter(({ title, state }) => state !== "minimized" && this.#isHidden(title));
    for (const { title } of hidden) this.#hidden.add(title);
    if (hidden.some(({ width, height }) => !width || !height)) return undefined;
    return hidden.map(({ x, y, width, height }) => ({ x, y, width, height }));
  }

  #isHidden(title: string): boolean {
    return this.patterns.some((pattern) => pattern.test(title));
  }

  async #look(): Promise<void> {
    this.#lookedAt = performance.now();
    let active: WindowInfo | undefined;
    try {
      active = activeOf(await listWindows(this.operator));
    } catch {
      return; // the windows of this desktop cannot be reached now
    }
    const id = active?.id ?? "", title = active ? this.veil(printable(active.title, TITLE_LIMIT)) : "";
    if (this.last?.id === id && this.last.title === title) return;
    this.last = { kind: "window", t: 0, id, title };
    this.#note?.(id, title);
  }
}
