/**
 * Questions that a program answers only after it has handled the keys before them. Each is asked over its own
 * connection; the X server delivers events to a program in the order in which they were sent.
 */

import { QUIRKS } from "../../quirks.ts";
import { CATEGORY, RECORD_RANGE, ServerRecord } from "../server_record.ts";
import { WINDOW_ATOMS, type WindowAtoms } from "../window_rows.ts";
import { createOwnWindow, EVENT, STRUCTURE_NOTIFY, WINDOW_CLASS, XcbConnection } from "../xcb_connection.ts";
import { delay } from "@std/async/delay";
import { timeByLoad } from "../../../core/proc.ts";

// A question for programs that do not support `_NET_WM_PING`, such as xterm. When an X Toolkit program
// handles a MappingNotify event, it immediately requests the keyboard map from the server (libXt,
// _XtRefreshMapping), which the RECORD extension shows. The event is sent only to that program, and the map
// does not change.

/** MappingNotify's request field (X.h). */
const MAPPING_KEYBOARD = 1;
const LAST_KEYCODE = 255;
/** Maximum time that a keyboard map change may be queued among a program's events, in milliseconds. */
const CHANGE_MS = 30_000;
/**
 * Pause after which a program that has begun to handle such events counts as done, in milliseconds; longer on
 * a busy machine.
 */
const PAUSE_MS = 500;

/** The facts known about a window's program. */
interface Asked {
  /** When the last answered question was asked, by `performance.now`. */
  at: number;
  /** The number of events that a client receives for one change of the map; undefined while unknown. */
  perChange: number | undefined;
}

/** Asks one program at a time. */
class MappingQuestions {
  /** When the keyboard map changed, by `performance.now`. */
  readonly #changes: number[] = [];
  /** Programs by window. */
  readonly #asked = new Map<number, Asked>();

  constructor(readonly xcb: XcbConnection) {}

  /** Records that programs were notified of a change of the map. */
  noteChange(): void {
    const now = performance.now();
    while (this.#changes[0] < now - CHANGE_MS) this.#changes.shift();
    this.#changes.push(now);
  }

  /** Forgets a destroyed window. */
  forget(window: number): void {
    this.#asked.delete(window);
  }

  /**
   * Asks a window's program. Other changes of the map may be among the program's events. Their number is
   * learned from the first answer, which therefore takes longer.
   * @param record The program's record.
   */
  ask(window: number, record: ProgramRecord): Question {
    const at = performance.now(), known = this.#asked.get(window);
    const from = Math.max(known?.at ?? 0, at - CHANGE_MS);
    record.changes += this.#changes.filter((change) => change >= from).length;
    record.questions++;
    this.#tell(window);
    const others = record.changes && (known?.perChange ?? Infinity) * record.changes;
    return {
      isAnswered: () => {
        record.read();
        const left = record.questions + others - record.mappings;
        const pauses = record.mappings >= record.questions &&
          performance.now() - Math.max(at, record.mappedAt) > timeByLoad(PAUSE_MS);
        if (left > 0 && !pauses) return false;
        const perChange = record.changes
          ? (record.mappings - record.questions) / record.changes
          : known?.perChange;
        this.#asked.set(window, { at, perChange });
        return true;
      },
      end: () => {},
    };
  }

  #tell(window: number): void {
    const { xcb, connection } = this.xcb, event = new Uint8Array(32);
    event.set([EVENT.mappingNotify, 0, 0, 0, MAPPING_KEYBOARD, LAST_KEYCODE, 1]);
    xcb.xcb_send_event(connection, 0, window, 0, event);
    xcb.xcb_flush(connection);
  }
}

// Programs' requests to the X server, as shown by its RECORD extension.

/** Core request codes (X11 protocol, appendix B). */
const SEND_EVENT = 25, GET_KEYBOARD_MAPPING = 101, GET_MODIFIER_MAPPING = 119;
/** Offsets in SendEvent of the destination window, and of the event, which begins with its type. */
const SENT_TO = 4, SENT_EVENT = 12;

/** Records a program's requests until it is closed. */
export class ProgramRecord {
  /**
   * The number of keyboard map changes that the program has reached: for each, Xlib requests the modifiers
   * and then the keys (_XRefreshKeyboardMapping), after the X Toolkit, which requests them in the opposite
   * order.
   */
  mappings = 0;
  /** When the last unanswered question was asked, by `performance.now`. */
  mappedAt = 0;
  /** The number of map changes, including questions that look like one. */
  changes = 0;
  questions = 0;
  /**
   * The number of messages that the program has sent to windows, as input methods do. Answers to pings go to
   * the root window.
   */
  messages = 0;
  /** The last request for the map. */
  #last = 0;
  #record: ServerRecord | undefined;

