/**
 * Questions that a program answers only once it has handled the keys before them. Each is asked over a connection of
 * its own; the X server gives a program its events in the order in which they were sent.
 */

import { QUIRKS } from "../../quirks.ts";
import { MAPPING_NOTIFY } from "../connection.ts";
import { EVENT, STRUCTURE_NOTIFY } from "../selection_connection.ts";
import { CATEGORY, RECORD_RANGE, ServerRecord } from "../server_record.ts";
import { WINDOW_ATOMS, type WindowAtoms } from "../window_rows.ts";
import { createOwnWindow, WINDOW_CLASS, XcbConnection } from "../xcb_connection.ts";
import { delay } from "@std/async/delay";
import { timeByLoad } from "../../../core/proc.ts";

// A question to programs that know no `_NET_WM_PING`, such as xterm. When a program of the X Toolkit handles
// a MappingNotify event, it asks the server for the keyboard map at once (libXt, _XtRefreshMapping), which
// the RECORD extension shows. The event is sent to that program alone, and the map stays as it is.

/** MappingNotify's request (X.h). */
const MAPPING_KEYBOARD = 1;
const LAST_KEYCODE = 255;
/** The time that a change of the keyboard map may wait among a program's events, in milliseconds. */
const CHANGE_MS = 30_000;
/**
 * The pause after which a program that has begun to handle such events counts as finished, in milliseconds; longer on
 * a busy machine.
 */
const PAUSE_MS = 500;

/** Known facts of a window's program. */
interface Asked {
  /** The time of the last question that was answered, by `performance.now`. */
  at: number;
  /** The number of events that a client gets for a change of the map; undefined if that is not known yet. */
  perChange: number | undefined;
}

/** Asks one program at a time. */
class MappingQuestions {
  /** The times at which the keyboard map changed, by `performance.now`. */
  readonly #changes: number[] = [];
  /** Programs by window. */
  readonly #asked = new Map<number, Asked>();

  constructor(readonly xcb: XcbConnection) {}

