/**
 * The pictures of the screen that callers were given, and whether the place of a press is still as its caller's picture
 * showed it: the window there, and the pixels around it.
 */

import { delay } from "@std/async/delay";
import { ChangedError, InputError } from "../../core/errors.ts";
import type { Waiter } from "../../core/mutex.ts";
import {
  contains,
  intersection,
  isSameRegion,
  type Point,
  type Popup,
  type Region,
  united,
  type WindowInfo,
} from "../desktop/desktop.ts";
import { isWithin, widened } from "../desktop/geometry.ts";
import { encodePng } from "../image/png.ts";
import { activate } from "../operator/activation.ts";
import type { Operator, PressGuard } from "../operator/operator.ts";
import { pointOf } from "../schema/fields.ts";
import { quotedTitle, windowsIfListed } from "../windows/list.ts";
import { windowAt } from "./aims.ts";
import { isCaret } from "./motion.ts";

/** The most callers, pictures of a caller, and pixels of all pictures: a screen of 1280x800 takes 4 MB. */
const MOST = { callers: 32, pictures: 4, pixels: 1 << 24 } as const;
/** The most callers whose dropped pictures are remembered. */
const DROPPED = 1000;
/** The most pixels of a region to find: the thread that serves packs them, in at most 4 ms. */
const MOST_PIXELS = 512 * 512;
/** The time between two looks at a place that differs, in milliseconds: each film shows another frame then. */
const AGAIN_MS = 110;
/** The looks in which a program draws what the pointer has left, on a busy machine. */
const REDRAWN_LOOKS = 4;

interface SeenPicture extends Look {
  caller: string;
  /** Its time, on the scale of `performance.now()`. */
  at: number;
  /** The windows at its time, the front one first; undefined where the desktop does not list them. */
  windows: readonly WindowInfo[] | undefined;
  /** The window whose own content it is, which others may have covered; undefined for a picture of the screen. */
  window: string | undefined;
  /** The menus and the like at its time, which no list of windows has. */
  popups: readonly Popup[];
  /** The pointer at its time, where the desktop tells it. */
  pointer: Point | undefined;
  /** Whether its caller has acted since, so that its own effects may stand in its place. */
  isActedOn: boolean;
}

/** Keeps the pictures. */
export class SeenPictures {
  /** The newest first. */
  #pictures: SeenPicture[] = [];
  /** The parts of the screen that dropped pictures showed, by the caller, the last dropped last. */
  readonly #dropped = new Map<string, Region>();

  constructor(readonly operator: Operator) {}

