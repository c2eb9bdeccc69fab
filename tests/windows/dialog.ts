/**
 * A program with a dialog of Windows' own controls, in a separate process. It prints a line of JSON with its
 * controls' positions when it is ready, and one with its fields' current text for each press of a button.
 *
 * Arguments: title, left, top, and how long it sleeps on WM_GETTEXT, in milliseconds.
 */

const [TITLE, LEFT, TOP, SLEEP] = Deno.args;

const WM_COMMAND = 0x111, WM_DESTROY = 2, WM_GETTEXT = 0xd, BM_GETCHECK = 0xf0;
const WS_OVERLAPPED_VISIBLE = 0x10cf0000, WS_CHILD = 0x40000000, WS_VISIBLE = 0x10000000;
const WS_DISABLED = 0x8000000, WS_BORDER = 0x800000, WS_TABSTOP = 0x10000;
const ES_AUTOVSCROLL = 0x40, ES_AUTOHSCROLL = 0x80, ES_MULTILINE = 4, ES_PASSWORD = 0x20, ES_READONLY = 0x800;
const BS_AUTOCHECKBOX = 3, CBS_DROPDOWN = 2;
const COLOR_WINDOW = 6n;

/** The controls: number, class, text, style, and position in the window. */
const CONTROLS: readonly [id: number, type: string, text: string, style: number, place: number[]][] = [
  [10, "Static", "Name:", 0, [10, 10, 80, 20]],
  [11, "Edit", "Ada", WS_BORDER | WS_TABSTOP | ES_AUTOHSCROLL, [100, 10, 200, 24]],
  [12, "Static", "Secret:", 0, [10, 40, 80, 20]],
  [13, "Edit", "hunter2", WS_BORDER | WS_TABSTOP | ES_AUTOHSCROLL | ES_PASSWORD, [100, 40, 200, 24]],
  [14, "Static", "Notes:", 0, [10, 70, 80, 20]],
  [15, "Edit", "one\r\ntwo", WS_BORDER | ES_MULTILINE | ES_AUTOVSCROLL | ES_AUTOHSCROLL, [100, 70, 200, 50]],
  [16, "Static", "Fixed:", 0, [10, 130, 80, 20]],
  [17, "Edit", "as it is", WS_BORDER | ES_READONLY, [100, 130, 200, 24]],
  [18, "Static", "Colour:", 0, [10, 160, 80, 20]],
  [19, "ComboBox", "green", CBS_DROPDOWN | WS_TABSTOP, [100, 160, 200, 100]],
  [20, "Button", "&Gift", BS_AUTOCHECKBOX | WS_TABSTOP, [10, 190, 80, 24]],
  [21, "Button", "Save", WS_TABSTOP, [10, 230, 80, 30]],
  [22, "Button", "Delete", WS_TABSTOP | WS_DISABLED, [100, 230, 80, 30]],
  [23, "Button", "Add", WS_TABSTOP, [190, 190, 80, 30]],
  [24, "Button", "Add", WS_TABSTOP, [280, 190, 80, 30]],
  [25, "Button", "Close", WS_TABSTOP, [190, 230, 80, 30]],
  [26, "Button", "Hidden", -WS_VISIBLE, [280, 230, 80, 30]],
];

const WNDPROC = { parameters: ["usize", "u32", "usize", "isize"], result: "isize" } as const;

