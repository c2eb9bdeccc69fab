/**
 * The Worker that sees all input through low-level hooks. Windows calls them on the thread that installed
 * them while it waits in GetMessageW, so this thread blocks in that call. Hooks delay the input of the whole
 * desktop, and Windows removes slow ones, so they store the event and return; a thread message has it decoded
 * afterwards.
 */

import type {
  Button,
  Direction,
  InputAction,
  ObservedAction,
  Point,
  Region,
} from "../../control/desktop/desktop.ts";
import { attempt } from "../../core/errors.ts";
import { serveWorker } from "../../core/worker_entry.ts";
import { textOfPress } from "../text.ts";
import { clockOf, type WatchReport, type WatchStart } from "../watch.ts";
import { WHEEL_DELTA } from "./input.ts";
import { KeyboardLayout, type LayoutLookup, nameOfKey } from "./keyboard.ts";
import { virtualScreen } from "./screen.ts";
import { type Libraries, openLibraries } from "./symbols.ts";
import type { HooksReady } from "./mod.ts";

// Events of low-level hooks (MSLLHOOKSTRUCT and KBDLLHOOKSTRUCT in winuser.h) and the actions that they
// represent. Pure.

const WM_KEYDOWN = 0x100;
const WM_SYSKEYDOWN = 0x104;
const WM_SYSKEYUP = 0x105; // WM_KEYUP, 0x101, is in between
const WM_MOUSEMOVE = 0x200;
const WM_MOUSEWHEEL = 0x20a;
const WM_MOUSEHWHEEL = 0x20e;
const BUTTONS: Record<number, [button: Button, down: boolean]> = {
  0x201: ["left", true],
  0x202: ["left", false],
  0x204: ["right", true],
  0x205: ["right", false],
  0x207: ["middle", true],
  0x208: ["middle", false],
};
const WM_XBUTTONDOWN = 0x20b;
const WM_XBUTTONUP = 0x20c;

/** LLMHF_INJECTED or LLMHF_LOWER_IL_INJECTED; LLKHF_INJECTED or LLKHF_LOWER_IL_INJECTED; LLKHF_EXTENDED. */
const MOUSE_INJECTED = 0x01 | 0x02;
const KEY_INJECTED = 0x10 | 0x02;
const KEY_EXTENDED = 0x01;

const VK_PACKET = 0xe7;
/** Scan code of the Ctrl that Windows itself sends with AltGr. */
const ALTGR_CTRL_SCAN = 0x21d;

/** A call of a low-level hook. */
interface HookEvent {
  /** The WM_* code, which identifies the kind of event. */
  message: number;
  /**
   * Numbers from the hook's structure, as returned by {@linkcode readMouseHook} or {@linkcode readKeyHook}.
   */
  data: readonly number[];
  /** Milliseconds of `performance.timeOrigin + performance.now()` on the thread that requested the watch. */
  at: number;
}

/** The little-endian part of DataView and Deno.UnsafePointerView that decoding requires. */
interface Memory {
  getInt32(offset: number): number;
}

/** Reads an MSLLHOOKSTRUCT: x, y, the wheel's distance or the X button's number, flags, time. */
export function readMouseHook(memory: Memory): number[] {
  // pt 0, mouseData 8 (its high word, signed), flags 12, time 16
  return [
    memory.getInt32(0),
    memory.getInt32(4),
    memory.getInt32(8) >> 16,
    memory.getInt32(12),
    memory.getInt32(16),
  ];
}

/** Reads a KBDLLHOOKSTRUCT: virtual key, scan code, flags, time. */
export function readKeyHook(memory: Memory): number[] {
  // vkCode 0, scanCode 4, flags 8, time 12
  return [memory.getInt32(0), memory.getInt32(4), memory.getInt32(8), memory.getInt32(12)];
}

/** Whether a message comes from the keyboard hook. */
function isKey(message: number): boolean {
  return message >= WM_KEYDOWN && message <= WM_SYSKEYUP;
}

/** GetTickCount at the time of an event, as an unsigned number. */
export function tickOf({ message, data }: HookEvent): number {
  return (isKey(message) ? data[3] : data[4]) >>> 0;
}

/** Turns hook events into actions; keeps state that spans several events. */
export class HookDecoder {
  /** How far wheels have turned towards the next notch, by message. */
  readonly #wheels = new Map<number, number>();
  /** First halves of surrogate pairs, for presses and releases. */
  readonly #halves = new Map<boolean, number>();
  /**
   * Names of keys that are down, by scan code and prefix, or by virtual key if a program sent no scan code.
   */
  readonly #names = new Map<number, string>();
  /**
   * The last key pressed, in the same numbers, if no key has since been released: it is the one that repeats.
   */
  #repeating: number | undefined;
  /** The position of the last pointer event. */
  #place: Point | undefined;
  /** The position of the pointer at rest at the last check. */
  #resting: Point | undefined;
  /** The pointer's position at the last check, if it differs from the known one, and when that was. */
  #sampled: { place: Point; at: number } | undefined;