  /**
   * Keeps the present picture of an area, without the pointer. Called before the picture for the caller is taken, so that
   * a change in between is one that the caller has not seen.
   * @param caller The caller's name, or its name for the picture.
   * @param area In pixels of the desktop.
   * @param window The window that the picture shows without those that cover it; the screen if left out.
   */
  async keep(caller: string, area: Region, window?: WindowInfo): Promise<void> {
    const at = performance.now();
    const [windows, popups, pointer, look] = await Promise.all([
      windowsIfListed(this.operator),
      this.#popups(),
      this.operator.knownPosition(),
      this.#look(area, this.#memoryFor(caller, area), window),
    ]);
    this.#pictures = [
      { ...look, caller, at, windows, popups, window: window?.id, pointer, isActedOn: false },
      ...this.#pictures.filter((old) => old.caller !== caller || !isWithin(old.area, area)),
    ];
    const dropped = this.#dropped.get(caller);
    if (dropped && isWithin(dropped, area)) this.#dropped.delete(caller);
    this.#drop();
  }

  /** The area of the last picture of a caller. */
  areaOf(caller: string): Region | undefined {
    return this.#pictures.find((picture) => picture.caller === caller)?.area;
  }

  /**
   * Notes that a caller has acted without a new picture, and what it was told of the windows: its own effects, which may be at
   * a place now, do not refuse its next press; a window that comes later does.
   * @param at The end of the last action, on the scale of `performance.now()`: later pictures show its effects.
   */
  async acted(caller: string, at: number): Promise<void> {
    const own = this.#pictures.filter((picture) => picture.caller === caller && picture.at < at);
    if (!own.length) return;
    const [windows, popups] = await Promise.all([windowsIfListed(this.operator), this.#popups()]);
    for (const picture of own) Object.assign(picture, { windows, popups, isActedOn: true });
  }

  /**
   * A part of a caller's picture as a PNG file.
   * @param region In pixels of the desktop.
   * @throws InputError if no picture was taken yet, or none shows the region.
   */
  cut(caller: string, region: Region): Uint8Array<ArrayBuffer> {
    const own = this.#pictures.filter((picture) => picture.caller === caller);
    if (!own.length) throw new InputError("there is no picture yet: take a screenshot first");
    const picture = own.find(({ area }) => isWithin(region, area));
    if (!picture) throw new InputError("the last picture does not show the whole region");
    const { width, height } = region, { area } = picture, stride = area.width * 4;
    if (width * height > MOST_PIXELS) {
      throw new InputError(`a region to find may have at most ${MOST_PIXELS} screen pixels`);
    }
    const start = (region.y - area.y) * area.width + region.x - area.x;
    const words = picture.pixels.subarray(start, start + (height - 1) * area.width + width);
    const pixels = new Uint8Array(words.buffer as ArrayBuffer, words.byteOffset, words.byteLength);
    return encodePng({ width, height, stride, pixels });
  }

  /**
   * Checks the place of a press.
   * @param caller The name under which the picture was kept.
   * @param isNamed Whether the caller named the picture itself: a picture that is not kept any more is an error then.
   * @param activating Whether the press is one that activates its window.
   * @returns What the press must find; undefined where there is no picture.
   * @throws ChangedError if the place is another one than in the picture, or the picture had to give way to others.
   */
  async check(
    caller: string,
    point: Point,
    isNamed: boolean,
    activating: boolean,
    waiter: Waiter,
  ): Promise<PressGuard | undefined> {
    const own = this.#pictures.filter((picture) => picture.caller === caller);
    const picture = own.find(({ area }) => contains(area, point));
    if (!picture) {
      const dropped = this.#dropped.get(caller);
      if (dropped && contains(dropped, point)) {
        throw new ChangedError("the picture is no longer kept; take a new one");
      }
      if (!isNamed) return undefined;
      throw new ChangedError(
        own.length ? "the picture does not include the position" : "the picture is no longer stored",
      );
    }
    const area = lookAround(point, intersection(picture.area, this.operator.screen()) ?? picture.area)!;
    const before = partOf(picture, area);
    const menus = picture.popups.filter((popup) => contains(popup, point));
    const [windows, popups, look] = await Promise.all([
      windowsIfListed(this.operator),
      menus.length ? this.#popups() : [],
      picture.isActedOn ? undefined : this.#look(area),
    ]);
    checkWindows(picture, windows, point);
    checkMenus(menus, popups);
    if (look) await this.#checkPixels({ ...picture, ...before }, point, look, windows, waiter);
    const window = seenAt(picture, point), { targets } = this.operator.desktop;
    const receiver = window && targets?.receiver?.(window);
    if (receiver === undefined) {
      return { check: async () => checkWindows(picture, await windowsIfListed(this.operator), point) };
    }
    const receivers = [receiver, ...menus.map((menu) => menu.receiver)];
    const activates = activating && targets!.isPastManager && !menus.length;
    return {
      receivers,
      ...(activates
        ? { check: () => this.operator.read((desktop) => activate(desktop, window!, point)) }
        : {}),
    };
  }

  async #checkPixels(
    before: SeenPicture,
    point: Point,
    look: Look,
    windows: readonly WindowInfo[] | undefined,
    waiter: Waiter,
  ): Promise<void> {
    const looks = [look];
    const again = async () => {
      await delay(AGAIN_MS, { signal: waiter.signal });
      return await this.#look(look.area);
    };
    let state = stalenessOf(point, before, looks);
    while (state === "look again") {
      looks.push(await again());
      state = stalenessOf(point, before, looks);
    }
    if (state !== "changed") return;
    if (await this.#movedBack(before, point, windows, waiter)) {
      for (let i = 0; i < REDRAWN_LOOKS; i++) {
        if (stalenessOf(point, before, [await again()]) === "same") return;
      }
    }
    const { box = placeAround(point) } = differenceAt(point, before, looks.at(-1)!);
    throw new ChangedError("the screen has changed at the position since the picture was taken", [box]);
  }

  /**
   * Moves the pointer to where it was in the picture, if it may be the reason of the change: what it is over looks
   * otherwise.
   * @returns Whether it was moved.
   */
  async #movedBack(
    { pointer: before }: SeenPicture,
    point: Point,
    windows: readonly WindowInfo[] | undefined,
    waiter: Waiter,
  ): Promise<boolean> {
    const { operator } = this, pointer = await operator.knownPosition();
    if (!before || !pointer || before.x === pointer.x && before.y === pointer.y) return false;
    const place = windowAt(windows, point) ?? operator.screen();
    const isNear = contains(place, before) || contains(place, pointer);
    if (!isNear || !contains(operator.screen(), before)) return false;
    await operator.move(before, waiter);
    return true;
  }

  async #look(area: Region, memory?: Uint32Array, window?: WindowInfo): Promise<Look> {
    const { width, height } = area, kept = memory ?? new Uint32Array(width * height);
    return await this.operator.capture(area, false, ({ pixels, stride }) => {
      const words = new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.byteLength >> 2);
      for (let y = 0; y < height; y++) {
        const start = y * stride >> 2;
        kept.set(words.subarray(start, start + width), y * width);
      }
      return { area, pixels: kept };
    }, window);
  }

  /** The memory of a picture that a new one of the same caller and area replaces: to make 4 MB takes some milliseconds. */
  #memoryFor(caller: string, area: Region): Uint32Array | undefined {
    const at = this.#pictures.findIndex((old) => old.caller === caller && isSameRegion(old.area, area));
    return at < 0 ? undefined : this.#pictures.splice(at, 1)[0].pixels;
  }

  /** Drops pictures above the bounds. A press that names one is refused from then on. */
  #drop(): void {
    for (let i = firstToDrop(this.#pictures, MOST); i > 0; i = firstToDrop(this.#pictures, MOST)) {
      const [{ caller, area }] = this.#pictures.splice(i, 1), all = united(this.#dropped.get(caller), area);
      this.#dropped.delete(caller);
      this.#dropped.set(caller, all);
      if (this.#dropped.size > DROPPED) this.#dropped.delete(this.#dropped.keys().next().value!);
    }
  }

  async #popups(): Promise<readonly Popup[]> {
    return await this.operator.read(async ({ targets }) => await targets?.popups?.() ?? []);
  }
}

