/** libxdo, and the functions of libX11 that its commands need in addition. */

import { bindOnUse } from "../../../core/binding.ts";
import { NoDesktopError } from "../../../core/errors.ts";
import { XLIB } from "../xlib_symbols.ts";
import { XDOTOOL } from "./symbols.ts";

/** File names of libxdo, the most frequent first: the search for a file that is missing takes a command 0.5 ms. */
const XDO_NAMES = ["libxdo.so.3", "libxdo.so.4"];
const X11_NAME = "libX11.so.6";

/** Functions of libX11. */
const X11 = {
  ...XLIB,
  XScreenNumberOfScreen: { parameters: ["pointer" /* Screen * */], result: "i32" },
  XGetWindowAttributes: { parameters: ["pointer", "u64", "buffer"], result: "i32" },
  XTranslateCoordinates: {
    parameters: ["pointer", "u64", "u64", "i32", "i32", "buffer", "buffer", "buffer" /* Window *child */],
    result: "i32",
  },
  XQueryTree: {
    parameters: ["pointer", "u64", "buffer", "buffer", "buffer", /* Window **children */ "buffer"],
    result: "i32",
  },
  XNextRequest: { parameters: ["pointer"], result: "u64" },
  XLastKnownRequestProcessed: { parameters: ["pointer"], result: "u64" },
  XStringToKeysym: { parameters: ["buffer"], result: "u64" },
  XKeysymToKeycode: { parameters: ["pointer", "u64"], result: "u8" },
  XKeycodeToKeysym: { parameters: ["pointer", "u8", "i32" /* 0 without Shift, 1 with it */], result: "u64" },
} as const satisfies Deno.ForeignLibraryInterface;

/** The functions. */
export interface XdoLibraries {
  xdo: Deno.DynamicLibrary<typeof XDOTOOL>["symbols"];
  x11: Deno.DynamicLibrary<typeof X11>["symbols"];
}

/**
 * Opens libxdo and the X library; each function is bound on its first use.
 * @throws NoDesktopError if one is missing.
 */
export function openXdoLibraries(): XdoLibraries {
  return {
    xdo: open(XDO_NAMES, XDOTOOL, "libxdo3") as XdoLibraries["xdo"],
    x11: open([X11_NAME], X11, "libx11-6") as XdoLibraries["x11"],
  };
}

function open(names: readonly string[], functions: Deno.ForeignLibraryInterface, debian: string): object {
  for (const name of names) {
    try {
      Deno.dlopen(name, {});
    } catch {
      continue;
    }
    return bindOnUse(
      name,
      functions,
      (symbol, cause) => new NoDesktopError(`${name} lacks ${symbol} (Debian: ${debian})`, { cause }),
    );
  }
  throw new NoDesktopError(
    `a library for X11 is missing: ${names.join(" or ")} (Debian and Ubuntu: apt install ${debian})`,
  );
}
