/** Windows of the test's own process, of each kind. */

const WS_VISIBLE = 0x10000000, WS_OVERLAPPEDWINDOW = 0xcf0000, WS_POPUP = 0x80000000;
const WS_EX_TOOLWINDOW = 0x80, WS_EX_APPWINDOW = 0x40000;
const SW_MINIMIZE = 6;

/** The properties of a new window. */
interface Kind {
  x?: number;
  y?: number;
  width?: number;
  height?: number;
  owner?: bigint;
  /** Tells whether the window has a title bar; true if left out. */
  caption?: boolean;
  hidden?: boolean;
  /** Tells whether the window is one of the small windows of a program's tools. */
  tool?: boolean;
  /** Tells whether the window stands in the taskbar in any case. */
  application?: boolean;
}

/** Makes windows, and destroys them at the end. */
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

  /** Makes a window that pumps no messages. */
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
