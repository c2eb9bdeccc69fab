/**
 * The virtual desktop's desk: its windows, its bar, and its reactions to input. Everything happens
 * synchronously, so the desk knows the effect of each action.
 */

import {
  type Button,
  contains,
  type Direction,
  type Point,
  type Region,
  type TextFolder,
} from "../../control/desktop/desktop.ts";
import { namedKey, typedCharacter } from "../../control/desktop/keys.ts";
import { Board, Form, Orders } from "./programs.ts";
import { textWidth } from "./canvas.ts";
import { type DeskWindow, VirtualWindows } from "./windows.ts";
import { Notes, WELCOME, WELCOME_FILE } from "./notes.ts";
import { clock, type Host, type Program } from "./program.ts";
import type { KeyPress, TextClipboard } from "./text_field.ts";
import { menuPopup, type Widget } from "./widgets.ts";

/** The height of the bar, in pixels. */
export const BAR_HEIGHT = 44;
/** The programs in the bar: where their windows open on a screen of 1280x720, and which are open at first. */
const PROGRAMS: [name: string, make: (host: Host) => Program, at: Point, isOpen: boolean][] = [
  ["Notes", (host) => new Notes(host), { x: 336, y: 96 }, true],
  ["Clock", clock, { x: 980, y: 40 }, true],
  ["Form", (host) => new Form(host), { x: 868, y: 186 }, true],
  ["Orders", (host) => new Orders(host), { x: 420, y: 130 }, false],
  ["Board", () => new Board(), { x: 340, y: 160 }, false],
];
/** Names of the desk's programs. */
export const PROGRAM_NAMES = PROGRAMS.map(([name]) => name.toLowerCase());
/** Maximum time between presses at one place that count as a double click, in milliseconds. */
const DOUBLE_CLICK_MS = 400;
/** Maximum number of click marks shown, and of characters of ignored input shown. */
const MARKS = 40, UNTAKEN = 32;
/** The characters that Shift produces on a US keyboard. */
const SHIFTED = ["`1234567890-=[]\\;',./", '~!@#$%^&*()_+{}|:"<>?'];

/** A click on the background, shown as a ring. */
interface Mark extends Point {
  button: Button;
  down: boolean;
}

/** A place where a button is held down. */
interface Held {
  window?: DeskWindow;
  key: string;
}

/** The desk. */
export class Desk {
  readonly windows: VirtualWindows;
  readonly marks: Mark[] = [];
  /** The last input that nothing accepted, as the bar shows it. */
  untaken = "";
  pointer: Point;
  /** Increases with each input, so that a picture is redrawn only after one. */
  revision = 0;
  #held: Held | undefined;
  #pressed = { at: { x: -1, y: -1 }, time: -Infinity, count: 0 };
  readonly #keysDown = new Set<string>();

  /**
   * @param screen The whole screen.
   * @param clipboard The desktop's clipboard, as programs use it.
   * @param now Returns the time.
   */
  constructor(readonly screen: Region, readonly clipboard: TextClipboard, readonly now: () => Date) {
    this.pointer = { x: screen.width >> 1, y: screen.height >> 1 };
    const area = { ...screen, height: screen.height - BAR_HEIGHT };
    this.windows = new VirtualWindows(screen, area, {
      clipboard,
      files: folder(),
      now,
      changed: () => this.revision++,
    });
    for (const [name, , , isOpen] of PROGRAMS) if (isOpen) this.start(name);
    for (const name of ["clock", "notes"]) this.start(name); // in front of the others
  }

  /** Starts a program, or brings its window to the front. @returns Its window. */
  start(name: string): DeskWindow {
    this.revision++;
    const [title, make, at] = PROGRAMS.find(([title]) => title.toLowerCase() === name.toLowerCase())!;
    const open = this.windows.all.find((window) => window.name === title.toLowerCase() && !window.owner);
    if (open) this.windows.apply(open, { to: "active" });
    return open ?? this.windows.add(title.toLowerCase(), make, at);
  }

  /** The widgets of the bar, in pixels of the screen. */
  bar(): Widget[] {
    let x = this.screen.x + 12;
    const { height } = this.screen, y = height - BAR_HEIGHT;
    return PROGRAMS.map(([name]) => {
      const width = textWidth(name, "bold") + 34, place = { x, y: y + 6, width, height: BAR_HEIGHT - 12 };
      const window = this.windows.all.find((window) => window.name === name.toLowerCase() && !window.owner);
      const isActive = window !== undefined &&
        (this.windows.active ?? {}) === (this.windows.dialogOf(window) ?? window);
      x += width + 6;
      return {
        ...{ key: `bar/${name}`, role: "button", name, place, look: "launcher" },
        states: window ? [isActive ? "pressed" as const : "expanded" as const] : [],
        click: () => isActive ? this.windows.apply(window, { to: "minimized" }) : void this.start(name),
      };
    });
  }

