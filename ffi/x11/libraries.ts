/** The C libraries of an X11 desktop. They are opened with a desktop, never on import. */

import { bindOnUse } from "../../core/binding.ts";
import { NoDesktopError } from "../../core/errors.ts";
import { LIBC_FUNCTIONS, openLibc } from "../linux/libc.ts";
import { X11_XCB, XCB, XCB_COMPOSITE, XCB_DAMAGE, XCB_SHM } from "./xcb_symbols.ts";

// The C functions of an X11 desktop. `Display *`, `Window` and the like are opaque; a `Window`, `Atom` or
// `KeySym` is an unsigned long.

/** libX11 */
const X11 = {
  XConnectionNumber: { parameters: ["pointer"], result: "i32" },
  XDefaultScreen: { parameters: ["pointer"], result: "i32" },
  XDefaultRootWindow: { parameters: ["pointer"], result: "u64" },
  XSetErrorHandler: { parameters: ["pointer" /* int (*)(Display *, XErrorEvent *) */], result: "pointer" },
  XSync: { parameters: ["pointer", "i32" /* Bool discard */], result: "i32" },
  XPending: { parameters: ["pointer"], result: "i32" },
  XNextEvent: { parameters: ["pointer", "buffer" /* XEvent * */], result: "i32" },
  XSelectInput: { parameters: ["pointer", "u64", /* Window */ "i64" /* long mask */], result: "i32" },
  XFree: { parameters: ["pointer"], result: "i32" },
  XInitThreads: { parameters: [], result: "i32" },
  XOpenDisplay: { parameters: ["buffer" /* char *name */], result: "pointer" },
  XCloseDisplay: { parameters: ["pointer" /* Display * */], result: "i32" },
  XCloseDisplay_aside: {
    name: "XCloseDisplay",
    parameters: ["pointer" /* Display * */],
    result: "i32",
    nonblocking: true,
  },
  XDefaultVisual: { parameters: ["pointer", "i32" /* screen */], result: "pointer" },
  XDefaultDepth: { parameters: ["pointer", "i32" /* screen */], result: "i32" },
  XServerVendor: { parameters: ["pointer"], result: "pointer" },
  XSetIOErrorHandler: { parameters: ["pointer" /* int (*)(Display *) */], result: "pointer" },
  /** The handler of lost servers, since libX11 1.7; without it the end of the server is the end of the process. */
  XSetIOErrorExitHandler: {
    parameters: ["pointer", "pointer", /* void (*)(Display *, void *) */ "pointer" /* void * */],
    result: "void",
    optional: true,
  },
  XGetEventData: { parameters: ["pointer", "buffer" /* XGenericEventCookie * */], result: "i32" },
  XFreeEventData: { parameters: ["pointer", "buffer"], result: "void" },
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
  XWarpPointer: {
    parameters: [
      "pointer",
      "u64", // Window from, None for any
      "u64", // Window to
      "i32", // from x
      "i32", // from y
      "u32", // from width
      "u32", // from height
      "i32", // x
      "i32", // y
    ],
    result: "i32",
  },
  XGetGeometry: {
    parameters: ["pointer", "u64", "buffer", "buffer", "buffer", "buffer", "buffer", "buffer", "buffer"],
    result: "i32",
  },
  XTranslateCoordinates: {
    parameters: [
      "pointer",
      "u64", // Window source
      "u64", // Window destination
      "i32", // source x
      "i32", // source y
      "buffer", // int *destination_x
      "buffer", // int *destination_y
      "buffer", // Window *child
    ],
    result: "i32",
  },
  XGetAtomName: { parameters: ["pointer", "u64"], result: "pointer" },
  XGetImage: {
    parameters: ["pointer", "u64", "i32", "i32", "u32", "u32", "u64", /* plane_mask */ "i32" /* format */],
    result: "pointer",
  },
  XDestroyImage: { parameters: ["pointer" /* XImage * */], result: "i32" },
  Xutf8TextPropertyToTextList: {
    parameters: [
      "pointer",
      "buffer", // XTextProperty *
      "buffer", // char ***list
      "buffer", // int *count
    ],
    result: "i32",
  },
  XFreeStringList: { parameters: ["pointer" /* char ** */], result: "void" },
  XFlush: { parameters: ["pointer"], result: "i32" },
  XGrabServer: { parameters: ["pointer"], result: "i32" },
  XUngrabServer: { parameters: ["pointer"], result: "i32" },
  XGrabPointer: {
    parameters: [
      "pointer",
      "u64", // Window grab_window
      "i32", // Bool owner_events
      "u32", // event_mask
      "i32", // pointer_mode
      "i32", // keyboard_mode
      "u64", // Window confine_to
      "u64", // Cursor
      "u64", // Time
    ],
    result: "i32",
  },
  XAllowEvents: { parameters: ["pointer", "i32", /* event_mode */ "u64" /* Time */], result: "i32" },
  XUngrabPointer: { parameters: ["pointer", "u64" /* Time */], result: "i32" },
  XGetInputFocus: {
    parameters: ["pointer", "buffer", /* Window *focus */ "buffer" /* int *revert_to */],
    result: "i32",
  },
  XQueryKeymap: { parameters: ["pointer", "buffer" /* char[32] */], result: "i32" },
  XkbGetMap: {
    parameters: ["pointer", "u32", /* which */ "u32" /* device */],
    result: "pointer", /* XkbDescPtr */
  },
  XkbFreeKeyboard: {
    parameters: ["pointer", /* XkbDescPtr */ "u32", /* which */ "i32" /* Bool free_all */],
    result: "void",
  },
  XkbChangeTypesOfKey: {
    parameters: [
      "pointer", // XkbDescPtr
      "i32", // key
      "i32", // number of groups
      "u32", // mask of groups
      "buffer", // int *types, one for each group
      "pointer", // XkbMapChangesPtr
    ],
    result: "i32",
  },
  XkbChangeMap: {
    parameters: ["pointer", "pointer", /* XkbDescPtr */ "buffer" /* XkbMapChangesPtr */],
    result: "i32",
  },
  XkbGetState: {
    parameters: ["pointer", "u32", /* device */ "buffer" /* XkbStateRec * */],
    result: "i32",
  },
  XkbSelectEvents: {
    parameters: ["pointer", "u32", /* device */ "u32", /* affect */ "u32" /* values */],
    result: "i32",
  },
  XGetPointerMapping: {
    parameters: ["pointer", "buffer", /* unsigned char map[] */ "i32" /* its length */],
    result: "i32",
  },
  XkbAllocKeyboard: { parameters: [], result: "pointer" /* XkbDescPtr */ },
  XkbGetControls: { parameters: ["pointer", "u64", /* which */ "pointer" /* XkbDescPtr */], result: "i32" },
  XkbChangeEnabledControls: {
    parameters: ["pointer", "u32", /* device */ "u32", /* affect */ "u32" /* values */],
    result: "i32",
  },
  XkbLatchModifiers: {
    parameters: ["pointer", "u32", /* device */ "u32", /* affect */ "u32" /* values */],
    result: "i32",
  },
  XkbLockGroup: { parameters: ["pointer", "u32", /* device */ "u32" /* group */], result: "i32" },
  XkbLockModifiers: { parameters: ["pointer", "u32", "u32", /* affect */ "u32" /* values */], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

/** libXext: MIT-SHM */
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

/** libXtst: XTEST */
const XTST = {
  /** Lets this connection's requests be handled while another program grabs the server. */
  XTestGrabControl: { parameters: ["pointer", "i32" /* Bool impervious */], result: "i32" },
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

/** libXtst: RECORD */
const XRECORD = {
  XRecordCreateContext: {
    parameters: [
      "pointer",
      "i32", // int datum_flags
      "buffer", // XRecordClientSpec *
      "i32", // nclients
      "buffer", // XRecordRange **
      "i32", // nranges
    ],
    result: "u64", // XRecordContext
  },
  XRecordEnableContextAsync: {
    parameters: ["pointer", "u64", "function", /* XRecordInterceptProc */ "pointer" /* closure */],
    result: "i32",
  },
  XRecordProcessReplies: { parameters: ["pointer"], result: "void" },
  XRecordDisableContext: { parameters: ["pointer", "u64"], result: "i32" },
  XRecordFreeContext: { parameters: ["pointer", "u64"], result: "i32" },
  XRecordFreeData: { parameters: ["pointer" /* XRecordInterceptData * */], result: "void" },
} as const satisfies Deno.ForeignLibraryInterface;

/** libXi: XInput 2 */
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

/** libXrandr */
const XRANDR = {
  XRRGetMonitors: {
    parameters: ["pointer", "u64", /* Window */ "i32", /* Bool active */ "buffer" /* int *count */],
    result: "pointer",
  },
  XRRFreeMonitors: { parameters: ["pointer"], result: "void" },
} as const satisfies Deno.ForeignLibraryInterface;

/** libXfixes */
const XFIXES = {
  XFixesGetCursorImage: { parameters: ["pointer"], result: "pointer" },
  XFixesSelectCursorInput: {
    parameters: ["pointer", "u64", /* Window */ "u64" /* unsigned long eventMask */],
    result: "void",
  },
} as const satisfies Deno.ForeignLibraryInterface;

/** libxdo */
const XDO = {
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

/** libXRes: which process a window is of */
const XRES = {
  XResQueryClientIds: {
    parameters: [
      "pointer",
      "i64", // long num_specs
      "buffer", // XResClientIdSpec *
      "buffer", // long *num_ids
      "buffer", // XResClientIdValue **
    ],
    result: "i32",
  },
  XResGetClientPid: { parameters: ["pointer" /* XResClientIdValue * */], result: "i32" },
  XResClientIdsDestroy: { parameters: ["i64", "pointer" /* XResClientIdValue * */], result: "void" },
} as const satisfies Deno.ForeignLibraryInterface;

/** libxkbcommon */
const XKBCOMMON = {
  xkb_utf32_to_keysym: { parameters: ["u32"], result: "u32" },
  xkb_keysym_to_utf32: { parameters: ["u32"], result: "u32" },
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

/** The libraries that an X11 desktop needs. */
const LIBRARIES = {
  c: library(["libc.so.6"], LIBC_FUNCTIONS, "libc6", "glibc", "glibc"),
  x11: library(["libX11.so.6"], X11, "libx11-6", "libX11", "libx11"),
  xext: library(["libXext.so.6"], XEXT, "libxext6", "libXext", "libxext"),
  xtst: library(["libXtst.so.6"], { ...XTST, ...XRECORD }, "libxtst6", "libXtst", "libxtst"),
  xi: library(["libXi.so.6"], XI, "libxi6", "libXi", "libxi"),
  xrandr: library(["libXrandr.so.2"], XRANDR, "libxrandr2", "libXrandr", "libxrandr"),
  xfixes: library(["libXfixes.so.3"], XFIXES, "libxfixes3", "libXfixes", "libxfixes"),
  xcb: library(["libxcb.so.1"], XCB, "libxcb1", "libxcb", "libxcb"), // which libX11 itself is made on
  xkbcommon: library(["libxkbcommon.so.0"], XKBCOMMON, "libxkbcommon0", "libxkbcommon", "libxkbcommon"),
  // libxdo.so.4 exists since release 4.20251130; the functions that deskhand uses are the same in both.
  xdo: library(["libxdo.so.4", "libxdo.so.3"], XDO, "libxdo3", "libxdo", "xdotool"),
};

/** Optional libraries: those of pictures, and the one by which deskhand waits for a server without holding others up. */
const OPTIONAL_LIBRARIES = {
  x11Xcb: library(["libX11-xcb.so.1"], X11_XCB, "libx11-xcb1", "libX11-xcb", "libx11"),
  xres: library(["libXRes.so.1"], XRES, "libxres1", "libXres", "libxres"),
  xcbShm: library(["libxcb-shm.so.0"], XCB_SHM, "libxcb-shm0", "libxcb", "libxcb"),
  xcbDamage: library(["libxcb-damage.so.0"], XCB_DAMAGE, "libxcb-damage0", "libxcb", "libxcb"),
  xcbComposite: library(
    ["libxcb-composite.so.0"],
    XCB_COMPOSITE,
    "libxcb-composite0",
    "libxcb",
    "libxcb",
  ),
};
/** Features that are missing without these libraries. */
const COSTS: Record<keyof typeof OPTIONAL_LIBRARIES, string> = {
  x11Xcb: "an X server that does not answer blocks the file server and all other requests",
  xres: "a window's process is the one that its program names, when --agent-allow looks it up",
  xcbShm: "pictures take longer",
  xcbDamage: "the live picture uses more CPU and has half the frame rate",
  xcbComposite: "covered windows cannot be captured",
};

type Rows = Record<string, Library<Deno.ForeignLibraryInterface>>;

/** The functions of libraries, a table each. */
type Tables<R extends Rows> = { [K in keyof R]: Deno.DynamicLibrary<R[K]["symbols"]>["symbols"] };
/** The functions of all needed libraries. */
export type Libraries = Tables<typeof LIBRARIES>;
/** The functions of XCB that take pictures. */
export type XcbShm = Tables<Pick<typeof OPTIONAL_LIBRARIES, "xcbShm">> & Pick<Libraries, "xcb">;
/** The functions of XCB that tell what is drawn, and take pictures. */
export type XcbDamage = Tables<Pick<typeof OPTIONAL_LIBRARIES, "xcbShm" | "xcbDamage">>;

let opened: Libraries | undefined;
let openedXcbShm: XcbShm | null | undefined;

/**
 * Opens the libraries, once a thread; they stay open, since Xlib keeps pointers into them.
 * @returns Their functions, each bound on first use.
 * @throws NoDesktopError naming each library that is missing and its package.
 */
export function openLibraries(): Libraries {
  if (opened) return opened;
  const { tables, missing } = open(LIBRARIES);
  if (missing.length) throw new NoDesktopError(missingText(missing));
  return opened = { ...tables, c: openLibc() };
}

/** Opens the libraries for pictures by XCB, once a thread; null if one is missing. */
export function openXcbShm(): XcbShm | null {
  if (openedXcbShm === undefined) {
    const { tables, missing } = open({ xcbShm: OPTIONAL_LIBRARIES.xcbShm });
    openedXcbShm = missing.length ? null : { ...tables, xcb: openLibraries().xcb };
  }
  return openedXcbShm;
}

/** Opens the library that reports drawn regions; null where it is missing. */
export function openXcbDamage(): XcbDamage | null {
  const { xcbShm, xcbDamage } = OPTIONAL_LIBRARIES, { tables, missing } = open({ xcbShm, xcbDamage });
  return missing.length ? null : tables;
}

/** The functions of XCB that redirect windows. */
export type XcbComposite = Tables<Pick<typeof OPTIONAL_LIBRARIES, "xcbComposite">>["xcbComposite"];

/** Opens the library for pictures of covered windows; null where it is missing. */
export function openXcbComposite(): XcbComposite | null {
  const { xcbComposite } = OPTIONAL_LIBRARIES, { tables, missing } = open({ xcbComposite });
  return missing.length ? null : tables.xcbComposite;
}

/** Opens the library that joins Xlib and XCB; null where it is missing. */
export function openX11Xcb(): Tables<Pick<typeof OPTIONAL_LIBRARIES, "x11Xcb">>["x11Xcb"] | null {
  const { tables, missing } = open({ x11Xcb: OPTIONAL_LIBRARIES.x11Xcb });
  return missing.length ? null : tables.x11Xcb;
}

type XRes = Tables<Pick<typeof OPTIONAL_LIBRARIES, "xres">>["xres"];
let openedXRes: XRes | null | undefined;

/** Opens the library that says which process a window is of, once a thread; null where it is missing. */
export function openXRes(): XRes | null {
  if (openedXRes === undefined) {
    const { tables, missing } = open({ xres: OPTIONAL_LIBRARIES.xres });
    openedXRes = missing.length ? null : tables.xres;
  }
  return openedXRes;
}

function open<R extends Rows>(rows: R) {
  const tables: Record<string, unknown> = {};
  const missing: Rows[string][] = [];
  for (const [key, row] of Object.entries(rows)) {
    const handle = tryOpen(row, {});
    if (handle) {
      tables[key] = bindOnUse(handle.name, row.symbols, (symbol, cause) =>
        new NoDesktopError(
          `${handle.name} is too old: it lacks ${symbol} (Debian and Ubuntu: ${row.packages.debian})`,
          { cause },
        ));
    } else missing.push(row);
  }
  return { tables: tables as Tables<R>, missing };
}

/** Debian's packages of the libraries: those that an X11 desktop needs, and those that make it faster. */
export function debianPackages(): { needed: string[]; optional: string[] } {
  const names = (rows: Rows) => Object.values(rows).map(({ packages }) => packages.debian);
  return {
    needed: names(LIBRARIES as unknown as Rows),
    optional: names(OPTIONAL_LIBRARIES as unknown as Rows),
  };
}

/** A library in the report of `deskhand doctor`: the file that was found, or what to install. */
interface LibraryFinding {
  name: string;
  found?: string;
  packages: string;
  /** Features that are slower without the library, where deskhand works without it. */
  cost?: string;
}

/** Checks which libraries are installed. */
export function inspectLibraries(): LibraryFinding[] {
  const costs: Record<string, string> = COSTS;
  const rows = Object.entries({ ...LIBRARIES, ...OPTIONAL_LIBRARIES } as unknown as Rows);
  return rows.map(([key, row]) => {
    const handle = tryOpen(row, row.symbols);
    handle?.library.close();
    return {
      name: row.names.join(" or "),
      found: handle?.name,
      packages: packagesText([row]),
      cost: costs[key],
    };
  });
}

function tryOpen({ names }: Rows[string], symbols: Deno.ForeignLibraryInterface) {
  for (const name of names) {
    try {
      return { name, library: Deno.dlopen(name, symbols) };
    } catch {
      // Tries the next name; the caller reports missing libraries.
    }
  }
  return undefined;
}

function missingText(missing: readonly Rows[string][]): string {
  const names = missing.map(({ names }) => names.join(" or ")).join(", ");
  return `an X11 library is missing: ${names}. ${packagesText(missing)}. ` +
    "To try deskhand without a desktop: --desktop virtual";
}

function packagesText(rows: readonly Rows[string][]): string {
  const list = (system: "debian" | "fedora" | "arch") =>
    rows.map(({ packages }) => packages[system]).join(" ");
  return `Debian and Ubuntu: apt install ${list("debian")}; Fedora: dnf install ${list("fedora")}; ` +
    `Arch: pacman -S ${list("arch")}`;
}
