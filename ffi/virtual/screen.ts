/**
 * A virtual desktop's screen: a picture of the desk (background, windows, widgets and bar), drawn on demand.
 */

import type {
  Button,
  Frame,
  Picture,
  Point,
  Region,
  Screen,
  ScreenLayout,
} from "../../control/desktop/desktop.ts";
import { copiedPicture } from "../copied_picture.ts";
import { Canvas, faceOf, mixed, rect, type TextStyle, textWidth } from "./canvas.ts";
import { BAR_HEIGHT, type Desk } from "./desk.ts";
import { TITLE_HEIGHT } from "./program.ts";
import { CAPTION, INSET, type Widget } from "./widgets.ts";
import type { DeskWindow } from "./windows.ts";

/** The default size of the screen. */
export const DEFAULT_SIZE = { width: 1280, height: 720 };

/** A finished picture, and what it shows. */
interface Drawing {
  canvas: Canvas;
  revision: number;
  minute: string;
}

/** The picture of a desk. */
export class VirtualScreen implements Screen {
  /** The last picture drawn, and what it shows. */
  #drawn: Drawing | undefined;
  /** The memory of the last capture: allocating a screen takes longer than copying it. */
  #frame: Canvas | undefined;

  constructor(readonly desk: Desk) {}

  layout(): ScreenLayout {
    const { screen } = this.desk;
    return { ...screen, displays: [{ name: "virtual", primary: true, ...screen }] };
  }

  capture<T>(region: Region, cursor: boolean, read: (frame: Frame) => T): Promise<T> {
    return Promise.try(() => read(this.take(region, cursor)));
  }

  picture(region: Region, cursor: boolean): Promise<Picture> {
    return Promise.try(() => copiedPicture(this.take(region, cursor)));
  }

  /** Captures a region, in memory that the next capture of the same size reuses. */
  take({ x, y, width, height }: Region, cursor: boolean): Frame {
    const { canvas } = this.#draw(), { pointer } = this.desk, kept = this.#frame;
    const frame = kept?.width === width && kept.height === height ? kept : new Canvas(width, height);
    this.#frame = frame;
    const rows = width === canvas.width ? height : 1; // a copy of each row takes three times as long
    for (let row = 0; row < height; row += rows) {
      const start = (y + row) * canvas.width + x;
      frame.pixels.set(canvas.pixels.subarray(start, start + rows * width), row * width);
    }
    if (cursor) frame.pointer(pointer.x - x, pointer.y - y);
    return { width, height, stride: width * 4, pixels: new Uint8Array(frame.pixels.buffer) };
  }

  #draw(): Drawing {
    const { desk } = this, { revision, screen } = desk, minute = desk.now().toISOString().slice(0, 16);
    if (this.#drawn?.revision === revision && this.#drawn.minute === minute) return this.#drawn;
    const canvas = this.#drawn?.canvas ?? new Canvas(screen.width, screen.height);
    paintDesk(canvas, desk);
    return this.#drawn = { canvas, revision, minute };
  }
}

const COLORS = {
  top: 0x28485f,
  bottom: 0x7ea6b4,
  bar: 0x1b2b38,
  barText: 0xeef3f6,
  window: 0xffffff,
  title: 0xf1f4f6,
  line: 0xd5dce2,
  border: 0xb4bfc8,
  text: 0x1c262e,
  faint: 0x5d6b76,
  accent: 0x1769aa,
  light: 0xdcebf7,
  selection: 0xb9d8f1,
  pressed: 0xe3e9ee,
};
const BUTTON_COLORS: Record<Button, number> = {
  left: 0x4fc3f7,
  middle: 0x81c784,
  right: 0xff8a65,
  back: 0xce93d8,
  forward: 0xffd54f,
};
/** Radius of the ring for a button press, and for a release. */
const RING = { down: 9, up: 5 };
const CARDS = [0x1769aa, 0x2e7d5b, 0xb26a00, 0x8e4a9e, 0xa23b4a];

/** How and where on the screen a widget is drawn. */
interface Painting {
  canvas: Canvas;
  widget: Widget;
  place: Region;
  isFocused: boolean;
  isPressed: boolean;
  isDisabled: boolean;
  isOn: boolean;
}

/** Draws the desk in its current state. */
function paintDesk(canvas: Canvas, desk: Desk): void {
  paintBackground(canvas, desk);
  for (const window of desk.windows.all.toReversed()) {
    if (window.state !== "minimized") paintWindow(canvas, window, desk);
  }
  if (desk.windows.active?.state !== "fullscreen") paintBar(canvas, desk);
}

