/**
 * Elements of windows through AT-SPI, the accessibility of Linux desktops
 * (https://www.freedesktop.org/wiki/Accessibility/AT-SPI2).
 */

import type {
  ElementChange,
  ElementDetails,
  ElementDialog,
  ElementInfo,
  Elements,
  ElementTree,
  ProgramRequest,
  ProgramTree,
  WindowInfo,
} from "../../control/desktop/desktop.ts";
import { CallWorker } from "../../core/worker.ts";
import { readProc } from "../../core/proc.ts";
import { QUIRKS } from "../quirks.ts";
import type { ListedAccessible, Origin } from "./window_reader.ts";

/** A question to the Worker. */
type Question =
  | { type: "read"; window: WindowInfo; hidden: boolean }
  | { type: "reread"; window: WindowInfo; key: string }
  | { type: "named"; window: WindowInfo; name: string }
  | { type: "same"; window: WindowInfo }
  | { type: "dialog"; window: WindowInfo; isAlone: boolean; key: string | undefined }
  | { type: "menu"; window: WindowInfo; key: string; isRead: boolean }
  | { type: "keys"; key: string }
  | { type: "programs"; request: ProgramRequest }
  | { type: "describe"; key: string; window: WindowInfo | undefined; isBrief: boolean }
  | { type: "quiet"; pids: readonly number[] | undefined }
  | { type: "change"; key: string; change: ElementChange }
  | { type: "windows" }
  | { type: "switch"; enabled: boolean };

/** Messages to the Worker. */
export type ElementsCall = Question & {
  origin: Origin;
  scale: number;
  /** Memory shared with the caller, whose number becomes 1 when it leaves; left out if it cannot leave. */
  left?: Int32Array | undefined;
};

/** The outcome of enabling or disabling accessibility. */
export interface Switched {
  changed: boolean;
  /** The address of the accessibility bus; empty if accessibility is disabled. */
  address: string;
}

/** The Worker's answer. */
export type ElementsAnswer =
  | ElementTree
  | ElementInfo
  | ProgramTree
  | ElementDetails
  | ElementDialog
  | undefined
  | boolean
  | ListedAccessible[]
  | Switched;

/**
 * How long the Worker and its connection stay without a call, in milliseconds: when the connection ends,
 * programs free their caches for it.
 */
const IDLE_MS = 60_000;
/** The calls that may wait for their turn. */
const MOST_WAITING = 64;

/** The elements of a desktop's windows. Nothing is loaded or connected before the first call. */
export class AtspiElements implements Elements {
  readonly #worker = new CallWorker<ElementsCall, ElementsAnswer>({
    url: new URL("./worker.ts", import.meta.url),
    idleMs: IDLE_MS,
    mostWaiting: MOST_WAITING,
  });

  /** Whether the Worker has answered: it knows the dialogs only of windows that it has read. */
  #hasAnswered = false;

  readonly isUnobtrusive = true;
  readonly tellsLines = true;

  /**
   * @param origin The origin of the positions that programs can report on this desktop.
   * @param scale Returns the number of desktop pixels per program pixel; 1 if programs do their own scaling.
   * @param announce Announces the accessibility bus's address to programs started later, if the desktop
   * supports it.
   */
  constructor(
    readonly origin: Origin,
    readonly scale: () => number | Promise<number> = () => 1,
    readonly announce: (address: string) => void = () => {},
  ) {}

  async read(window: WindowInfo, hidden: boolean, signal?: AbortSignal): Promise<ElementTree> {
    return await this.#call({ type: "read", window, hidden }, signal) as ElementTree;
  }

  async reread(window: WindowInfo, key: string, signal?: AbortSignal): Promise<ElementInfo | undefined> {
    return await this.#call({ type: "reread", window, key }, signal) as ElementInfo | undefined;
  }

  async named(window: WindowInfo, name: string, signal?: AbortSignal): Promise<ElementInfo | undefined> {
    return await this.#call({ type: "named", window, name }, signal) as ElementInfo | undefined;
  }

  async isSame(window: WindowInfo): Promise<boolean> {
    return await this.#call({ type: "same", window }) as boolean;
  }

  async dialogOver(
    window: WindowInfo,
    isAlone: boolean,
    key?: string,
  ): Promise<ElementDialog | undefined> {
    if (!this.#hasAnswered) return undefined; // a session without accessibility has nothing to be asked
    return await this.#call({ type: "dialog", window, isAlone, key }) as ElementDialog | undefined;
  }

  async isUnderMenu(window: WindowInfo, key: string, isRead: boolean): Promise<boolean> {
    return await this.#call({ type: "menu", window, key, isRead }) as boolean;
  }

  async keysReturned(key: string, signal?: AbortSignal): Promise<boolean> {
    return await this.#call({ type: "keys", key }, signal) as boolean;
  }

  async readPrograms(request: ProgramRequest): Promise<ProgramTree> {
    return await this.#call({ type: "programs", request }) as ProgramTree;
  }

  async describe(
    key: string,
    window: WindowInfo | undefined,
    isBrief: boolean,
  ): Promise<ElementDetails | undefined> {
    return await this.#call({ type: "describe", key, window, isBrief }) as ElementDetails | undefined;
  }

  async isQuiet(pids?: readonly number[]): Promise<boolean> {
    return await this.#call({ type: "quiet", pids }) as boolean;
  }

  async change(key: string, change: ElementChange, signal?: AbortSignal): Promise<boolean> {
    return await this.#call({ type: "change", key, change }, signal) as boolean;
  }

  /**
   * The windows that programs expose, for desktops that do not list windows.
   * @throws UnsupportedError if the session has no accessibility.
   */
  async listWindows(): Promise<ListedAccessible[]> {
    return await this.#call({ type: "windows" }) as ListedAccessible[];
  }

  /** Enables or disables accessibility, as defined by {@linkcode Elements.setEnabled}. */
  async setEnabled(enabled: boolean): Promise<boolean> {
    const { changed, address } = await this.#call({ type: "switch", enabled }) as Switched;
    if (address) this.announce(address);
    return changed;
  }

  placesByPointer({ pid }: WindowInfo): boolean {
    if (pid === undefined || this.origin !== "screen") return false;
    const names: readonly string[] = QUIRKS.placesUnderMenus.processes;
    return names.includes(readProc(`${pid}/comm`).trimEnd());
  }

  close(): void {
    this.#worker.close();
  }

  /**
   * Asks the Worker.
   * @param signal Ends the wait for the turn and for programs, unless one has been asked for a change.
   * @throws The signal's reason if it ended the wait.
   */
  async #call(question: Question, signal?: AbortSignal): Promise<ElementsAnswer> {
    const call: ElementsCall = { ...question, origin: this.origin, scale: await this.scale() };
    const answer = await this.#ask(call, signal);
    this.#hasAnswered = true;
    return answer;
  }

  async #ask(call: ElementsCall, signal?: AbortSignal): Promise<ElementsAnswer> {
    if (!signal) return await this.#worker.call(call);
    const left = new Int32Array(new SharedArrayBuffer(4)), leave = () => void Atomics.store(left, 0, 1);
    signal.addEventListener("abort", leave);
    try {
      return await this.#worker.call({ ...call, left }, [], signal);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }
}
