/** A session: its program, its windows and elements, its times, and what it holds down. */

import { delay } from "@std/async/delay";
import { poll } from "../../operator/wait.ts";
import type { ElementDetails, ProgramElement, ProgramParts, WindowInfo } from "../../desktop/desktop.ts";
import { areQuiet, describeRef, readPrograms, refOfElement, windowsOf } from "../../elements/programs.ts";
import { elementsOf, refsOf } from "../../elements/list.ts";
import type { Operator } from "../../operator/operator.ts";
import { ExpectedError } from "../../../core/errors.ts";
import { isJsonObject } from "../../../core/json.ts";
import { timeByLoad } from "../../../core/proc.ts";
import { type Capabilities, PLATFORM } from "./capabilities.ts";
import { invalid, WebDriverError } from "./errors.ts";
import { type HeldInput, releaseHeld } from "./input_actions.ts";
import type { Locator } from "./locators.ts";
import { SessionProgram } from "./program.ts";

/** The time that a program may take to show its first window, on an idle machine and at most, in milliseconds. */
const START_MS = 20_000, LONGEST_START_MS = 60_000;
/** The time between two looks for that window, for changes, and for elements without changes, in milliseconds. */
const START_LOOK_MS = 10, CHANGE_LOOK_MS = 20, LOOK_MS = 250;
/** The longest time that a client may set, in milliseconds. */
const LONGEST_MS = 24 * 3_600_000;

/** Elements that were read, with the parts that they have. */
interface Reading {
  elements: readonly ProgramElement[];
  windows: readonly WindowInfo[];
  parts: ProgramParts;
}

/** A session of a client. */
export class Session {
  readonly id: string = crypto.randomUUID();
  readonly timeouts: { script: number | null; pageLoad: number; implicit: number };
  /** Keys and buttons that the session's actions hold. */
  readonly held: HeldInput = [];
  /** The window that the client switched to. */
  windowId: string | undefined;
  #last: Reading | undefined;

  private constructor(
    readonly operator: Operator,
    readonly capabilities: Capabilities,
    /** The program; undefined for a session that has the whole desktop. */
    readonly program: SessionProgram | undefined,
    implicitMs: number,
  ) {
    this.timeouts = { script: 30_000, pageLoad: 300_000, implicit: implicitMs };
    if (capabilities.timeouts) this.setTimeouts(capabilities.timeouts);
  }

  /**
   * Starts or takes the program of a session, and waits until it shows a window.
   * @param allowed The programs that may be started.
   * @param implicitMs The implicit wait, unless the session sets one.
   * @throws WebDriverError if the session cannot be made.
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
    const name = String(this.capabilities.app ?? `process ${program.pid}`);
    const failed = (why: string) => new WebDriverError("session not created", `${name} ${why}`);
    let windows: readonly WindowInfo[] = [];
    const ms = PLATFORM === "linux" ? timeByLoad(START_MS, LONGEST_START_MS) : START_MS;
    for (const end = performance.now() + ms;;) {
      const hasEnded = program.hasEnded;
      windows = await this.windows();
      // A program that starts is not kept busy by reading more than its windows.
      if (windows.length) {
        const { elements } = await readPrograms(this.operator, program.pids, { isShallow: true });
        if (elements.some(({ windowId }) => windowId !== undefined)) return;
      }
      if (hasEnded) {
        const code = await program.exitCode(), words = code === undefined ? "" : ` with code ${code}`;
        throw failed(
          `ended${words} before it showed a window; one that runs already is taken by appTopLevelWindow`,
        );
      }
      if (performance.now() > end) break;
      await delay(START_LOOK_MS, { signal });
    }
    const silent = windows[0] && (await elementsOf(this.operator).read(windows[0], false)).silent;
    throw failed(
      `showed no window with elements within ${Math.round(ms / 1000)} s${silent ? `: ${silent}` : ""}`,
    );
  }

  /** The session's processes; undefined for the whole desktop. */
  get pids(): ReadonlySet<number> | undefined {
    return this.program?.pids;
  }

  /** @throws WebDriverError if a time is wrong. */
  setTimeouts(given: unknown): void {
    if (!isJsonObject(given)) throw invalid("timeouts must be an object");
    const entries = Object.entries(given).filter(([name]) => Object.hasOwn(this.timeouts, name));
    for (const [name, value] of entries) {
      const isRight = Number.isSafeInteger(value) && (value as number) >= 0 ||
        name === "script" && value === null;
      if (!isRight) throw invalid(`${name} must be a whole number of milliseconds`);
    }
    Object.assign(this.timeouts, Object.fromEntries(entries));
  }

  /** The session's windows, the front one first. */
  async windows(): Promise<WindowInfo[]> {
    return await windowsOf(this.operator, this.pids);
  }

  /**
   * The window that commands are about.
   * @throws WebDriverError if it is closed, or there is none.
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
   * @throws WebDriverError if the program has ended.
   */
  async read(parts: ProgramParts, watched = false): Promise<readonly ProgramElement[]> {
    const { elements, windows } = await readPrograms(this.operator, this.pids, { ...parts, watched });
    if (!elements.length && this.program?.hasEnded) {
      throw new WebDriverError("no such window", "the program has ended");
    }
    this.#last = { elements, windows, parts };
    return elements;
  }

