/** The tests' side of the dialog program and notepad, windows of their own, and requests for elements. */

import { fromFileUrl, join } from "@std/path";
import type { StageElement } from "../support/elements.ts";
import { killed, until } from "../support/shell.ts";

const PROGRAM = fromFileUrl(new URL("dialog.ts", import.meta.url));

/** The contents of the dialog's fields when a button was pressed. */
interface Pressed {
  /** The button's number. */
  pressed: number;
  name: string;
  secret: string;
  notes: string;
  gift: boolean;
}

/** The dialog in a separate process. `await using` ends it. */
export class Dialog {
  readonly #child: Deno.ChildProcess;
  readonly #read: Promise<unknown>;
  #lines: unknown[] = [];
  #error = "";
  #taken = 0;

  private constructor(readonly title: string, ...places: number[]) {
    this.#child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "--cached-only", PROGRAM, title, ...places.map(String)],
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#read = Promise.all([
      this.#collect(),
      new Response(this.#child.stderr).text().then((text) => this.#error = text),
    ]);
  }

  /**
   * Starts the dialog and waits until its controls exist.
   * @param sleep How long it sleeps on WM_GETTEXT, in milliseconds.
   */
  static async open(title: string, { left = 100, top = 80, sleep = 0 } = {}): Promise<Dialog> {
    const dialog = new Dialog(title, left, top, sleep);
    await dialog.#line(0);
    return dialog;
  }

  async #collect() {
    let rest = "";
    for await (const text of this.#child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      this.#lines.push(...lines.map((line) => JSON.parse(line)));
    }
  }

  async #line(index: number): Promise<unknown> {
    return await until(
      () => this.#lines[index],
      Boolean,
      () => `the dialog's lines are ${JSON.stringify(this.#lines)} ${this.#error}`,
    );
  }

  /** The center of each control on the screen, by number, as Windows reports it to its own program. */
  get middles(): Map<number, [x: number, y: number]> {
    const { places } = this.#lines[0] as { places: number[][] };
    return new Map(
      places.map(([id, left, top, right, bottom]) => [id, [(left + right) >> 1, (top + bottom) >> 1]]),
    );
  }

  /** Waits for the next press of a button. */
  async pressed(): Promise<Pressed> {
    return await this.#line(++this.#taken) as Pressed;
  }

  /** Number of button presses that no call has taken yet. */
  get others(): number {
    return this.#lines.length - 1 - this.#taken;
  }

  /** Waits until the dialog has ended on its own. */
  async ended(): Promise<void> {
    await this.#child.status;
  }

  async [Symbol.asyncDispose]() {
    await killed(this.#child);
    await this.#read;
  }
}

// Notepad as another program's window.

const PROCESS_SUSPEND_RESUME = 0x800;

/** A running notepad with its own file. `await using` ends it. */
export class Notepad {
  readonly #child: Deno.ChildProcess;

  private constructor(
    /** The text in the title bar. */
    readonly title: string,
    readonly folder: string,
    file: string,
  ) {
    this.#child = new Deno.Command("notepad.exe", { args: [file] }).spawn();
  }