  /**
   * Begins to record.
   * @param display The name of the display, such as `:0`.
   * @param windows The programs' windows.
   * @returns undefined if the server does not support RECORD, or a program is gone.
   */
  static begin(display: string, windows: readonly number[]): ProgramRecord | undefined {
    const record = new ProgramRecord();
    record.#record = ServerRecord.begin(display, {
      clients: windows.map(BigInt),
      ranges: [SEND_EVENT, GET_KEYBOARD_MAPPING, GET_MODIFIER_MAPPING].map((request) => ({
        [RECORD_RANGE.firstRequest]: request,
        [RECORD_RANGE.lastRequest]: request,
      })),
      take: (request, category) => {
        if (category === CATEGORY.fromClient) record.#note(request);
      },
    });
    return record.#record && record;
  }

  /** Reads the requests recorded so far. */
  read(): void {
    this.#record!.read();
  }

  end(): void {
    this.#record!.close();
  }

  #note(request: Deno.UnsafePointerView): void {
    const code = request.getUint8(0);
    if (code === SEND_EVENT) {
      const isForRoot = BigInt(request.getUint32(SENT_TO)) === this.#record!.data.root;
      if (request.getUint8(SENT_EVENT) === EVENT.clientMessage && !isForRoot) this.messages++;
      return;
    }
    if (code === GET_KEYBOARD_MAPPING && this.#last === GET_MODIFIER_MAPPING) {
      this.mappings++;
      this.mappedAt = performance.now();
    }
    this.#last = code;
  }
}

/** Asks programs, over a connection of its own, and over further ones for records. */
export class Asker {
  readonly xcb: XcbConnection;
  readonly atoms: WindowAtoms;
  readonly #window: number;
  readonly #mappings: MappingQuestions;
  /** Whether each awaited ping has been answered, by its number. */
  readonly #pings = new Map<number, boolean>();
  /** Selections whose owners have answered. */
  readonly #selections = new Set<number>();
  /** Windows watched for their end. */
  readonly #watched = new Set<number>();
  #lastPing = Math.floor(Math.random() * 0x7fffffff);

  /**
   * @param display The name of the display, such as `:0`.
   * @throws DesktopUnavailableError if the server is gone.
   */
  constructor(display: string) {
    const xcb = this.xcb = new XcbConnection(display);
    this.atoms = xcb.atoms(WINDOW_ATOMS);
    this.#mappings = new MappingQuestions(xcb);
    this.#window = createOwnWindow(xcb, WINDOW_CLASS.inputOnly);
  }

  /**
   * Watches for the end of a window, since a later program may get its number.
   * @returns Whether the window is new, so that anything known about its number concerns another window.
   */
  watch(window: number): boolean {
    if (this.isThere(window)) return false;
    this.xcb.select(window, STRUCTURE_NOTIFY);
    this.#watched.add(window);
    return true;
  }

  /** Whether a window passed to {@linkcode watch} still exists. */
  isThere(window: number): boolean {
    this.#readEvents();
    return this.#watched.has(window);
  }

