/** A session: its program, windows, elements and timeouts, and what it holds down. */

import type { ElementDetails, ProgramElement, ProgramParts, WindowInfo } from "../../desktop/desktop.ts";
import {
  areQuiet,
  describeRef,
  type ReadPrograms,
  readPrograms,
  refOfElement,
  windowsOf,
} from "../../elements/programs.ts";
import { elementsOf, refsOf } from "../../elements/list.ts";
import type { Operator } from "../../operator/operator.ts";
import { ExpectedError, on } from "../../../core/errors.ts";
import { timeByLoad } from "../../../core/proc.ts";
import { until } from "../../../core/until.ts";
import { count, field, optional, parseFields } from "../../schema/schema.ts";
import { type Capabilities, SILENCE_S } from "./capabilities.ts";
import { notCreated, WebDriverError } from "./errors.ts";
import { ELEMENT_KEY, type HeldInput, releaseHeld } from "./input_actions.ts";
import type { Locator } from "./locators.ts";
import { SessionProgram } from "./program.ts";

/** Maximum time for a program to show its first window on an idle machine, in milliseconds. */
const START_MS = 20_000;
/** The same on a busy machine. */
export const LONGEST_START_MS = 60_000;
/** The same for attaching to a running program: a single look, with the time limit of one. */
const ATTACH_MS = 3000, LONGEST_ATTACH_MS = 8000;
/** Polling intervals for that window, for changes, and for elements without changes, in milliseconds. */
const START_LOOK_MS = 10, CHANGE_LOOK_MS = 20, LOOK_MS = 250;
/** Maximum timeout that a client may set, in milliseconds, and the maximum of `setTimeout`. */
const LONGEST_MS = 24 * 3_600_000, LONGEST_TIMER_MS = 2 ** 31 - 1;
/**
 * A timeout that has an effect or that clients read back. Values above {@linkcode LONGEST_MS} count as that
 * time.
 */
const TIME = optional(count("Milliseconds"));
const isTime = (value: unknown) => value === null || Number.isSafeInteger(value) && (value as number) >= 0;
const TIMES = {
  implicit: TIME,
  pageLoad: TIME,
  script: optional(field<number | null>({}, "a whole number from 0, or null", isTime)),
};

const NO_ANSWER = "the program does not answer";

/** Elements that were read, and which properties they include. */
interface Reading extends Omit<ReadPrograms, "isWhole"> {
  parts: ProgramParts;
  /** Whether a program left requests unanswered, so that elements may be missing. */
  isSilent: boolean;
}

/** A client's session. */
export class Session {
  readonly id: string = crypto.randomUUID();
  readonly timeouts: { script: number | null; pageLoad: number; implicit: number };
  /** Keys and buttons that the session's actions hold down. */
  readonly held: HeldInput = [];
  /** The window that the client switched to. */
  windowId: string | undefined;
  #last: Reading | undefined;
  /** Called when no command has arrived for as long as the session waits. */
  onSilence: () => void = () => {};
  /** Number of running commands. */
  #running = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #hasEnded = false;

  private constructor(
    readonly operator: Operator,
    readonly capabilities: Capabilities,
    /** The program; undefined if the session covers the whole desktop. */
    readonly program: SessionProgram | undefined,
    implicitMs: number,
  ) {
    this.timeouts = { script: 30_000, pageLoad: 300_000, implicit: implicitMs };
    if (capabilities.timeouts) this.setTimeouts(capabilities.timeouts);
  }

  /**
   * Starts a session's program or attaches to it, and waits until it shows a window.
   * @param allowed The programs that may be started.
   * @param implicitMs The implicit wait, unless the session sets one.
   * @throws WebDriverError if the session cannot be created.
   */
  static async open(
    operator: Operator,
    capabilities: Capabilities,
    { allowed, implicitMs, signal }: { allowed: readonly string[]; implicitMs: number; signal: AbortSignal },
  ): Promise<Session> {
    const program = await programOf(operator, capabilities, allowed);
    try {
      const session = new Session(operator, capabilities, program, implicitMs);
      if (program) await session.#appears(program, signal);
      const { appTopLevelWindow: own } = capabilities;
      if (own !== undefined) session.windowId = (await windowOf(operator, own)).id;
      return session;
    } catch (error) {
      await program?.end();
      throw error;
    }
  }