function paintBackground(canvas: Canvas, { marks, screen: { width, height } }: Desk): void {
  for (let y = 0; y < height; y++) {
    canvas.fill(rect(0, y, width, 1), mixed(COLORS.top, COLORS.bottom, y / height));
  }
  for (const { button, down, ...at } of marks) {
    canvas.disc({ x: at.x + 0.5, y: at.y + 0.5 }, down ? RING.down : RING.up, BUTTON_COLORS[button], 2);
  }
}

function paintBar(canvas: Canvas, desk: Desk): void {
  const { screen: { width, height }, untaken } = desk, y = height - BAR_HEIGHT, color = COLORS.barText;
  canvas.fill(rect(0, y, width, BAR_HEIGHT), COLORS.bar);
  for (const widget of desk.bar()) {
    const { place, states, name } = widget;
    if (states?.includes("pressed")) canvas.round(place, 6, 0x34495a);
    canvas.text(place.x + 17, place.y + 6, name, { color, face: "bold" });
    const line = rect(place.x + 17, place.y + 28, place.width - 34, 2);
    if (states?.length) canvas.fill(line, states.includes("pressed") ? 0x6cc0f5 : 0x6f8797);
  }
  const time = desk.now().toTimeString().slice(0, 5), right = width - 20 - textWidth(time, "bold");
  canvas.text(right, y + 12, time, { color, face: "bold" });
  canvas.text(right - 24 - textWidth(untaken), y + 12, untaken, { color: 0x9fb4c2 });
}

function paintWindow(canvas: Canvas, window: DeskWindow, desk: Desk): void {
  const { region } = window, isActive = window === desk.windows.active;
  if (window.state !== "fullscreen") {
    canvas.shadow(region, isActive ? 26 : 14);
    canvas.box(region, 8, isActive ? 0x8496a3 : COLORS.border, COLORS.window);
    const { x, y, width } = region,
      title = rect(x + 1, y + 1, width - 2, TITLE_HEIGHT - 1);
    canvas.round(title, 7, COLORS.title);
    canvas.fill({ ...title, y: title.y + 8, height: title.height - 8 }, COLORS.title);
    canvas.fill({ ...title, y: y + TITLE_HEIGHT - 1, height: 1 }, COLORS.line);
  } else canvas.fill(region, COLORS.window);
  const paint = (widget: Widget) => {
    const states = widget.states ?? [], draw = PAINTERS[widget.look ?? widget.role];
    const painting = {
      ...{ canvas, widget, place: window.toScreen(widget.place) },
      isFocused: isActive && widget.key === window.focused,
      isPressed: desk.holds(window, widget.key),
      isDisabled: states.includes("disabled"),
      isOn: states.includes("checked") || states.includes("selected") || window.open?.current === widget.key,
    };
    canvas.within(widget.clip ? window.toScreen(widget.clip) : canvas.clip, () => draw?.(painting));
  };
  const menu = window.open?.widgets ?? [];
  canvas.within(region, () => [...window.frame(), ...window.program.view(window.area)].forEach(paint));
  if (!window.open) return;
  const place = window.toScreen(window.open.place);
  canvas.shadow(place, 14);
  canvas.box(place, 6, COLORS.border, COLORS.window);
  menu.forEach(paint);
}

