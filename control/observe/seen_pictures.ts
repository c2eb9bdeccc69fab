/**
 * The pictures of the screen given to callers, and whether the place of a press still looks like in its
 * caller's picture: the window there, and the pixels around it.
 */

import { delay } from "@std/async/delay";
import { ChangedError, InputError } from "../../core/errors.ts";
import type { Waiter } from "../../core/mutex.ts";
import { timeByLoad } from "../../core/proc.ts";
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
import { activate, type PressGuard } from "../operator/activation.ts";
import type { Operator } from "../operator/operator.ts";
import { pointOf } from "../schema/fields.ts";
import { quotedTitle, windowsIfListed } from "../windows/list.ts";
import { windowAt } from "./aims.ts";
import { isCaret } from "./motion.ts";

/**
 * Maximum number of callers, of pictures per caller, and of pixels of all pictures: a screen of 1280x800
 * takes 4 MB.
 */
const MOST = { callers: 32, pictures: 4, pixels: 1 << 24 } as const;
/** Maximum number of callers whose dropped pictures are remembered. */
const DROPPED = 1000;
/** Maximum number of pixels of a region to find: the serving thread packs them, in at most 4 ms. */
const MOST_PIXELS = 512 * 512;
/**
 * Interval between two looks at a place that differs, in milliseconds: every video shows another frame by
 * then.
 */
const AGAIN_MS = 110;
/** How long a program may take to redraw what the pointer has left, in milliseconds; longer on a busy machine. */
const REDRAWN_MS = 440;

interface SeenPicture extends Look {
  caller: string;
  /** When it was taken, on the scale of `performance.now()`. */
  at: number;
  /** The windows at that time, front one first; undefined if the desktop does not list them. */
  windows: readonly WindowInfo[] | undefined;
  /** The window that it shows, even where others covered it; undefined for a picture of the screen. */
  window: string | undefined;
  /** The menus and other popups at that time, which are not in the list of windows. */
  popups: readonly Popup[];
  /** The pointer position at that time, if the desktop reports it. */
  pointer: Point | undefined;
  /** Whether the caller has acted since, so that its own effects may be visible at the place. */
  isActedOn: boolean;
}

/** Stores the pictures. */
export class SeenPictures {
  /** Newest first. */
  #pictures: SeenPicture[] = [];
  /** The screen parts that dropped pictures showed, by caller, most recently dropped last. */
  readonly #dropped = new Map<string, Region>();

  constructor(readonly operator: Operator) {}

  /**
   * Stores the current picture of an area, without the pointer. Called before the caller's own picture is
   * taken, so that a change in between counts as not seen by the caller.
   * @param caller The caller's name, or its name for the picture.
   * @param area In desktop pixels.
   * @param window The window to show without those that cover it; the screen if left out.
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
    for (let i = firstToDrop(this.#pictures, MOST); i > 0; i = firstToDrop(this.#pictures, MOST)) {
      this.#drop(i);
    }
  }

  /** The area of a caller's last picture. */
  areaOf(caller: string): Region | undefined {
    return this.#pictures.find((picture) => picture.caller === caller)?.area;
  }