/** A part of a picture as a look of its own. */
function partOf(picture: Look, area: Region): Look {
  const { x, y, width, height } = area, pixels = new Uint32Array(width * height);
  for (let row = 0; row < height; row++) {
    const start = (y - picture.area.y + row) * picture.area.width + x - picture.area.x;
    pixels.set(picture.pixels.subarray(start, start + width), row * width);
  }
  return { area, pixels };
}

/** The window that a picture shows at a place. */
function seenAt({ windows, window }: SeenPicture, point: Point): WindowInfo | undefined {
  return window === undefined ? windowAt(windows, point) : windows?.find(({ id }) => id === window);
}

/** @throws ChangedError if the front window at a place is another one than before, or has moved. */
function checkWindows(before: SeenPicture, now: readonly WindowInfo[] | undefined, point: Point): void {
  if (!before.windows || !now) return;
  const was = seenAt(before, point), is = windowAt(now, point);
  if (was?.id === is?.id && (!was || isSameRegion(was, is!))) return;
  const text = (window: WindowInfo | undefined) => window ? quotedTitle(window) : "no window";
  const reason = was && is && was.id === is.id
    ? `${text(is)} has moved, or another size`
    : `${text(is)} is where ${text(was)} was in the picture`;
  throw new ChangedError(reason, is?.width ? [regionOf(is)] : was ? [regionOf(was)] : []);
}

/** @throws ChangedError if a menu that a picture showed is gone, or has moved. */
function checkMenus(before: readonly Popup[], now: readonly Popup[]): void {
  const gone = before.find(({ receiver }) => !now.some((popup) => popup.receiver === receiver));
  if (gone) throw new ChangedError("a menu that the picture showed is gone", [regionOf(gone)]);
}

const regionOf = ({ x, y, width, height }: Region): Region => ({ x, y, width, height });

/** The place of an action that presses or turns the wheel at a place; undefined for any other. */
export function pressPlace(name: string, values: Record<string, unknown>): Point | undefined {
  if (values.element !== undefined) return undefined;
  if (name === "drag") return pressPlace("click", values.from as Record<string, unknown>);
  const isPress = name === "click" || name === "scroll" || name === "press" && values.button !== undefined;
  return isPress ? pointOf(values as Partial<Point>) : undefined;
}

// Whether a place of the screen is still as an earlier picture showed it. Pure.

/** The size of the part around a place that is compared, in pixels: it is of one button, and not of its neighbours. */
const PLACE = { width: 48, height: 24 } as const;
/** The space around it in which a caret that reaches into it is known by its whole shape, in pixels. */
const MARGIN = 48;
/**
 * The share of the first difference that the place must change by itself, from one look to the next, to count as moving by
 * itself: a film shows other pixels in each.
 */
const OWN_SHARE = 1 / 3;
/** The looks in which a place moves that moves by itself: a menu that opens, or a page that scrolls, comes to rest before. */
const MOVING_LOOKS = 3;

/** A part of the screen at one time. */
export interface Look {
  /** In pixels of the desktop. */
  area: Region;
  /** The rows of the area, one 32-bit number a pixel. */
  pixels: Uint32Array;
}

