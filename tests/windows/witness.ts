/** The tests' side of the witness window, and calls to Windows without deskhand's code. */

import { equal } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { killed, until } from "../support/shell.ts";

const WINDOW = fromFileUrl(new URL("window.ts", import.meta.url));

/** A pointer message, in window coordinates (the wheel's: screen coordinates). */
interface PointerMessage {
  name: string;
  x: number;
  y: number;
  keys: number;
  data: number;
}

/** A key message (code: virtual key) or a character message (code: UTF-16 unit). */
interface KeyMessage {
  name: string;
  code: number;
  scan: number;
  extended: boolean;
}

/** Any message. */
type Message = PointerMessage & KeyMessage;

/** The message of a painted window: the pointer's position in window coordinates. */
interface Ready {
  ready: boolean;
  pointer: [x: number, y: number];
}

/** The colors of the window's quarters as [blue, green, red]. */
export const QUARTERS = [[0, 0, 255], [0, 255, 0], [255, 0, 0], [0x56, 0x34, 0x12]];

/** A window in another process. `await using` ends it. */
export class WitnessWindow {
  #messages: Message[] = [];
  #error = "";
  readonly #child: Deno.ChildProcess;
  readonly #read: Promise<unknown>;

  private constructor(
    readonly x: number,
    readonly y: number,
    readonly width: number,
    readonly height: number,
  ) {
    this.#child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "--cached-only", WINDOW, ...[x, y, width, height].map(String)],
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#read = Promise.all([
      this.#collect(),
      new Response(this.#child.stderr).text().then((text) => this.#error = text),
    ]);
  }

  /** Opens a window and waits until it is painted and knows the pointer's position. */
  static async open(left = 0, top = 0, width = 800, height = 600): Promise<WitnessWindow> {
    const window = new WitnessWindow(left, top, width, height);
    const isReady = (message: Message | Ready) => "ready" in message;
    await window.#until((messages) => messages.some(isReady));
    const { pointer: [x, y] } = window.#messages.find(isReady) as unknown as Ready;
    // When a window appears under the pointer, the X server tells Wine the pointer's position. If that
    // arrived after a test's first move, it would undo the move.
    if (x >= 0 && x < width && y >= 0 && y < height) await window.pointerAt(x, y);
    window.#messages = [];
    return window;
  }

  /** Waits until the window has received a move to a position in it, and so has set its cursor. */
  async pointerAt(x: number, y: number): Promise<void> {
    await this.#until((messages) =>
      messages.some((message) => message.name === "WM_MOUSEMOVE" && message.x === x && message.y === y)
    );
  }

  async #collect() {
    let rest = "";
    for await (const text of this.#child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      this.#messages.push(...lines.map((line) => JSON.parse(line)));
    }
  }

  async #until(enough: (messages: Message[]) => boolean): Promise<void> {
    await until(
      () => enough(this.#messages),
      Boolean,
      () => `the window's messages are ${JSON.stringify(this.#messages)} ${this.#error}`,
    );
  }

  /**
   * Waits for a number of messages with these names, and takes them.
   * @returns Those messages; others are dropped.
   */
  async take(count: number, ...names: string[]): Promise<Message[]> {
    const wanted = () => this.#messages.filter((message) => names.includes(message.name));
    await this.#until(() => wanted().length >= count);
    const taken = wanted();
    this.#messages = [];
    return taken;
  }

  /**
   * Acts until the window has seen the expected messages: the X server reports each move to Wine, and if the
   * window's process notices one late, Wine moves the pointer back. On Windows nothing echoes.
   * @param act Moves, clicks or drags, and takes the messages.
   * @param expected The messages if nothing interferes.
   */
  async sees<T>(act: () => Promise<T>, expected: T): Promise<void> {
    await until(
      act,
      (seen) => equal(seen, expected),
      (seen) => `the window saw ${JSON.stringify(seen)}, not ${JSON.stringify(expected)}`,
    );
  }

  /** Waits for a number of UTF-16 units, and returns them as text. */
  async text(units: number): Promise<string> {
    const taken = await this.take(units, "WM_CHAR");
    return String.fromCharCode(...taken.map(({ code }) => code));
  }

  async [Symbol.asyncDispose]() {
    await killed(this.#child);
    await this.#read;
  }
}