  /** Waits until the program shows a window and its elements. */
  async #appears(program: SessionProgram, signal: AbortSignal): Promise<void> {
    const isStarted = kindOf(this.capabilities) === "started";
    const name = isStarted ? this.capabilities.app : `process ${program.pid}`;
    const ms = isStarted ? timeByLoad(START_MS, LONGEST_START_MS) : timeByLoad(ATTACH_MS, LONGEST_ATTACH_MS);
    let windows: readonly WindowInfo[] = [];
    const look = async () => {
      const hasEnded = program.hasEnded;
      windows = await this.windows();
      // Reads only the windows of a starting program, to keep it free.
      const shown = windows.length && await readPrograms(this.operator, program.pids, { isShallow: true });
      if (shown && shown.elements.some(({ windowId }) => windowId !== undefined)) return true;
      if (!hasEnded) return false;
      const code = await program.exitCode(), how = code === undefined ? "" : ` with code ${code}`;
      const instead = "to attach to a running program, use appTopLevelWindow";
      throw notCreated(`${name} ended${how} before it showed a window; ${instead}`);
    };
    if (await until(look, { ms, every: START_LOOK_MS, signal })) return;
    const silent = windows[0] && (await elementsOf(this.operator).read(windows[0], false)).silent;
    const why = silent ? `: ${silent}` : "";
    throw notCreated(`${name} showed no window with elements within ${Math.round(ms / 1000)} s${why}`);
  }

  /** Runs a command, and restarts the timer for the next one. */
  async whileRunning<T>(run: () => T | Promise<T>): Promise<T> {
    this.#running++;
    try {
      return await run();
    } finally {
      this.#running--;
      this.expectCommand();
    }
  }

  /** Starts the timer for the next command, unless the client may be silent forever. */
  expectCommand(): void {
    clearTimeout(this.#timer);
    const ms = Math.min(1000 * (this.capabilities.newCommandTimeout ?? SILENCE_S), LONGEST_TIMER_MS);
    if (ms && !this.#hasEnded) this.#timer = setTimeout(() => this.#running || this.onSilence(), ms);
  }

  /** The session's processes; undefined for the whole desktop. */
  get pids(): ReadonlySet<number> | undefined {
    return this.program?.pids;
  }

  /** @throws InputError if a timeout is invalid. */
  setTimeouts(given: Record<string, unknown>): void {
    Object.assign(this.timeouts, parseFields(TIMES, given));
  }

  /** The session's windows, the front one first. */
  async windows(): Promise<readonly WindowInfo[]> {
    return await windowsOf(this.operator, this.pids);
  }

  /**
   * The session's current window.
   * @throws WebDriverError if it is closed or there is none.
   */
  async window(): Promise<WindowInfo> {
    const windows = await this.windows(), { windowId } = this;
    const window = windowId === undefined
      ? windows.find(({ active }) => active) ?? windows[0]
      : windows.find(({ id }) => id === windowId);
    if (window) return window;
    const why = windowId === undefined ? "the program has no window" : `the window ${windowId} is closed`;
    throw new WebDriverError("no such window", why);
  }

  /**
   * Reads all elements.
   * @throws WebDriverError if the program has ended, or does not answer.
   */
  async read(parts: ProgramParts): Promise<readonly ProgramElement[]> {
    const { elements, isSilent } = await this.#read(parts, false);
    if (isSilent) throw new WebDriverError("timeout", NO_ANSWER);
    return elements;
  }

  async #read(parts: ProgramParts, watched: boolean): Promise<Reading> {
    const { pids } = this,
      { isWhole, ...read } = await readPrograms(this.operator, pids, { ...parts, watched });
    if (this.#hasEnded) throw new WebDriverError("invalid session id", "the session has ended");
    if (!read.elements.length && this.program?.hasEnded) {
      throw new WebDriverError("no such window", "the program has ended");
    }
    // An element without a role has not answered.
    const isSilent = !isWhole && read.elements.some(({ tag }) => tag === "invalid");
    return this.#last = { ...read, parts, isSilent };
  }

  /** The reference to an element of the last reading, as answers contain it. */
  reference(element: ProgramElement): Record<string, string> {
    return { [ELEMENT_KEY]: this.#refOf(element) };
  }

  #refOf(element: ProgramElement): string {
    return refOfElement(this.operator, element, this.#last?.windows ?? []);
  }

  /**
   * Reads the element of a reference.
   * @throws WebDriverError if there never was such an element; NotFoundError if it no longer exists.
   */
  async details(ref: string): Promise<ElementDetails> {
    this.keyOf(ref);
    return await describeRef(this.operator, ref);
  }

  /**
   * The key of a reference.
   * @throws WebDriverError if there never was such an element.
   */
  keyOf(ref: string): string {
    try {
      return refsOf(this.operator).get(ref).key;
    } catch {
      throw new WebDriverError("no such element", `there is no element ${ref}`);
    }
  }

  /**
   * Finds elements. The implicit wait is a single wait here, which looks again when a program reports a
   * change.
   * @param from Reference of the element to search below; everywhere if left out.
   * @returns An empty list if none appeared in time.
   */
  async find(
    locator: Locator,
    from: string | undefined,
    isOne: boolean,
    signal: AbortSignal,
  ): Promise<ProgramElement[]> {
    const proposed = isOne ? await this.#proposed(locator, from) : undefined;
    if (proposed) return [proposed];
    const { implicit } = this.timeouts;
    let found: ProgramElement[] = [], readAt = -Infinity, readMs = 0, isSilent = false;
    const look = async () => {
      const sinceMs = performance.now() - readAt;
      // Leaves at least half of the time to a program that changes constantly.
      if (sinceMs < readMs || sinceMs < LOOK_MS && await areQuiet(this.operator, this.pids)) return false;
      const began = performance.now(),
        reading = await this.#read(locator.parts, implicit > 0),
        { elements } = reading;
      isSilent = reading.isSilent;
      readAt = performance.now();
      readMs = readAt - began;
      const start = this.#startIn(elements, from);
      if (start === undefined) throw new WebDriverError("stale element reference", `${from} is gone`);
      found = await locator.find(elements, start);
      return found.length > 0;
    };
    await until(look, { ms: Math.min(implicit, LONGEST_MS), every: CHANGE_LOOK_MS, signal });
    if (!found.length && isSilent) throw new WebDriverError("timeout", NO_ANSWER);
    if (!isOne || !found.length) return found;
    const one = locator.one?.(found) ?? found[0];
    return [withPlace(one, await this.#seen(one))]; // a click then knows that it is not moving
  }

  /** Index of the element to search below; -1 for all, undefined if it is not in the tree. */
  #startIn(elements: readonly ProgramElement[], from: string | undefined): number | undefined {
    if (from === undefined) return -1;
    const key = this.keyOf(from), at = elements.findIndex((element) => element.key === key);
    return at < 0 ? undefined : at;
  }

  /**
   * An element that the last reading proposes and that still matches. An older tree can find elements but not
   * rule them out: if none of its elements matches, everything is read again.
   */
  async #proposed(
    { fits, parts, find, one }: Locator,
    from: string | undefined,
  ): Promise<ProgramElement | undefined> {
    const last = this.#last, start = last && this.#startIn(last.elements, from);
    if (!fits || start === undefined || !last) return undefined;
    if (parts.ids && !last.parts.ids || parts.descriptions && !last.parts.descriptions) return undefined;
    const found = await find(last.elements, start);
    if (!found.length) return undefined;
    const first = one?.(found) ?? found[0], now = await this.#seen(first);
    return now && fits(now) && (now.isShown || !first.isShown) ? withPlace(first, now) : undefined;
  }

  /** Reads an element again; undefined if it no longer exists. */
  async #seen(element: ProgramElement): Promise<ElementDetails | undefined> {
    return await describeRef(this.operator, this.#refOf(element), true).catch(on(ExpectedError));
  }

  /** Ends the session, and its program unless it was attached or is to keep running. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    await releaseHeld(this.operator, this.held).catch(() => {}); // an unavailable desktop holds nothing
    if (this.capabilities.shouldCloseApp !== false) await this.program?.end();
  }
}

function withPlace(element: ProgramElement, seen: ElementDetails | undefined): ProgramElement {
  return seen?.place ? { ...element, place: seen.place } : element;
}

/** Whether capabilities request the whole desktop, a running program, or one to start. */
export function kindOf({ app = "Root", appTopLevelWindow }: Capabilities): "desktop" | "running" | "started" {
  if (appTopLevelWindow !== undefined || /^\d+$/.test(app)) return "running";
  return /^root$/i.test(app) ? "desktop" : "started";
}

/** The program that capabilities request; undefined for the whole desktop. */
async function programOf(
  operator: Operator,
  capabilities: Capabilities,
  allowed: readonly string[],
): Promise<SessionProgram | undefined> {
  const { app, appTopLevelWindow } = capabilities, kind = kindOf(capabilities);
  if (kind === "desktop") return undefined;
  if (kind === "started") {
    // Starts the accessibility bus, which programs look for when they start.
    await readPrograms(operator, new Set([Deno.pid]), {});
    return await SessionProgram.start(capabilities, allowed);
  }
  const window = appTopLevelWindow === undefined ? undefined : await windowOf(operator, appTopLevelWindow);
  const pid = window ? window.pid : Number(app);
  if (!pid) throw notCreated(`the process of the window ${window?.title} is not known`);
  const program = SessionProgram.attach(pid);
  if (!program.hasEnded) return program;
  throw notCreated(`there is no process ${pid}`);
}

/** The window with a number as Windows or X11 write it. @throws WebDriverError if there is none. */
async function windowOf(operator: Operator, number: string): Promise<WindowInfo> {
  const isNumber = /^(?:0x[0-9a-f]+|\d+)$/i.test(number), windows = await windowsOf(operator, undefined);
  const window = windows.find(({ id }) => isNumber && BigInt(id) === BigInt(number));
  if (window) return window;
  throw notCreated(`there is no window ${number}`);
}
