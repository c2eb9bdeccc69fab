/**
 * The Worker that reads raw XInput 2 events, so that neither the server nor the prompt ever waits for them.
 * The Worker sleeps in poll() until the X server or a stop wakes it, or until it is time to sample the
 * pointer.
 */

import type { InputAction, ObservedAction, Point } from "../../control/desktop/desktop.ts";
import { KEYS } from "../../control/desktop/keys.ts";
import { DesktopUnavailableError } from "../../core/errors.ts";
import { serveWorker } from "../../core/worker_entry.ts";
import { Poller } from "../linux/libc.ts";
import { textOfPress } from "../text.ts";
import { clockOf, type WatchReport, type WatchStart } from "../watch.ts";
import { ButtonPlaces } from "./button_places.ts";
import { Connection, EVENT_SIZE } from "./connection.ts";
import { Keymap, readState } from "./keymap.ts";
import { BUTTONS_BY_NUMBER, DIRECTIONS_BY_NUMBER } from "./pointer.ts";
import { queryDevices, RAW, selectMapChanges, selectRawEvents } from "./raw_selection.ts";
import { EVENT } from "./xcb_connection.ts";
import { XkbMap } from "./xkb.ts";

// Raw XInput 2 events (XI2 protocol, section "RawEvent") and the actions that they represent. Pure.

const NAMES = new Map(KEYS.map(({ keysym, name }) => [keysym, name]));

/**
 * A key's name.
 * @param codePoint The symbol's character; 0 if it has none.
 */
export function keyName(keysym: number, codePoint: number): string {
  const named = NAMES.get(keysym);
  if (named) return named;
  const character = codePoint ? String.fromCodePoint(codePoint) : "";
  return character && !/[\p{C}\p{Z}]/u.test(character) ? character : `keysym:0x${keysym.toString(16)}`;
}

/** Offsets in XGenericEventCookie (X11/Xlib.h) and XIRawEvent (X11/extensions/XInput2.h). */
export const COOKIE = { extension: 32, evtype: 36, data: 48 } as const;
export const RAW_EVENT = { time: 40, source: 52, detail: 56 } as const;

/** The fields of a raw event needed for decoding. */
interface RawEvent {
  /** One of {@linkcode RAW}. */
  type: number;
  /** The device that sent the event. */
  source: number;
  /** Keycode or button number. */
  detail: number;
  /** The pointer's position at the event, if known. */
  at?: Point;
  /** The pointer's position soon after the event, if no motion came in between. */
  near?: Point;
  /** Whether a motion came after the event: querying the pointer does not tell where it was. */
  isPassed?: boolean;
}

/** The server's state, as the decoder needs it. */
interface DecoderContext {
  /** The pointer's position. */
  position(): Point;
  /** The symbol that a key produces alone, with the current Num Lock state; 0 if the key has no symbol. */
  symbol(keycode: number): number;
  /**
   * The symbol that a key produces while others are down, with the current locks; 0 if the key has no symbol.
   */
  typedSymbol(keycode: number, down: Iterable<number>): number;
  /** A symbol's code point; 0 if the symbol does not represent a character. */
  codePoint(keysym: number): number;
  /** The number that programs receive for a button; the number itself if omitted. */
  buttonOf?(pressed: number): number;
  /** Devices through which programs send input. */
  injectors: ReadonlySet<number>;
  /** Milliseconds, never decreasing. */
  now(): number;
}

/**
 * Turns raw events into actions. Raw events carry no position, and a program that warps the pointer
 * (XWarpPointer) causes no events. Therefore the pointer is queried at each event whose position is not
 * otherwise known, and from time to time by {@linkcode sample}.
 */
export class RawDecoder {
  /** The last reported position, or the first known one. */
  #last: Point | undefined;
  /**
   * Names of pressed keys by keycode: a release has the name of its press, even if the layout has changed.
   */
  readonly #keysDown = new Map<number, string | undefined>();

  constructor(readonly context: DecoderContext) {}

