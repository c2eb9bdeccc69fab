/**
 * The C functions of an X11 desktop but for XCB's. `Display *`, `Window` and the like are opaque; a `Window`, `Atom` or
 * `KeySym` is an unsigned long.
 */

/** libX11 */
export const X11 = {
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
  XOpenDisplay_aside: {
    name: "XOpenDisplay",
    parameters: ["buffer" /* char *name */],
    result: "pointer",
    nonblocking: true,
  },
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
export const XEXT = {
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
export const XTST = {
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
export const XRECORD = {
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
export const XI = {
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
export const XRANDR = {
  XRRGetMonitors: {
    parameters: ["pointer", "u64", /* Window */ "i32", /* Bool active */ "buffer" /* int *count */],
    result: "pointer",
  },
  XRRFreeMonitors: { parameters: ["pointer"], result: "void" },
} as const satisfies Deno.ForeignLibraryInterface;

/** libXfixes */
export const XFIXES = {
  XFixesGetCursorImage: { parameters: ["pointer"], result: "pointer" },
  XFixesSelectCursorInput: {
    parameters: ["pointer", "u64", /* Window */ "u64" /* unsigned long eventMask */],
    result: "void",
  },
} as const satisfies Deno.ForeignLibraryInterface;

/** libxdo */
export const XDO = {
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
export const XRES = {
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
export const XKBCOMMON = {
  xkb_utf32_to_keysym: { parameters: ["u32"], result: "u32" },
  xkb_keysym_to_utf32: { parameters: ["u32"], result: "u32" },
} as const satisfies Deno.ForeignLibraryInterface;
