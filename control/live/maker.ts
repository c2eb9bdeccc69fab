/**
 * Makes the live picture on its own thread: looks at the screen, finds changes, and encodes them once for all
 * viewers that can take a picture. Each viewer has its own pace: a viewer that acknowledges late receives
 * newer pictures, not more.
 */

import { now } from "../../core/until.ts";
import type { Region } from "../desktop/desktop.ts";
import { applyScroll, ExactChanges, Grid, Mirror, type ScrollCopy, ScrollFinder } from "./mirror.ts";
import { PhotoTiles } from "./tile_writer.ts";
import { LossyTiles, movedMarks, PictureEncoder, pointerParts, Thrift } from "./picture_encoder.ts";
import { drawsPointer, pointerBox, RfbEncoder, splitForm } from "./rfb_encoder.ts";
import type { LiveScreen } from "../desktop/screen.ts";
import {
  type Allowance,
  allowanceOf,
  askedLook,
  formOf,
  hidingOf,
  isStopped,
  type LiveReport,
  type MessageForm,
  pause,
  SLOTS,
  UNDER_WAY,
  viewerIn,
  type ViewersMemory,
  waitForWake,
  wakeCount,
  type Watching,
  watchingOf,
} from "../desktop/viewers.ts";
import { HidingScreen } from "./hiding.ts";

// The viewers as seen by the maker of pictures: which parts each still lacks, and whether it can take another
// picture.

/** Maximum number of pictures in flight to a viewer whose bytes are limited. */
const MOST_UNDER_WAY = 64;
/** Picture size in bytes per tile that is resent without loss; such a tile has 5 KB. */
const REFINED_BYTES = 10_000;
/** Share of the bytes in flight above which no tile is resent without loss. */
const REFINED_SHARE = 1 / 2;

/** One viewer's slot: the changes that the viewer has not seen. */
class ViewerSlot {
  /** Changes by tile: 1 if the viewer has not seen the tile's current content. */
  readonly unseen: Uint8Array;
  /** The tiles that the viewer has in lossy form. */
  readonly lossy: LossyTiles;
  /** The rules that limit the size of the viewer's pictures. */
  readonly thrift = new Thrift();
  /** Whether the viewer has the pointer's current position and image. */
  hasPointer = { place: false, image: false };
  allowance: Allowance = { making: "balanced", picture: 0, underWay: 0 };
  /** The viewer's message form, which never changes. */
  readonly form: MessageForm;
  /** Whether the viewer's zlib stream has started; only for a VNC form. */
  hasStream: boolean;
  #sent = 0;
  #acknowledged = 0;
  /** Sizes of the pictures in flight, in bytes. */
  #sizes: number[] = [];

  /** @param form The viewer's message form, including whether its zlib stream has started. */
  constructor(
    readonly slot: number,
    readonly viewer: number,
    readonly grid: Grid,
    form: MessageForm,
  ) {
    ({ form: this.form, hasStream: this.hasStream } = splitForm(form));
    this.unseen = new Uint8Array(grid.count).fill(1);
    this.lossy = new LossyTiles(grid);
  }

  /** Makes a new slot for the same viewer, which has seen nothing of a screen of another size. */
  startedOver(grid: Grid): ViewerSlot {
    const slot = new ViewerSlot(this.slot, this.viewer, grid, this.form);
    slot.hasStream = this.hasStream;
    slot.#sent = this.#sent;
    slot.#sizes = this.#sizes;
    slot.allowance = this.allowance;
    return slot;
  }

  /** Reads the number of pictures that the viewer has acknowledged, and its allowance. */
  update(memory: ViewersMemory): void {
    this.#acknowledged = viewerIn(memory, this.slot).acknowledged;
    this.allowance = allowanceOf(memory, this.slot);
    const { length } = this.#sizes;
    this.#sizes.splice(0, Math.max(0, length - (this.#sent - this.#acknowledged)));
  }

  /** Records that a picture is sent. */
  sent(bytes: number): void {
    this.#sent++;
    this.#sizes.push(bytes);
  }

  /** Whether another picture may be sent. */
  get isReady(): boolean {
    const { making, underWay } = this.allowance, count = this.#sent - this.#acknowledged;
    if (making !== "within") return count < UNDER_WAY;
    return count < 1 || count < MOST_UNDER_WAY && this.#bytesUnderWay < underWay;
  }

