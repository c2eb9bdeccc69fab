/**
 * Widgets of the desk's programs. A widget is plain data that a program creates again on each request: the
 * same description is drawn, listed as an element, and hit-tested.
 */

import type { ElementState, Point, Region } from "../../control/desktop/desktop.ts";
import { rect, textWidth } from "./canvas.ts";
import type { KeyPress, TextField } from "./text_field.ts";

/** A press of the left button. */
export interface Press {
  /** In pixels from the window's top left corner, like all positions here. */
  at: Point;
  /** 2 for the second press of a double click. */
  count: number;
  shift: boolean;
}

/** An entry of a menu. */
export interface MenuItem {
  name: string;
  /** The keyboard shortcut for the same command. */
  keys?: string;
  isDisabled?: boolean;
  run(): void;
}

/** A part of a window. */
export interface Widget {
  /** Identifies the widget in its window. */
  key: string;
  /** An ARIA role. */
  role: string;
  name: string;
  value?: string;
  states?: readonly ElementState[];
  place: Region;
  /** The number of enclosing elements, including the window; 1 if omitted. */
  depth?: number;
  /** The part of the window to which the widget is clipped; all of it if omitted. */
  clip?: Region;
  /** How the widget is drawn, if its role does not say so. */
  look?: string;
  /** The drawn text, if it is not the name. */
  text?: string;
  /** A text next to the name: a field's caption, or a menu item's shortcut. */
  note?: string;
  /** A number from 0 to 1 that is drawn: a slider's position. */
  part?: number;
  field?: TextField;
  /** Whether the widget can be focused. */
  isFocusable?: boolean;
  /** Whether the value changes on its own, so that a change is not an action's effect. */
  ticks?: boolean;
  /** The left button was pressed on the widget. */
  grab?(press: Press): void;
  /** The pointer moves while the button is down. */
  drag?(at: Point): void;
  /** The button was pressed and released on the widget; also triggered by Enter and through its element. */
  click?(press?: Press): void;
  /** The button was released anywhere, after being pressed on the widget. */
  drop?(at: Point): void;
  /** A key was pressed while the widget is focused. @returns false if the key has no meaning here. */
  type?(press: KeyPress): boolean;
  /** The wheel was turned over the widget. @param notches Down, or up if negative. */
  scroll?(notches: number): void;
  /** Replaces the widget's text. */
  set?(text: string): boolean;
  /** Scrolls the widget into view. */
  reveal?(): void;
  /** The context menu. */
  menu?(): MenuItem[];
  /** Contained widgets that are not drawn: the options of a closed list. */
  options?(): Widget[];
}

/** An open menu or list on top of a window. */
export interface Popup {
  widgets: Widget[];
  place: Region;
  /** The widget that opened it. */
  opener: string;
  /** The entry that is current for the keyboard. */
  current?: string;
}

/** Heights of a field, of a list row, of a menu item, and of a menu bar. */
export const HEIGHT = { field: 30, row: 26, item: 28, menu: 28 } as const;
/** The distance of a text from the left edge of its box, and of a caption from its control. */
export const INSET = 9, CAPTION = 96;

const range = (from: number, value: number, to: number) => Math.max(from, Math.min(to, value));

/** The key of a widget identified by its text. */
const keyed = (name: string) => name.toLowerCase().replaceAll(" ", "-");

export function label(name: string, place: Region, look = "label", key = keyed(name)): Widget {
  return { key, role: look === "status" ? "status" : "label", name, place, look };
}

export function button(name: string, place: Region, click: () => void, look = "button"): Widget {
  return { key: keyed(name), role: "button", name, place, click, look, isFocusable: true };
}

/** A check box, or one radio button of a group. */
export function toggle(
  role: "checkbox" | "radio",
  name: string,
  place: Region,
  isOn: boolean,
  click: () => void,
): Widget {
  return { key: keyed(name), role, name, place, click, isFocusable: true, states: isOn ? ["checked"] : [] };
}

/** A text field, with its caption to the left. */
export function textbox(name: string, place: Region, field: TextField, more: Partial<Widget> = {}): Widget {
  const inset = { x: INSET, y: field.isMultiline ? 8 : 5 };
  field.width = place.width - 2 * inset.x;
  field.rows = field.isMultiline ? Math.floor((place.height - 2 * inset.y) / 20) : 1;
  const indexAt = ({ x, y }: Point) => field.indexAt({ x: x - place.x - inset.x, y: y - place.y - inset.y });
  return {
    key: keyed(name),
    role: field.isSecret ? "password" : "textbox",
    name,
    ...(field.isSecret ? {} : { value: field.text }),
    place,
    look: "textbox",
    field,
    isFocusable: true,
    grab({ at, count, shift }) {
      if (count === 2) field.selectWord(indexAt(at));
      else if (count > 2) field.select(0, field.text.length);
      else field.place(indexAt(at), shift);
    },
    drag: (at) => field.place(indexAt(at), true),
    scroll: (notches) => field.scroll(3 * notches),
    set(text) {
      field.set(text);
      return true;
    },
    ...more,
  };
}

