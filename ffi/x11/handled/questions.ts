/**
 * Questions that a program answers only once it has handled the keys before them. Each is asked over a connection of
 * its own; the X server gives a program its events in the order in which they were sent.
 */

import { MAPPING_NOTIFY } from "../connection.ts";
import { createOwnWindow, WINDOW_CLASS } from "../own_window.ts";
import { EVENT, STRUCTURE_NOTIFY } from "../selection_connection.ts";
import type { WindowAtoms } from "../window_atoms.ts";
import type { XcbConnection } from "../xcb_connection.ts";
import { MappingQuestions } from "./mapping_questions.ts";
import { ProgramRecord } from "./program_record.ts";
import type { Question } from "./question.ts";

const CLIENT_MESSAGE = 33;
/**
 * Event masks of the root window by which answers to pings arrive: GTK answers by SubstructureNotifyMask, Qt by
 * StructureNotifyMask.
 */
const ANSWERS = 1 << 19 | 1 << 17;

/** Asks programs, over connections that are opened with the first question. */
export class Asker {
  readonly #window: number;
  readonly #mappings: MappingQuestions;
  /** Numbers of pings that were answered. */
  readonly #pings = new Set<number>();
  /** Selections whose owner has answered. */
  readonly #selections = new Set<number>();
  /** Windows whose end is watched. */
  readonly #watched = new Set<number>();
  #lastPing = Math.floor(Math.random() * 0x7fffffff);

  constructor(readonly xcb: XcbConnection, readonly atoms: WindowAtoms) {
    this.#mappings = new MappingQuestions(xcb);
    this.#window = createOwnWindow(xcb, WINDOW_CLASS.inputOnly);
  }

  /** Watches the end of a window: a later program may get its number for a window that answers nothing. */
  watch(window: number): void {
    if (this.#watched.has(window)) return;
    this.xcb.select(window, STRUCTURE_NOTIFY);
    this.#watched.add(window);
  }

  /** Tells whether a window is there that {@linkcode watch} was called for. */
  isThere(window: number): boolean {
    this.#readEvents();
    return this.#watched.has(window);
  }

  /**
   * Asks by `_NET_WM_PING` (EWMH), which programs answer when they come to it among their events.
   * @param window Whose WM_PROTOCOLS has it.
   */
  ping(window: number): Question {
    const { xcb, atoms: { WM_PROTOCOLS, _NET_WM_PING } } = this,
      number = this.#lastPing = this.#lastPing + 1 >>> 0;
    xcb.select(xcb.root, ANSWERS);
    xcb.sendMessage(window, WM_PROTOCOLS, [_NET_WM_PING, number, window], window);
    return {
      isAnswered: () => this.#read(this.#pings, number),
      end: () => {
        if (xcb.isBroken) return; // the connection was closed during the wait, and its memory is freed
        xcb.select(xcb.root, 0);
        xcb.flush();
      },
    };
  }

  /**
   * Asks by telling the program of a change of the keyboard map, which programs of the X Toolkit answer.
   * @param record The record of the program.
   */
  mapping(window: number, record: ProgramRecord): Question {
    this.#readEvents();
    return this.#mappings.ask(window, record);
  }

  /**
   * Records what programs send.
   * @param window A window of one of the programs.
   * @param methods Input methods, as {@linkcode inputMethods} gives them.
   * @returns undefined if the server cannot tell, or the window is gone.
   */
  record(window: number, methods: readonly number[]): ProgramRecord | undefined {
    const { xcb } = this, isThere = (one: number) => xcb.attributes(xcb.askAttributes(one)) !== undefined;
    if (!isThere(window)) return undefined;
    const owners = methods.map((method) => xcb.selectionOwner(method)).filter((one) => one && isThere(one));
    return ProgramRecord.begin(xcb.display, [window, ...owners]);
  }

  /**
   * Asks an input method of X11 (XIM) which transports it has. The owner of a selection answers in the order of its
   * events, like a program.
   * @param server An atom of the root window's XIM_SERVERS.
   */
  inputMethod(server: number): Question {
    const { xcb, atoms: { TRANSPORT, DESKHAND } } = this;
    this.#selections.delete(server);
    xcb.xcb.xcb_convert_selection(xcb.connection, this.#window, server, TRANSPORT, DESKHAND, 0);
    xcb.xcb.xcb_flush(xcb.connection);
    return { isAnswered: () => this.#read(this.#selections, server), end: () => {} };
  }

  /** The input methods of X11 that run. */
  inputMethods(): number[] {
    const { xcb, atoms } = this;
    return xcb.numbers(xcb.askProperty(xcb.root, atoms.XIM_SERVERS)).filter((server) =>
      xcb.selectionOwner(server)
    );
  }

  #forget(window: number): void {
    this.#watched.delete(window);
    this.#mappings.forget(window);
  }

  /** Takes a number out of the answered ones. */
  #read(answered: Set<number>, number: number): boolean {
    this.#readEvents();
    return answered.delete(number);
  }

  /** Reads the events that have arrived. */
  #readEvents(): void {
    const { xcb, atoms: { WM_PROTOCOLS, _NET_WM_PING } } = this;
    for (let event = xcb.event(); event; event = xcb.event()) {
      const type = event.getUint8(0);
      if (type === EVENT.selectionNotify) this.#selections.add(event.getUint32(12, true));
      if (type === EVENT.destroyNotify) this.#forget(event.getUint32(8, true));
      if (type === MAPPING_NOTIFY) this.#mappings.noteChange();
      const isPing = type === CLIENT_MESSAGE && event.getUint32(8, true) === WM_PROTOCOLS &&
        event.getUint32(12, true) === _NET_WM_PING;
      if (isPing) this.#pings.add(event.getUint32(16, true));
    }
  }
}