  /**
   * Decodes an event.
   * @returns Nothing for a repeat of a held key, the release of a key that was down before the first event,
   * or a motion that ended where it began; a move before a button or key if a program warped the pointer.
   */
  decode({ type, source, detail, at: place, near, isPassed }: RawEvent): ObservedAction[] {
    const { now, injectors } = this.context;
    const injected = injectors.has(source);
    const seen = (action: InputAction): ObservedAction => ({ action, at: now(), injected });
    // A late release was where its press was, unless motions came in between: elsewhere, it would end a drag.
    const stays = isPassed && type === RAW.buttonRelease ? this.#last : undefined;
    const here = place ?? near ?? stays ?? this.context.position();
    const actions = this.#movedTo(here, type !== RAW.motion || injected);
    if (type === RAW.keyPress || type === RAW.keyRelease) {
      const action = this.#key(detail, type === RAW.keyPress);
      return action ? [...actions, seen(action)] : actions;
    }
    const at = { ...this.#last!, ...(place ? {} : { unplaced: true }) };
    const number = this.context.buttonOf?.(detail) ?? detail;
    const button = BUTTONS_BY_NUMBER.get(number), direction = DIRECTIONS_BY_NUMBER.get(number);
    if (type !== RAW.motion && button) {
      actions.push(seen({ type: "button", button, down: type === RAW.buttonPress, ...at }));
    } else if (type === RAW.buttonPress && direction) {
      actions.push(seen({ type: "scroll", direction, amount: 1, ...at }));
    }
    return actions;
  }

  /**
   * Compares the pointer's position with the last one, between events. The first call only stores it.
   * @param position The pointer's position; all earlier events must have been decoded.
   * @returns A move if a program warped the pointer.
   */
  sample(position: Point): ObservedAction[] {
    this.#last ??= position;
    return this.#movedTo(position, true);
  }

  #movedTo({ x, y }: Point, injected: boolean): ObservedAction[] {
    if (this.#last?.x === x && this.#last.y === y) return [];
    this.#last = { x, y };
    return [{ action: { type: "move", x, y }, at: this.context.now(), injected }];
  }

  #key(keycode: number, down: boolean): InputAction | undefined {
    if (down === this.#keysDown.has(keycode)) return undefined;
    const key = down ? this.#nameOf(keycode) : this.#keysDown.get(keycode);
    const text = down && key !== undefined ? this.#textOf(keycode, key) : undefined;
    if (down) this.#keysDown.set(keycode, key);
    else this.#keysDown.delete(keycode);
    return key === undefined ? undefined : { type: "key", key, down, ...(text ? { text } : {}) };
  }

  #textOf(keycode: number, key: string): string | undefined {
    const codePoint = this.context.codePoint(this.context.typedSymbol(keycode, this.#keysDown.keys()));
    return textOfPress(key, this.#keysDown.values(), codePoint ? String.fromCodePoint(codePoint) : "");
  }

  #nameOf(keycode: number): string | undefined {
    const keysym = this.context.symbol(keycode);
    return keysym ? keyName(keysym, this.context.codePoint(keysym)) : undefined;
  }
}

/** Interval between queries of the pointer's position, in milliseconds: a warp causes no raw event. */
const SAMPLE_MS = 16;
/** A change of the keyboard map among the events. */
const MAP_CHANGE = Symbol();

/** A raw event with its server time, in milliseconds. */
interface TimedRawEvent extends RawEvent {
  time: number;
}
type ReadEvent = TimedRawEvent | typeof MAP_CHANGE;

/** Resolution of the server's clock, in microseconds. */
const CLOCK_US = 1000;

serveWorker<WatchStart<string>, WatchReport<undefined>, void>(async (start, { report, stopped }) => {
  const connection = Connection.open(start.source);
  if (!connection) throw new DesktopUnavailableError(`cannot open display ${start.source}`);
  const { libraries: { c } } = connection;
  const poller = new Poller(c, () => [connection.fd], () => SAMPLE_MS);
  stopped.onabort = () => poller.stop();
  let reader: Reader | undefined;
  try {
    selectMapChanges(connection);
    const opcode = selectRawEvents(connection, Object.values(RAW)), clock = clockOf(start.skew);
    const own = reader = new Reader(connection, opcode, clock);
    const reportBatch = (batch: ObservedAction[]) => {
      if (batch.length) report({ type: "actions", batch });
    };
    report({ type: "ready", ready: undefined });
    await poller.run(() => {
      reportBatch(own.read());
      connection.check();
    });
    reportBatch(own.finish());
  } finally {
    stopped.onabort = null;
    reader?.end();
    connection.close();
  }
});

/** Reads the events that have arrived, and samples the pointer in between. */
class Reader {
  readonly #event = new Uint8Array(EVENT_SIZE);
  readonly #view = new DataView(this.#event.buffer);
  readonly #decoder: RawDecoder;
  /**
   * The keyboard map; its group and locks are read again for each batch with keys and after each map change.
   */
  #keymap: Keymap | undefined;
  /**
   * The XKB map, read again only after a change, whose event comes before the keys; typing other characters
   * causes changes.
   */
  #map: XkbMap | undefined;
  /** The last keyboard map read. */
  #latest: Keymap | undefined;
  /**
   * The keyboard map before its last change. A key without a symbol had one when it was pressed: deskhand
   * binds keys only for the characters that it types.
   */
  #former: Keymap | undefined;
  /** The pointer's last position on this screen. */
  #here: Point | undefined;
  /** The pointer's button map, read again for each batch with buttons. */
  #buttons: Uint8Array | undefined;
  readonly #places: ButtonPlaces | undefined;
  /** When the pointer was last sampled, on the scale of `now`. */
  #sampledAt: number;

  constructor(readonly connection: Connection, readonly opcode: number, readonly now: () => number) {
    const { xkbcommon } = connection.libraries;
    this.#places = ButtonPlaces.begin(connection.name);
    const devices = queryDevices(connection);
    const keymap = () => this.#keymap ??= this.#readKeymap();
    const symbol = (of: (map: Keymap) => number) => of(keymap()) || (this.#former ? of(this.#former) : 0);
    this.#decoder = new RawDecoder({
      position: () => this.#position(),
      symbol: (keycode) => symbol((map) => map.plainSymbol(keycode)),
      typedSymbol: (keycode, down) => symbol((map) => map.typedSymbol(keycode, down)),
      buttonOf: (pressed) => (this.#buttons ??= connection.queryButtonNumbers())[pressed - 1] ?? pressed,
      codePoint: (keysym) => xkbcommon.xkb_keysym_to_utf32(keysym),
      injectors: new Set(devices.filter(({ name }) => /XTEST/.test(name)).map(({ id }) => id)),
      now,
    });
    this.#decoder.sample(this.#position());
    this.#sampledAt = now();
  }

  /** The pointer's position; its last position on this screen while it is on another one. */
  #position(): Point {
    const place = this.connection.queryPointer();
    return this.#here = this.connection.isPointerHere || !this.#here ? place : this.#here;
  }

  /** Whether the pointer is on another screen of the server, whose positions mean nothing here. */
  #isForeign(): boolean {
    if (!this.connection.isPointerHere) this.#position();
    return !this.connection.isPointerHere;
  }

