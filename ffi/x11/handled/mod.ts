/**
 * Whether programs have handled the keys sent to them. A program looks up a key in the keyboard map when it
 * handles the key's event, which may be late; before that, an X11 input method (XIM) may receive the key and
 * return it.
 */

import { delay } from "@std/async/delay";
import { on, StateError } from "../../../core/errors.ts";
import { Mutex } from "../../../core/mutex.ts";
import { timeByLoad } from "../../../core/proc.ts";
import { threadsRest } from "../../linux/threads.ts";
import { type BusKeys, KEYS_HANDLED_MS, keysNotHandled } from "../../linux/input_method/bus_keys.ts";
import type { Connection } from "../connection.ts";
import { titleOf } from "../window_rows.ts";
import { Asker, type ProgramRecord, type Question } from "./questions.ts";
import { currentReceiver, FocusedProgram, programFor, type Receiver, type TextProgram } from "./receiver.ts";
import { hasWideCharacter, type Pace, QUIRKS } from "../../quirks.ts";
import { cutApart, cutAtRepeats } from "../../text.ts";

// Waits in steps, between which other work can run.

/**
 * Runs the steps of a wait.
 * @param steps Yields the time until the next step, in milliseconds.
 * @param connection It must exist at each step.
 * @param signal Ends the wait.
 * @returns The result of the wait.
 */
async function inSteps<T>(
  steps: Generator<number, T>,
  connection: Connection,
  signal?: AbortSignal,
): Promise<T> {
  try {
    for (let step = steps.next();; step = steps.next()) {
      if (step.done) return step.value;
      signal?.throwIfAborted();
      await delay(step.value);
      connection.check();
    }
  } finally {
    steps.return(undefined as T); // ends the question if the wait ended before the answer
  }
}

/**
 * Maximum time for the first answer of a program that may not support the question, in milliseconds; longer
 * on a busy machine.
 */
const FIRST_ANSWER_MS = 2000;
/** Maximum time for a program to learn of a new map, in milliseconds. */
const LEARNING_MS = 2000;
/** Maximum time for a busy program, such as one loading a document, to be ready for keys, in milliseconds. */
const AWAKE_MS = 20_000;
/**
 * How long a program must be idle to count as having loaded its document, in milliseconds: its caret blinks
 * twice a second, and while it loads, even its longest waits for the X server and the bus are shorter.
 */
const REST_MS = 150;
/**
 * Time granted to a program that cannot answer to handle its keys, in milliseconds; longer on a busy machine.
 */
const SILENT_MS = 300;
/** Maximum time between two messages of an input method in one exchange, in milliseconds. */
const QUIET_MS = 10;
/**
 * Number of questions for a program that receives input over another connection than its own to the X server,
 * such as keys from IBus. The program turns such input into new events, which it handles before it answers
 * the second question.
 */
const QUESTIONS = 2;
/** Interval between checks for an answer, in milliseconds. */
const LOOK_MS = 1;

/** A program to which keys were sent. */
interface Recipient extends Receiver {
  /** When the last keys were sent, by `performance.now`. */
  at: number;
}

/** The keys of one keyboard. */
export class KeysHandled {
  #asker: Asker | undefined;
  /** Windows whose programs may not have handled their keys yet. */
  readonly #recipients = new Map<number, Recipient>();
  /** Whether the program of a window answers, for windows that were asked before. */
  readonly #answering = new Map<number, boolean>();

  /** The titles at which windows' programs have been idle, by window. */
  readonly #loaded = new Map<number, string>();
  readonly #focused = new FocusedProgram();
  readonly #turns = new Mutex(Infinity, "");
  #busKeys: BusKeys | undefined;

  constructor(readonly connection: Connection) {}

  /** Records that keys were just sent to the program that receives them. */
  note(): void {
    const asker = this.#connected(), receiver = currentReceiver(asker);
    if (!receiver) return;
    this.#forgetDestroyed(asker);
    this.#watch(asker, receiver.window);
    this.#recipients.set(receiver.window, { ...receiver, at: performance.now() });
  }

  /** The running X11 input methods, such as `@server=ibus`. */
  inputMethods(): string[] {
    return this.#connected().inputMethods().map((method) => this.connection.atomName(method) ?? "");
  }