  /** Moves the pointer and what it is dragging. */
  move(point: Point): void {
    this.pointer = point;
    const widget = this.#held && this.#find(this.#held);
    if (!widget?.drag) return;
    widget.drag(this.#inWindow(this.#held!.window));
    this.revision++;
  }

  button(button: Button, down: boolean): void {
    this.revision++;
    if (down) this.#press(button);
    else if (button === "left" && this.#held) this.#release(this.#held);
    else if (!this.windowAt(this.pointer)) this.#mark(button, false);
  }

  scroll(direction: Direction, amount: number): void {
    this.revision++;
    const hit = this.#hit(), notches = direction === "down" ? amount : direction === "up" ? -amount : 0;
    if (hit.widget?.scroll && notches) hit.widget.scroll(notches);
    else this.#note(`${direction} ${amount} `);
  }

  /** Presses or releases a key. @param key A canonical name from `control/desktop/keys.ts`. */
  key(key: string, down: boolean): void {
    this.revision++;
    if (!down) return void this.#keysDown.delete(key);
    this.#keysDown.add(key);
    if (namedKey(key)?.modifier) return;
    const has = (name: string) => [...this.#keysDown].some((key) => key === name || key === `right${name}`);
    const [ctrl, shift, alt] = ["ctrl", "shift", "alt"].map(has), plain = key.replace(/^kp(?=.{3}|\d$)/, "");
    const shifted = shift ? SHIFTED[1][SHIFTED[0].indexOf(key)] : undefined;
    const text = ctrl || alt ? undefined : shifted ?? typedCharacter(plain, shift);
    this.#take({ key: plain, ctrl, shift, alt, ...(text === undefined ? {} : { text }) });
  }

  /** Types a character. @param key The key for it. */
  type(key: string, character: string): void {
    this.revision++;
    const text = namedKey(key) && key !== "space" ? undefined : character;
    this.#take({ key, ctrl: false, shift: false, alt: false, ...(text === undefined ? {} : { text }) });
  }

  /** Whether the left button was pressed on a widget and is still down. */
  holds(window: DeskWindow, key: string): boolean {
    return this.#held?.window === window && this.#held.key === key;
  }

  /** The topmost window at a place on the screen. */
  windowAt(point: Point): DeskWindow | undefined {
    return this.windows.all.find((window) => window.has(point));
  }

  /** The state of everything shown, as a text for comparison; the time is not included. */
  state(): string {
    const windows = this.windows.all.map((window) => [
      ...[window.id, window.region, window.state, window.focused],
      window.view().filter(({ ticks }) => !ticks).map((
        { key, role, name, value, states, place, clip, field },
      ) => [
        ...[key, role, name, value, states, clip && !contains(clip, place) ? 0 : place],
        ...(field ? [field.text, field.caret, field.anchor, field.top] : []),
      ]),
    ]);
    return JSON.stringify([windows, this.clipboard.text, this.#held]);
  }

  #press(button: Button): void {
    const { window, widget } = this.#hit(), at = this.#inWindow(window), active = this.windows.active;
    if (active?.open && !(window === active && contains(active.open.place, at))) {
      active.open = undefined; // a click outside an open menu only closes it
      return;
    }
    if (window) this.windows.apply(window, { to: "active" });
    else if (!widget) this.#mark(button, true);
    if (window && this.windows.dialogOf(window)) return;
    if (!widget) return window && this.#note(`${button} ${this.pointer.x},${this.pointer.y} `);
    if (widget.isFocusable && window) window.focused = widget.key;
    if (button === "right" && widget.menu && window) {
      if (widget.role === "option" && !widget.states?.length) widget.click?.();
      const close = () => window.popup(undefined);
      return window.popup(menuPopup(widget.menu(), at, "context-menu", close));
    }
    if (button !== "left") return;
    this.#held = { ...(window ? { window } : {}), key: widget.key };
    widget.grab?.({ at, count: this.#count(), shift: this.#keysDown.has("shift") });
  }

  #release(held: Held): void {
    const widget = this.#find(held), at = this.#inWindow(held.window);
    this.#held = undefined;
    widget?.drop?.(at);
    const press = { at, count: this.#pressed.count, shift: false };
    if (widget && contains(widget.place, at)) widget.click?.(press);
  }

  /** The number of presses at this place in quick succession, including this one. */
  #count(): number {
    const { at, time, count } = this.#pressed, now = performance.now(), { x, y } = this.pointer;
    const isNext = now - time < DOUBLE_CLICK_MS && Math.abs(at.x - x) < 4 && Math.abs(at.y - y) < 4;
    this.#pressed = { at: this.pointer, time: now, count: isNext ? count + 1 : 1 };
    return this.#pressed.count;
  }

  /** The window and the widget under the pointer. */
  #hit(): { window?: DeskWindow; widget?: Widget } {
    const window = this.windowAt(this.pointer), at = this.#inWindow(window);
    const isOnMenu = window?.open && contains(window.open.place, at);
    const widgets = !window
      ? this.bar()
      : isOnMenu
      ? window.open!.widgets
      : [...window.frame(), ...window.view()];
    const widget = widgets.findLast(({ place, clip, ...widget }) =>
      contains(place, at) && (!clip || contains(clip, at)) && isReactive(widget)
    );
    return { ...(window ? { window } : {}), ...(widget ? { widget } : {}) };
  }

  #find({ window, key }: Held): Widget | undefined {
    const widgets = window ? [...window.frame(), ...window.view()] : this.bar();
    return widgets.find((widget) => widget.key === key);
  }

  #inWindow(window: DeskWindow | undefined): Point {
    return window ? window.fromScreen(this.pointer) : this.pointer;
  }

  /** Passes a key to whatever accepts it: an open menu, the focused widget, its program, or the window. */
  #take(press: KeyPress): void {
    const window = this.windows.active, widgets = window?.view() ?? [];
    if (this.#takeGlobally(press, window)) return;
    const widget = widgets.find(({ key }) => key === window!.focused);
    if (window?.open) return this.#takeInMenu(window, press.key);
    if (widget?.type?.(press) || widget?.field?.key(press, this.clipboard)) return;
    if (window?.program.key?.(press)) return;
    if (window && !press.ctrl && !press.alt && this.#takeInWindow(window, widgets, widget, press)) return;
    const keys = [press.ctrl && "ctrl", press.alt && "alt", press.shift && "shift", press.key].filter(
      Boolean,
    );
    this.#note(press.text ?? ` ${keys.join("+")} `);
  }

  #takeGlobally({ key, alt }: KeyPress, window: DeskWindow | undefined): boolean {
    if (!alt || !window || key !== "tab" && key !== "f4") return false;
    if (key === "f4") window.close();
    else if (this.windows.all[1]) this.windows.apply(this.windows.all[1], { to: "active" });
    return true;
  }

  #takeInMenu(window: DeskWindow, key: string): void {
    const popup = window.open!;
    const entries = popup.widgets.filter((widget) => widget.click && isReactive(widget));
    const at = entries.findIndex((widget) => widget.key === popup.current);
    if (key === "escape") window.open = undefined;
    else if (key === "enter" || key === "space") entries[at]?.click?.();
    else if (key === "down" || key === "up") {
      const next = (at + (key === "down" ? 1 : at < 0 ? 0 : -1) + entries.length) % entries.length;
      popup.current = entries[next]?.key;
    }
  }

  #takeInWindow(window: DeskWindow, widgets: Widget[], widget: Widget | undefined, press: KeyPress): boolean {
    const { key, shift } = press, { enter, escape } = window.program.answers ?? {};
    const focusable = widgets.filter((widget) => widget.isFocusable && isReactive(widget));
    const answer = widgets.find((one) =>
      one.key === (key === "enter" ? enter : key === "escape" ? escape : "")
    );
    if ((key === "tab" || key === "backtab") && focusable.length) {
      const step = shift || key === "backtab" ? focusable.length - 1 : 1;
      const next = focusable[(focusable.findIndex((one) => one === widget) + step) % focusable.length];
      window.focused = next.key;
      next.field?.select(0, next.field.isMultiline ? 0 : next.field.text.length);
    } else if (widget?.click && (key === "space" || key === "enter" && widget.role === "button")) {
      widget.click();
    } else if (key === "menu" && widget?.menu) {
      const { x, y } = widget.place;
      window.popup(
        menuPopup(widget.menu(), { x: x + 20, y: y + 20 }, "context-menu", () => window.popup(undefined)),
      );
    } else if (answer) answer.click?.();
    else return false;
    return true;
  }

  #mark(button: Button, down: boolean): void {
    this.marks.push({ ...this.pointer, button, down });
    if (this.marks.length > MARKS) this.marks.shift();
  }

  #note(text: string): void {
    this.untaken = `${this.untaken}${text}`.replace(/ {2,}/g, " ").slice(-UNTAKEN).trimStart();
  }
}

/** Whether a widget reacts to input or can have the focus. */
export function isReactive(widget: Partial<Widget>): boolean {
  const { grab, click, scroll, menu, isFocusable, states } = widget;
  return !states?.includes("disabled") && Boolean(grab ?? click ?? scroll ?? menu ?? isFocusable);
}

/** A folder in memory. */
function folder(): TextFolder {
  const files = new Map([["shopping.txt", "Paper\nInk\nStamps\n"], [WELCOME_FILE, WELCOME]]);
  return {
    names: () => [...files.keys()].sort(),
    read: (name) => files.get(name) ?? "",
    write: (name, text) => void files.set(name, text),
  };
}