  /** The actions since the last call. */
  read(): ObservedAction[] {
    this.#keymap = this.#buttons = undefined;
    const batch = this.#events();
    if (this.now() - this.#sampledAt >= SAMPLE_MS) batch.push(...this.#sample());
    return batch;
  }

  /** The last actions, after a final sample of the pointer's position. */
  finish(): ObservedAction[] {
    this.#sampledAt = -Infinity;
    return this.read();
  }

  /** Queries the pointer. Events before the reply are handled first, since Xlib has read them by then. */
  #sample(): ObservedAction[] {
    const position = this.#position();
    this.#sampledAt = this.now();
    const before = this.#events();
    return before.length ? before : this.#decoder.sample(position);
  }

  /** Decodes the events that have arrived. */
  #events(): ObservedAction[] {
    const batch: ObservedAction[] = [];
    // Read immediately, since a server whose events are not read stops recording the positions of buttons.
    const events = this.#drain();
    if (this.#places && events.some(isOfButton)) this.#place(events, this.#places);
    const lastMotion = lastMotionOf(events);
    for (const [i, event] of events.entries()) {
      if (event === MAP_CHANGE) {
        this.#former = this.#latest;
        this.#keymap = this.#map = undefined;
        continue;
      }
      // The pointer is queried only now, when it is already at the end of successive motions.
      if (event.type === RAW.motion && isOfSameMotion(event, events[i + 1])) continue;
      if (event.type >= RAW.buttonPress && this.#isForeign()) continue;
      batch.push(...this.#decoder.decode({ ...event, isPassed: i < lastMotion }));
    }
    // Soon, since a key may be unbound right after it is released.
    if (events.includes(MAP_CHANGE) && !this.#map) this.#readKeymap();
    return batch;
  }

  /** Adds positions to button events once all events of their times have arrived. */
  #place(events: ReadEvent[], places: ButtonPlaces): void {
    const { libraries: { c } } = this.connection;
    c.usleep(CLOCK_US); // the server's clock moves on
    // The wait for positions that the server has dropped may take long: the pointer is queried before it.
    const near = this.#position();
    events.push(...this.#drain());
    for (const event of events.slice(lastMotionOf(events) + 1)) if (isOfButton(event)) event.near = near;
    const groups = Map.groupBy(events.filter(isOfButton), ({ time }) => time);
    for (const [time, group] of groups) {
      const found = places.at(group.map(({ type }) => type), time);
      for (const [i, at] of found.entries()) group[i].at = at;
    }
  }

  #drain(): ReadEvent[] {
    const { libraries: { x11 }, display } = this.connection;
    const events: ReadEvent[] = [];
    while (x11.XPending(display) > 0) {
      x11.XNextEvent(display, this.#event);
      if (this.#view.getInt32(0, true) !== EVENT.generic) events.push(MAP_CHANGE); // all other events report it
      else if (this.#view.getInt32(COOKIE.extension, true) === this.opcode) {
        const event = this.#take();
        if (event) events.push(event);
      }
    }
    return events;
  }

  end(): void {
    this.#places?.end();
  }

  #readKeymap(): Keymap {
    const state = readState(this.connection);
    return this.#latest = new Keymap(this.connection, this.#map ??= XkbMap.read(this.connection), state);
  }

  #take(): TimedRawEvent | undefined {
    const { libraries: { x11 }, display } = this.connection;
    if (!x11.XGetEventData(display, this.#event)) return undefined;
    const data = Deno.UnsafePointer.create(this.#view.getBigUint64(COOKIE.data, true));
    const raw = data && new Deno.UnsafePointerView(data);
    const event = raw && {
      type: this.#view.getInt32(COOKIE.evtype, true),
      time: Number(raw.getBigUint64(RAW_EVENT.time) & 0xffffffffn),
      source: raw.getInt32(RAW_EVENT.source),
      detail: raw.getInt32(RAW_EVENT.detail),
    };
    x11.XFreeEventData(display, this.#event);
    return event ?? undefined;
  }
}

function isOfButton(event: ReadEvent): event is TimedRawEvent {
  return event !== MAP_CHANGE && (event.type === RAW.buttonPress || event.type === RAW.buttonRelease);
}

/** The index of the last motion; -1 if there is none. */
function lastMotionOf(events: readonly ReadEvent[]): number {
  return events.findLastIndex((event) => event !== MAP_CHANGE && event.type === RAW.motion);
}

/** Whether an event is another motion of the same device. */
function isOfSameMotion({ source }: TimedRawEvent, next: ReadEvent | undefined): boolean {
  return next !== undefined && next !== MAP_CHANGE && next.type === RAW.motion && next.source === source;
}