  /** The focused program, examined within the last two seconds. */
  focused(): TextProgram {
    return this.#focused.read(this.#connected());
  }

  /** Examines the focused program as {@linkcode programFor} does. */
  program(characters: readonly number[], hasMethod: boolean): TextProgram {
    return programFor(characters, hasMethod, this.#connected());
  }

  /**
   * Waits until every program has handled its keys.
   * @param signal Ends the wait.
   * @throws StateError naming a program that does not handle its keys.
   */
  async wait(signal?: AbortSignal): Promise<void> {
    await this.#turns.run(() => inSteps(this.#looks(), this.connection, signal));
  }

  /**
   * Waits for at most two seconds until the focused program has handled its events and waits for more, if the
   * program answers pings: then a program that receives events over several connections, such as Chromium,
   * has learned of a change to the map.
   * @param signal Ends the wait.
   * @returns A window whose program is late.
   */
  async learnt(signal?: AbortSignal, ms = LEARNING_MS): Promise<number | undefined> {
    const asker = this.#connected(), receiver = currentReceiver(asker);
    if (receiver?.pinged === undefined) return;
    this.#watch(asker, receiver.window);
    return await this.#turns.run(() =>
      inSteps(this.#pings(receiver.window, receiver.pinged!, ms), this.connection, signal)
    );
  }

  /** Waits as {@linkcode learnt} does, but longer. @throws StateError naming a program that is late. */
  async rested(signal?: AbortSignal): Promise<void> {
    const late = await this.learnt(signal, KEYS_HANDLED_MS);
    if (late !== undefined) throw this.#slowProgram(late);
  }

  /**
   * Waits until the focused program answers, and until it is idle under its window's current title: a window
   * may be active, and its program may answer, before the document that it loads receives keys.
   * @throws StateError naming a program that does not answer within 20 s.
   */
  async awake(signal?: AbortSignal): Promise<void> {
    const late = await this.learnt(signal, AWAKE_MS);
    if (late === undefined) return await this.#documentLoaded(signal);
    const title = titleOf(this.#connected(), late), seconds = AWAKE_MS / 1000;
    throw new StateError(
      `the program of the window ${title} is not ready for keys: it has not responded for ${seconds} s`,
    );
  }

  /** Waits until a program whose window is new, or has a new title, has loaded its document. */
  async #documentLoaded(signal?: AbortSignal): Promise<void> {
    const asker = this.#connected(), { window, pinged } = currentReceiver(asker) ?? {};
    if (window === undefined || pinged === undefined) return;
    if (this.#loaded.get(window) === titleOf(asker, pinged)) return;
    const { pid } = this.program([], false);
    if (pid === undefined) return;
    await threadsRest([`${pid}`], { quietMs: REST_MS, mostMs: AWAKE_MS }, signal);
    this.connection.check();
    this.#loaded.set(window, titleOf(this.#connected(), pinged));
  }

  /**
   * Waits as {@linkcode wait} does, but blocks this thread.
   * @param ms Maximum wait, in milliseconds.
   * @returns Whether every program has handled its keys; also false while {@linkcode wait} is waiting.
   */
  waitBlocking(ms: number): boolean {
    if (this.#turns.isTaken) return false;
    const end = performance.now() + ms;
    for (const looking of this.#looks()) {
      if (performance.now() >= end) return false;
      this.connection.libraries.c.usleep(looking * 1000);
    }
    return true;
  }

  /**
   * Keys that programs have passed to an input method over a bus; undefined if deskhand does not track them.
   */
  get busKeys(): BusKeys | undefined {
    return this.#busKeys;
  }

  /** Also waits for keys that programs pass over a bus, until {@linkcode forgetBus}. */
  watchBus(keys: BusKeys | undefined): void {
    this.forgetBus();
    this.#busKeys = keys;
  }

  /** Stops tracking keys on a bus. Never throws. */
  forgetBus(): void {
    this.#busKeys?.close();
    this.#busKeys = undefined;
  }

  /** Stops watching programs. Never throws. */
  close(): void {
    this.forgetBus();
    this.#asker?.xcb.close();
    this.#asker = undefined;
  }

  /** Watches for the end of a window. A restarted program may get its former window's number. */
  #watch(asker: Asker, window: number): void {
    if (asker.watch(window)) this.#forget(window);
  }

  /** Forgets destroyed windows, along with their programs' keys. */
  #forgetDestroyed(asker: Asker): void {
    const windows = new Set(
      [this.#recipients, this.#answering, this.#loaded].flatMap((map) => [...map.keys()]),
    );
    for (const window of windows) if (!asker.isThere(window)) this.#forget(window);
  }

  #forget(window: number): void {
    this.#recipients.delete(window);
    this.#answering.delete(window);
    this.#loaded.delete(window);
  }

  /** @returns The window that was pinged if its program is late. */
  *#pings(window: number, pinged: number, ms: number): Generator<number, number | undefined> {
    for (let i = 0; i < QUESTIONS; i++) {
      if (yield* this.#awaited(this.#connected().ping(pinged), ms, window)) continue;
      return this.#isGone(window, true) ? undefined : pinged;
    }
  }

  /** Asks all programs; yields the time to wait before the next check, in milliseconds. */
  *#looks(): Generator<number> {
    for (const recipient of [...this.#recipients.values()]) {
      const asker = this.#connected();
      this.#forgetDestroyed(asker);
      if (!this.#recipients.has(recipient.window)) continue;
      const methods = asker.inputMethods();
      const record = methods.length || recipient.pinged === undefined
        ? asker.record(recipient.window, methods)
        : undefined;
      try {
        yield* this.#answerOf(recipient, record);
        yield* this.#returned(recipient, methods, record);
        yield* this.#backFromBus(recipient, record);
      } finally {
        record?.end();
      }
      const isSame = this.#recipients.get(recipient.window) === recipient;
      if (isSame) this.#recipients.delete(recipient.window);
    }
    if (!this.#recipients.size) this.#busKeys?.forget();
  }

  /** Also waits until a program has handled the keys that it passed to an input method over a bus. */
  *#backFromBus(recipient: Recipient, record: ProgramRecord | undefined): Generator<number> {
    const keys = this.#busKeys, end = performance.now() + KEYS_HANDLED_MS;
    let calls: number | undefined;
    while (keys && keys.calls !== calls) {
      if (performance.now() >= end) throw keysNotHandled("the input method");
      for (const _ of keys.givenBack(recipient.at)) {
        if (performance.now() >= end) throw keysNotHandled("the input method");
        yield LOOK_MS;
      }
      calls = keys.calls;
      for (let i = calls ? QUESTIONS : 0; i > 0; i--) yield* this.#answerOf(recipient, record);
    }
  }

  /**
   * Waits until input methods have returned a program's keys. Some accept a key only after the program has
   * received the previous one back. All keys are back when every input method has answered and none has sent
   * anything since.
   */
  *#returned(recipient: Recipient, methods: number[], record: ProgramRecord | undefined): Generator<number> {
    if (!methods.length) return;
    const end = performance.now() + KEYS_HANDLED_MS;
    let messages: number | undefined;
    do {
      if (performance.now() >= end) throw keysNotHandled("the input method");
      messages = record?.messages;
      for (const method of methods) {
        if (!(yield* this.#awaited(this.#connected().inputMethod(method), KEYS_HANDLED_MS))) {
          throw keysNotHandled(`the input method ${this.connection.atomName(method)}`);
        }
      }
      yield* this.#answerOf(recipient, record);
      yield* this.#untilQuiet(record, end);
    } while (record?.messages !== messages); // no record exists for a program that is gone
  }

  /** Waits until nothing has been sent for a while, or until the deadline. */
  *#untilQuiet(record: ProgramRecord | undefined, end: number): Generator<number> {
    for (let messages = -1; record && messages !== record.messages && performance.now() < end;) {
      messages = record.messages;
      yield QUIET_MS;
      record.read();
    }
  }

  *#answerOf(recipient: Recipient, record: ProgramRecord | undefined): Generator<number> {
    const { window, pinged } = recipient;
    const mayBeSilent = pinged === undefined && !this.#answering.get(window);
    const question = pinged !== undefined
      ? this.#connected().ping(pinged)
      : record && this.#answering.get(window) !== false && this.#connected().mapping(window, record);
    if (question) {
      const answered = yield* this.#awaited(
        question,
        mayBeSilent ? timeByLoad(FIRST_ANSWER_MS) : KEYS_HANDLED_MS,
        window,
      );
      if (pinged === undefined) this.#answering.set(window, answered || !mayBeSilent);
      if (answered || this.#isGone(window, true)) return;
      if (!mayBeSilent) throw this.#slowProgram(pinged ?? window);
    }
    for (let left = 1, end = recipient.at + timeByLoad(SILENT_MS); left > 0;) {
      left = end - performance.now();
      if (left > 0) yield left;
    }
  }