/** A slider for whole numbers. */
export function slider(
  name: string,
  place: Region,
  { from, to, value, set }: { from: number; to: number; value: number; set(value: number): void },
): Widget {
  const choose = (number: number) => set(Math.round(range(from, number, to)));
  const at = ({ x }: Point) => choose(from + (x - place.x - 8) / (place.width - 16) * (to - from));
  const steps: Record<string, number> = { left: -1, down: -1, right: 1, up: 1, pagedown: -10, pageup: 10 };
  return {
    ...{ key: keyed(name), role: "slider", name, value: String(value), place, note: name, isFocusable: true },
    part: (value - from) / (to - from),
    grab: (press) => at(press.at),
    drag: at,
    scroll: (notches) => choose(value - notches),
    set(text) {
      if (!/^-?\d+$/.test(text.trim()) || Number(text) < from || Number(text) > to) return false;
      choose(Number(text));
      return true;
    },
    type({ key }) {
      if (key in steps) choose(value + steps[key]);
      else if (key === "home" || key === "end") choose(key === "home" ? from : to);
      else return false;
      return true;
    },
  };
}

/** A list of rows in which one or several can be selected. */
export class ListBox {
  /** The first visible row. */
  top = 0;
  readonly selected = new Set<string>();
  #current = 0;

  /**
   * @param rows The current rows; a tab separates the columns of a row.
   * @param options `several` lets a click add a row; `pick` is called on a double click or Enter.
   */
  constructor(
    readonly key: string,
    readonly name: string,
    readonly rows: () => readonly string[],
    readonly options: { several?: boolean; pick?(row: string): void; choose?(row: string): void } = {},
  ) {}

  /** The list, its rows and its scroll bar. */
  view(place: Region, more: Partial<Widget> = {}): Widget[] {
    const rows = this.rows(), shown = this.#shown(place), isLong = rows.length > shown;
    this.top = range(0, this.top, Math.max(0, rows.length - shown));
    const clip = rect(place.x + 1, place.y + 1, place.width - 2, place.height - 2);
    const scroll = (notches: number) => {
      this.top = range(0, this.top + 3 * notches, Math.max(0, rows.length - shown));
    };
    const list: Widget = {
      ...{ key: this.key, role: "listbox", name: this.name, place, isFocusable: rows.length > 0, scroll },
      type: ({ key, text }) => this.#type(key, text, shown),
      ...more,
    };
    const options = rows.map((row, i): Widget => ({
      key: `${this.key}/${row.split("\t")[0]}`,
      role: "option",
      name: row.replaceAll("\t", ", "),
      text: row,
      clip,
      depth: (more.depth ?? 1) + 1,
      place: rect(
        clip.x,
        clip.y + 1 + (i - this.top) * HEIGHT.row,
        clip.width - (isLong ? 12 : 0),
        HEIGHT.row,
      ),
      states: this.selected.has(row) ? ["selected"] : [],
      scroll,
      reveal: () => this.#reveal(i, shown),
      click: (press) => this.#click(row, i, press),
      ...(more.menu ? { menu: more.menu } : {}),
    }));
    return isLong ? [list, ...options, this.#bar(clip, shown, rows.length)] : [list, ...options];
  }

  /** Selects one row and scrolls it into view. */
  select(row: string): void {
    this.selected.clear();
    this.selected.add(row);
    this.#current = Math.max(0, this.rows().indexOf(row));
    this.options.choose?.(row);
  }

  #shown({ height }: Region): number {
    return Math.floor((height - 4) / HEIGHT.row);
  }

