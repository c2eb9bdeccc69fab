/**
 * Functions of the other libraries that deskhand calls, as tables in the order of their header files. Handles
 * that are only passed back are `pointer`; handles that deskhand treats as numbers are `usize`.
 */

import { bindOnUse, prototypes } from "../../core/binding.ts";
import { attempt, NoDesktopError } from "../../core/errors.ts";

/** wingdi.h */
const GDI32 = prototypes({
  CreateCompatibleDC: "pointer (pointer HDC)",
  DeleteDC: "i32 (pointer HDC)",
  CreateDIBSection: `pointer HBITMAP (pointer HDC, buffer BITMAPINFO*, u32 DIB_RGB_COLORS, buffer void** bits,
    pointer HANDLE section, u32 offset)`,
  SelectObject: "pointer (pointer HDC, pointer HGDIOBJ)",
  DeleteObject: "i32 (pointer HGDIOBJ)",
  BitBlt: `i32 (pointer HDC to, i32 x, i32 y, i32 width, i32 height, pointer HDC from, i32 x, i32 y,
    u32 raster operation)`,
  GdiFlush: "i32 ()",
});

/** dwmapi.h */
const DWMAPI = prototypes({
  DwmGetWindowAttribute: "i32 HRESULT (usize HWND, u32 DWMWA_*, buffer, u32 bytes)",
});

/** processthreadsapi.h, handleapi.h, libloaderapi.h, winbase.h, sysinfoapi.h */
const KERNEL32 = prototypes({
  GetCurrentThreadId: "u32 ()",
  GetCurrentProcessId: "u32 ()",
  ProcessIdToSessionId: "i32 (u32 process, buffer DWORD*)",
  OpenProcess: "pointer (u32 access, i32 inherit, u32 process)",
  CloseHandle: "i32 (pointer HANDLE)",
  GetModuleHandleW: "pointer (pointer name; null: the program)",
  GlobalAlloc: "usize (u32 GMEM_*, usize bytes)",
  GlobalLock: "pointer (usize HGLOBAL)",
  GlobalUnlock: "i32 (usize)",
  GlobalSize: "usize (usize)",
  GlobalFree: "usize (usize)",
  GetTickCount: "u32 ms since start; wraps after 49.7 days ()",
});

/** processthreadsapi.h, securitybaseapi.h */
const ADVAPI32 = prototypes({
  OpenProcessToken: "i32 (pointer HANDLE, u32 access, buffer HANDLE*)",
  GetTokenInformation: "i32 (pointer token, i32 class, buffer, u32 bytes, buffer DWORD* needed)",
});

/** shellscalingapi.h; since Windows 8.1 */
const SHCORE = prototypes({
  SetProcessDpiAwareness: "i32 HRESULT (i32 PROCESS_DPI_AWARENESS)",
  GetDpiForMonitor: "i32 HRESULT (pointer HMONITOR, i32 MONITOR_DPI_TYPE, buffer UINT* x, buffer UINT* y)",
});

// The Windows libraries that deskhand calls. They are opened with a desktop, never on import.

type Functions<T extends Deno.ForeignLibraryInterface> = Deno.DynamicLibrary<T>["symbols"];

/** The functions of all libraries. */
export interface Libraries {
  readonly user32: Functions<typeof USER32>;
  readonly gdi32: Functions<typeof GDI32>;
  readonly kernel32: Functions<typeof KERNEL32>;
  readonly advapi32: Functions<typeof ADVAPI32>;
  /** shcore.dll; undefined before Windows 8.1. */
  readonly shcore: Functions<typeof SHCORE> | undefined;
  /** dwmapi.dll; undefined if no window manager composes the screen: before Vista, and on reduced systems. */
  readonly dwmapi: Functions<typeof DWMAPI> | undefined;
}

let opened: Libraries | undefined;

/**
 * Opens the libraries, once per thread; they stay open.
 * @returns Their functions, each bound on first use.
 * @throws NoDesktopError if one is missing: on any system other than Windows.
 */
