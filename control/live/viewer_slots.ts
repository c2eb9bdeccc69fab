/**
 * The viewers from the side of the maker of pictures: the parts that each still misses, and whether it can take another
 * picture.
 */

import type { Grid } from "./grid.ts";
import type { Allowance } from "./link.ts";
import { LossyTiles } from "./lossy_tiles.ts";
import { Thrift } from "./thrift.ts";
import {
  allowanceOf,
  askedLook,
  isStopped,
  SLOTS,
  UNDER_WAY,
  viewerIn,
  type ViewersMemory,
  type Watching,
  watchingOf,
} from "./viewers.ts";

/** The most pictures under way to a viewer whose bytes are counted. */
const MOST_UNDER_WAY = 64;
/** The bytes of a picture for each tile that is sent again without loss; such a tile has 5 KB. */
const REFINED_BYTES = 10_000;
/** The share of the bytes under way above which no tile is sent again without loss. */
const REFINED_SHARE = 1 / 2;

/** Slot of one viewer: the changes that the viewer has not seen. */
export class ViewerSlot {
  /** Changes by tile: 1 for a tile whose present content the viewer has not seen. */
  readonly unseen: Uint8Array;
  /** The tiles that the viewer has with loss. */
  readonly lossy: LossyTiles;
  /** The rules that keep the viewer's pictures within bytes. */
  readonly thrift = new Thrift();
  /** Tells whether the viewer has the pointer's present place, and its present picture. */
  hasPointer = { place: false, image: false };
  allowance: Allowance = { making: "balanced", picture: 0, underWay: 0 };
  #sent = 0;
  #acknowledged = 0;
  /** The sizes of the pictures under way, in bytes. */
  #sizes: number[] = [];

  constructor(readonly slot: number, readonly viewer: number, readonly grid: Grid) {
    this.unseen = new Uint8Array(grid.count).fill(1);
    this.lossy = new LossyTiles(grid);
  }

  /** Makes a slot of the same viewer, which has seen nothing of a screen of another size. */
  startedOver(grid: Grid): ViewerSlot {
    const slot = new ViewerSlot(this.slot, this.viewer, grid);
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

  /** Notes that a picture is sent. */
  sent(bytes: number): void {
    this.#sent++;
    this.#sizes.push(bytes);
  }

  /** Tells whether another picture may be sent. */
  get isReady(): boolean {
    const { making, underWay } = this.allowance, count = this.#sent - this.#acknowledged;
    if (making !== "within") return count < UNDER_WAY;
    return count < 1 || count < MOST_UNDER_WAY && this.#bytesUnderWay < underWay;
  }

  get #bytesUnderWay(): number {
    return this.#sizes.reduce((sum, size) => sum + size, 0);
  }

  /**
   * The number of resting tiles that are sent again without loss at once. On a slow network these tiles come after
   * all others, one by one, and only while little is under way, so that changes by a key do not wait for them.
   */
  get refined(): number {
    const { making, picture, underWay } = this.allowance;
    if (making !== "within") return Infinity;
    if (this.unseen.includes(1) || this.#bytesUnderWay > underWay * REFINED_SHARE) return 0;
    return Math.max(1, Math.floor(picture / REFINED_BYTES));
  }
}

/** The side that makes the pictures. */
export class ViewerSlots implements Iterable<ViewerSlot> {
  readonly #bySlot: (ViewerSlot | undefined)[] = [];
  /** The slots that have a viewer. */
  #taken: readonly ViewerSlot[] = [];

  constructor(readonly memory: ViewersMemory) {}

  [Symbol.iterator](): Iterator<ViewerSlot> {
    return this.#taken[Symbol.iterator]();
  }

  /** Tells whether changes are reported. */
  get watching(): Watching {
    return watchingOf(this.memory);
  }

  /** The number of the look that was asked for last. */
  get asked(): number {
    return askedLook(this.memory);
  }

  /** Tells whether the making ends. */
  get isOver(): boolean {
    return isStopped(this.memory);
  }

  /**
   * Reads the list of viewers and the pictures that they acknowledged.
   * @param grid The tiles, of which new viewers have seen none.
   */
  update(grid: Grid): void {
    let isOther = false;
    for (let slot = 0; slot < SLOTS; slot++) {
      const { viewer } = viewerIn(this.memory, slot);
      if (this.#bySlot[slot]?.viewer !== (viewer || undefined)) {
        this.#bySlot[slot] = viewer ? new ViewerSlot(slot, viewer, grid) : undefined;
        isOther = true;
      }
      this.#bySlot[slot]?.update(this.memory);
    }
    if (isOther) this.#list();
  }

  /** Starts all viewers over: the screen has another size. */
  startOver(grid: Grid): void {
    for (const before of this) this.#bySlot[before.slot] = before.startedOver(grid);
    this.#list();
  }

  #list(): void {
    this.#taken = this.#bySlot.filter((slot) => slot !== undefined);
  }
}