  /**
   * Decodes an event.
   * @param event An event as received by a hook.
   * @param screen The virtual screen. Positions beyond its edges, which hooks report when a person pushes the
   * mouse further, are clamped to the edges.
   * @param layout The current keyboard layout.
   * @returns undefined for an event that is not an action of its own: a move to the same position, part of a
   * notch, half a surrogate pair, a repetition of a held modifier, or AltGr's Ctrl.
   */
  decode(event: HookEvent, screen: Region, layout: LayoutLookup): ObservedAction | undefined {
    const action = isKey(event.message)
      ? this.#key(event.message, event.data, layout)
      : this.#mouse(event.message, event.data, screen);
    if (!action) return undefined;
    const injected = isKey(event.message) ? event.data[2] & KEY_INJECTED : event.data[3] & MOUSE_INJECTED;
    return { action, at: event.at, injected: injected !== 0 };
  }

  /**
   * Compares the pointer's position with the last event's, some time after that event, since a program that
   * moves the pointer with SetCursorPos causes no event. A new position counts when it is seen twice. The
   * position before the last event does not count: Wine reports it for moves by a program without a window.
   * @param at The time of the check, on the scale of events.
   * @returns A move, if the pointer was moved without an event.
   */
  sample(place: Point, at: number): ObservedAction | undefined {
    const sampled = this.#sampled;
    this.#sampled = undefined;
    if (this.#resting === undefined) this.#resting = place;
    if (isSame(this.#resting, place)) return undefined;
    if (!isSame(sampled?.place, place)) {
      this.#sampled = { place, at };
      return undefined;
    }
    this.#resting = place;
    if (isSame(this.#place, place)) return undefined;
    this.#place = place;
    return { action: { type: "move", ...place }, at: sampled!.at, injected: true };
  }

  #mouse(message: number, [px, py, data]: readonly number[], screen: Region): InputAction | undefined {
    const x = Math.min(Math.max(px, screen.x), screen.x + screen.width - 1);
    const y = Math.min(Math.max(py, screen.y), screen.y + screen.height - 1);
    const moved = !isSame(this.#place, { x, y });
    this.#place = { x, y };
    this.#sampled = undefined;
    if (message === WM_MOUSEMOVE) return moved ? { type: "move", x, y } : undefined;
    if (message === WM_MOUSEWHEEL) return this.#wheel(message, data, ["up", "down"], x, y);
    if (message === WM_MOUSEHWHEEL) return this.#wheel(message, data, ["right", "left"], x, y);
    if (message === WM_XBUTTONDOWN || message === WM_XBUTTONUP) {
      return {
        type: "button",
        button: data === 2 ? "forward" : "back",
        down: message === WM_XBUTTONDOWN,
        x,
        y,
      };
    }
    const known = BUTTONS[message];
    return known && { type: "button", button: known[0], down: known[1], x, y };
  }

  #wheel(message: number, delta: number, directions: [Direction, Direction], x: number, y: number) {
    const before = this.#wheels.get(message) ?? 0;
    const sum = Math.sign(before) === -Math.sign(delta) ? delta : before + delta; // turning back starts over
    const notches = Math.trunc(sum / WHEEL_DELTA);
    this.#wheels.set(message, sum - notches * WHEEL_DELTA);
    if (notches === 0) return undefined;
    const direction = directions[notches > 0 ? 0 : 1];
    return { type: "scroll", direction, amount: Math.abs(notches), x, y } as const;
  }

  #key(message: number, [vk, scan, flags]: readonly number[], layout: LayoutLookup): InputAction | undefined {
    const down = message === WM_KEYDOWN || message === WM_SYSKEYDOWN;
    if (vk === VK_PACKET) return this.#packet(scan & 0xffff, down);
    if (scan === ALTGR_CTRL_SCAN || vk < 1 || vk > 254) return undefined;
    const extended = (flags & KEY_EXTENDED) !== 0;
    const code = (scan || ~vk) << 1 | Number(extended);
    // A modifier that is pressed again later was released where hooks see nothing: on the lock screen.
    const repeats = down && this.#repeating === code;
    this.#repeating = down ? code : undefined;
    if (repeats && isModifier(vk)) return undefined;
    // A release has the name of its press, even if the layout or Num Lock has changed in between.
    const known = repeats || !down ? this.#names.get(code) : undefined;
    const key = known ?? nameOfKey(vk, extended, layout);
    const text = down ? this.#textOf(vk, key, layout) : undefined;
    if (down) this.#names.set(code, key);
    else this.#names.delete(code);
    return { type: "key", key, down, ...(text ? { text } : {}) };
  }

  #textOf(vk: number, key: string, layout: LayoutLookup): string | undefined {
    // The right Alt key types a character as AltGr, and none as Alt.
    const down = [...this.#names.values()].map((name) => name === "rightalt" ? "altgr" : name);
    const shift = down.includes("shift") || down.includes("rightshift");
    return textOfPress(key, down, layout.typed(vk, shift, down.includes("altgr")) ?? "");
  }

  /** A character that a program typed as itself. */
  #packet(unit: number, down: boolean): InputAction | undefined {
    const half = this.#halves.get(down);
    this.#halves.delete(down);
    if (unit >= 0xd800 && unit < 0xdc00) {
      this.#halves.set(down, unit);
      return undefined;
    }
    const low = unit >= 0xdc00 && unit < 0xe000;
    if (low && half === undefined) return undefined;
    const key = low ? String.fromCharCode(half!, unit) : String.fromCharCode(unit);
    if (key === " ") return { type: "key", key: "space", down };
    return /[\p{C}\p{Z}]/u.test(key) ? undefined : { type: "key", key, down };
  }
}

/** VK_SHIFT to VK_MENU, VK_LWIN, VK_RWIN, VK_LSHIFT to VK_RMENU. */
function isModifier(vk: number): boolean {
  return (vk >= 0x10 && vk <= 0x12) || vk === 0x5b || vk === 0x5c || (vk >= 0xa0 && vk <= 0xa5);
}

function isSame(a: Point | undefined, b: Point): boolean {
  return a?.x === b.x && a.y === b.y;
}

const WH_KEYBOARD_LL = 13;
const WH_MOUSE_LL = 14;
const PM_NOREMOVE = 0;
const WM_TIMER = 0x113;
/** Our own thread message (WM_APP): events are stored. */
const WM_STORED = 0x8000;
/** MSG (winuser.h): hwnd 0, message 8. */
const MESSAGE = { size: 48, message: 8 } as const;
/** Maximum lag of the last event behind Windows's last input, in milliseconds: ticks are up to 16 ms. */
const TICK_TOLERANCE_MS = 200;
/** Interval between queries of the pointer's position between events, in milliseconds. */
const SAMPLE_MS = 16;
/**
 * How long after an event the pointer may be reported at its previous position, in milliseconds (Wine: 100).
 */
const EVENT_SETTLES_MS = 150;
/** Maximum time for an event to reach the hooks, in milliseconds: Windows waits no longer for a hook. */
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

/** This thread's hooks and the events that they saw. */
class Hooks implements Disposable {
  readonly #procs: readonly [kind: number, proc: HookProc][];
  readonly #decoder = new HookDecoder();
  readonly #thread: number;
  readonly #handles: bigint[] = [];
  #stored: HookEvent[] = [];
  #screen: Region;
  #lastAt = 0;
  /** When a hook was last called. */
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
   * @param heartbeatMs Interval between checks of the hooks, in milliseconds.
   * @throws Error if Windows refuses the hooks.
   */
  watch(heartbeatMs: number): void {
    const { user32 } = this.libraries;
    const message = new DataView(new ArrayBuffer(MESSAGE.size));
    user32.PeekMessageW(message, null, 0, 0, PM_NOREMOVE); // creates the queue that WM_QUIT is posted to
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
    for (let look = 0; look < 2; look++) this.#sample(); // the pointer's final position
    this.#deliver();
    for (const [, proc] of this.#procs) proc.close();
  }

  #install() {
    const { user32, kernel32 } = this.libraries;
    this.#uninstall();
    for (const [kind, proc] of this.#procs) {
      const hook = user32.SetWindowsHookExW(kind, proc.pointer, kernel32.GetModuleHandleW(null), 0);
      if (hook === 0n) throw new Error("SetWindowsHookExW did not install the input hooks");
      this.#handles.push(hook); // one that is installed is removed even if the next one is refused
    }
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

  /** Looks up the pointer's position when no event is in flight. */
  #sample() {
    this.#deliver();
    const at = this.now(), point = new Int32Array(2);
    if (at - this.#calledAt < EVENT_SETTLES_MS || !this.libraries.user32.GetCursorPos(point)) return;
    const moved = this.#decoder.sample({ x: point[0], y: point[1] }, at);
    if (!moved) return;
    this.#lastAt = moved.at = Math.max(moved.at, this.#lastAt);
    this.report({ type: "actions", batch: [moved] });
  }

  /** The virtual screen; the last known one without a monitor, as when a remote session is disconnected. */
  #presentScreen(): Region {
    return this.#screen = attempt(() => virtualScreen(this.libraries.user32), this.#screen);
  }

  /**
   * Reinstalls the hooks if Windows counts input that they did not see, since it silently removes slow hooks.
   */
  #check() {
    this.#deliver();
    const { user32, kernel32 } = this.libraries;
    const info = new Uint32Array([8, 0]); // LASTINPUTINFO: cbSize 0, dwTime 4
    if (!user32.GetLastInputInfo(info)) return;
    const unseen = info[1] - this.#lastTick | 0; // ticks wrap around
    const age = kernel32.GetTickCount() - info[1] | 0;
    if (unseen <= TICK_TOLERANCE_MS || age < UNDER_WAY_MS) return;
    this.#lastTick = info[1];
    this.#install();
    this.report({
      type: "gap",
      message:
        "Windows counted input in the last seconds that deskhand did not see: on a busy machine, Windows " +
        "silently removes input hooks. They have been reinstalled",
    });
  }
}
