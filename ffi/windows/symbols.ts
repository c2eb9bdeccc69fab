/**
 * The functions of the other libraries that deskhand calls, as tables in the order of their header files. Handles that
 * are only passed back are `pointer`; `usize` stands for handles that are numbers to deskhand.
 */

import { bindOnUse } from "../../core/binding.ts";
import { NoDesktopError } from "../../core/errors.ts";

/** wingdi.h */
const GDI32 = {
  CreateCompatibleDC: { parameters: ["pointer" /* HDC */], result: "pointer" },
  DeleteDC: { parameters: ["pointer" /* HDC */], result: "i32" },
  CreateDIBSection: {
    parameters: [
      "pointer", /* HDC */
      "buffer", /* BITMAPINFO* */
      "u32", /* DIB_RGB_COLORS */
      "buffer", /* void** bits */
      "pointer", /* HANDLE section */
      "u32", /* offset */
    ],
    result: "pointer", /* HBITMAP */
  },
  SelectObject: { parameters: ["pointer", /* HDC */ "pointer" /* HGDIOBJ */], result: "pointer" },
  DeleteObject: { parameters: ["pointer" /* HGDIOBJ */], result: "i32" },
  BitBlt: {
    parameters: [
      "pointer", /* HDC to */
      "i32", /* x */
      "i32", /* y */
      "i32", /* width */
      "i32", /* height */
      "pointer", /* HDC from */
      "i32", /* x */
      "i32", /* y */
      "u32", /* raster operation */
    ],
    result: "i32",
  },
  GdiFlush: { parameters: [], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

/** dwmapi.h */
const DWMAPI = {
  DwmGetWindowAttribute: {
    parameters: ["usize", /* HWND */ "u32", /* DWMWA_* */ "buffer", "u32" /* bytes */],
    result: "i32", /* HRESULT */
  },
} as const satisfies Deno.ForeignLibraryInterface;

/** processthreadsapi.h, handleapi.h, libloaderapi.h, winbase.h, sysinfoapi.h */
const KERNEL32 = {
  GetCurrentThreadId: { parameters: [], result: "u32" },
  GetCurrentProcessId: { parameters: [], result: "u32" },
  ProcessIdToSessionId: { parameters: ["u32", /* process */ "buffer" /* DWORD* */], result: "i32" },
  OpenProcess: {
    parameters: ["u32", /* access */ "i32", /* inherit */ "u32" /* process */],
    result: "pointer",
  },
  CloseHandle: { parameters: ["pointer" /* HANDLE */], result: "i32" },
  GetModuleHandleW: { parameters: ["pointer" /* name, null: the program */], result: "pointer" },
  GlobalAlloc: { parameters: ["u32", /* GMEM_* */ "usize" /* bytes */], result: "usize" },
  GlobalLock: { parameters: ["usize" /* HGLOBAL */], result: "pointer" },
  GlobalUnlock: { parameters: ["usize"], result: "i32" },
  GlobalSize: { parameters: ["usize"], result: "usize" },
  GlobalFree: { parameters: ["usize"], result: "usize" },
  GetTickCount: { parameters: [], result: "u32" /* ms since start, wraps after 49.7 days */ },
} as const satisfies Deno.ForeignLibraryInterface;

/** processthreadsapi.h, securitybaseapi.h */
const ADVAPI32 = {
  OpenProcessToken: {
    parameters: ["pointer", /* HANDLE */ "u32", /* access */ "buffer" /* HANDLE* */],
    result: "i32",
  },
  GetTokenInformation: {
    parameters: [
      "pointer", /* token */
      "i32", /* class */
      "buffer",
      "u32", /* bytes */
      "buffer", /* DWORD* needed */
    ],
    result: "i32",
  },
} as const satisfies Deno.ForeignLibraryInterface;

/** shellscalingapi.h; since Windows 8.1 */
const SHCORE = {
  SetProcessDpiAwareness: { parameters: ["i32" /* PROCESS_DPI_AWARENESS */], result: "i32" /* HRESULT */ },
  GetDpiForMonitor: {
    parameters: [
      "pointer", /* HMONITOR */
      "i32", /* MONITOR_DPI_TYPE */
      "buffer", /* UINT* x */
      "buffer", /* UINT* y */
    ],
    result: "i32", /* HRESULT */
  },
} as const satisfies Deno.ForeignLibraryInterface;

// The libraries of Windows that deskhand calls. They are opened with a desktop, never on import.

type Functions<T extends Deno.ForeignLibraryInterface> = Deno.DynamicLibrary<T>["symbols"];

/** The functions of all libraries. */
export interface Libraries {
  readonly user32: Functions<typeof USER32>;
  readonly gdi32: Functions<typeof GDI32>;
  readonly kernel32: Functions<typeof KERNEL32>;
  readonly advapi32: Functions<typeof ADVAPI32>;
  /** shcore.dll; undefined before Windows 8.1. */
  readonly shcore: Functions<typeof SHCORE> | undefined;
  /**
   * dwmapi.dll; undefined where no window manager composes the screen: before Windows Vista, and on reduced systems.
   */
  readonly dwmapi: Functions<typeof DWMAPI> | undefined;
}

let opened: Libraries | undefined;

/**
 * Opens the libraries, once a thread; they stay open.
 * @returns Their functions, each bound on first use.
 * @throws NoDesktopError where one is missing: on any system other than Windows.
 */
export function openLibraries(): Libraries {
  return opened ??= {
    user32: openLibrary("user32.dll", USER32),
    gdi32: openLibrary("gdi32.dll", GDI32),
    kernel32: openLibrary("kernel32.dll", KERNEL32),
    advapi32: openLibrary("advapi32.dll", ADVAPI32),
    shcore: openOptional(() => openLibrary("shcore.dll", SHCORE)),
    dwmapi: openOptional(() => openLibrary("dwmapi.dll", DWMAPI)),
  };
}

/**
 * Opens a library.
 * @param name Its file.
 * @param functions The table of its functions, each of which is bound on first use.
 * @throws NoDesktopError if it is missing.
 */
export function openLibrary<T extends Deno.ForeignLibraryInterface>(
  name: string,
  functions: T,
): Functions<T> {
  try {
    Deno.dlopen(name, {});
  } catch (cause) {
    throw new NoDesktopError(`No desktop to control: ${(cause as Error).message}`, { cause });
  }
  const bound = bindOnUse(
    name,
    functions,
    (symbol, cause) =>
      new NoDesktopError(
        `No desktop to control: this version of Windows is too old: its ${name} lacks ${symbol}`,
        {
          cause,
        },
      ),
  );
  return bound as Functions<T>;
}

function openOptional<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch {
    return undefined;
  }
}

// The functions of user32.dll that deskhand calls, in the order of their header file. Handles that are only
// passed back are `pointer`; windows are `usize`, since they are numbers to deskhand.

/** The parameters of SendMessageTimeoutW but the last, which is where the answer is stored. */
export const SENT_MESSAGE = [
  "usize", /* HWND */
  "u32", /* message */
  "usize", /* WPARAM */
  "isize", /* LPARAM */
  "u32", /* SMTO_* */
  "u32", /* ms */
] as const;

/** winuser.h */
const USER32 = {
  SendInput: {
    parameters: ["u32", /* UINT cInputs */ "buffer", /* INPUT* */ "i32" /* cbSize */],
    result: "u32",
  },
  GetCursorPos: { parameters: ["buffer" /* POINT* */], result: "i32" },
  GetCursorInfo: { parameters: ["buffer" /* CURSORINFO* */], result: "i32" },
  GetIconInfo: { parameters: ["pointer", /* HICON */ "buffer" /* ICONINFO* */], result: "i32" },
  LoadCursorW: { parameters: ["pointer", /* HINSTANCE */ "usize" /* MAKEINTRESOURCE */], result: "pointer" },
  DrawIconEx: {
    parameters: [
      "pointer", /* HDC */
      "i32", /* x */
      "i32", /* y */
      "pointer", /* HICON */
      "i32", /* width, 0: the icon's own */
      "i32", /* height */
      "u32", /* frame of an animated cursor */
      "pointer", /* HBRUSH */
      "u32", /* DI_* */
    ],
    result: "i32",
  },
  GetSystemMetrics: { parameters: ["i32" /* SM_* */], result: "i32" },
  EnumDisplayMonitors: {
    parameters: [
      "pointer", /* HDC */
      "pointer", /* RECT* */
      "function", /* MONITORENUMPROC */
      "isize", /* LPARAM */
    ],
    result: "i32",
  },
  GetMonitorInfoW: { parameters: ["pointer", /* HMONITOR */ "buffer" /* MONITORINFOEXW* */], result: "i32" },
  GetDC: { parameters: ["pointer" /* HWND, null: the whole screen */], result: "pointer" },
  ReleaseDC: { parameters: ["pointer", /* HWND */ "pointer" /* HDC */], result: "i32" },

  GetAsyncKeyState: { parameters: ["i32" /* vKey */], result: "i16" },
  GetKeyboardLayout: { parameters: ["u32" /* idThread */], result: "usize" /* HKL */ },
  GetKeyboardLayoutNameW: { parameters: ["buffer" /* WCHAR[9] */], result: "i32" },
  MapVirtualKeyExW: {
    parameters: ["u32", /* uCode */ "u32", /* MAPVK_* */ "usize" /* HKL */],
    result: "u32",
  },
  VkKeyScanExW: { parameters: ["u16", /* WCHAR */ "usize" /* HKL */], result: "i16" },
  ToUnicodeEx: {
    parameters: [
      "u32", /* virtual key */
      "u32", /* scan code */
      "buffer", /* BYTE[256] key state */
      "buffer", /* WCHAR* */
      "i32", /* its length */
      "u32", /* flags */
      "usize", /* HKL */
    ],
    result: "i32",
  },

  EnumWindows: { parameters: ["function", /* WNDENUMPROC */ "isize" /* LPARAM */], result: "i32" },
  IsWindow: { parameters: ["usize" /* HWND */], result: "i32" },
  IsWindowVisible: { parameters: ["usize"], result: "i32" },
  IsWindowEnabled: { parameters: ["usize"], result: "i32" },
  IsIconic: { parameters: ["usize"], result: "i32" },
  IsZoomed: { parameters: ["usize"], result: "i32" },
  GetWindow: { parameters: ["usize", "u32" /* GW_* */], result: "usize" },
  GetLastActivePopup: { parameters: ["usize"], result: "usize" },
  GetWindowLongPtrW: { parameters: ["usize", "i32" /* GWL_* */], result: "isize" },
  GetWindowThreadProcessId: { parameters: ["usize", "buffer" /* DWORD* */], result: "u32" },
  // Reads Windows' own copy of the title; GetWindowTextW may ask the window's program.
  InternalGetWindowText: {
    parameters: ["usize", "buffer", /* WCHAR* */ "i32" /* its length */],
    result: "i32",
  },
  GetClassNameW: { parameters: ["usize", "buffer", /* WCHAR* */ "i32" /* its length */], result: "i32" },
  GetWindowRect: { parameters: ["usize", "buffer" /* RECT* */], result: "i32" },
  GetWindowPlacement: { parameters: ["usize", "buffer" /* WINDOWPLACEMENT* */], result: "i32" },
  MonitorFromWindow: { parameters: ["usize", "u32" /* MONITOR_DEFAULTTO* */], result: "pointer" },
  WindowFromPoint: { parameters: ["u64" /* POINT by value: x low, y high */], result: "usize" },
  ShowWindowAsync: { parameters: ["usize", "i32" /* SW_* */], result: "i32" },
  SetWindowPos: {
    parameters: [
      "usize", /* HWND */
      "usize", /* HWND behind which it goes */
      "i32", /* x */
      "i32", /* y */
      "i32", /* width */
      "i32", /* height */
      "u32", /* SWP_* */
    ],
    result: "i32",
  },
  PostMessageW: {
    parameters: ["usize", /* HWND */ "u32", /* message */ "usize", /* WPARAM */ "isize" /* LPARAM */],
    result: "i32",
  },
  // Waits for the window's program, and therefore runs on a thread of its own.
  SendMessageTimeoutW: {
    parameters: [...SENT_MESSAGE, "pointer" /* DWORD_PTR* */],
    result: "isize",
    nonblocking: true,
  },
  GetForegroundWindow: { parameters: [], result: "usize" },
  SetForegroundWindow: { parameters: ["usize"], result: "i32" },
  AttachThreadInput: {
    parameters: ["u32", /* idAttach */ "u32", /* idAttachTo */ "i32" /* whether to attach */],
    result: "i32",
  },

  // Only a window may own the clipboard.
  CreateWindowExW: {
    parameters: [
      "u32", /* WS_EX_* */
      "buffer", /* class */
      "buffer", /* title */
      "u32", /* WS_* */
      "i32", /* x */
      "i32", /* y */
      "i32", /* width */
      "i32", /* height */
      "usize", /* HWND parent */
      "pointer", /* HMENU */
      "pointer", /* HINSTANCE */
      "pointer", /* LPARAM */
    ],
    result: "usize",
  },
  DestroyWindow: { parameters: ["usize" /* HWND */], result: "i32" },
  OpenClipboard: { parameters: ["usize" /* HWND */], result: "i32" },
  CloseClipboard: { parameters: [], result: "i32" },
  GetClipboardOwner: { parameters: [], result: "usize" },
  EmptyClipboard: { parameters: [], result: "i32" },
  SetClipboardData: { parameters: ["u32", /* CF_* */ "usize" /* HANDLE */], result: "usize" },
  GetClipboardData: { parameters: ["u32" /* CF_* */], result: "usize" },
  IsClipboardFormatAvailable: { parameters: ["u32" /* CF_* */], result: "i32" },
  RegisterClipboardFormatW: { parameters: ["buffer" /* name */], result: "u32" },

  GetProcessWindowStation: { parameters: [], result: "pointer" },
  GetThreadDesktop: { parameters: ["u32" /* dwThreadId */], result: "pointer" },
  OpenInputDesktop: {
    parameters: ["u32", /* flags */ "i32", /* inherit */ "u32" /* access */],
    result: "pointer",
  },
  CloseDesktop: { parameters: ["pointer" /* HDESK */], result: "i32" },
  GetUserObjectInformationW: {
    parameters: [
      "pointer", /* HANDLE */
      "i32", /* UOI_* */
      "buffer",
      "u32", /* bytes */
      "buffer", /* DWORD* needed */
    ],
    result: "i32",
  },

  GetLastInputInfo: { parameters: ["buffer" /* LASTINPUTINFO* */], result: "i32" },
  SetWindowsHookExW: {
    parameters: [
      "i32", /* WH_* */
      "function", /* HOOKPROC */
      "pointer", /* HINSTANCE */
      "u32", /* dwThreadId */
    ],
    result: "usize", /* HHOOK */
  },
  UnhookWindowsHookEx: { parameters: ["usize" /* HHOOK */], result: "i32" },
  CallNextHookEx: {
    parameters: ["usize", /* HHOOK */ "i32", /* nCode */ "usize", /* WPARAM */ "pointer" /* LPARAM */],
    result: "isize",
  },
  PeekMessageW: {
    parameters: [
      "buffer", /* MSG* */
      "pointer", /* HWND */
      "u32", /* first */
      "u32", /* last */
      "u32", /* PM_* */
    ],
    result: "i32",
  },
  GetMessageW: { parameters: ["buffer", /* MSG* */ "pointer", /* HWND */ "u32", "u32"], result: "i32" },
  SetTimer: {
    parameters: [
      "pointer", /* HWND, null: this thread */
      "usize", /* id */
      "u32", /* ms */
      "pointer", /* TIMERPROC */
    ],
    result: "usize",
  },
  KillTimer: { parameters: ["pointer", /* HWND */ "usize" /* id */], result: "i32" },
  PostThreadMessageW: {
    parameters: ["u32", /* idThread */ "u32", /* message */ "usize", /* WPARAM */ "isize" /* LPARAM */],
    result: "i32",
  },

  SetProcessDPIAware: { parameters: [], result: "i32" },
  // Windows 10, version 1607 or 1703 and later.
  SetProcessDpiAwarenessContext: {
    parameters: ["isize" /* DPI_AWARENESS_CONTEXT */],
    result: "i32",
    optional: true,
  },
  GetThreadDpiAwarenessContext: { parameters: [], result: "isize", optional: true },
  AreDpiAwarenessContextsEqual: { parameters: ["isize", "isize"], result: "i32", optional: true },
} as const satisfies Deno.ForeignLibraryInterface;