  /** The reference of an element that was read last. */
  refOf(element: ProgramElement): string {
    return refOfElement(this.operator, element, this.#last?.windows ?? []);
  }

  /**
   * Reads the element of a reference.
   * @throws WebDriverError if there never was such an element; NotFoundError if it is gone.
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
   * Finds elements: the implicit wait is one wait here, which looks again when a program reports a change.
   * @param from The reference of the element below which to look; everywhere if left out.
   * @returns An empty list if none came in time.
   */
  async find(
    locator: Locator,
    from: string | undefined,
    isOne: boolean,
    signal: AbortSignal,
  ): Promise<ProgramElement[]> {
    const proposed = isOne ? await this.#proposed(locator, from) : undefined;
    if (proposed) return [proposed];
    const { implicit } = this.timeouts, start = from === undefined ? undefined : this.keyOf(from);
    let found: ProgramElement[] = [], readAt = -Infinity, readMs = 0;
    const look = async () => {
      const sinceMs = performance.now() - readAt;
      // A program that changes all the time has half of the time for itself.
      if (sinceMs < readMs || sinceMs < LOOK_MS && await areQuiet(this.operator, this.pids)) return false;
      const began = performance.now(), elements = await this.read(locator.parts, implicit > 0);
      readAt = performance.now();
      readMs = readAt - began;
      found = await locator.find(elements, indexOf(elements, start, from));
      return found.length > 0;
    };
    await poll(look, CHANGE_LOOK_MS, Math.min(implicit, LONGEST_MS), signal);
    if (!isOne || !found.length) return found;
    return [withPlace(found[0], await this.#seen(found[0]))]; // a click then knows that the element rests
  }

  /**
   * An element that the last reading proposes and that still fits. An older tree may say yes and never no: if none of
   * its elements fits, everything is read.
   */
  async #proposed(locator: Locator, from: string | undefined): Promise<ProgramElement | undefined> {
    const last = this.#last, { fits, parts } = locator;
    const lacks = (part: keyof ProgramParts) => parts[part] && !last?.parts[part];
    if (!last || !fits || lacks("ids") || lacks("descriptions")) return undefined;
    const start = from === undefined ? -1 : last.elements.findIndex(({ key }) => key === this.keyOf(from));
    if (from !== undefined && start < 0) return undefined;
    const [first] = await locator.find(last.elements, start);
    if (!first) return undefined;
    const now = await this.#seen(first);
    return now && fits(now) && (now.isShown || !first.isShown) ? withPlace(first, now) : undefined;
  }

  /** Reads an element again; undefined if it is gone. */
  async #seen(element: ProgramElement): Promise<ElementDetails | undefined> {
    return await describeRef(this.operator, this.refOf(element), true).catch((error) => {
      if (error instanceof ExpectedError) return undefined;
      throw error;
    });
  }

  /** Ends the session, and its program unless it was attached or is to stay. */
  async end(): Promise<void> {
    await releaseHeld(this.operator, this.held).catch(() => {}); // a desktop that is gone holds nothing
    if (this.capabilities.shouldCloseApp !== false) await this.program?.end();
  }
}

function withPlace(element: ProgramElement, seen: ElementDetails | undefined): ProgramElement {
  return seen?.place ? { ...element, place: seen.place } : element;
}

/** The index of the element to start at. @throws WebDriverError if it is gone. */
function indexOf(elements: readonly ProgramElement[], key: string | undefined, ref = ""): number {
  if (key === undefined) return -1;
  const at = elements.findIndex((element) => element.key === key);
  if (at < 0) throw new WebDriverError("stale element reference", `${ref} is gone`);
  return at;
}

/** The program of capabilities; undefined for the whole desktop. */
async function programOf(
  operator: Operator,
  capabilities: Capabilities,
  allowed: readonly string[],
): Promise<SessionProgram | undefined> {
  const { app, appTopLevelWindow } = capabilities;
  if (appTopLevelWindow !== undefined) {
    const { pid, title } = await windowOf(operator, appTopLevelWindow);
    if (pid !== undefined) return SessionProgram.attach(pid);
    throw new WebDriverError("session not created", `the process of the window ${title} is not known`);
  }
  if (app === undefined || /^root$/i.test(String(app))) return undefined;
  if (/^\d+$/.test(String(app))) {
    const program = SessionProgram.attach(Number(app));
    if (!program.hasEnded) return program;
    throw new WebDriverError("session not created", `there is no process ${app}`);
  }
  // Starts the accessibility bus, for which programs look when they start.
  await readPrograms(operator, new Set([Deno.pid]), {});
  return SessionProgram.start(capabilities, allowed);
}

/** The window of a number as Windows or X11 write it. @throws WebDriverError if there is none. */
async function windowOf(operator: Operator, number: string): Promise<WindowInfo> {
  const isNumber = /^(?:0x[0-9a-f]+|\d+)$/i.test(number);
  const window = (await windowsOf(operator, undefined)).find(({ id }) =>
    isNumber && BigInt(id) === BigInt(number)
  );
  if (window) return window;
  throw new WebDriverError("session not created", `there is no window ${number}`);
}