export function openLibraries(): Libraries {
  return opened ??= {
    user32: openLibrary("user32.dll", USER32),
    gdi32: openLibrary("gdi32.dll", GDI32),
    kernel32: openLibrary("kernel32.dll", KERNEL32),
    advapi32: openLibrary("advapi32.dll", ADVAPI32),
    shcore: attempt(() => openLibrary("shcore.dll", SHCORE)),
    dwmapi: attempt(() => openLibrary("dwmapi.dll", DWMAPI)),
  };
}

/**
 * Opens a library.
 * @param name Its file name.
 * @param functions The table of its functions, each bound on first use.
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
        { cause },
      ),
  );
  return bound as Functions<T>;
}

// Functions of user32.dll that deskhand calls, in the order of their header file. Handles that are only
// passed back are `pointer`; window handles are `usize`, since deskhand treats them as numbers.

/** winuser.h */
const WINUSER = prototypes({
  SendInput: "u32 (u32 UINT cInputs, buffer INPUT*, i32 cbSize)",
  GetCursorPos: "i32 (buffer POINT*)",
  GetCursorInfo: "i32 (buffer CURSORINFO*)",
  GetIconInfo: "i32 (pointer HICON, buffer ICONINFO*)",
  LoadCursorW: "pointer (pointer HINSTANCE, usize MAKEINTRESOURCE)",
  DrawIconEx: `i32 (pointer HDC, i32 x, i32 y, pointer HICON, i32 width; 0: the icon's own, i32 height,
    u32 frame of an animated cursor, pointer HBRUSH, u32 DI_*)`,
  GetSystemMetrics: "i32 (i32 SM_*)",
  EnumDisplayMonitors: "i32 (pointer HDC, pointer RECT*, function MONITORENUMPROC, isize LPARAM)",
  GetMonitorInfoW: "i32 (pointer HMONITOR, buffer MONITORINFOEXW*)",
  GetDC: "pointer (pointer HWND; null: the whole screen)",
  ReleaseDC: "i32 (pointer HWND, pointer HDC)",

  GetAsyncKeyState: "i16 (i32 vKey)",
  GetKeyboardLayout: "usize HKL (u32 idThread)",
  GetKeyboardLayoutNameW: "i32 (buffer WCHAR[9])",
  MapVirtualKeyExW: "u32 (u32 uCode, u32 MAPVK_*, usize HKL)",
  VkKeyScanExW: "i16 (u16 WCHAR, usize HKL)",
  ToUnicodeEx: `i32 (u32 virtual key, u32 scan code, buffer BYTE[256] key state, buffer WCHAR*,
    i32 its length, u32 flags, usize HKL)`,

  EnumWindows: "i32 (function WNDENUMPROC, isize LPARAM)",
  IsWindow: "i32 (usize HWND)",
  IsWindowVisible: "i32 (usize)",
  IsWindowEnabled: "i32 (usize)",
  IsIconic: "i32 (usize)",
  IsZoomed: "i32 (usize)",
  GetWindow: "usize (usize, u32 GW_*)",
  GetLastActivePopup: "usize (usize)",
  GetWindowLongPtrW: "isize (usize, i32 GWL_*)",
  GetWindowThreadProcessId: "u32 (usize, buffer DWORD*)",
  // Reads Windows's own copy of the title; GetWindowTextW may ask the window's program.
  InternalGetWindowText: "i32 (usize, buffer WCHAR*, i32 its length)",
  GetClassNameW: "i32 (usize, buffer WCHAR*, i32 its length)",
  GetWindowRect: "i32 (usize, buffer RECT*)",
  GetWindowPlacement: "i32 (usize, buffer WINDOWPLACEMENT*)",
  MonitorFromWindow: "pointer (usize, u32 MONITOR_DEFAULTTO*)",
  WindowFromPoint: "usize (u64 POINT by value: x low; y high)",
  ShowWindowAsync: "i32 (usize, i32 SW_*)",
  SetWindowPos: `i32 (usize HWND, usize HWND behind which it goes, i32 x, i32 y, i32 width, i32 height,
    u32 SWP_*)`,
  PostMessageW: "i32 (usize HWND, u32 message, usize WPARAM, isize LPARAM)",
  SendMessageTimeoutW: `isize (usize HWND, u32 message, usize WPARAM, isize LPARAM, u32 SMTO_*, u32 ms,
    pointer DWORD_PTR*)`,
  GetForegroundWindow: "usize ()",
  SetForegroundWindow: "i32 (usize)",
  AttachThreadInput: "i32 (u32 idAttach, u32 idAttachTo, i32 whether to attach)",

  // Only a window may own the clipboard.
  CreateWindowExW: `usize (u32 WS_EX_*, buffer class, buffer title, u32 WS_*, i32 x, i32 y, i32 width,
    i32 height, usize HWND parent, pointer HMENU, pointer HINSTANCE, pointer LPARAM)`,
  DestroyWindow: "i32 (usize HWND)",
  OpenClipboard: "i32 (usize HWND)",
  CloseClipboard: "i32 ()",
  GetClipboardOwner: "usize ()",
  EmptyClipboard: "i32 ()",
  SetClipboardData: "usize (u32 CF_*, usize HANDLE)",
  GetClipboardData: "usize (u32 CF_*)",
  IsClipboardFormatAvailable: "i32 (u32 CF_*)",
  RegisterClipboardFormatW: "u32 (buffer name)",

  GetProcessWindowStation: "pointer ()",
  GetThreadDesktop: "pointer (u32 dwThreadId)",
  OpenInputDesktop: "pointer (u32 flags, i32 inherit, u32 access)",
  CloseDesktop: "i32 (pointer HDESK)",
  GetUserObjectInformationW: "i32 (pointer HANDLE, i32 UOI_*, buffer, u32 bytes, buffer DWORD* needed)",

  GetLastInputInfo: "i32 (buffer LASTINPUTINFO*)",
  SetWindowsHookExW: "usize HHOOK (i32 WH_*, function HOOKPROC, pointer HINSTANCE, u32 dwThreadId)",
  UnhookWindowsHookEx: "i32 (usize HHOOK)",
  CallNextHookEx: "isize (usize HHOOK, i32 nCode, usize WPARAM, pointer LPARAM)",
  PeekMessageW: "i32 (buffer MSG*, pointer HWND, u32 first, u32 last, u32 PM_*)",
  GetMessageW: "i32 (buffer MSG*, pointer HWND, u32, u32)",
  SetTimer: "usize (pointer HWND; null: this thread, usize id, u32 ms, pointer TIMERPROC)",
  KillTimer: "i32 (pointer HWND, usize id)",
  PostThreadMessageW: "i32 (u32 idThread, u32 message, usize WPARAM, isize LPARAM)",

  SetProcessDPIAware: "i32 ()",
  SetProcessDpiAwarenessContext: "i32 (isize DPI_AWARENESS_CONTEXT)",
  GetThreadDpiAwarenessContext: "isize ()",
  AreDpiAwarenessContextsEqual: "i32 (isize, isize)",
});

const USER32 = {
  ...WINUSER,
  /** On its own thread, since it waits for the window's program. */
  SendMessageTimeoutW: { ...WINUSER.SendMessageTimeoutW, nonblocking: true },
  // Windows 10, version 1607 or 1703 and later.
  SetProcessDpiAwarenessContext: { ...WINUSER.SetProcessDpiAwarenessContext, optional: true },
  GetThreadDpiAwarenessContext: { ...WINUSER.GetThreadDpiAwarenessContext, optional: true },
  AreDpiAwarenessContextsEqual: { ...WINUSER.AreDpiAwarenessContextsEqual, optional: true },
} as const satisfies Deno.ForeignLibraryInterface;