  get #bytesUnderWay(): number {
    return this.#sizes.reduce((sum, size) => sum + size, 0);
  }

  /**
   * Number of resting tiles that are resent without loss at the same time. On a slow network, these tiles
   * come last, one by one, and only while little is in flight, so that they do not delay changes after a key
   * press.
   */
  get refined(): number {
    const { making, picture, underWay } = this.allowance;
    if (making !== "within") return Infinity;
    if (this.unseen.includes(1) || this.#bytesUnderWay > underWay * REFINED_SHARE) return 0;
    return Math.max(1, Math.floor(picture / REFINED_BYTES));
  }
}

/** The side that makes the pictures. */
class ViewerSlots implements Iterable<ViewerSlot> {
  readonly #bySlot: (ViewerSlot | undefined)[] = [];
  /** The slots with a viewer. */
  #taken: readonly ViewerSlot[] = [];

  constructor(readonly memory: ViewersMemory) {}

  [Symbol.iterator](): Iterator<ViewerSlot> {
    return this.#taken[Symbol.iterator]();
  }

  /** Whether changes are reported. */
  get watching(): Watching {
    return watchingOf(this.memory);
  }

  /** Number of the last requested look. */
  get asked(): number {
    return askedLook(this.memory);
  }

  /** Whether the making of pictures is to end. */
  get isOver(): boolean {
    return isStopped(this.memory);
  }

  /**
   * Reads the list of viewers and the pictures that they acknowledged.
   * @param grid The tiles; new viewers have seen none of them.
   */
  update(grid: Grid): void {
    let isOther = false;
    for (let slot = 0; slot < SLOTS; slot++) {
      const { viewer } = viewerIn(this.memory, slot);
      if (this.#bySlot[slot]?.viewer !== (viewer || undefined)) {
        const form = formOf(this.memory, slot);
        this.#bySlot[slot] = viewer ? new ViewerSlot(slot, viewer, grid, form) : undefined;
        isOther = true;
      }
      this.#bySlot[slot]?.update(this.memory);
    }
    if (isOther) this.#list();
  }

  /** Starts all viewers over, since the screen has another size. */
  startOver(grid: Grid): void {
    for (const before of this) this.#bySlot[before.slot] = before.startedOver(grid);
    this.#list();
  }

  #list(): void {
    this.#taken = this.#bySlot.filter((slot) => slot !== undefined);
  }
}

/** Interval between looks at a changing screen, in milliseconds: screens show 60 frames per second. */
const PERIOD_MS = 16;
/**
 * Maximum sleep, in milliseconds: on a resting screen, on one that changed a moment ago, while a viewer or a
 * tile waits for its turn, and while no viewer can take a picture or none watches a screen that ends the
 * sleep itself.
 */
const SLEEP_MS = { resting: 200, active: PERIOD_MS, waiting: 8, alone: 1000 } as const;
/** Time without a change after which a screen rests, in milliseconds. */
const ACTIVE_MS = 500;

/** Receives the maker's reports; a picture's buffers are transferred to the other thread. */
type Report = (report: LiveReport, transferred?: Transferable[]) => void;

/**
 * Makes pictures until the viewers' memory requests a stop.
 * @param whole The screen, parts of which the memory may hide.
 * @param memory Shared with the thread that has the sockets.
 * @throws DesktopUnavailableError if the desktop is gone.
 */
export function makePictures(whole: LiveScreen, memory: ViewersMemory, report: Report): void {
  const slots = new ViewerSlots(memory), screen = hidingOf(memory) ? new HidingScreen(whole, memory) : whole;
  while (!slots.isOver) {
    const { place } = screen;
    report({ type: "screen", place });
    new Maker(screen, slots, report).run();
  }
}

/** Makes pictures of a screen until its size or place changes. */
class Maker {
  readonly #place: Region;
  readonly #grid: Grid;
  readonly #mirror: Mirror;
  readonly #scroll: ScrollFinder;
  readonly #photoTiles: PhotoTiles;
  readonly #encoder: PictureEncoder;
  #rfbEncoder: RfbEncoder | undefined;
  readonly #exact: ExactChanges;
  /** Number of the last reported look. */
  #told = -1;
  #copy: ScrollCopy | undefined;
  #pointer: LiveScreen["pointer"];
  /** When the next look is due, in milliseconds. */
  #due = 0;
  /** Whether the last look found a change, and when a look last found one. */
  #changed = false;
  #activeAt = 0;