  /** Notes that programs were told of a change of the map. */
  noteChange(): void {
    const now = performance.now();
    while (this.#changes[0] < now - CHANGE_MS) this.#changes.shift();
    this.#changes.push(now);
  }

  /** Forgets a window that was destroyed. */
  forget(window: number): void {
    this.#asked.delete(window);
  }

  /**
   * Asks the program of a window. Other changes of the map may be among the program's events. Their number is learnt
   * from the first answer, which therefore takes longer.
   * @param record The record of the program.
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
    event.set([MAPPING_NOTIFY, 0, 0, 0, MAPPING_KEYBOARD, LAST_KEYCODE, 1]);
    xcb.xcb_send_event(connection, 0, window, 0, event);
    xcb.xcb_flush(connection);
  }
}

// Requests of programs to the X server, as its RECORD extension shows them.

/** Core request and event codes (X11 protocol, appendix B). */
const SEND_EVENT = 25, GET_KEYBOARD_MAPPING = 101, GET_MODIFIER_MAPPING = 119, CLIENT_MESSAGE_EVENT = 33;
/** The offsets in SendEvent of the window that gets the event, and of the event, which begins with its type. */
const SENT_TO = 4, SENT_EVENT = 12;

/** Records a program's requests until it is closed. */
export class ProgramRecord {
  /**
   * The number of changes of the keyboard map that the program has come to: for each, Xlib asks for the modifiers and
   * then for the keys (_XRefreshKeyboardMapping), behind the X Toolkit, which asks the other way round.
   */
  mappings = 0;
  /** The time of the last unanswered question, by `performance.now`. */
  mappedAt = 0;
  /** The number of changes, and of questions that look like one. */
  changes = 0;
  questions = 0;
  /**
   * The number of messages that the program has sent to windows, as input methods do. Answers to pings go to the root window.
   */
  messages = 0;
  /** The last request for the map. */
  #last = 0;
  #record: ServerRecord | undefined;

  /**
   * Begins to record.
   * @param display The name of the display, such as `:0`.
   * @param windows The windows of the programs.
   * @returns undefined if the server lacks RECORD, or a program is gone.
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
    this.#record!.end();
  }

  #note(request: Deno.UnsafePointerView): void {
    const code = request.getUint8(0);
    if (code === SEND_EVENT) {
      const isForRoot = BigInt(request.getUint32(SENT_TO)) === this.#record!.data.root;
      if (request.getUint8(SENT_EVENT) === CLIENT_MESSAGE_EVENT && !isForRoot) this.messages++;
      return;
    }
    if (code === GET_KEYBOARD_MAPPING && this.#last === GET_MODIFIER_MAPPING) {
      this.mappings++;
      this.mappedAt = performance.now();
    }
    this.#last = code;
  }
}

const CLIENT_MESSAGE = 33;

/** Asks programs, over connections that are opened with the first question. */
export class Asker {
  readonly #window: number;
  readonly #mappings: MappingQuestions;
  /** Whether each ping is answered, by its number, for those that are awaited. */
  readonly #pings = new Map<number, boolean>();
  /** Selections whose owner has answered. */
  readonly #selections = new Set<number>();
  /** Windows whose end is watched. */
  readonly #watched = new Set<number>();
  #lastPing = Math.floor(Math.random() * 0x7fffffff);

  constructor(readonly xcb: XcbConnection, readonly atoms: WindowAtoms) {
    this.#mappings = new MappingQuestions(xcb);
    this.#window = createOwnWindow(xcb, WINDOW_CLASS.inputOnly);
  }

  /**
   * Watches the end of a window: a later program may get its number.
   * @returns Whether the window is new: what is known of its number is then about another one.
   */
  watch(window: number): boolean {
    if (this.isThere(window)) return false;
    this.xcb.select(window, STRUCTURE_NOTIFY);
    this.#watched.add(window);
    return true;
  }

  /** Whether a window is there that {@linkcode watch} was called for. */
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
        if (this.#pings.size || xcb.isBroken) return; // a connection that was closed during the wait has no memory
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
    const isAnswered = () => {
      this.#readEvents();
      return this.#selections.delete(server);
    };
    return { isAnswered, end: () => {} };
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
      const ping = event.getUint32(16, true);
      if (isPing && this.#pings.has(ping)) this.#pings.set(ping, true);
    }
  }
}

/** A question that was put to a program. */
export interface Question {
  /** Whether the answer is there; false until then. It never waits. */
  isAnswered(): boolean;
  /** Ends the wait for the answer. */
  end(): void;
}

// Whether a window's program has handled the input that it was sent: by a ping, which comes behind the input.

/**
 * The first pause between two looks for the answer, in milliseconds, the factor by which it grows with each look, and its
 * limit. A running program answers at once; frequent looks would take processor time from a late one.
 */
const LOOK = { ms: 3, growth: 1.5, limit: 15 } as const;
/**
 * The time in milliseconds for which this thread sleeps for the answer before the first look: a program that rests answers
 * within it, and a turn of the event loop would take 0.2 ms of the processor.
 */
const AT_ONCE_MS = 1;

/** Asks programs, over a connection that is opened with the first question. */
export class InputHandled {
  #xcb: XcbConnection | undefined;
  #atoms!: WindowAtoms;
  #asker!: Asker;

  /** @param display The name of the display, such as `:0`. */
  constructor(readonly display: string) {}

  /**
   * Asks the program of a window (EWMH, `_NET_WM_PING`).
   * @param ms The longest wait.
   * @returns Whether the program answered in time; undefined if it does not answer pings, or closes the window instead.
   * @throws DesktopUnavailableError if the server is gone.
   */
  async ask(window: number, ms: number): Promise<boolean | undefined> {
    const xcb = this.#connected(), asker = this.#asker, { WM_PROTOCOLS, _NET_WM_PING } = this.#atoms;
    asker.watch(window); // before it is read: a window that is read then reports its end
    if (!xcb.numbers(xcb.askProperty(window, WM_PROTOCOLS)).includes(_NET_WM_PING)) return undefined;
    const question = asker.ping(window), end = performance.now() + ms;
    try {
      for (let pause = 0;; pause = Math.min(Math.max(LOOK.ms, pause * LOOK.growth), LOOK.limit)) {
        if (xcb.isBroken) return undefined; // the connection was closed since
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
    this.#xcb?.close();
    this.#xcb = undefined;
  }

  #connected(): XcbConnection {
    if (this.#xcb && !this.#xcb.isBroken) return this.#xcb;
    this.close();
    const xcb = new XcbConnection(this.display);
    this.#atoms = xcb.atoms(WINDOW_ATOMS);
    this.#asker = new Asker(xcb, this.#atoms);
    return this.#xcb = xcb;
  }
}
