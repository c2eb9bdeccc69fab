/**
 * The C libraries of an X11 desktop, as tables of the functions that are used. Opened when a desktop is, never
 * on import. `Display *`, `Window` and the like are opaque; a `Window`, `Atom` or `KeySym` is an unsigned long.
 */

import { NoDesktopError } from "../../errors.ts";

const X11 = {
  XInitThreads: { parameters: [], result: "i32" },
  XOpenDisplay: { parameters: ["buffer" /* char *name */], result: "pointer" },
  XCloseDisplay: { parameters: ["pointer" /* Display * */], result: "i32" },
  XConnectionNumber: { parameters: ["pointer"], result: "i32" },
  XDefaultScreen: { parameters: ["pointer"], result: "i32" },
  XDefaultRootWindow: { parameters: ["pointer"], result: "u64" },
  XDefaultVisual: { parameters: ["pointer", "i32" /* screen */], result: "pointer" },
  XDefaultDepth: { parameters: ["pointer", "i32" /* screen */], result: "i32" },
  XServerVendor: { parameters: ["pointer"], result: "pointer" },
  XSetErrorHandler: { parameters: ["pointer" /* int (*)(Display *, XErrorEvent *) */], result: "pointer" },
  XSetIOErrorHandler: { parameters: ["pointer" /* int (*)(Display *) */], result: "pointer" },
  /** Since libX11 1.7; without it the end of the server is the end of the process. */
  XSetIOErrorExitHandler: {
    parameters: ["pointer", "pointer", /* void (*)(Display *, void *) */ "pointer" /* void * */],
    result: "void",
    optional: true,
  },
  XSync: { parameters: ["pointer", "i32" /* Bool discard */], result: "i32" },
  XFlush: { parameters: ["pointer"], result: "i32" },
  XPending: { parameters: ["pointer"], result: "i32" },
  XNextEvent: { parameters: ["pointer", "buffer" /* XEvent * */], result: "i32" },
  XGetEventData: { parameters: ["pointer", "buffer" /* XGenericEventCookie * */], result: "i32" },
  XFreeEventData: { parameters: ["pointer", "buffer"], result: "void" },
  XSelectInput: { parameters: ["pointer", "u64", /* Window */ "i64" /* long mask */], result: "i32" },
  XQueryExtension: {
    parameters: ["pointer", "buffer", /* char *name */ "buffer", /* int *opcode */ "buffer", "buffer"],
    result: "i32",
  },
  XQueryPointer: {
    parameters: [
      "pointer",
      "u64", // Window w
      "buffer", // Window *root
      "buffer", // Window *child
      "buffer", // int *root_x
      "buffer", // int *root_y
      "buffer", // int *win_x
      "buffer", // int *win_y
      "buffer", // unsigned int *mask
    ],
    result: "i32",
  },
  XGetGeometry: {
    parameters: ["pointer", "u64", "buffer", "buffer", "buffer", "buffer", "buffer", "buffer", "buffer"],
    result: "i32",
  },
  XGetAtomName: { parameters: ["pointer", "u64"], result: "pointer" },
  XGetImage: {
    parameters: ["pointer", "u64", "i32", "i32", "u32", "u32", "u64", /* plane_mask */ "i32" /* format */],
    result: "pointer",
  },
  XDestroyImage: { parameters: ["pointer" /* XImage * */], result: "i32" },
  XFree: { parameters: ["pointer"], result: "i32" },
  XDisplayKeycodes: {
    parameters: ["pointer", "buffer", /* int *min */ "buffer" /* int *max */],
    result: "i32",
  },
  XGetKeyboardMapping: {
    parameters: ["pointer", "u8", /* first */ "i32", /* count */ "buffer" /* int *keysyms_per_keycode */],
    result: "pointer",
  },
  XChangeKeyboardMapping: {
    parameters: ["pointer", "i32", /* first */ "i32", /* keysyms_per_keycode */ "buffer", "i32" /* count */],
    result: "i32",
  },
  XGetModifierMapping: { parameters: ["pointer"], result: "pointer" /* XModifierKeymap * */ },
  XFreeModifiermap: { parameters: ["pointer"], result: "i32" },
  XQueryKeymap: { parameters: ["pointer", "buffer" /* char[32] */], result: "i32" },
  XkbGetState: {
    parameters: ["pointer", "u32", /* device */ "buffer" /* XkbStateRec * */],
    result: "i32",
  },
  XkbLockModifiers: { parameters: ["pointer", "u32", "u32", /* affect */ "u32" /* values */], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

const XEXT = {
  XShmQueryExtension: { parameters: ["pointer"], result: "i32" },
  XShmCreateImage: {
    parameters: [
      "pointer",
      "pointer", // Visual *
      "u32", // depth
      "i32", // format
      "pointer", // char *data
      "pointer", // XShmSegmentInfo *, kept by the image
      "u32", // width
      "u32", // height
    ],
    result: "pointer",
  },
  XShmAttach: { parameters: ["pointer", "pointer" /* XShmSegmentInfo * */], result: "i32" },
  XShmDetach: { parameters: ["pointer", "pointer"], result: "i32" },
  XShmGetImage: {
    parameters: ["pointer", "u64", /* Drawable */ "pointer", /* XImage * */ "i32", "i32", "u64" /* planes */],
    result: "i32",
  },
} as const satisfies Deno.ForeignLibraryInterface;

const XTST = {
  XTestQueryExtension: { parameters: ["pointer", "buffer", "buffer", "buffer", "buffer"], result: "i32" },
  XTestFakeKeyEvent: {
    parameters: ["pointer", "u32", /* keycode */ "i32", /* Bool is_press */ "u64" /* delay */],
    result: "i32",
  },
  XTestFakeMotionEvent: {
    parameters: ["pointer", "i32", /* screen */ "i32", /* x */ "i32", /* y */ "u64" /* delay */],
    result: "i32",
  },
} as const satisfies Deno.ForeignLibraryInterface;

const XI = {
  XIQueryVersion: {
    parameters: ["pointer", "buffer", /* int *major */ "buffer" /* int *minor */],
    result: "i32",
  },
  XIQueryDevice: {
    parameters: ["pointer", "i32", /* deviceid */ "buffer" /* int *count */],
    result: "pointer",
  },
  XIFreeDeviceInfo: { parameters: ["pointer"], result: "void" },
  XISelectEvents: {
    parameters: ["pointer", "u64", /* Window */ "buffer", /* XIEventMask * */ "i32" /* count */],
    result: "i32",
  },
  XOpenDevice: { parameters: ["pointer", "u64" /* XID */], result: "pointer" },
  XCloseDevice: { parameters: ["pointer", "pointer" /* XDevice * */], result: "i32" },
  XQueryDeviceState: { parameters: ["pointer", "pointer"], result: "pointer" /* XDeviceState * */ },
  XFreeDeviceState: { parameters: ["pointer"], result: "void" },
} as const satisfies Deno.ForeignLibraryInterface;

const XRANDR = {
  XRRQueryVersion: { parameters: ["pointer", "buffer", "buffer"], result: "i32" },
  XRRGetMonitors: {
    parameters: ["pointer", "u64", /* Window */ "i32", /* Bool active */ "buffer" /* int *count */],
    result: "pointer",
  },
  XRRFreeMonitors: { parameters: ["pointer"], result: "void" },
} as const satisfies Deno.ForeignLibraryInterface;

const XFIXES = {
  XFixesQueryExtension: { parameters: ["pointer", "buffer", "buffer"], result: "i32" },
  XFixesGetCursorImage: { parameters: ["pointer"], result: "pointer" },
} as const satisfies Deno.ForeignLibraryInterface;

const XDO = {
  xdo_new_with_opened_display: {
    parameters: ["pointer", "buffer", /* char *name */ "i32" /* close it when freed */],
    result: "pointer",
  },
  xdo_free: { parameters: ["pointer"], result: "void" },
  xdo_get_mouse_location: {
    parameters: ["pointer", "buffer", /* int *x */ "buffer", /* int *y */ "buffer" /* int *screen */],
    result: "i32",
  },
  xdo_mouse_down: { parameters: ["pointer", "u64", /* Window */ "i32" /* button */], result: "i32" },
  xdo_mouse_up: { parameters: ["pointer", "u64", "i32"], result: "i32" },
  xdo_send_keysequence_window_list_do: {
    parameters: [
      "pointer",
      "u64", // Window
      "buffer", // charcodemap_t *keys
      "i32", // nkeys
      "i32", // pressed
      "buffer", // int *modifier
      "u32", // useconds_t delay
    ],
    result: "i32",
  },
} as const satisfies Deno.ForeignLibraryInterface;

const XKBCOMMON = {
  xkb_utf32_to_keysym: { parameters: ["u32"], result: "u32" },
  xkb_keysym_to_utf32: { parameters: ["u32"], result: "u32" },
} as const satisfies Deno.ForeignLibraryInterface;

const C = {
  dlsym: { parameters: ["pointer", /* NULL: this process */ "buffer"], result: "pointer" },
  poll: { parameters: ["buffer", /* struct pollfd * */ "u64", "i32" /* ms */], result: "i32" },
  /** The same off this thread, for waiting. */
  poll_waiting: { name: "poll", parameters: ["buffer", "u64", "i32"], result: "i32", nonblocking: true },
  eventfd: { parameters: ["u32", "i32"], result: "i32" },
  write: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  close: { parameters: ["i32"], result: "i32" },
  usleep: { parameters: ["u32" /* microseconds */], result: "i32" },
  shmget: { parameters: ["i32", /* key */ "usize", "i32" /* flags */], result: "i32" },
  shmat: { parameters: ["i32", "pointer", "i32"], result: "pointer" },
  shmdt: { parameters: ["pointer"], result: "i32" },
  shmctl: { parameters: ["i32", "i32", /* command */ "pointer"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

/** A library: its file names, newest first, and the package that has it. */
interface Library<S extends Deno.ForeignLibraryInterface> {
  names: readonly string[];
  symbols: S;
  packages: { debian: string; fedora: string; arch: string };
}

function library<S extends Deno.ForeignLibraryInterface>(
  names: string[],
  symbols: S,
  debian: string,
  fedora: string,
  arch: string,
): Library<S> {
  return { names, symbols, packages: { debian, fedora, arch } };
}

/** Every library that is needed. */
const LIBRARIES = {
  c: library(["libc.so.6", "libc.so"], C, "libc6", "glibc", "glibc"),
  x11: library(["libX11.so.6"], X11, "libx11-6", "libX11", "libx11"),
  xext: library(["libXext.so.6"], XEXT, "libxext6", "libXext", "libxext"),
  xtst: library(["libXtst.so.6"], XTST, "libxtst6", "libXtst", "libxtst"),
  xi: library(["libXi.so.6"], XI, "libxi6", "libXi", "libxi"),
  xrandr: library(["libXrandr.so.2"], XRANDR, "libxrandr2", "libXrandr", "libxrandr"),
  xfixes: library(["libXfixes.so.3"], XFIXES, "libxfixes3", "libXfixes", "libxfixes"),
  xkbcommon: library(["libxkbcommon.so.0"], XKBCOMMON, "libxkbcommon0", "libxkbcommon", "libxkbcommon"),
  // 4 since release 4.20251130; the functions used here did not change.
  xdo: library(["libxdo.so.4", "libxdo.so.3"], XDO, "libxdo3", "libxdo", "xdotool"),
};

const ROWS = Object.entries(LIBRARIES) as unknown as [string, Library<Deno.ForeignLibraryInterface>][];

/** The functions of all libraries, a table each. */
export type Libraries = {
  [K in keyof typeof LIBRARIES]: Deno.DynamicLibrary<(typeof LIBRARIES)[K]["symbols"]>["symbols"];
};

let opened: Libraries | undefined;

/**
 * Opens the libraries, once a thread; they stay open, since Xlib keeps pointers into them.
 * @returns Their functions, each bound when it is first used: binding takes 0.3 ms, and a start uses 20 of 70.
 * @throws NoDesktopError naming each library that is missing and its package.
 */
export function openLibraries(): Libraries {
  if (opened) return opened;
  const found: Record<string, unknown> = {};
  const missing: Library<Deno.ForeignLibraryInterface>[] = [];
  for (const [key, row] of ROWS) {
    const handle = tryOpen(row, {});
    if (handle) found[key] = bindOnUse(handle.name, row);
    else missing.push(row);
  }
  if (missing.length) throw new NoDesktopError(missingText(missing));
  return opened = found as Libraries;
}

/** Which libraries are there, for `deskhand doctor`: the file that was found, or what to install. */
export function inspectLibraries(): { name: string; found?: string; packages: string }[] {
  return ROWS.map(([_, row]) => {
    const handle = tryOpen(row, row.symbols);
    handle?.library.close();
    return { name: row.names.join(" or "), found: handle?.name, packages: packagesText([row]) };
  });
}

/** An object with a property for each function, which is bound when it is first looked at. */
function bindOnUse(name: string, { symbols, packages }: Library<Deno.ForeignLibraryInterface>): object {
  const unbound = Object.entries(symbols).map(([symbol, definition]) => [symbol, {
    get(this: object) {
      const value = bind(name, symbol, definition, packages.debian);
      Object.defineProperty(this, symbol, { value });
      return value;
    },
  }]);
  return Object.create(Object.create(null, Object.fromEntries(unbound)));
}

function bind(
  name: string,
  symbol: string,
  definition: Deno.ForeignFunction | Deno.ForeignStatic,
  debian: string,
): unknown {
  try {
    return Deno.dlopen(name, { [symbol]: definition }).symbols[symbol];
  } catch (error) {
    throw new NoDesktopError(`${name} is too old: it lacks ${symbol} (Debian and Ubuntu: ${debian})`, {
      cause: error,
    });
  }
}

function tryOpen({ names }: Library<Deno.ForeignLibraryInterface>, symbols: Deno.ForeignLibraryInterface) {
  for (const name of names) {
    try {
      return { name, library: Deno.dlopen(name, symbols) };
    } catch {
      // The next name, or none: the caller says which are missing.
    }
  }
  return undefined;
}

function missingText(missing: Library<Deno.ForeignLibraryInterface>[]): string {
  const names = missing.map(({ names }) => names.join(" or ")).join(", ");
  return `a library for X11 is missing: ${names}. ${packagesText(missing)}. ` +
    "To try deskhand without a desktop: --desktop virtual";
}

function packagesText(rows: Library<Deno.ForeignLibraryInterface>[]): string {
  const list = (system: "debian" | "fedora" | "arch") =>
    rows.map(({ packages }) => packages[system]).join(" ");
  return `Debian and Ubuntu: apt install ${list("debian")}; Fedora: dnf install ${list("fedora")}; ` +
    `Arch: pacman -S ${list("arch")}`;
}

/** Text as C wants it: bytes in UTF-8 with a zero at the end. */
export function cString(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text + "\0");
}
