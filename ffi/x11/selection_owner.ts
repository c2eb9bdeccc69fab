/** Owning selections: every program that pastes gets the content from here (ICCCM section 2.2). */

import type { Bytes } from "../../core/bytes.ts";
import {
  EVENT,
  PROPERTY,
  PROPERTY_CHANGE,
  type SelectionConnection,
  STRUCTURE_NOTIFY,
} from "./selection_connection.ts";

/** Larger content goes in pieces of this size (ICCCM section 2.7.2, INCR), in bytes. */
const PIECE = 256 * 1024;

/** Owned content by target, and the time of ownership. */
interface Owned {
  contents: ReadonlyMap<number, Bytes>;
  time: number;
}

/** Content that goes to a program in pieces. */
interface Transfer {
  window: number;
  property: number;
  type: number;
  data: Bytes;
  sent: number;
}

/** Serves copied content to other programs. */
export class SelectionOwner {
  readonly #owned = new Map<number, Owned>();
  #transfers: Transfer[] = [];

  constructor(readonly connection: SelectionConnection) {
    connection.listen((event, type) => this.#receive(event, type));
  }

  /**
   * The time at which a program last got content, or a piece of it, on the scale of `performance.now()`. A list of the
   * targets is no content.
   */
  lastGiven = 0;

  /** Tells whether a selection is still owned: another program that copies takes it over. */
  owns(selection: number): boolean {
    return this.#owned.has(selection);
  }

  /**
   * Takes a selection over.
   * @param contents By target.
   * @returns false if the server refuses.
   */
  async own(selection: number, contents: ReadonlyMap<number, Bytes>): Promise<boolean> {
    const { connection: { xcb, window } } = this;
    const time = await this.connection.timestamp();
    xcb.xcb.xcb_set_selection_owner(xcb.connection, window, selection, time);
    const isOwner = xcb.selectionOwner(selection) === window;
    if (isOwner) this.#owned.set(selection, { contents, time });
    this.connection.flush();
    return isOwner;
  }

  #receive(event: DataView<ArrayBuffer>, type: number): void {
    const window = event.getUint32(4, true);
    if (type === EVENT.selectionRequest) this.#answer(event);
    else if (type === EVENT.selectionClear) this.#owned.delete(event.getUint32(12, true));
    else if (type === EVENT.propertyNotify && event.getUint8(16) === PROPERTY.deleted) {
      this.#sendPiece(window, event.getUint32(8, true));
    } else if (type === EVENT.destroyNotify) {
      const gone = event.getUint32(8, true);
      this.#transfers = this.#transfers.filter((transfer) => transfer.window !== gone);
    }
  }

  /** Answers a SelectionRequest with a SelectionNotify, which names no property if the request is refused. */
  #answer(request: DataView<ArrayBuffer>): void {
    const { connection: { xcb, atoms } } = this;
    const [time, requestor, selection, target] = [4, 12, 16, 20].map((at) => request.getUint32(at, true));
    const property = request.getUint32(24, true) || target; // old programs name no property
    const owned = this.#owned.get(selection);
    let isGiven = false;
    if (owned && target === atoms.MULTIPLE) isGiven = this.#giveSeveral(owned, requestor, property);
    else if (owned) isGiven = this.#give(owned, requestor, target, property);
    const answer = new DataView(new ArrayBuffer(32));
    answer.setUint8(0, EVENT.selectionNotify);
    [time, requestor, selection, target, isGiven ? property : 0].forEach((value, i) =>
      answer.setUint32(4 + 4 * i, value, true)
    );
    xcb.xcb.xcb_send_event(xcb.connection, 0, requestor, 0, new Uint8Array(answer.buffer));
    this.connection.flush();
  }

  /**
   * Answers a request for several targets: pairs of target and property; the property of a refused target becomes 0.
   */
  #giveSeveral(owned: Owned, requestor: number, property: number): boolean {
    const { connection: { xcb, atoms } } = this;
    const pairs = xcb.numbers(xcb.askProperty(requestor, property));
    for (let i = 0; i + 1 < pairs.length; i += 2) {
      if (!this.#give(owned, requestor, pairs[i], pairs[i + 1])) pairs[i + 1] = 0;
    }
    xcb.setProperty(requestor, property, atoms.ATOM_PAIR, 32, Uint32Array.from(pairs));
    return true;
  }

  /** Puts content into a property of the program's window. */
  #give({ contents, time }: Owned, requestor: number, target: number, property: number): boolean {
    const { connection, connection: { xcb, atoms } } = this;
    if (target === atoms.TARGETS) {
      const targets = Uint32Array.of(atoms.TARGETS, atoms.TIMESTAMP, atoms.MULTIPLE, ...contents.keys());
      xcb.setProperty(requestor, property, atoms.ATOM, 32, targets);
      return true;
    }
    if (target === atoms.TIMESTAMP) {
      xcb.setProperty(requestor, property, atoms.INTEGER, 32, Uint32Array.of(time));
      return true;
    }
    const data = contents.get(target);
    if (!data) return false;
    this.lastGiven = performance.now();
    const type = target === atoms.TEXT ? atoms.UTF8_STRING : target;
    if (data.length <= PIECE) {
      xcb.setProperty(requestor, property, type, 8, data);
      return true;
    }
    connection.selectEvents(requestor, PROPERTY_CHANGE | STRUCTURE_NOTIFY);
    xcb.setProperty(requestor, property, atoms.INCR, 32, Uint32Array.of(data.length));
    this.#transfers.push({ window: requestor, property, type, data, sent: 0 });
    return true;
  }

  /** Sends the next piece: the program deletes the property to ask for it. An empty one ends the transfer. */
  #sendPiece(window: number, property: number): void {
    const transfer = this.#transfers.find((one) => one.window === window && one.property === property);
    if (!transfer) return;
    const piece = transfer.data.subarray(transfer.sent, transfer.sent + PIECE);
    transfer.sent += piece.length;
    this.lastGiven = performance.now();
    this.connection.xcb.setProperty(window, property, transfer.type, 8, piece);
    if (!piece.length) this.#transfers = this.#transfers.filter((one) => one !== transfer);
    this.connection.flush();
  }
}