  /**
   * Records that a caller has acted without a new picture, and what it was told about the windows: its own
   * effects at a place do not cause its next press to be rejected; a window that appears later does.
   * @param at When the last action ended, on the scale of `performance.now()`: later pictures show its
   * effects.
   */
  async acted(caller: string, at: number): Promise<void> {
    const own = this.#pictures.filter((picture) => picture.caller === caller && picture.at < at);
    if (!own.length) return;
    const [windows, popups] = await Promise.all([windowsIfListed(this.operator), this.#popups()]);
    for (const picture of own) Object.assign(picture, { windows, popups, isActedOn: true });
  }

  /**
   * Crops a caller's picture to a PNG file.
   * @param region In desktop pixels.
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
   * @param caller The name under which the picture is stored.
   * @param isNamed Whether the caller named the picture itself: a picture that is no longer stored is then an
   * error.
   * @param activating Whether the press activates its window.
   * @returns What the press must hit; undefined if there is no picture.
   * @throws ChangedError if the place no longer matches the picture, or the picture was evicted.
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
      const end = performance.now() + timeByLoad(REDRAWN_MS);
      while (performance.now() < end) {
        if (stalenessOf(point, before, [await again()]) === "same") return;
      }
    }
    const { box = placeAround(point) } = differenceAt(point, before, looks.at(-1)!);
    throw new ChangedError("the screen has changed at the position since the picture was taken", [box]);
  }

  /**
   * Moves the pointer back to where it was in the picture, if it may be the cause of the change: hovered
   * things look different.
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

  /**
   * The memory of a picture that a new one of the same caller and area replaces: allocating 4 MB takes some
   * milliseconds. The picture counts as dropped until the new one is taken, which may fail.
   */
  #memoryFor(caller: string, area: Region): Uint32Array | undefined {
    const at = this.#pictures.findIndex((old) => old.caller === caller && isSameRegion(old.area, area));
    return at < 0 ? undefined : this.#drop(at).pixels;
  }

  /** Drops a picture by its index. A press in it is then rejected. */
  #drop(at: number): SeenPicture {
    const [picture] = this.#pictures.splice(at, 1), { caller, area } = picture;
    const all = united(this.#dropped.get(caller), area);
    this.#dropped.delete(caller);
    this.#dropped.set(caller, all);
    if (this.#dropped.size > DROPPED) this.#dropped.delete(this.#dropped.keys().next().value!);
    return picture;
  }

  async #popups(): Promise<readonly Popup[]> {
    return await this.operator.read(async ({ targets }) => await targets?.popups?.() ?? []);
  }
}

/** A part of a picture, as a look. */
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

/** @throws ChangedError if another window is in front at a place, or it has moved. */
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

/** @throws ChangedError if a menu shown in a picture has closed or moved. */
function checkMenus(before: readonly Popup[], now: readonly Popup[]): void {
  const gone = before.find(({ receiver }) => !now.some((popup) => popup.receiver === receiver));
  if (gone) throw new ChangedError("a menu that the picture showed is gone", [regionOf(gone)]);
}

const regionOf = ({ x, y, width, height }: Region): Region => ({ x, y, width, height });

/** The place of an action that presses or turns the wheel at a place; undefined for other actions. */
export function pressPlace(name: string, values: Record<string, unknown>): Point | undefined {
  if (values.element !== undefined) return undefined;
  if (name === "drag") return pressPlace("click", values.from as Record<string, unknown>);
  const isPress = name === "click" || name === "scroll" || name === "press" && values.button !== undefined;
  return isPress ? pointOf(values as Partial<Point>) : undefined;
}

// Whether a place on the screen still looks like in an earlier picture. Pure.

/** Size of the compared area around a place, in pixels: it covers one button but not its neighbours. */
const PLACE = { width: 48, height: 24 } as const;
/** Margin around it in which a caret that extends into it is recognized by its whole shape, in pixels. */
const MARGIN = 48;
/**
 * Share of the first difference that must change between two looks for the place to count as moving on its
 * own: a video shows other pixels in each.
 */
const OWN_SHARE = 1 / 3;
/**
 * Number of looks for which a place must keep moving to count as moving on its own: an opening menu or a
 * scrolling page comes to rest earlier.
 */
const MOVING_LOOKS = 3;

/** A part of the screen at one time. */
export interface Look {
  /** In desktop pixels. */
  area: Region;
  /** The rows of the area, one 32-bit number per pixel. */
  pixels: Uint32Array;
}

/** The compared area around a place. */
function placeAround({ x, y }: Point): Region {
  return { x: x - PLACE.width / 2, y: y - PLACE.height / 2, ...PLACE };
}

/** The part of a place's surroundings that a look shows, within an area. */
export function lookAround(point: Point, area: Region): Region | undefined {
  return intersection(widened(placeAround(point), MARGIN), area);
}

/** The pixels that differ. */
interface Difference {
  count: number;
  /** Their bounding box. */
  box?: Region;
}

/**
 * The pixels of a part that differ between two looks at the same area.
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
      if (((before.pixels[at] ^ now.pixels[at]) & 0xffffff) === 0) continue; // the fourth byte is unused
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

/** The difference at a place, with a box that extends as far as the change itself. */
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

/** Whether a place looks like in the picture, moves on its own, has changed, or needs another look. */
type Staleness = "same" | "restless" | "changed" | "look again";

/**
 * Compares a place with a picture.
 * @param before The place in the picture.
 * @param looks The looks at it since, oldest first, far enough apart that a video shows another frame in
 * each.
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
 * Selects the picture to drop next: the oldest of the caller with the most pixels, so that a caller who takes
 * many pictures drops its own.
 * @param pictures Newest first; the newest is never dropped.
 * @param most The limits: callers, pictures per caller, and total pixels.
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
