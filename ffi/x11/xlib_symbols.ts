/**
 * Functions of libX11 that commands of xdotool and the whole desktop share. This table is by itself, since a command
 * that loads all functions of an X11 desktop starts later.
 */

/** libX11 */
export const XLIB = {
  XConnectionNumber: { parameters: ["pointer"], result: "i32" },
  XDefaultScreen: { parameters: ["pointer"], result: "i32" },
  XDefaultRootWindow: { parameters: ["pointer"], result: "u64" },
  XSetErrorHandler: { parameters: ["pointer" /* int (*)(Display *, XErrorEvent *) */], result: "pointer" },
  XSync: { parameters: ["pointer", "i32" /* Bool discard */], result: "i32" },
  XPending: { parameters: ["pointer"], result: "i32" },
  XNextEvent: { parameters: ["pointer", "buffer" /* XEvent * */], result: "i32" },
  XSelectInput: { parameters: ["pointer", "u64", /* Window */ "i64" /* long mask */], result: "i32" },
  XFree: { parameters: ["pointer"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;