const user32 = Deno.dlopen("user32.dll", {
  RegisterClassExW: { parameters: ["buffer"], result: "u16" },
  CreateWindowExW: {
    parameters: [
      ...["u32", "buffer", "buffer", "u32", "i32", "i32", "i32", "i32"] as const,
      ...["usize", "usize", "usize", "usize"] as const,
    ],
    result: "usize",
  },
  DefWindowProcW: WNDPROC,
  GetWindowRect: { parameters: ["usize", "buffer"], result: "i32" },
  GetDlgItem: { parameters: ["usize", "i32"], result: "usize" },
  GetDlgItemTextW: { parameters: ["usize", "i32", "buffer", "i32"], result: "u32" },
  SendMessageW: { parameters: ["usize", "u32", "usize", "isize"], result: "isize" },
  SetWindowTextW: { parameters: ["usize", "buffer"], result: "i32" },
  SetForegroundWindow: { parameters: ["usize"], result: "i32" },
  DestroyWindow: { parameters: ["usize"], result: "i32" },
  PostQuitMessage: { parameters: ["i32"], result: "void" },
  GetMessageW: { parameters: ["buffer", "usize", "u32", "u32"], result: "i32" },
  TranslateMessage: { parameters: ["buffer"], result: "i32" },
  DispatchMessageW: { parameters: ["buffer"], result: "isize" },
}).symbols;

const kernel32 = Deno.dlopen("kernel32.dll", { Sleep: { parameters: ["u32"], result: "void" } }).symbols;

const say = (line: unknown) => console.log(JSON.stringify(line));
const wide = (text: string) => Uint16Array.from(`${text}\0`, (unit) => unit.charCodeAt(0));

function textOf(id: number): string {
  const text = new Uint16Array(200), units = user32.GetDlgItemTextW(dialog, id, text, text.length);
  return String.fromCharCode(...text.subarray(0, units));
}

const isPressed = (id: number) =>
  user32.SendMessageW(user32.GetDlgItem(dialog, id), BM_GETCHECK, 0n, 0n) === 1n;

const procedure = new Deno.UnsafeCallback(WNDPROC, (window, message, wParam, lParam) => {
  const id = Number(BigInt(wParam) & 0xffffn), code = Number(BigInt(wParam) >> 16n);
  if (message === WM_COMMAND && code === 0) {
    say({ pressed: id, name: textOf(11), secret: textOf(13), notes: textOf(15), gift: isPressed(20) });
    if (id === 25) user32.DestroyWindow(window);
    return 0n;
  }
  if (message === WM_GETTEXT) kernel32.Sleep(Number(SLEEP));
  if (message === WM_DESTROY) user32.PostQuitMessage(0);
  return user32.DefWindowProcW(window, message, wParam, lParam);
});

const className = wide("DeskhandDialog");
const classView = new DataView(new ArrayBuffer(80)); // WNDCLASSEXW
classView.setUint32(0, 80, true);
classView.setBigUint64(8, Deno.UnsafePointer.value(procedure.pointer), true);
classView.setBigUint64(48, COLOR_WINDOW, true);
classView.setBigUint64(64, Deno.UnsafePointer.value(Deno.UnsafePointer.of(className)), true);
if (!user32.RegisterClassExW(classView)) throw new Error("RegisterClassExW failed");

function create(
  type: string,
  text: string,
  style: number,
  place: number[],
  parent: bigint,
  id: number,
): bigint {
  const [x, y, width, height] = place;
  const handle = user32.CreateWindowExW(
    0,
    wide(type),
    wide(text),
    style >>> 0,
    ...[x, y, width, height] as [number, number, number, number],
    ...[parent, BigInt(id), 0n, 0n] as [bigint, bigint, bigint, bigint],
  );
  if (!handle) throw new Error(`CreateWindowExW failed for ${type}`);
  return handle;
}

const frame = [Number(LEFT), Number(TOP), 420, 320];
const dialog = create("DeskhandDialog", TITLE, WS_OVERLAPPED_VISIBLE, frame, 0n, 0);
const places = CONTROLS.map(([id, type, text, style, place]) => {
  const control = create(type, text, WS_CHILD + WS_VISIBLE + style, place, dialog, id);
  if (type === "ComboBox") user32.SetWindowTextW(control, wide(text));
  const rectangle = new Int32Array(4);
  user32.GetWindowRect(control, rectangle);
  return [id, ...rectangle];
});
user32.SetForegroundWindow(dialog);
say({ places });
const message = new Uint8Array(48);
while (user32.GetMessageW(message, 0n, 0, 0) > 0) {
  user32.TranslateMessage(message);
  user32.DispatchMessageW(message);
}
