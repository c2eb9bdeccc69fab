/**
 * The functions of the other libraries that deskhand calls, as tables in the order of their header files. Handles that
 * are only passed back are `pointer`; `usize` stands for handles that are numbers to deskhand.
 */

/** wingdi.h */
export const GDI32 = {
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
export const DWMAPI = {
  DwmGetWindowAttribute: {
    parameters: ["usize", /* HWND */ "u32", /* DWMWA_* */ "buffer", "u32" /* bytes */],
    result: "i32", /* HRESULT */
  },
} as const satisfies Deno.ForeignLibraryInterface;

/** processthreadsapi.h, handleapi.h, libloaderapi.h, winbase.h, sysinfoapi.h */
export const KERNEL32 = {
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
export const ADVAPI32 = {
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
export const SHCORE = {
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