  constructor(readonly screen: LiveScreen, readonly slots: ViewerSlots, readonly report: Report) {
    this.#place = screen.place;
    const { width, height } = screen.place;
    this.#grid = new Grid(width, height);
    this.#mirror = new Mirror(this.#grid);
    this.#scroll = new ScrollFinder(width, height);
    this.#photoTiles = new PhotoTiles(this.#grid, this.#mirror.words);
    this.#encoder = new PictureEncoder(this.#grid, this.#mirror, this.#photoTiles, screen);
    this.#exact = new ExactChanges(this.#grid);
    slots.startOver(this.#grid);
  }

  /** Returns when the making is to end, or the screen's size or place has changed. */
  run(): void {
    const { slots } = this;
    this.#takeOver({ x: 0, y: 0, width: this.#place.width, height: this.#place.height });
    while (!slots.isOver) {
      const { memory } = slots, wakes = wakeCount(memory);
      slots.update(this.#grid);
      const all = [...slots];
      if (slots.watching === "no" && !all.some((slot) => slot.isReady)) {
        waitForWake(memory, wakes, SLEEP_MS.alone);
        continue;
      }
      this.screen.followPointer?.(all.length > 0);
      pause(memory, this.#due - performance.now());
      const time = performance.now();
      // Counts from the due time, so that a long reading does not delay the next one.
      this.#due = Math.max(this.#due + PERIOD_MS, time + 2);
      if (!this.#look(time)) return;
      if (!this.#send() && !this.#changed) this.#rest(time);
      else {
        this.#activeAt = time;
        if (!all.length && this.screen.isWoken) this.screen.wait(SLEEP_MS.alone); // avoids a useless look
      }
    }
  }

  /** @returns false if the screen's size or place has changed. */
  #look(time: number): boolean {
    const { watching, asked } = this.slots;
    const { box, isSkipped } = this.screen.update();
    if (this.screen.place !== this.#place) return false;
    this.slots.update(this.#grid); // fetching pixels may have taken long
    this.#changed = false;
    if (box) this.#takeOver(box, watching === "no" ? undefined : this.#exact);
    if (watching !== "no" && !isSkipped) this.#tell(asked);
    this.#followPointer();
    this.#refine(time);
    return true;
  }

  /** Reports the changes, and the completion of the requested look. */
  #tell(asked: number): void {
    const regions = this.#exact.take(), isAsked = asked !== this.#told;
    if (!regions.length && !isAsked) return;
    this.#told = asked;
    const hasPointer = this.screen.pointer === undefined, look = isAsked ? { look: asked } : {};
    // The regions are copied, since transferring a small buffer costs both threads more time.
    this.report({ type: "changes", at: now(), regions, hasPointer, ...look });
  }

  #takeOver(box: Region, exact?: ExactChanges): void {
    const mirror = this.#mirror, { pixels } = this.screen, time = performance.now();
    const words = new Int32Array(pixels.buffer, pixels.byteOffset, pixels.length >> 2);
    this.#copy = this.#scroll.find(mirror.words, words, box);
    if (this.#copy) {
      exact?.add(this.#copy);
      this.#scrolled(this.#copy, time);
    }
    this.#changed = mirror.update(pixels, box, exact) || this.#copy !== undefined;
    this.#photoTiles.note(mirror.changed, time);
    for (let tile = mirror.changed.indexOf(1); tile >= 0; tile = mirror.changed.indexOf(1, tile + 1)) {
      this.#markUnseen(tile);
    }
  }

  #markUnseen(tile: number): void {
    for (const { unseen } of this.slots) unseen[tile] = 1;
  }

  /** Resends resting tiles without loss to the viewers that have them in lossy form. */
  #refine(time: number): void {
    const photoTiles = this.#photoTiles;
    for (const { lossy, unseen, refined } of this.slots) {
      for (const tile of lossy.rested((tile) => photoTiles.rests(tile, time), refined)) {
        photoTiles.refined(tile);
        unseen[tile] = 1;
      }
    }
  }

  /** Moves content in the mirror. Tiles that a viewer lacks, or has in lossy form, move with it. */
  #scrolled(copy: ScrollCopy, time: number): void {
    applyScroll(this.#mirror.words, this.#grid.width, copy);
    for (const { unseen, lossy } of this.slots) {
      for (const [tile, isUnseen] of movedMarks(unseen, this.#grid, copy)) unseen[tile] = isUnseen ? 1 : 0;
      lossy.moved(copy, (tile) => this.#photoTiles.moved(tile, time));
    }
  }

  #followPointer(): void {
    const { pointer } = this.screen, before = this.#pointer;
    this.#pointer = pointer;
    if (!pointer) return;
    const isMoved = !before || before.at.x !== pointer.at.x || before.at.y !== pointer.at.y;
    const isNew = before?.image !== pointer.image;
    for (const { hasPointer, form, unseen } of this.slots) {
      if ((isMoved || isNew) && drawsPointer(form)) {
        for (const box of [before, pointer].map((one) => one && pointerBox(one, this.#grid))) {
          if (box) this.#grid.mark(box, unseen);
        }
      }
      if (isMoved || isNew) hasPointer.place = false;
      if (isNew) hasPointer.image = false;
    }
  }

  /** Sends each viewer that can take a picture its missing tiles. @returns Whether anything was sent. */
  #send(): boolean {
    const copy = this.#copy, groups = new Map<unknown, ViewerSlot[]>();
    this.#copy = undefined;
    for (const slot of this.slots) {
      if (slot.isReady && (copy || this.#lacks(slot))) {
        const { form, hasStream, allowance: { making } } = slot, isRfb = form[0] !== 0;
        const key = isRfb ? `${form} ${making} ${hasStream}` : making === "within" ? slot : making;
        groups.set(key, [...groups.get(key) ?? [], slot]);
      } else if (copy) this.#grid.mark(copy, slot.unseen);
    }
    for (const group of groups.values()) this.#sendTo(group, copy);
    return groups.size > 0;
  }

  /**
   * @param ready Viewers that receive the same picture; sending tiles that some of them already have does no
   * harm.
   */
  #sendTo(ready: ViewerSlot[], copy: ScrollCopy | undefined): void {
    const tiles = new Uint8Array(this.#grid.count), [{ allowance, thrift }] = ready;
    for (const { unseen } of ready) unseen.forEach((isUnseen, tile) => isUnseen && (tiles[tile] = 1));
    const isRfb = ready[0].form[0] !== 0, pointer = pointerParts(this.#pointer, ready);
    const { message, lossy, exact } = isRfb
      ? this.#encodeRfb(ready, tiles, copy)
      : this.#encoder.encode({ tiles, copy, pointer, allowance, thrift });
    for (const slot of ready) {
      for (const tile of lossy) slot.lossy.set(tile, true);
      for (const tile of exact) slot.lossy.set(tile, false);
      tiles.forEach((isSent, tile) => isSent && (slot.unseen[tile] = 0));
      slot.hasPointer = { place: true, image: true };
      slot.sent(message.length);
    }
    const to = ready.map(({ slot, viewer }): [number, number] => [slot, viewer]);
    this.report({ type: "picture", to, message }, [message.buffer]);
  }

  /**
   * Encodes a picture for VNC viewers of one form. Those that do not support copying receive the copied tiles
   * later.
   */
  #encodeRfb(ready: ViewerSlot[], tiles: Uint8Array, copy: ScrollCopy | undefined) {
    const encoder = this.#rfbEncoder ??= new RfbEncoder(
      this.#grid,
      this.#mirror,
      this.#photoTiles,
      this.screen,
    );
    const [{ form, hasStream, allowance: { making } }] = ready, pointer = this.#pointer;
    const picture = encoder.encode({
      tiles,
      copy,
      pointer,
      isPointerNew: !ready.every(({ hasPointer }) => hasPointer.image),
      form,
      hasStream,
      isSharp: making === "sharp",
    });
    for (const slot of ready) slot.hasStream ||= picture.hasStream;
    return picture;
  }

  #lacks({ unseen, hasPointer }: ViewerSlot): boolean {
    return unseen.includes(1) || this.#pointer !== undefined && !(hasPointer.place && hasPointer.image);
  }

  /** Sleeps until something may have changed. */
  #rest(time: number): void {
    this.screen.wait(SLEEP_MS[this.#sleepAt(time)]);
    this.#due = Math.max(time, performance.now());
  }

  #sleepAt(time: number): keyof typeof SLEEP_MS {
    const all = [...this.slots], { isWoken } = this.screen;
    if (all.some((one) => one.lossy.pending || this.#lacks(one))) return "waiting";
    if (isWoken) return all.length ? "resting" : "alone";
    const isActive = time - this.#activeAt < ACTIVE_MS || this.slots.watching === "closely";
    return isActive ? "active" : "resting";
  }
}