  /**
   * Asks with `_NET_WM_PING` (EWMH), which programs answer when they reach it among their events.
   * @param window A window that lists it in WM_PROTOCOLS.
   */
  ping(window: number): Question {
    const { xcb, atoms: { WM_PROTOCOLS, _NET_WM_PING } } = this,
      number = this.#lastPing = this.#lastPing + 1 >>> 0;
    this.#pings.set(number, false);
    xcb.select(xcb.root, QUIRKS.pingAnswers.mask);
    xcb.sendMessage(window, WM_PROTOCOLS, [_NET_WM_PING, number, window], window);
    return {
      isAnswered: () => {
        this.#readEvents();
        return this.#pings.get(number)!;
      },
      end: () => {
        this.#pings.delete(number);
        if (this.#pings.size || xcb.isBroken) return; // a connection closed during the wait has no memory
        xcb.select(xcb.root, 0);
        xcb.flush();
      },
    };
  }

  /**
   * Asks by notifying the program of a keyboard map change, which X Toolkit programs answer.
   * @param record The program's record.
   */
  mapping(window: number, record: ProgramRecord): Question {
    this.#readEvents();
    return this.#mappings.ask(window, record);
  }

  /**
   * Records what programs send.
   * @param window One of a program's windows.
   * @param methods Input methods, as returned by {@linkcode inputMethods}.
   * @returns undefined if the server does not support this, or the window is gone.
   */
  record(window: number, methods: readonly number[]): ProgramRecord | undefined {
    const { xcb } = this, isThere = (one: number) => xcb.attributes(xcb.askAttributes(one)) !== undefined;
    if (!isThere(window)) return undefined;
    const owners = methods.map((method) => xcb.selectionOwner(method)).filter((one) => one && isThere(one));
    return ProgramRecord.begin(xcb.display, [window, ...owners]);
  }

  /**
   * Asks an X11 input method (XIM) which transports it supports. Like any program, the owner of a selection
   * answers in the order of its events.
   * @param server An atom from the root window's XIM_SERVERS.
   */
  inputMethod(server: number): Question {
    const { xcb, atoms: { TRANSPORT, DESKHAND } } = this;
    this.#selections.delete(server);
    xcb.xcb.xcb_convert_selection(xcb.connection, this.#window, server, TRANSPORT, DESKHAND, 0);
    xcb.xcb.xcb_flush(xcb.connection);
    const isAnswered = () => {
      this.#readEvents();
      return this.#selections.delete(server);
    };
    return { isAnswered, end: () => {} };
  }

  /** The running X11 input methods. */
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

  /** Reads the events that have arrived. */
  #readEvents(): void {
    const { xcb, atoms: { WM_PROTOCOLS, _NET_WM_PING } } = this;
    for (let event = xcb.event(); event; event = xcb.event()) {
      const type = event.getUint8(0);
      if (type === EVENT.selectionNotify) this.#selections.add(event.getUint32(12, true));
      if (type === EVENT.destroyNotify) this.#forget(event.getUint32(8, true));
      if (type === EVENT.mappingNotify) this.#mappings.noteChange();
      const isPing = type === EVENT.clientMessage && event.getUint32(8, true) === WM_PROTOCOLS &&
        event.getUint32(12, true) === _NET_WM_PING;
      const ping = event.getUint32(16, true);
      if (isPing && this.#pings.has(ping)) this.#pings.set(ping, true);
    }
  }
}

/** A question sent to a program. */
export interface Question {
  /** Whether the answer has arrived. Never waits. */
  isAnswered(): boolean;
  /** Ends the wait for the answer. */
  end(): void;
}

// Whether a window's program has handled the input sent to it: checked with a ping, which follows the input.

/**
 * First interval between checks for the answer, in milliseconds, the factor by which it grows with each
 * check, and its limit. A running program answers immediately; frequent checks would take processor time from
 * a late one.
 */
const LOOK = { ms: 3, growth: 1.5, limit: 15 } as const;
/**
 * How long this thread sleeps for the answer before the first check, in milliseconds: an idle program answers
 * within it, and a turn of the event loop would take 0.2 ms of processor time.
 */
const AT_ONCE_MS = 1;

/** Asks programs, over a connection opened for the first question. */
export class InputHandled {
  #asker: Asker | undefined;

  /** @param display The name of the display, such as `:0`. */
  constructor(readonly display: string) {}

  /**
   * Asks a window's program (EWMH, `_NET_WM_PING`).
   * @param ms Maximum wait, in milliseconds.
   * @returns Whether the program answered in time; undefined if it does not answer pings, or closes the
   * window instead.
   * @throws DesktopUnavailableError if the server is gone.
   */
  async ask(window: number, ms: number): Promise<boolean | undefined> {
    const asker = this.#connected(), { xcb, atoms: { WM_PROTOCOLS, _NET_WM_PING } } = asker;
    asker.watch(window); // first, so that a window read afterwards reports its end
    if (!xcb.numbers(xcb.askProperty(window, WM_PROTOCOLS)).includes(_NET_WM_PING)) return undefined;
    const question = asker.ping(window), end = performance.now() + ms;
    try {
      for (let pause = 0;; pause = Math.min(Math.max(LOOK.ms, pause * LOOK.growth), LOOK.limit)) {
        if (xcb.isBroken) return undefined; // the connection has been closed in the meantime
        if (question.isAnswered()) return true;
        if (!asker.isThere(window)) return undefined;
        if (performance.now() >= end) return false;
        if (pause) await delay(pause);
        else xcb.waitForInput(AT_ONCE_MS);
      }
    } finally {
      question.end();
    }
  }

  /** Closes the connections. */
  close(): void {
    this.#asker?.xcb.close();
    this.#asker = undefined;
  }

  #connected(): Asker {
    if (this.#asker?.xcb.isBroken) this.close();
    return this.#asker ??= new Asker(this.display);
  }
}