  /** Starts a notepad; its window appears later. */
  static async open(name: string, text = "hello"): Promise<Notepad> {
    const folder = await Deno.makeTempDir(), file = join(folder, `${name}.txt`);
    await Deno.writeTextFile(file, text);
    return new Notepad(`${name}.txt - Notepad`, folder, file);
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Stops all of the program's threads. */
  suspend(): void {
    callOfProcess(this.pid, "NtSuspendProcess");
  }

  /** Resumes the program's threads. */
  resume(): void {
    callOfProcess(this.pid, "NtResumeProcess");
  }

  /** Waits until the program has ended on its own. */
  async ended(): Promise<void> {
    await this.#child.status;
  }

  async [Symbol.asyncDispose]() {
    await killed(this.#child);
    await Deno.remove(this.folder, { recursive: true });
  }
}

function callOfProcess(pid: number, name: "NtSuspendProcess" | "NtResumeProcess"): void {
  const kernel32 = Deno.dlopen("kernel32.dll", {
    OpenProcess: { parameters: ["u32", "i32", "u32"], result: "pointer" },
    CloseHandle: { parameters: ["pointer"], result: "i32" },
  });
  const ntdll = Deno.dlopen("ntdll.dll", { [name]: { parameters: ["pointer"], result: "u32" } });
  const process = kernel32.symbols.OpenProcess(PROCESS_SUSPEND_RESUME, 0, pid);
  const status = ntdll.symbols[name](process);
  kernel32.symbols.CloseHandle(process);
  ntdll.close();
  kernel32.close();
  if (status !== 0) throw new Error(`${name} of ${pid} failed with ${Number(status).toString(16)}`);
}

// Windows of each kind in the test's own process.

const WS_VISIBLE = 0x10000000, WS_OVERLAPPEDWINDOW = 0xcf0000, WS_POPUP = 0x80000000;
const WS_EX_TOOLWINDOW = 0x80, WS_EX_APPWINDOW = 0x40000;
const SW_MINIMIZE = 6;

/** Properties of a new window. */
interface Kind {
  x?: number;
  y?: number;
  width?: number;
  height?: number;
  owner?: bigint;
  /** Whether the window has a title bar; true by default. */
  caption?: boolean;
  hidden?: boolean;
  /** Whether the window is a tool window. */
  tool?: boolean;
  /** Whether the window is always in the taskbar. */
  application?: boolean;
}

/** Creates windows, and destroys them at the end. */
export class OwnWindows implements Disposable {
  readonly #user32 = Deno.dlopen("user32.dll", {
    CreateWindowExW: {
      parameters: [
        ...["u32", "buffer", "buffer", "u32", "i32", "i32", "i32", "i32"] as const,
        ...["usize", "usize", "usize", "usize"] as const,
      ],
      result: "usize",
    },
    ShowWindow: { parameters: ["usize", "i32"], result: "i32" },
    DestroyWindow: { parameters: ["usize"], result: "i32" },
  });
  readonly #made: bigint[] = [];

  /** Creates a window that pumps no messages. */
  create(title: string, kind: Kind = {}): bigint {
    const { x = 50, y = 60, width = 200, height = 100, owner = 0n, caption = true, hidden, tool } = kind;
    const window = this.#user32.symbols.CreateWindowExW(
      (tool ? WS_EX_TOOLWINDOW : 0) | (kind.application ? WS_EX_APPWINDOW : 0),
      wide("STATIC"),
      wide(title),
      ((caption ? WS_OVERLAPPEDWINDOW : WS_POPUP) | (hidden ? 0 : WS_VISIBLE)) >>> 0,
      ...[x, y, width, height] as [number, number, number, number],
      ...[owner, 0n, 0n, 0n] as [bigint, bigint, bigint, bigint],
    );
    if (!window) throw new Error(`no window was made for ${title}`);
    this.#made.push(window);
    return window;
  }

  minimize(window: bigint): void {
    this.#user32.symbols.ShowWindow(window, SW_MINIMIZE);
  }

  [Symbol.dispose](): void {
    for (const window of this.#made.reverse()) this.#user32.symbols.DestroyWindow(window);
    this.#user32.close();
  }
}

function wide(text: string): Uint16Array<ArrayBuffer> {
  return Uint16Array.from(`${text}\0`, (unit) => unit.charCodeAt(0));
}

// Element requests in tests under Wine.

export interface Answer {
  status: number;
  error?: string;
  via?: string;
  value?: string;
  ref?: string;
  states?: string[];
  silent?: string;
  elements: StageElement[];
}

/** Requests to one program, with stored responses: each start takes a second of processor time under Wine. */
export function callsOf(url: string) {
  const answers: string[] = [];
  const ask = async (path: string, init?: RequestInit): Promise<string> => {
    const response = await fetch(`${url}/api/${path}`, init), text = await response.text();
    answers.push(text);
    return path.includes("format=text")
      ? text
      : JSON.stringify({ status: response.status, ...JSON.parse(text) });
  };
  const post = async (path: string, body: unknown): Promise<Answer> =>
    JSON.parse(await ask(path, { method: "POST", body: JSON.stringify(body) }));
  return {
    answers,
    click: (body: unknown) => post("element/click", body),
    set: (body: unknown) => post("element/set", body),
    focus: (body: unknown) => post("element/focus", body),
    post,
    list: async (title: string, more = ""): Promise<Answer> =>
      JSON.parse(await ask(`elements?title=${encodeURIComponent(title)}${more}`)),
    /** The lines, without positions and the list's serial number. */
    text: async (title: string) =>
      (await ask(`elements?title=${encodeURIComponent(title)}&format=text`))
        .replaceAll(/ @-?\d+,-?\d+$/gm, "").replace(/, serial \d+$/m, ""),
  };
}

export type Calls = ReturnType<typeof callsOf>;