const PAINTERS: Readonly<Record<string, (painting: Painting) => void>> = {
  title: ({ canvas, widget, place: { x, y, width } }) =>
    void canvas.text(x + 14, y + 7, widget.name, { color: COLORS.text, face: "bold", width: width - 130 }),
  close: (painting) => frameButton(painting, [[-4, -4, 4, 4], [4, -4, -4, 4]]),
  maximize: (painting) => frameButton(painting, [[-4, -4, 4, -4, 4, 4, -4, 4, -4, -4]]),
  minimize: (painting) => frameButton(painting, [[-4, 4, 4, 4]]),
  label: (painting) => words(painting, { color: COLORS.text }),
  status({ canvas, widget, place }) {
    canvas.round(inner(place, 1), 7, COLORS.title);
    canvas.fill({ ...inner(place, 1), y: place.y, height: 9 }, COLORS.title);
    canvas.fill({ ...place, height: 1 }, COLORS.line);
    words({ canvas, widget, place: { ...place, x: place.x + 12 } }, { color: COLORS.faint });
  },
  large: (painting) => words(painting, { color: COLORS.text, face: "large" }, "middle"),
  middle: (painting) => words(painting, { color: COLORS.faint }, "middle"),
  button({ isFocused, isPressed, isDisabled, ...painting }) {
    const { canvas, place } = painting, color = isDisabled ? COLORS.border : COLORS.text;
    canvas.box(place, 6, isFocused ? COLORS.accent : COLORS.border, isPressed ? COLORS.pressed : 0xfafbfc);
    words(painting, { color }, "middle");
  },
  primary({ isFocused, isPressed, isDisabled, ...painting }) {
    const { canvas, place } = painting,
      color = isDisabled ? COLORS.border : isPressed ? 0x0f4f82 : COLORS.accent;
    canvas.box(place, 6, isFocused ? 0x0a3355 : color, color);
    words(painting, { color: 0xffffff, face: "bold" }, "middle");
  },
  textbox(painting) {
    const { canvas, place, isFocused } = painting;
    note(painting);
    canvas.box(place, 5, isFocused ? COLORS.accent : COLORS.border, COLORS.window);
    if (isFocused) canvas.box(inner(place, 1), 4, COLORS.accent, COLORS.window);
    fieldText(painting, 5);
  },
  page: (painting) => fieldText(painting, 8),
  checkbox({ canvas, place: { x, y, height }, isOn, isFocused, widget }) {
    const box = rect(x, y + (height - 18 >> 1), 18, 18);
    canvas.box(
      box,
      4,
      isOn || isFocused ? COLORS.accent : COLORS.border,
      isOn ? COLORS.accent : COLORS.window,
    );
    if (isOn) canvas.stroke(points(x + 9, box.y + 9, [-4, 0, -1, 3, 4, -4]), 0xffffff, 2);
    canvas.text(x + 28, y + 5, widget.name, { color: COLORS.text });
  },
  radio(painting) {
    const { canvas, place: { x, y, height }, isOn, isFocused, widget } = painting;
    const center = { x: x + 9, y: y + height / 2 };
    note(painting);
    canvas.disc(center, 9, isOn || isFocused ? COLORS.accent : COLORS.border);
    canvas.disc(center, 8, COLORS.window);
    if (isOn) canvas.disc(center, 5, COLORS.accent);
    canvas.text(x + 26, y + 5, widget.name, { color: COLORS.text });
  },
  combobox(painting) {
    const { canvas, place, isFocused, widget } = painting, { x, y, width, height } = place;
    note(painting);
    canvas.box(place, 5, isFocused ? COLORS.accent : COLORS.border, 0xfafbfc);
    canvas.text(x + INSET, y + 5, widget.value ?? "", { color: COLORS.text, width: width - 36 });
    canvas.stroke(points(x + width - 16, y + height / 2, [-4, -2, 0, 2, 4, -2]), COLORS.faint);
  },
  slider(painting) {
    const { canvas, place: { x, y, width, height }, widget, isFocused } = painting, middle = y + height / 2;
    const length = width - 56, at = x + 8 + Math.round((length - 16) * (widget.part ?? 0));
    note(painting);
    canvas.round(rect(x, middle - 2, length, 4), 2, COLORS.line);
    canvas.round(rect(x, middle - 2, at - x, 4), 2, COLORS.accent);
    canvas.disc({ x: at, y: middle }, isFocused ? 9 : 8, COLORS.accent);
    canvas.text(x + width - 40, y + 5, widget.value ?? "", { color: COLORS.text });
  },
  listbox(painting) {
    const { canvas, place, isFocused } = painting;
    note(painting);
    canvas.box(place, 5, isFocused ? COLORS.accent : COLORS.border, COLORS.window);
  },
  option({ canvas, place, widget, isOn }) {
    const columns = (widget.text ?? widget.name).split("\t"), step = (place.width - 20) / columns.length;
    if (isOn) canvas.fill(place, COLORS.selection);
    columns.forEach((text, i) =>
      canvas.text(Math.round(place.x + INSET + i * step), place.y + 3, text, {
        color: COLORS.text,
        width: step - 8,
      })
    );
  },
  scrollbar({ canvas, place: { x, y, width, height }, widget }) {
    const size = Number(widget.note), at = Math.round((height - size) * (widget.part ?? 0));
    canvas.fill({ x, y, width, height }, COLORS.title);
    canvas.round(rect(x + 2, y + at + 2, width - 4, size - 4), 3, COLORS.border);
  },
  menubar({ canvas, place }) {
    canvas.fill(place, COLORS.window);
    canvas.fill({ ...place, y: place.y + place.height - 1, height: 1 }, COLORS.line);
  },
  "menu-title": (painting) => words(painting, { color: COLORS.text }, "middle"),
  menuitem({ canvas, place, widget, isOn, isDisabled }) {
    const { x, y, width } = place, color = isDisabled ? COLORS.border : COLORS.text, keys = widget.note ?? "";
    if (isOn) canvas.fill(place, COLORS.light);
    canvas.text(x + 16, y + 4, widget.name, { color });
    canvas.text(x + width - 16 - textWidth(keys), y + 4, keys, {
      color: isDisabled ? COLORS.border : COLORS.faint,
    });
  },
  column({ canvas, place, widget }) {
    canvas.round(place, 8, 0xeef2f5);
    canvas.text(place.x + 14, place.y + 12, widget.name, { color: COLORS.faint, face: "bold" });
  },
  card({ canvas, place, widget, isFocused, isPressed }) {
    const color =
      CARDS[[...widget.name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % CARDS.length];
    if (isPressed) canvas.shadow(place, 12);
    canvas.box(place, 6, isFocused ? COLORS.accent : COLORS.line, COLORS.window);
    canvas.round(rect(place.x + 8, place.y + 10, 4, place.height - 20), 2, color);
    canvas.text(place.x + 20, place.y + 12, widget.name, { color: COLORS.text, width: place.width - 28 });
  },
};

function frameButton({ canvas, place, isPressed }: Painting, lines: number[][]): void {
  if (isPressed) canvas.round(place, 6, COLORS.line);
  const center = { x: place.x + place.width / 2, y: place.y + place.height / 2 };
  for (const line of lines) canvas.stroke(points(center.x, center.y, line), COLORS.faint, 1.4);
}

/** Points around a center, given as pairs of offsets. */
function points(x: number, y: number, distances: readonly number[]): Point[] {
  return Array.from({ length: distances.length / 2 }, (_, i) => ({
    x: x + distances[2 * i],
    y: y + distances[2 * i + 1],
  }));
}

function inner({ x, y, width, height }: Region, by: number): Region {
  return rect(x + by, y + by, width - 2 * by, height - 2 * by);
}

/** Draws a control's caption, to its left. */
function note({ canvas, widget, place }: Painting): void {
  const text = widget.note ?? "";
  canvas.text(place.x - CAPTION, place.y + 5, text, { color: COLORS.faint });
}

/** Draws a widget's name, vertically centered in its place. */
function words(
  { canvas, widget: { name, text = name }, place: { x, y, width, height } }: Pick<
    Painting,
    "canvas" | "widget" | "place"
  >,
  style: TextStyle,
  align?: "middle",
): void {
  const { height: line } = faceOf(style.face ?? "regular"), top = y + Math.round((height - line) / 2);
  const left = align ? x + Math.max(0, Math.round((width - textWidth(text, style.face)) / 2)) : x;
  canvas.text(left, top, text, { ...style, width });
}

/** Draws a field's lines with the selection and the caret. */
function fieldText({ canvas, widget: { field }, place, isFocused }: Painting, top: number): void {
  if (!field) return;
  const { selection: { start, end }, shown, lines, indent } = field, x = place.x + INSET, y = place.y + top;
  const inside = { ...place, x: x - 2, width: place.width - 2 * INSET + 4 };
  canvas.within(inside, () => {
    lines.slice(field.top, field.top + field.rows).forEach((line, row) => {
      const from = Math.max(start, line.start), to = Math.min(end, line.end);
      const at = (index: number) => x + textWidth(shown.slice(line.start, index)) - indent,
        lineY = y + 20 * row;
      if (from < to || start <= line.end && end > line.end && start < end && from <= line.end) {
        const width = Math.max(from < to ? at(to) - at(from) : 0, end > line.end ? 5 : 0);
        canvas.fill(rect(at(from), lineY, width, 20), isFocused ? COLORS.selection : COLORS.line);
      }
      canvas.text(x - indent, lineY, shown.slice(line.start, line.end), { color: COLORS.text });
    });
    const caret = field.pointOf(field.caret);
    if (isFocused) {
      canvas.fill(rect(x + caret.x - 1, y + caret.y + 1, 2, 18), COLORS.accent);
    }
  });
}
