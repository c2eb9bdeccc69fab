/** The Windows desktop: its parts, and the person's own input as reported by a Worker. */

import type {
  Button,
  Desktop,
  DesktopIdentity,
  Direction,
  LivePicture,
  Observer,
  Player,
  Point,
  Pointer,
  Screen,
  Watch,
  WatchListener,
} from "../../control/desktop/desktop.ts";
import { NoDesktopError } from "../../core/errors.ts";
import { CaptureWorker, liveInWorker, playInWorker } from "../in_worker.ts";
import { watchInWorker, type WorkerWatch } from "../watch.ts";
import { WindowsClipboard } from "./clipboard.ts";
import { WindowsElements } from "./elements/mod.ts";
import { InputSender, type MouseInput, moveTo, pressButton, turnWheel } from "./input.ts";
import { WindowsKeyboard } from "./keyboard.ts";
import { declareDpiAwareness, virtualScreen, WindowsScreen } from "./screen.ts";
import { inspectSession, noDesktopReason } from "./session.ts";
import { type Libraries, openLibraries } from "./symbols.ts";
import { DesktopWindows } from "./windows.ts";

/**
 * Opens the desktop of the user who is logged on to Windows.
 * @throws NoDesktopError on another system, or if the process has no screen (a service, a program over SSH).
 */
export function openWindows(): WindowsDesktop {
  if (Deno.build.os !== "windows") {
    throw new NoDesktopError(`No Windows desktop to control: this is ${Deno.build.os}. Use --desktop auto`);
  }
  const libraries = openLibraries();
  declareDpiAwareness(libraries); // must come before all other calls
  const reason = noDesktopReason(inspectSession(libraries));
  if (reason) throw new NoDesktopError(reason);
  return new WindowsDesktop(libraries);
}

const WORKERS = new URL("./workers.ts", import.meta.url);

/** This process's desktop. */
export class WindowsDesktop implements Desktop {
  readonly kind = "windows";
  readonly pointer: WindowsPointer;
  readonly keyboard: WindowsKeyboard;
  readonly screen: WindowsScreen & Pick<Screen, "captureInto">;
  readonly windows: DesktopWindows;
  readonly clipboard: WindowsClipboard;
  readonly elements = new WindowsElements();
  readonly observer: Observer = { watch: (listener) => this.#watch(listener) };
  readonly playback: Player = playInWorker({ url: WORKERS, role: "playback" }, undefined);
  readonly live: LivePicture = liveInWorker({ url: WORKERS, role: "live" }, undefined);
  readonly #captures = new CaptureWorker({ url: WORKERS, role: "capture" }, undefined);
  readonly #watches = new Set<Watch>();
  #address: string | undefined;
  #closed = false;

  constructor(readonly libraries: Libraries) {
    const sender = new InputSender(libraries);
    this.pointer = new WindowsPointer(libraries.user32, sender);
    this.keyboard = new WindowsKeyboard(libraries.user32, sender);
    this.screen = Object.assign(new WindowsScreen(libraries, sender), {
      captureInto: this.#captures.captureInto.bind(this.#captures),
    });
    this.windows = new DesktopWindows(libraries, sender);
    this.clipboard = new WindowsClipboard(libraries);
  }

  /** Each session has its own keys and buttons. */
  identity(): DesktopIdentity {
    return { address: this.#address ??= `windows ${inspectSession(this.libraries).id}` };
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const watch of this.#watches) watch.close();
    this.#captures.close();
    this.elements.close();
    this.screen[Symbol.dispose]();
  }

  async #watch(listener: WatchListener): Promise<Watch> {
    const watch = await watchWindows(this.libraries, listener);
    this.#watches.add(watch);
    return {
      close: () => {
        this.#watches.delete(watch);
        return watch.close();
      },
    };
  }
}

/** Interval between checks that Windows has not removed the Worker's hooks, in milliseconds. */
const HEARTBEAT_MS = 2000;
/** The thread message that ends the Worker (winuser.h). */
const WM_QUIT = 0x12;

/** The Worker's report once its hooks are installed. */
export interface HooksReady {
  /** The Worker's thread id. */
  thread: number;
  /** Handles of the hooks (HHOOK). */
  hooks: bigint[];
}

/**
 * Watches all input until closed.
 * @param heartbeatMs Interval between checks of the hooks, in milliseconds.
 * @returns When the hooks are installed.
 * @throws DesktopUnavailableError if Windows refuses them.
 */
export function watchWindows(
  { user32 }: Libraries,
  listener: WatchListener,
  heartbeatMs = HEARTBEAT_MS,
): Promise<WorkerWatch<HooksReady>> {
  const url = new URL("./watch_worker.ts", import.meta.url);
  // The Worker blocks in GetMessageW, so only a thread message reaches it.
  return watchInWorker<number, HooksReady>(
    url,
    heartbeatMs,
    listener,
    ({ thread }) => user32.PostThreadMessageW(thread, WM_QUIT, 0n, 0n),
  );
}

// The Windows pointer.

/** SM_SWAPBUTTON: the person has swapped the left and right buttons. */
const SM_SWAPBUTTON = 23;
const SWAPPED: Partial<Record<Button, Button>> = { left: "right", right: "left" };

/** Maximum time for which GetCursorPos may lag behind an absolute move, in milliseconds (2 were observed). */
const MOVE_SETTLES_MS = 20;
/** Number of notches in one SendInput call. */
const NOTCHES_AT_ONCE = 100;

/** Moves, buttons and wheel through SendInput. */
class WindowsPointer implements Pointer {
  readonly #point = new Int32Array(2);
  /** The last move, and until when Windows may still report the previous position. */
  #moved: { to: Point; until: number } | undefined;

