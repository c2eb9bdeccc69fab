/**
 * The functions of the other libraries that deskhand calls, as tables in the order of their header files. Handles that
 * are only passed back are `pointer`; `usize` stands for handles that are numbers to deskhand.
 */

import { bindOnUse } from "../../core/binding.ts";
import { NoDesktopError } from "../../core/errors.ts";
import { USER32 } from "./user32_symbols.ts";

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
