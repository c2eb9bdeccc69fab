/**
 * The additional functions for reading elements, as tables in the order of their header files.
 * Windows are `usize`, since they are numbers to deskhand.
 */

import { SENT_MESSAGE } from "../user32_symbols.ts";

/** combaseapi.h, objbase.h */
export const OLE32 = {
  CoInitializeEx: {
    parameters: ["pointer", /* reserved */ "u32" /* COINIT_* */],
    result: "i32", /* HRESULT */
  },
  CoCreateInstance: {
    parameters: [
      "buffer", /* CLSID* */
      "pointer", /* IUnknown* outer */
      "u32", /* CLSCTX_* */
      "buffer", /* IID* */
      "buffer", /* void** */
    ],
    result: "i32", /* HRESULT */
  },
} as const satisfies Deno.ForeignLibraryInterface;

/** oleauto.h */
export const OLEAUT32 = {
  SysAllocStringLen: { parameters: ["buffer", /* WCHAR* */ "u32" /* units */], result: "usize" /* BSTR */ },
  SysFreeString: { parameters: ["usize" /* BSTR */], result: "void" },
  SysStringLen: { parameters: ["usize" /* BSTR */], result: "u32" /* units */ },
  VariantClear: { parameters: ["buffer" /* VARIANT* */], result: "i32" /* HRESULT */ },
  SafeArrayDestroy: { parameters: ["usize" /* SAFEARRAY* */], result: "i32" /* HRESULT */ },
} as const satisfies Deno.ForeignLibraryInterface;

/** oleacc.h */
export const OLEACC = {
  AccessibleObjectFromWindow: {
    parameters: ["usize", /* HWND */ "u32", /* OBJID_* */ "buffer", /* IID* */ "buffer" /* void** */],
    result: "i32", /* HRESULT */
  },
  AccessibleChildren: {
    parameters: [
      "pointer", /* IAccessible* */
      "i32", /* first */
      "i32", /* how many */
      "buffer", /* VARIANT* */
      "buffer", /* LONG* how many it gave */
    ],
    result: "i32", /* HRESULT */
  },
} as const satisfies Deno.ForeignLibraryInterface;

/** winuser.h */
export const USER32_ELEMENTS = {
  GetAncestor: { parameters: ["usize", /* HWND */ "u32" /* GA_* */], result: "usize" },
  GetMenu: { parameters: ["usize" /* HWND */], result: "usize" /* HMENU */ },
  GetGUIThreadInfo: { parameters: ["u32", /* thread, 0: the one in front */ "buffer"], result: "i32" },
  RealGetWindowClassW: {
    parameters: ["usize", "buffer", /* WCHAR* */ "u32" /* its length */],
    result: "u32",
  },
  SetFocus: { parameters: ["usize" /* HWND */], result: "usize" },
  // Waits for the window's program until the given limit, which only the Worker may do.
  SendMessageTimeoutW: {
    parameters: [...SENT_MESSAGE, "buffer" /* DWORD_PTR* */],
    result: "isize",
  },
} as const satisfies Deno.ForeignLibraryInterface;