  constructor(readonly user32: Libraries["user32"], readonly sender: InputSender) {}

  position(): Promise<Point> {
    return Promise.try(() => this.#position());
  }

  move(point: Point): Promise<void> {
    return Promise.try(() => {
      this.sender.send([moveTo(point, virtualScreen(this.user32))]);
      this.#moved = { to: { ...point }, until: performance.now() + MOVE_SETTLES_MS };
    });
  }

  button(button: Button, down: boolean): Promise<void> {
    return Promise.try(() => {
      if (down) this.sender.guard.checkPointer(this.#position()); // releases are always tried
      const swapped = this.user32.GetSystemMetrics(SM_SWAPBUTTON) !== 0;
      this.#sendHere([pressButton(swapped ? SWAPPED[button] ?? button : button, down)]);
    });
  }

  scroll(direction: Direction, amount: number): Promise<void> {
    return Promise.try(() => {
      this.sender.guard.checkPointer(this.#position());
      for (let left = amount; left > 0; left -= NOTCHES_AT_ONCE) {
        this.#sendHere(Array.from({ length: Math.min(left, NOTCHES_AT_ONCE) }, () => turnWheel(direction)));
      }
    });
  }

  #position(): Point {
    if (!this.user32.GetCursorPos(this.#point)) throw this.sender.refused("the pointer's position");
    const [x, y] = this.#point;
    return this.#recentMove() ?? { x, y };
  }

  /**
   * Sends inputs at the pointer's position. A recent move is repeated in the same call: under Wine, the X
   * server's echo of an earlier move may briefly put the pointer back, and a person may push the mouse.
   */
  #sendHere(inputs: readonly MouseInput[]): void {
    const to = this.#recentMove();
    this.sender.send(to ? [moveTo(to, virtualScreen(this.user32)), ...inputs] : inputs);
  }

  /** The last move's destination, while Windows may still report the previous position. */
  #recentMove(): Point | undefined {
    if (this.#moved && performance.now() > this.#moved.until) this.#moved = undefined;
    return this.#moved && { ...this.#moved.to };
  }
}