/** Windows itself, queried with functions other than deskhand's where that matters. */
export function openReference() {
  const library = Deno.dlopen("user32.dll", {
    GetCursorPos: { parameters: ["buffer"], result: "i32" },
    GetAsyncKeyState: { parameters: ["i32"], result: "i16" },
    UnhookWindowsHookEx: { parameters: ["usize"], result: "i32" },
    GetForegroundWindow: { parameters: [], result: "usize" },
    GetWindowRect: { parameters: ["usize", "buffer"], result: "i32" },
    FindWindowExW: { parameters: ["usize", "usize", "buffer", "pointer"], result: "usize" },
    SendMessageW: { parameters: ["usize", "u32", "usize", "isize"], result: "isize" },
    GetWindowLongW: { parameters: ["usize", "i32"], result: "u32" },
  });
  const GWL_STYLE = -16, WS_MINIMIZE = 0x20000000, WS_MAXIMIZE = 0x1000000;
  const hasStyle = (window: bigint, bit: number) =>
    (library.symbols.GetWindowLongW(window, GWL_STYLE) & bit) !== 0;
  const rectangle = new Int32Array(4);
  const point = new Int32Array(2);
  return {
    /** The pointer's position. */
    pointer(): [x: number, y: number] {
      library.symbols.GetCursorPos(point);
      return [point[0], point[1]];
    },
    /** Whether a key is down. */
    isDown: (vk: number) => library.symbols.GetAsyncKeyState(vk) < 0,
    /** The front window. */
    foreground: () => library.symbols.GetForegroundWindow(),
    /** A window's x, y, width and height. */
    rectangle(window: bigint): number[] {
      library.symbols.GetWindowRect(window, rectangle);
      const [left, top, right, bottom] = rectangle;
      return [left, top, right - left, bottom - top];
    },
    isMinimized: (window: bigint) => hasStyle(window, WS_MINIMIZE),
    isMaximized: (window: bigint) => hasStyle(window, WS_MAXIMIZE),
    /** The length of the text in a window's own field, in UTF-16 units. */
    editedLength(window: bigint): number {
      const name = Uint16Array.from("Edit\0", (unit) => unit.charCodeAt(0)), WM_GETTEXTLENGTH = 0xe;
      const edit = library.symbols.FindWindowExW(window, 0n, name, null);
      return Number(library.symbols.SendMessageW(edit, WM_GETTEXTLENGTH, 0n, 0n));
    },
    /** Removes a hook, as Windows removes slow ones. */
    unhook: (hook: bigint) => library.symbols.UnhookWindowsHookEx(hook) !== 0,
    [Symbol.dispose]: () => library.close(),
  };
}

/** Console events for programs (wincon.h, CTRL_C_EVENT and others). */
const CONSOLE_EVENTS = { interrupt: 0n, break: 1n, close: 2n } as const;

/**
 * Sends a program a console event like the console does: with a thread in it that runs CtrlRoutine, which is
 * at the same address in every process.
 */
export function tellConsoleEvent(pid: number, event: keyof typeof CONSOLE_EVENTS): void {
  const library = Deno.dlopen("kernel32.dll", {
    GetModuleHandleW: { parameters: ["buffer"], result: "usize" },
    GetProcAddress: { parameters: ["usize", "buffer"], result: "usize" },
    OpenProcess: { parameters: ["u32", "i32", "u32"], result: "usize" },
    CreateRemoteThread: {
      parameters: ["usize", "pointer", "usize", "usize", "usize", "u32", "pointer"],
      result: "usize",
    },
    CloseHandle: { parameters: ["usize"], result: "i32" },
  });
  const { GetModuleHandleW, GetProcAddress, OpenProcess, CreateRemoteThread, CloseHandle } = library.symbols;
  const PROCESS_ALL_ACCESS = 0x1fffff;
  const base = GetModuleHandleW(Uint16Array.from("kernelbase.dll\0", (unit) => unit.charCodeAt(0)));
  const routine = GetProcAddress(base, new TextEncoder().encode("CtrlRoutine\0"));
  const process = OpenProcess(PROCESS_ALL_ACCESS, 0, pid);
  const thread = CreateRemoteThread(process, null, 0n, routine, CONSOLE_EVENTS[event], 0, null);
  if (thread) CloseHandle(thread);
  CloseHandle(process);
  library.close();
  if (!thread) throw new Error(`process ${pid} does not get the event ${event}`);
}