  /** @returns Whether the answer came in time, and before the window was destroyed. */
  *#awaited(question: Question, ms: number, window?: number): Generator<number, boolean> {
    const end = performance.now() + ms;
    try {
      for (let looks = 1; performance.now() < end; looks++) {
        if (question.isAnswered()) return true;
        if (window && this.#isGone(window, looks % 64 === 0)) return false;
        yield LOOK_MS;
      }
      return question.isAnswered();
    } finally {
      question.end();
    }
  }

  /** @param asks Also asks the server, for a window that was destroyed before it was watched. */
  #isGone(window: number, asks: boolean): boolean {
    const asker = this.#connected(), { xcb } = asker;
    return !asker.isThere(window) || asks && !xcb.attributes(xcb.askAttributes(window));
  }

  #slowProgram(window: number): StateError {
    return keysNotHandled(`the program of the window ${titleOf(this.#connected(), window)}`);
  }

  /** @throws DesktopUnavailableError if the server is gone. */
  #connected(): Asker {
    if (this.#asker?.xcb.isBroken) this.close();
    return this.#asker ??= new Asker(this.connection.name);
  }
}

// The parts of a text between which deskhand waits for a program, by the program's pace.

/** Code points that Writer handles separately, as it does wide characters. */
const APART: readonly number[] = QUIRKS.writerTimer.apart;

