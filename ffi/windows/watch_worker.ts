/**
 * The Worker that sees all input through low-level hooks. Windows calls them in the thread that installed them while
 * it waits in GetMessageW, so this thread blocks in that call. The hooks delay the input of the whole desktop, and
 * Windows removes slow ones: they store the event and return, and a thread message has it decoded afterwards.
 */

import type { ObservedAction, Region } from "../../control/desktop.ts";
import { serveWorker } from "../../core/worker_entry.ts";
import { clockOf } from "../clock.ts";
import type { WatchReport, WatchStart } from "../watch.ts";
import { virtualScreen } from "./displays.ts";
import { HookDecoder, type HookEvent, readKeyHook, readMouseHook, tickOf } from "./hook_events.ts";
import { KeyboardLayout } from "./keyboard_layout.ts";
import { type Libraries, openLibraries } from "./libraries.ts";
import type { HooksReady } from "./watch.ts";

const WH_KEYBOARD_LL = 13;
const WH_MOUSE_LL = 14;
const PM_NOREMOVE = 0;
const WM_TIMER = 0x113;
/** A thread message of ours (WM_APP): events are stored. */
const WM_STORED = 0x8000;
/** MSG (winuser.h): hwnd 0, message 8. */
const MESSAGE = { size: 48, message: 8 } as const;
/** Windows' last input may be this much newer than the last event, in milliseconds: both count ticks of up to 16 ms. */
const TICK_TOLERANCE_MS = 200;
/** The time between looks at the pointer's place between events, in milliseconds. */
const SAMPLE_MS = 16;
/** The time after an event in which the pointer may be reported at the place before it, in milliseconds (Wine: 100). */
const EVENT_SETTLES_MS = 150;
/** The longest time of an event on its way to the hooks, in milliseconds: Windows waits no longer for a hook. */
const UNDER_WAY_MS = 1000;

/** LRESULT CALLBACK LowLevelProc(int nCode, WPARAM wParam, LPARAM lParam). */
const HOOK_PROC = { parameters: ["i32", "usize", "pointer"], result: "isize" } as const;
type HookProc = Deno.UnsafeCallback<typeof HOOK_PROC>;

serveWorker<WatchStart<number>, WatchReport<HooksReady>, void>(({ source, skew }, { report }) => {
  const hooks = new Hooks(openLibraries(), clockOf(skew), report);
  try {
    hooks.watch(source);
  } finally {
    hooks[Symbol.dispose]();
  }
});

/** The hooks of this thread and the events that they saw. */
class Hooks implements Disposable {
  readonly #procs: readonly [kind: number, proc: HookProc][];
  readonly #decoder = new HookDecoder();
  readonly #thread: number;
  #handles: bigint[] = [];
  #stored: HookEvent[] = [];
  #screen: Region;
  #lastAt = 0;
  /** The time at which a hook was called last. */
  #calledAt = -Infinity;
  #lastTick: number;

