/**
 * The X server that xdotool's commands act on, by libxdo, on which xdotool itself is built. Messages of libxdo go to
 * standard error, and an error of the server ends the process with Xlib's message and code 1, as in xdotool.
 */

import { bindOnUse } from "../../../core/binding.ts";
import { NoDesktopError } from "../../../core/errors.ts";
import { cString, openLibc } from "../../linux/libc.ts";
import { XLIB } from "../xlib_symbols.ts";
import { XDOTOOL } from "./symbols.ts";

// libxdo, and the functions of libX11 that its commands need in addition.

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
interface XdoLibraries {
  xdo: Deno.DynamicLibrary<typeof XDOTOOL>["symbols"];
  x11: Deno.DynamicLibrary<typeof X11>["symbols"];
}

/**
 * Opens libxdo and the X library; each function is bound on its first use.
 * @throws NoDesktopError if one is missing.
 */
function openXdoLibraries(): XdoLibraries {
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

/** Offset of `root` in XWindowAttributes (Xlib.h), and more than its size. */
const ATTRIBUTES = { size: 160, root: 32 };
/** Bits of a mask that are modifiers; those above are groups and buttons. */
const MODIFIER_BITS = 0xff;

/** Flags of map states (X.h). */
export const MAP_STATE = { unmapped: 0, viewable: 2 } as const;
/** SIZE_FROM (xdo.h): waits until the size of a window changes from the given one. */
const SIZE_FROM = 1;

/** Numbers that libxdo fills in. */
class Out {
  readonly ints = new Int32Array(4);
  readonly words = new BigUint64Array(4);
  readonly int = [0, 1, 2, 3].map((i) => this.ints.subarray(i, i + 1));
  readonly word = [0, 1, 2, 3].map((i) => this.words.subarray(i, i + 1));
}

/** The server of DISPLAY. The first use connects to it. */
export class XdoSession {
  readonly out = new Out();
  #libraries: XdoLibraries | undefined;
  #xdo: Deno.PointerObject | undefined;
  #display: Deno.PointerObject | undefined;

  /** @throws NoDesktopError if a library is missing. */
  get libraries(): XdoLibraries {
    return this.#libraries ??= openXdoLibraries();
  }

  /** @throws NoDesktopError, with libxdo's message printed, if no server is there, or a library is missing. */
  get xdo(): Deno.PointerObject {
    return this.#xdo ??= this.#connected();
  }

  /** @throws As {@linkcode xdo} does. */
  get display(): Deno.PointerObject {
    return this.#display ??= Deno.UnsafePointer.create(new Deno.UnsafePointerView(this.xdo).getBigUint64())!;
  }

  /**
   * Connects at once.
   * @returns undefined, with libxdo's message printed, if no server is there.
   * @throws NoDesktopError if a library is missing.
   */
  static open(): XdoSession | undefined {
    const session = new XdoSession(), xdo = session.libraries.xdo.xdo_new(null);
    if (!xdo) return undefined;
    session.#xdo = xdo;
    return session;
  }

  #connected(): Deno.PointerObject {
    const xdo = this.libraries.xdo.xdo_new(null);
    if (!xdo) throw new NoDesktopError("the X server of DISPLAY does not answer");
    return xdo;
  }

  /** The version of libxdo, such as `3.20160805.1`. */
  get version(): string {
    return Deno.UnsafePointerView.getCString(this.libraries.xdo.xdo_version()!);
  }

  /** Functions that this version of libxdo lacks. */
  lacks(name: "xdo_get_window_classname" | "xdo_lower_window" | "xdo_quit_window" | "xdo_window_state") {
    return !this.libraries.xdo[name];
  }

  location(): { x: number; y: number; screen: number } {
    const { int: [x, y, screen], ints } = this.out;
    this.libraries.xdo.xdo_get_mouse_location(this.xdo, x, y, screen);
    return { x: ints[0], y: ints[1], screen: ints[2] };
  }

  /** The place of the pointer, and the window there. */
  pointer(): { x: number; y: number; screen: number; window: number } {
    const { int: [x, y, screen], ints, word: [window], words } = this.out;
    this.libraries.xdo.xdo_get_mouse_location2(this.xdo, x, y, screen, window);
    return { x: ints[0], y: ints[1], screen: ints[2], window: Number(words[0]) };
  }

  /** @returns undefined, with libxdo's message printed, if there is no such screen. */
  screenSize(screen: number): { width: number; height: number } | undefined {
    const { int: [width, height], ints } = this.out;
    const code = this.libraries.xdo.xdo_get_viewport_dimensions(this.xdo, width, height, screen);
    return code ? undefined : { width: ints[0], height: ints[1] };
  }

  size(window: number): { width: number; height: number } {
    const { int: [width, height], ints } = this.out;
    this.libraries.xdo.xdo_get_window_size(this.xdo, big(window), width, height);
    return { width: ints[0], height: ints[1] };
  }

  geometry(window: number): { x: number; y: number; width: number; height: number; screen: number } {
    const { width, height } = this.size(window);
    const { int: [x, y], ints, word: [screen], words } = this.out, { xdo, x11 } = this.libraries;
    xdo.xdo_get_window_location(this.xdo, big(window), x, y, screen);
    const number = x11.XScreenNumberOfScreen(Deno.UnsafePointer.create(words[0]));
    return { x: ints[0], y: ints[1], width, height, screen: number };
  }

  /** The number of the screen that DISPLAY names. */
  get defaultScreen(): number {
    return this.libraries.x11.XDefaultScreen(this.display);
  }

  /** The root window of a window's screen; of the default one for 0. */
  root(window: number): number {
    const { x11 } = this.libraries;
    if (!window) return Number(x11.XDefaultRootWindow(this.display));
    const attributes = new Uint8Array(ATTRIBUTES.size);
    x11.XGetWindowAttributes(this.display, big(window), attributes);
    return Number(new DataView(attributes.buffer).getBigUint64(ATTRIBUTES.root, true));
  }

  /** Converts a place of a window into one of its screen. */
  placeOf(window: number, x: number, y: number): { x: number; y: number; screen: number } {
    const { int: [rootX, rootY], ints, word: [child] } = this.out, root = this.root(window);
    this.libraries.x11.XTranslateCoordinates(
      this.display,
      big(window),
      big(root),
      x,
      y,
      rootX,
      rootY,
      child,
    );
    return { x: ints[0], y: ints[1], screen: 0 };
  }

  /** The text of a window: bytes in the window's own encoding. */
  name(window: number): Uint8Array<ArrayBuffer> {
    const { word: [name], words, int: [length, type], ints } = this.out;
    this.libraries.xdo.xdo_get_window_name(this.xdo, big(window), name, length, type);
    return this.#taken(words[0], ints[0]);
  }

  className(window: number): Uint8Array<ArrayBuffer> {
    const { word: [name], words } = this.out;
    words[0] = 0n;
    this.libraries.xdo.xdo_get_window_classname!(this.xdo, big(window), name);
    return this.#taken(words[0], Infinity);
  }

  /** Copies the bytes of a C string, and frees it. */
  #taken(address: bigint, length: number): Uint8Array<ArrayBuffer> {
    const pointer = Deno.UnsafePointer.create(address);
    if (!pointer) return new Uint8Array();
    const view = new Deno.UnsafePointerView(pointer), bytes: number[] = [];
    for (let at = 0; at < length && view.getUint8(at); at++) bytes.push(view.getUint8(at));
    this.libraries.x11.XFree(pointer);
    return new Uint8Array(bytes);
  }

  /** Asks for a window. @returns undefined if the call fails. */
  window(
    ask:
      | "xdo_get_active_window"
      | "xdo_get_focused_window"
      | "xdo_get_focused_window_sane"
      | "xdo_select_window_with_click",
  ): number | undefined {
    const { word: [window], words } = this.out;
    return this.libraries.xdo[ask](this.xdo, window) ? undefined : Number(words[0]);
  }

  /** Calls a function that stores a `long`, and returns that value. */
  long(ask: "xdo_get_number_of_desktops" | "xdo_get_current_desktop"): { code: number; value: number } {
    const { word: [value], words } = this.out;
    words[0] = 0n;
    const code = this.libraries.xdo[ask](this.xdo, value);
    return { code, value: Number(BigInt.asIntN(64, words[0])) };
  }

  desktopOf(window: number): { code: number; value: number } {
    const { word: [value], words } = this.out;
    words[0] = 0n;
    const code = this.libraries.xdo.xdo_get_desktop_for_window(this.xdo, big(window), value);
    return { code, value: Number(BigInt.asIntN(64, words[0])) };
  }

  viewport(): { code: number; value: { x: number; y: number } } {
    const { int: [x, y], ints } = this.out;
    ints.fill(0);
    const code = this.libraries.xdo.xdo_get_desktop_viewport(this.xdo, x, y);
    return { code, value: { x: ints[0], y: ints[1] } };
  }

  /** Converts a size in units of a window, such as characters, to pixels. */
  hinted(window: number, width: number, height: number): { width: number; height: number } {
    const { int: [w, h], ints } = this.out;
    this.libraries.xdo.xdo_translate_window_with_sizehint(this.xdo, big(window), width, height, w, h);
    return { width: ints[0], height: ints[1] };
  }

  /** Waits until a window has another size. */
  waitForResize(window: number, { width, height }: { width: number; height: number }): void {
    this.libraries.xdo.xdo_wait_for_window_size(this.xdo, big(window), width, height, 0, SIZE_FROM);
  }

  /** Releases the keys that are down. @returns A function that presses them again. */
  clearModifiers(window: number): () => void {
    const { xdo } = this.libraries, keys = new BigUint64Array(1), count = new Int32Array(1);
    xdo.xdo_get_active_modifiers(this.xdo, keys, count);
    const pointer = Deno.UnsafePointer.create(keys[0]);
    xdo.xdo_clear_active_modifiers(this.xdo, big(window), pointer, count[0]);
    return () => {
      xdo.xdo_set_active_modifiers(this.xdo, big(window), pointer, count[0]);
      openLibc().free(pointer);
    };
  }

  /** Waits until the server has handled all requests, since other connections send the next ones. */
  sync(): void {
    if (!this.#xdo) return;
    const { libraries: { x11 }, display } = this;
    const open = x11.XNextRequest(display) - x11.XLastKnownRequestProcessed(display);
    if (open > 1n) x11.XSync(display, 0); // otherwise the last request has its reply
  }

  /** The symbol (keysym) of a name of Xlib's; 0 for one that Xlib lacks. */
  symbolOf(name: string): number {
    return Number(this.libraries.x11.XStringToKeysym(cString(name)));
  }

  /** The symbol without Shift on the key of a symbol that needs Shift; undefined for other symbols. */
  unshifted(symbol: number): number | undefined {
    const { x11 } = this.libraries, code = x11.XKeysymToKeycode(this.display, BigInt(symbol));
    const at = (index: number) => Number(x11.XKeycodeToKeysym(this.display, code, index));
    return code && at(0) !== symbol && at(1) === symbol ? at(0) || undefined : undefined;
  }

  /** Modifiers that are down or locked, as bits of X11: 1 is Shift, 2 is Lock, 4 is Control, 8 to 128 are Mod1 to Mod5. */
  modifiers(): number {
    return this.libraries.xdo.xdo_get_input_state(this.xdo) & MODIFIER_BITS;
  }

  /** The first number of a window's property; undefined if the window lacks it. */
  number(window: number, property: string): number | undefined {
    const { word: [value, count, type], words, int: [bits] } = this.out, { xdo, x11 } = this.libraries;
    words.fill(0n);
    const name = cString(property);
    if (xdo.xdo_get_window_property(this.xdo, big(window), name, value, count, type, bits)) return undefined;
    const pointer = Deno.UnsafePointer.create(words[0]);
    if (!pointer) return undefined;
    // Xlib gives numbers of 32 bits as longs.
    const number = words[1] ? new Deno.UnsafePointerView(pointer).getUint32() : undefined;
    x11.XFree(pointer);
    return number;
  }

  /** Sends the queued requests and disconnects. */
  close(): void {
    if (this.#xdo) this.libraries.xdo.xdo_free(this.#xdo);
  }
}

/** A window as C takes it: an unsigned long. */
export function big(window: number): bigint {
  return BigInt.asUintN(64, BigInt(window));
}