/** The waits of a pace: within a text, and after a key combination. */
interface Steps {
  /** Waits before the first key, until the program is ready for keys; omitted if not needed. */
  begin?: Wait;
  /** Cuts a text into parts that can be typed without waiting. */
  cut(characters: number[]): Iterable<number[]>;
  /** Waits after a part; omitted if not needed. */
  wait?: Wait;
  /** Waits after a combination; omitted if not needed. */
  ready?: Wait;
}

type Wait = (handled: KeysHandled, signal?: AbortSignal) => Promise<unknown>;

const handled: Wait = (keys, signal) => keys.wait(signal);
const rested: Wait = (keys, signal) => keys.rested(signal);
const settled: Wait = async (keys, signal) => {
  await keys.wait(signal);
  await keys.rested(signal);
};
/**
 * Waits until the focused program answers, since it loses keys while it loads a document. A LibreOffice
 * window may be active and answer for a moment before its document accepts keys.
 */
const awake: Wait = async (keys, signal) => {
  await keys.awake(signal);
  await delay(QUIRKS.writerTimer.ms, { signal });
  await keys.awake(signal);
};
/** Waits until Writer's timer, which it restarts for each key, has emptied its buffer. */
const flushed: Wait = async (keys, signal) => {
  await keys.wait(signal);
  await delay(QUIRKS.writerTimer.ms, { signal });
  await keys.rested(signal);
};
/** Waits for the keys of a command. The command may take longer than this wait; it still completes. */
const commanded: Wait = (keys, signal) => settled(keys, signal).catch(on(StateError));

/** The steps of each pace. */
export const PACES: Readonly<Record<Pace, Steps>> = {
  free: { cut: (characters) => [characters] },
  settled: { cut: (characters) => [characters], wait: handled, ready: commanded },
  apart: {
    begin: awake,
    cut: (characters) => cutApart(characters, (one) => APART.includes(one) || hasWideCharacter([one])),
    wait: flushed,
    ready: commanded,
  },
  unrepeated: { cut: cutAtRepeats, wait: handled, ready: handled },
  single: { cut: (characters) => characters.map((character) => [character]), wait: rested, ready: commanded },
};
