/** A field's text: its lines, caret and selection, its handling of keys, and undo. */

import type { Point } from "../../control/desktop/desktop.ts";
import { advanceOf, drawnCharacters, faceOf, textWidth } from "./canvas.ts";

/** A key press. */
export interface KeyPress {
  /** A name from `control/desktop/keys.ts`, or one character. */
  key: string;
  /** The character that the key types; undefined if it types none. */
  text?: string;
  ctrl: boolean;
  shift: boolean;
  alt: boolean;
}

/** A displayed line of a field: a range of the text. */
interface FieldLine {
  start: number;
  end: number;
}

/** The last layout of the lines, and the text and width that it is for. */
interface Layout {
  text: string;
  width: number;
  lines: readonly FieldLine[];
}

/** The clipboard of the desk, as fields use it. */
export interface TextClipboard {
  text: string;
}

/** A text with its selection. */
interface State {
  text: string;
  caret: number;
  anchor: number;
}

/** Maximum number of undo steps. */
const UNDO_LIMIT = 200;
/** Keys that move the caret. */
const MOVES = new Set(["left", "right", "up", "down", "home", "end", "pageup", "pagedown"]);

/** An editable text. */
export class TextField {
  text: string;
  /** The caret, and the other end of the selection, as indices in the text. */
  caret = 0;
  anchor = 0;
  /** The line width in pixels, which the widget sets during layout. */
  width = Infinity;
  /** The number of visible lines, and the first of them. */
  rows = 1;
  top = 0;
  #undo: State[] = [];
  #redo: State[] = [];
  /** Whether the last change was typed at the caret, so that undo joins the next letter to it. */
  #isTyping = false;
  #laid: Layout | undefined;

  constructor(readonly isMultiline = false, text = "", readonly isSecret = false) {
    this.text = text;
  }

  /** The displayed text: dots for a password. */
  get shown(): string {
    return this.isSecret ? "•".repeat(this.text.length) : this.text;
  }

  /** The selection, with its ends in order. */
  get selection(): FieldLine {
    return { start: Math.min(this.caret, this.anchor), end: Math.max(this.caret, this.anchor) };
  }

  get selected(): string {
    const { start, end } = this.selection;
    return this.text.slice(start, end);
  }

  /** Replaces the whole text. */
  set(text: string): void {
    this.select(0, this.text.length);
    this.replace(text);
  }

  /** Puts the caret at an index. @param extending Whether the other end of the selection stays. */
  place(index: number, extending = false): void {
    this.caret = Math.max(0, Math.min(this.text.length, index));
    if (!extending) this.anchor = this.caret;
    this.#isTyping = false;
    this.#reveal();
  }

  select(start: number, end: number): void {
    this.place(start);
    this.place(end, true);
  }

  /** Selects the word at an index. */
  selectWord(index: number): void {
    const before = /[\p{L}\p{N}_]*$/u.exec(this.text.slice(0, index))![0].length;
    const after = /^[\p{L}\p{N}_]*/u.exec(this.text.slice(index))![0].length;
    this.select(index - before, index + after);
  }

