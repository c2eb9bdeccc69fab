/**
 * A real window as a witness, in a separate process: four colored quarters, and every pointer and keyboard
 * message on standard output as a line of JSON.
 *
 * Arguments: left, top, width, height.
 */

const [LEFT, TOP, WIDTH, HEIGHT] = Deno.args.map(Number);

/** Colors of the quarters (left to right, top to bottom), as COLORREF 0x00bbggrr. */
const COLOURS = [0x0000ff, 0x00ff00, 0xff0000, 0x563412];

/** Printed messages (winuser.h). */
const MESSAGES: Record<number, string> = {
  0x0100: "WM_KEYDOWN",
  0x0101: "WM_KEYUP",
  0x0102: "WM_CHAR",
  0x0104: "WM_SYSKEYDOWN",
  0x0105: "WM_SYSKEYUP",
  0x0200: "WM_MOUSEMOVE",
  0x0201: "WM_LBUTTONDOWN",
  0x0202: "WM_LBUTTONUP",
  0x0203: "WM_LBUTTONDBLCLK",
  0x0204: "WM_RBUTTONDOWN",
  0x0205: "WM_RBUTTONUP",
  0x0206: "WM_RBUTTONDBLCLK",
  0x0207: "WM_MBUTTONDOWN",
  0x0208: "WM_MBUTTONUP",
  0x0209: "WM_MBUTTONDBLCLK",
  0x020a: "WM_MOUSEWHEEL",
  0x020b: "WM_XBUTTONDOWN",
  0x020c: "WM_XBUTTONUP",
  0x020d: "WM_XBUTTONDBLCLK",
  0x020e: "WM_MOUSEHWHEEL",
};
const WM_PAINT = 0x000f, WM_TIMER = 0x0113;
/** Time after which Wine has passed what was painted to the X server: when the window waits, in milliseconds. */
const SHOWN_MS = 60;
const CS_DBLCLKS = 8;
const WS_POPUP_VISIBLE = 0x90000000;
const WS_EX_TOPMOST = 8;
const PER_MONITOR_AWARE_V2 = -4n;
const IDC_ARROW = 32512n;

const WNDPROC = { parameters: ["pointer", "u32", "usize", "isize"], result: "isize" } as const;

const user32 = Deno.dlopen("user32.dll", {
  SetProcessDpiAwarenessContext: { parameters: ["isize"], result: "i32" },
  RegisterClassExW: { parameters: ["buffer"], result: "u16" },
  CreateWindowExW: {
    parameters: [
      ...["u32", "buffer", "buffer", "u32", "i32", "i32", "i32", "i32"] as const,
      ...["pointer", "pointer", "pointer", "pointer"] as const,
    ],
    result: "pointer",
  },
  DefWindowProcW: WNDPROC,
  LoadCursorW: { parameters: ["pointer", "usize"], result: "pointer" },
  SetForegroundWindow: { parameters: ["pointer"], result: "i32" },
  GetCursorPos: { parameters: ["buffer"], result: "i32" },
  GetForegroundWindow: { parameters: [], result: "pointer" },
  GetMessageW: { parameters: ["buffer", "pointer", "u32", "u32"], result: "i32" },
  TranslateMessage: { parameters: ["buffer"], result: "i32" },
  DispatchMessageW: { parameters: ["buffer"], result: "isize" },
  BeginPaint: { parameters: ["pointer", "buffer"], result: "pointer" },
  SetTimer: { parameters: ["pointer", "usize", "u32", "pointer"], result: "usize" },
  KillTimer: { parameters: ["pointer", "usize"], result: "i32" },
  EndPaint: { parameters: ["pointer", "buffer"], result: "i32" },
  FillRect: { parameters: ["pointer", "buffer", "pointer"], result: "i32" },
}).symbols;
const gdi32 = Deno.dlopen("gdi32.dll", {
  CreateSolidBrush: { parameters: ["u32"], result: "pointer" },
}).symbols;

const say = (line: unknown) => console.log(JSON.stringify(line));
const wide = (text: string) => Uint16Array.from([...text, "\0"], (unit) => unit.charCodeAt(0));
const brushes = COLOURS.map((colour) => gdi32.CreateSolidBrush(colour));
const paintStruct = new Uint8Array(72);
const place = new Int32Array(2);
let painted = false;

function paint(window: Deno.PointerValue): void {
  const dc = user32.BeginPaint(window, paintStruct);
  const [halfWidth, halfHeight] = [WIDTH / 2, HEIGHT / 2];
  brushes.forEach((brush, i) => {
    const [x, y] = [(i % 2) * halfWidth, Math.floor(i / 2) * halfHeight];
    user32.FillRect(dc, Int32Array.of(x, y, x + halfWidth, y + halfHeight), brush);
  });
  user32.EndPaint(window, paintStruct);
  if (!painted) user32.SetTimer(window, 1n, SHOWN_MS, null);
  painted = true;
}

function shown(window: Deno.PointerValue): void {
  user32.KillTimer(window, 1n);
  user32.GetCursorPos(place);
  say({ ready: user32.GetForegroundWindow() !== null, pointer: [place[0] - LEFT, place[1] - TOP] });
}

const procedure = new Deno.UnsafeCallback(WNDPROC, (window, message, wParam, lParam) => {
  if (message === WM_PAINT) {
    paint(window);
    return 0n;
  }
  if (message === WM_TIMER) shown(window);
  const name = MESSAGES[message];
  if (name) {
    const [w, l] = [Number(wParam), Number(BigInt.asIntN(64, BigInt(lParam)))];
    const low = (l << 16) >> 16;
    const high = l >> 16;
    if (message >= 0x200) say({ name, x: low, y: high, keys: w & 0xffff, data: w >> 16 });
    else say({ name, code: w, scan: (l >> 16) & 0xff, extended: (l & 1 << 24) !== 0 });
  }
  return user32.DefWindowProcW(window, message, wParam, lParam);
});

user32.SetProcessDpiAwarenessContext(PER_MONITOR_AWARE_V2);
const className = wide("DeskhandWitness");
const classView = new DataView(new ArrayBuffer(80)); // WNDCLASSEXW
classView.setUint32(0, 80, true);
classView.setUint32(4, CS_DBLCLKS, true);
classView.setBigUint64(8, Deno.UnsafePointer.value(procedure.pointer), true);
classView.setBigUint64(40, Deno.UnsafePointer.value(user32.LoadCursorW(null, IDC_ARROW)), true);
classView.setBigUint64(64, Deno.UnsafePointer.value(Deno.UnsafePointer.of(className)), true);
if (!user32.RegisterClassExW(classView)) throw new Error("RegisterClassExW failed");
const window = user32.CreateWindowExW(
  WS_EX_TOPMOST,
  className,
  wide("witness"),
  WS_POPUP_VISIBLE,
  LEFT,
  TOP,
  WIDTH,
  HEIGHT,
  null,
  null,
  null,
  null,
);
if (!window) throw new Error("CreateWindowExW failed");
user32.SetForegroundWindow(window);
const message = new Uint8Array(48);
while (user32.GetMessageW(message, null, 0, 0) > 0) {
  user32.TranslateMessage(message);
  user32.DispatchMessageW(message);
}