  constructor(
    readonly libraries: Libraries,
    readonly now: () => number,
    readonly report: (report: WatchReport<HooksReady>) => void,
  ) {
    this.#screen = virtualScreen(libraries.user32);
    this.#thread = libraries.kernel32.GetCurrentThreadId();
    this.#lastTick = libraries.kernel32.GetTickCount();
    this.#procs = [
      [WH_MOUSE_LL, this.#proc(readMouseHook)],
      [WH_KEYBOARD_LL, this.#proc(readKeyHook)],
    ];
  }

  /**
   * Installs the hooks and returns on WM_QUIT.
   * @param heartbeatMs How often the hooks are checked, in milliseconds.
   * @throws Error if Windows refuses the hooks.
   */
  watch(heartbeatMs: number): void {
    const { user32 } = this.libraries;
    const message = new DataView(new ArrayBuffer(MESSAGE.size));
    user32.PeekMessageW(message, null, 0, 0, PM_NOREMOVE); // makes the queue that WM_QUIT is posted to
    this.#sample();
    this.#install();
    const timer = user32.SetTimer(null, 0n, SAMPLE_MS, null);
    let checkedAt = this.now();
    this.report({ type: "ready", ready: { thread: this.#thread, hooks: this.#handles } });
    while (user32.GetMessageW(message, null, 0, 0) > 0) {
      const kind = message.getUint32(MESSAGE.message, true);
      if (kind === WM_STORED) this.#deliver();
      if (kind !== WM_TIMER) continue;
      this.#sample();
      if (this.now() - checkedAt < heartbeatMs) continue;
      checkedAt = this.now();
      this.#check();
    }
    user32.KillTimer(null, timer);
  }

  [Symbol.dispose](): void {
    this.#uninstall();
    for (let look = 0; look < 2; look++) this.#sample(); // where the pointer was left
    this.#deliver();
    for (const [, proc] of this.#procs) proc.close();
  }

  #install() {
    const { user32, kernel32 } = this.libraries;
    this.#uninstall();
    this.#handles = this.#procs.map(([kind, proc]) => {
      const hook = user32.SetWindowsHookExW(kind, proc.pointer, kernel32.GetModuleHandleW(null), 0);
      if (hook === 0n) throw new Error("SetWindowsHookExW refused the hooks that see input");
      return hook;
    });
  }

  #uninstall() {
    for (const hook of this.#handles.splice(0)) this.libraries.user32.UnhookWindowsHookEx(hook);
  }

  #proc(read: (memory: Deno.UnsafePointerView) => number[]): HookProc {
    const { user32 } = this.libraries;
    return new Deno.UnsafeCallback(HOOK_PROC, (code, message, details) => {
      if (code >= 0 && details) {
        const data = read(new Deno.UnsafePointerView(details));
        this.#calledAt = this.now();
        const count = this.#stored.push({ message: Number(message), data, at: this.#calledAt });
        if (count === 1) user32.PostThreadMessageW(this.#thread, WM_STORED, 0n, 0n);
      }
      return user32.CallNextHookEx(0n, code, message, details);
    });
  }

  #deliver() {
    const events = this.#stored.splice(0);
    if (events.length === 0) return;
    const screen = this.#presentScreen(), layout = KeyboardLayout.ofForeground(this.libraries.user32);
    const batch: ObservedAction[] = [];
    for (const event of events) {
      this.#lastTick = tickOf(event);
      const observed = this.#decoder.decode(event, screen, layout);
      if (!observed) continue;
      this.#lastAt = observed.at = Math.max(observed.at, this.#lastAt);
      batch.push(observed);
    }
    if (batch.length > 0) this.report({ type: "actions", batch });
  }

  /** Looks where the pointer is, when no event is under way. */
  #sample() {
    this.#deliver();
    const at = this.now(), point = new Int32Array(2);
    if (at - this.#calledAt < EVENT_SETTLES_MS || !this.libraries.user32.GetCursorPos(point)) return;
    const moved = this.#decoder.sample({ x: point[0], y: point[1] }, at);
    if (!moved) return;
    this.#lastAt = moved.at = Math.max(moved.at, this.#lastAt);
    this.report({ type: "actions", batch: [moved] });
  }

  /** The virtual screen; the last known one while there is no monitor, as when a remote session is cut. */
  #presentScreen(): Region {
    try {
      return this.#screen = virtualScreen(this.libraries.user32);
    } catch {
      return this.#screen;
    }
  }

  /**
   * Installs the hooks anew if Windows counts input that they did not see, since Windows removes slow hooks without a
   * report.
   */
  #check() {
    this.#deliver();
    const { user32, kernel32 } = this.libraries;
    const info = new Uint32Array([8, 0]); // LASTINPUTINFO: cbSize 0, dwTime 4
    if (!user32.GetLastInputInfo(info)) return;
    const unseen = info[1] - this.#lastTick | 0; // ticks wrap
    const age = kernel32.GetTickCount() - info[1] | 0;
    if (unseen <= TICK_TOLERANCE_MS || age < UNDER_WAY_MS) return;
    this.#lastTick = info[1];
    this.#install();
    this.report({
      type: "gap",
      message:
        "Windows counts input that deskhand did not see in the last seconds: it removes hooks of a busy " +
        "machine without a report. They are installed anew",
    });
  }
}