  #reveal(index: number, shown: number): void {
    this.top = range(index - shown + 1, this.top, index);
  }

  #click(row: string, index: number, press?: Press): void {
    this.#current = index;
    if (!this.options.several) this.select(row);
    else if (!this.selected.delete(row)) this.selected.add(row);
    if (press?.count === 2) this.options.pick?.(row);
  }

  #type(key: string, text: string | undefined, shown: number): boolean {
    const rows = this.rows(), { several, pick } = this.options;
    const pages = { pageup: -shown, pagedown: shown }, ends = { home: -1e9, end: 1e9 };
    const steps: Record<string, number> = { up: -1, down: 1, ...pages, ...ends };
    const start = this.selected.size || several ? this.#current : -1;
    const first = text && rows.findIndex((row) => row.toLowerCase().startsWith(text.toLowerCase()));
    if (key === "enter" && pick && this.selected.size) pick([...this.selected][0]);
    else if (key === "space" && several) this.#click(rows[this.#current], this.#current);
    else if (key in steps || typeof first === "number" && first >= 0) {
      this.#current = range(0, key in steps ? start + steps[key] : first as number, rows.length - 1);
      this.#reveal(this.#current, shown);
      if (!several) this.select(rows[this.#current]);
    } else return false;
    return true;
  }

  #bar({ x, y, width, height }: Region, shown: number, rows: number): Widget {
    const size = Math.max(24, Math.round(height * shown / rows)), last = rows - shown;
    const place = rect(x + width - 11, y, 11, height);
    const to = (at: Point) => {
      this.top = Math.round(range(0, (at.y - y - size / 2) / (height - size), 1) * last);
    };
    return {
      ...{ key: `${this.key}/scrollbar`, role: "scrollbar", name: "", place, part: this.top / last },
      note: String(size),
      grab: ({ at }) => to(at),
      drag: to,
    };
  }
}

/** The clip of widgets that are not drawn. */
const NOWHERE = rect(0, 0, 0, 0);

/** A field that shows the current choice; a click opens the others. */
export function comboBox(
  name: string,
  place: Region,
  { value, choices, set, open }: {
    value: string;
    choices: readonly string[];
    set(value: string): void;
    open(popup: Popup | undefined): void;
  },
): Widget {
  const key = keyed(name),
    choose = (row: string) => {
      set(row);
      open(undefined);
    };
  const list = new ListBox(`${key}/choices`, name, () => choices);
  list.selected.add(value);
  const below = { ...place, y: place.y + place.height + 2, height: choices.length * HEIGHT.row + 4 };
  const listed = () =>
    list.view(below, { depth: 2 }).map((widget) =>
      widget.role === "option" ? { ...widget, click: () => choose(widget.name) } : widget
    );
  const click = () => open({ widgets: listed(), place: below, opener: key, current: `${list.key}/${value}` });
  const step = (by: number) => set(choices[range(0, choices.indexOf(value) + by, choices.length - 1)]);
  return {
    ...{ key, role: "combobox", name, value, place, click, note: name, isFocusable: true },
    scroll: step,
    options: () => listed().slice(1).map((option) => ({ ...option, clip: NOWHERE })),
    set(text) {
      const found = choices.find((choice) => choice.toLowerCase() === text.trim().toLowerCase());
      if (found) set(found);
      return found !== undefined;
    },
    type({ key, text }) {
      const first = choices.find((choice) => text && choice.toLowerCase().startsWith(text.toLowerCase()));
      if (key === "up" || key === "down") step(key === "up" ? -1 : 1);
      else if (first && text !== " ") set(first);
      else return false;
      return true;
    },
  };
}

/** Opens a menu at a position. */
export function menuPopup(
  items: readonly MenuItem[],
  { x, y }: Point,
  opener: string,
  close: () => void,
): Popup {
  const width = 40 + Math.max(...items.map(({ name, keys = "" }) => textWidth(`${name}${keys}`) + 24));
  const widgets = items.map(({ name, keys, isDisabled, run }, i): Widget => ({
    key: `${opener}/${keyed(name)}`,
    role: "menuitem",
    name,
    depth: 3,
    ...(keys ? { note: keys } : {}),
    place: rect(x + 1, y + 5 + i * HEIGHT.item, width - 2, HEIGHT.item),
    states: isDisabled ? ["disabled"] : [],
    click() {
      close();
      run();
    },
  }));
  const place = rect(x, y, width, items.length * HEIGHT.item + 10);
  return { widgets: [{ key: opener, role: "menu", name: "", place, depth: 2 }, ...widgets], place, opener };
}

/** A menu bar. */
export function menuBar(
  menus: readonly [name: string, items: () => MenuItem[]][],
  place: Region,
  open: (popup: Popup | undefined) => void,
): Widget[] {
  let { x } = place;
  const bar: Widget = { key: "menu-bar", role: "menubar", name: "", place };
  const entries = menus.map(([name, items]): Widget => {
    const width = textWidth(name) + 20, at = { x, y: place.y + place.height };
    const click = () => open(menuPopup(items(), at, `${keyed(name)}-menu`, () => open(undefined)));
    x += width;
    return {
      ...{ key: `menu-${keyed(name)}`, role: "menuitem", name, depth: 2, look: "menu-title", click },
      place: rect(at.x, place.y, width, place.height),
    };
  });
  return [bar, ...entries];
}