  /** Replaces the selection. */
  replace(text: string): void {
    const { start, end } = this.selection;
    const added = this.isMultiline ? text.replaceAll(/\r\n?/g, "\n") : text.replaceAll(/[\r\n\t]+/g, " ");
    const isLetter = [...added].length === 1 && start === end;
    if (!isLetter || !this.#isTyping) this.#remember();
    this.text = this.text.slice(0, start) + added + this.text.slice(end);
    this.place(start + added.length);
    this.#isTyping = isLetter;
  }

  undo(): void {
    this.#travel(this.#undo, this.#redo);
  }

  redo(): void {
    this.#travel(this.#redo, this.#undo);
  }

  /** Copies the selection, except in a password field. */
  copy(clipboard: TextClipboard): void {
    if (this.selected && !this.isSecret) clipboard.text = this.selected;
  }

  cut(clipboard: TextClipboard): void {
    this.copy(clipboard);
    if (this.selected && !this.isSecret) this.replace("");
  }

  /** Selects the next occurrence of a text after the caret, wrapping at the end. */
  find(text: string): boolean {
    if (!text) return false;
    const all = this.text.toLowerCase(), wanted = text.toLowerCase();
    const at = [all.indexOf(wanted, this.selection.end), all.indexOf(wanted)].find((index) => index >= 0);
    if (at === undefined) return false;
    this.select(at, at + text.length);
    return true;
  }

  /** Handles a key in a text. @returns false if the key has no meaning here. */
  key({ key, text, ctrl, shift, alt }: KeyPress, clipboard: TextClipboard): boolean {
    if (alt) return false;
    if (MOVES.has(key)) {
      const { start, end } = this.selection, isCollapsing = start !== end && !shift && !ctrl;
      if (isCollapsing && (key === "left" || key === "right")) this.place(key === "left" ? start : end);
      else this.place(this.#target(key, ctrl), shift);
      return true;
    }
    if (key === "backspace" || key === "delete") {
      if (this.caret === this.anchor) {
        this.place(this.#target(key === "delete" ? "right" : "left", ctrl), true);
      }
      if (this.selected) this.replace("");
      return true;
    }
    if (ctrl) return this.#command(shift ? `shift+${key}` : key, clipboard);
    if (key === "enter" && this.isMultiline) this.replace("\n");
    else if (text === undefined) return false;
    else this.replace(text);
    return true;
  }

  /** The displayed lines: broken at line feeds, and between words where they are too long. */
  get lines(): readonly FieldLine[] {
    if (!this.isMultiline) return [{ start: 0, end: this.text.length }];
    const { text, width } = this, laid = this.#laid;
    if (laid?.text !== text || laid.width !== width) {
      const kept = laid?.width === width ? keptLines(laid, text) : [], start = kept.pop()?.start ?? 0;
      this.#laid = { text, width, lines: [...kept, ...brokenLines(text, width, start)] };
    }
    return this.#laid!.lines;
  }

  /** Scrolls the visible lines. */
  scroll(lines: number): void {
    this.top = Math.max(0, Math.min(this.lines.length - this.rows, this.top + lines));
  }

  /** How far a long line is shifted to the left to keep the caret visible, in pixels. */
  get indent(): number {
    if (this.isMultiline) return 0;
    return Math.max(0, textWidth(this.shown.slice(0, this.caret)) - this.width + 2);
  }

  /** The position of an index, in pixels from the field's top left corner. */
  pointOf(index: number): Point {
    const row = this.#rowOf(index), { start } = this.lines[row];
    const x = textWidth(this.shown.slice(start, index)) - this.indent;
    return { x, y: (row - this.top) * faceOf("regular").height };
  }

  /** The index nearest to a position. */
  indexAt({ x, y }: Point): number {
    const row = this.top + Math.floor(y / faceOf("regular").height), { lines } = this;
    return this.#indexIn(lines[Math.max(0, Math.min(lines.length - 1, row))], x + this.indent);
  }

  #indexIn({ start, end }: FieldLine, x: number): number {
    let at = 0, index = start;
    for (const character of this.shown.slice(start, end)) {
      const advance = drawnCharacters(character).length ? advanceOf(character) : 0;
      if (x < at + advance / 2) break;
      at += advance;
      index += character.length;
    }
    return index;
  }

  #rowOf(index: number): number {
    return Math.max(0, this.lines.findLastIndex(({ start }) => start <= index));
  }

  /** The index to which a key moves the caret. */
  #target(key: string, ctrl: boolean): number {
    const { caret, text } = this, row = this.#rowOf(caret), { start, end } = this.lines[row];
    switch (key) {
      case "left":
        if (!ctrl) return caret - (isLow(text, caret - 1) ? 2 : 1);
        return caret - (/(?:[\p{L}\p{N}_]+|.)\s*$/su.exec(text.slice(0, caret)) ?? [""])[0].length;
      case "right":
        if (!ctrl) return caret + (isLow(text, caret + 1) ? 2 : 1);
        return caret + (/^\s*(?:[\p{L}\p{N}_]+|.)/su.exec(text.slice(caret)) ?? [""])[0].length;
      case "home":
        return ctrl ? 0 : start;
      case "end":
        return ctrl ? text.length : end;
    }
    const step = key === "up" ? -1 : key === "down" ? 1 : key === "pageup" ? -this.rows : this.rows;
    if (row + step < 0) return Math.abs(step) > 1 ? 0 : caret;
    if (row + step >= this.lines.length) return Math.abs(step) > 1 ? text.length : caret;
    return this.#indexIn(this.lines[row + step], this.pointOf(caret).x);
  }

  #command(key: string, clipboard: TextClipboard): boolean {
    const commands: Record<string, () => void> = {
      a: () => this.select(0, this.text.length),
      c: () => this.copy(clipboard),
      x: () => this.cut(clipboard),
      v: () => clipboard.text && this.replace(clipboard.text),
      z: () => this.undo(),
      y: () => this.redo(),
      "shift+z": () => this.redo(),
    };
    commands[key.toLowerCase()]?.();
    return key.toLowerCase() in commands;
  }

  #reveal(): void {
    const row = this.#rowOf(this.caret);
    if (row < this.top) this.top = row;
    if (row >= this.top + this.rows) this.top = row - this.rows + 1;
  }

  #remember(): void {
    const { text, caret, anchor } = this;
    this.#undo.push({ text, caret, anchor });
    if (this.#undo.length > UNDO_LIMIT) this.#undo.shift();
    this.#redo = [];
  }

  #travel(from: State[], to: State[]): void {
    const state = from.pop();
    if (!state) return;
    const { text, caret, anchor } = this;
    to.push({ text, caret, anchor });
    this.text = state.text;
    this.select(state.anchor, state.caret);
  }
}

/** Whether the second half of a surrogate pair is at an index. */
function isLow(text: string, index: number): boolean {
  return /[\udc00-\udfff]/.test(text.charAt(index));
}

/**
 * The lines of a layout that a new text begins with, if only its last line has changed, as while a long text
 * is typed. Where a line ends depends on the next line, so the last returned one is broken anew.
 */
function keptLines({ text: before, lines }: Layout, text: string): FieldLine[] {
  const last = lines.at(-1)!.start;
  return text.startsWith(before.slice(0, last)) ? lines.slice(0, -1) : [];
}

/** Breaks the lines of a text. @param start The first line's start. */
function brokenLines(text: string, width: number, start: number): FieldLine[] {
  const lines: FieldLine[] = [];
  for (const paragraph of text.slice(start).split("\n")) {
    const end = start + paragraph.length;
    let at = 0, from = start, space = -1, index = start;
    for (const character of paragraph) {
      const advance = advanceOf(character);
      while (at + advance > width && index > from) { // twice for a word that fits no line
        const cut = space > from ? space : index;
        lines.push({ start: from, end: cut });
        from = cut;
        at = textWidth(text.slice(from, index));
        space = -1;
      }
      at += advance;
      index += character.length;
      if (character === " ") space = index;
    }
    lines.push({ start: from, end });
    start = end + 1;
  }
  return lines;
}