/** The part around a place that is compared. */
function placeAround({ x, y }: Point): Region {
  return { x: x - PLACE.width / 2, y: y - PLACE.height / 2, ...PLACE };
}

/** The part around a place that a look shows, within an area. */
export function lookAround(point: Point, area: Region): Region | undefined {
  return intersection(widened(placeAround(point), MARGIN), area);
}

/** The pixels that differ. */
interface Difference {
  count: number;
  /** The smallest box around them. */
  box?: Region;
}

/**
 * The pixels of a part that differ between two looks at one area.
 * @example
 * const area = { x: 0, y: 0, width: 2, height: 1 };
 * differenceIn(area, { area, pixels: Uint32Array.of(1, 2) }, { area, pixels: Uint32Array.of(1, 3) }); // { count: 1, box: { x: 1, y: 0, width: 1, height: 1 } }
 */
export function differenceIn(part: Region, before: Look, now: Look): Difference {
  const shown = intersection(part, before.area), { area } = before;
  if (!shown) return { count: 0 };
  let count = 0, left = Infinity, top = Infinity, right = -1, bottom = -1;
  for (let y = shown.y - area.y; y < shown.y - area.y + shown.height; y++) {
    const from = shown.x - area.x;
    for (let x = from, at = y * area.width + from; x < from + shown.width; x++, at++) {
      if (((before.pixels[at] ^ now.pixels[at]) & 0xffffff) === 0) continue; // the fourth byte has no meaning
      count++;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = y;
    }
  }
  if (!count) return { count };
  const box = { x: area.x + left, y: area.y + top, width: right - left + 1, height: bottom - top + 1 };
  return { count, box };
}

/** The difference at a place, whose box reaches as far as the change itself. */
export function differenceAt(point: Point, before: Look, now: Look): Difference {
  const core = differenceIn(placeAround(point), before, now);
  let { box } = core;
  while (box && isCaretSized(box)) {
    const grown: Region = differenceIn(widened(box, 1), before, now).box!;
    if (isSameRegion(grown, box)) break;
    box = grown;
  }
  return { count: core.count, ...(box ? { box } : {}) };
}

/** Whether a change may still grow into the shape of a caret. */
const isCaretSized = ({ width, height }: Region) => width <= MARGIN / 2 && height <= MARGIN;

/** The state of a place: as in the picture, moving by itself, another one, or not known before a further look. */
type Staleness = "same" | "restless" | "changed" | "look again";

/**
 * Compares a place with a picture.
 * @param before The place in the picture.
 * @param looks The looks at it since, the oldest first, each so much later than the last that a film shows another frame.
 */
export function stalenessOf(point: Point, before: Look, looks: readonly Look[]): Staleness {
  const first = differenceAt(point, before, looks[0]);
  if (isSame(first)) return "same";
  for (let i = 1; i < MOVING_LOOKS; i++) {
    if (looks.length <= i) return "look again";
    if (isSame(differenceAt(point, before, looks[i]))) return "same";
    const own = differenceIn(placeAround(point), looks[i - 1], looks[i]);
    if (own.count < first.count * OWN_SHARE) return "changed";
  }
  return "restless";
}

const isSame = ({ box }: Difference) => !box || isCaret(box);

/**
 * The picture to drop next: the oldest of the caller that has the most pixels, so that a caller who takes many pictures drops
 * its own.
 * @param pictures The newest first, which stays.
 * @param most The bounds: callers, pictures of each, and pixels of all.
 * @returns Its index; 0 if all pictures may stay.
 * @example
 * const area = { x: 0, y: 0, width: 10, height: 10 };
 * const pictures = [{ caller: "a", area }, { caller: "b", area }, { caller: "a", area }];
 * firstToDrop(pictures, { callers: 2, pictures: 2, pixels: 200 }); // 2
 */
export function firstToDrop(
  pictures: readonly { caller: string; area: Region }[],
  most: { callers: number; pictures: number; pixels: number },
): number {
  const owners = new Map<string, { count: number; pixels: number; last: number }>();
  let pixels = 0;
  pictures.forEach(({ caller, area: { width, height } }, i) => {
    const { count, pixels: before } = owners.get(caller) ?? { count: 0, pixels: 0 };
    owners.set(caller, { count: count + 1, pixels: before + width * height, last: i });
    pixels += width * height;
  });
  const all = [...owners.values()], crowded = all.find(({ count }) => count > most.pictures);
  if (crowded) return crowded.last;
  if (owners.size > most.callers) return pictures.length - 1;
  if (pixels <= most.pixels) return 0;
  const several = all.filter(({ count }) => count > 1).sort((a, b) => b.pixels - a.pixels || b.last - a.last);
  return several[0]?.last ?? pictures.length - 1;
}
