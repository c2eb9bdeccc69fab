/**
 * The C functions of an X11 desktop. `Display *`, `Window` and the like are opaque; a `Window`, `Atom` or `KeySym` is an
 * unsigned long.
 */

/** libX11 */
export const X11 = {
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
  XChangeKeyboardMapping: {
    parameters: ["pointer", "i32", /* first */ "i32", /* keysyms_per_keycode */ "buffer", "i32" /* count */],
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
  XkbGetState: {
    parameters: ["pointer", "u32", /* device */ "buffer" /* XkbStateRec * */],
    result: "i32",
  },
  XkbLockModifiers: { parameters: ["pointer", "u32", "u32", /* affect */ "u32" /* values */], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

/**
 * libxcb. A cookie is a structure of one unsigned int, which is passed as that; a reply is memory that the caller
 * frees, NULL for an error of the request, which then stands in the last parameter.
 */
export const XCB = {
  xcb_connect: {
    parameters: ["buffer", /* char *display */ "buffer" /* int *screen */],
    result: "pointer",
  },
  xcb_connection_has_error: { parameters: ["pointer" /* xcb_connection_t * */], result: "i32" },
  xcb_disconnect: { parameters: ["pointer"], result: "void" },
  xcb_flush: { parameters: ["pointer"], result: "i32" },
  xcb_generate_id: { parameters: ["pointer"], result: "u32" },
  xcb_get_setup: { parameters: ["pointer"], result: "pointer" /* xcb_setup_t * */ },
  xcb_request_check: { parameters: ["pointer", "u32" /* cookie */], result: "pointer" },
  xcb_grab_server: { parameters: ["pointer"], result: "u32" },
  xcb_ungrab_server: { parameters: ["pointer"], result: "u32" },
  xcb_intern_atom: {
    parameters: ["pointer", "u8", /* only_if_exists */ "u16", /* length */ "buffer" /* name */],
    result: "u32",
  },
  xcb_intern_atom_reply: { parameters: ["pointer", "u32", "buffer"], result: "pointer" },
  xcb_get_property: {
    parameters: [
      "pointer",
      "u8", // delete
      "u32", // window
      "u32", // property
      "u32", // type, 0 for any
      "u32", // offset, in 32-bit units
      "u32", // length, in 32-bit units
    ],
    result: "u32",
  },
  xcb_get_property_reply: { parameters: ["pointer", "u32", "buffer"], result: "pointer" },
  xcb_query_tree: { parameters: ["pointer", "u32"], result: "u32" },
  xcb_query_tree_reply: { parameters: ["pointer", "u32", "buffer"], result: "pointer" },
  xcb_get_geometry: { parameters: ["pointer", "u32"], result: "u32" },
  xcb_get_geometry_reply: { parameters: ["pointer", "u32", "buffer"], result: "pointer" },
  xcb_get_window_attributes: { parameters: ["pointer", "u32"], result: "u32" },
  xcb_get_window_attributes_reply: { parameters: ["pointer", "u32", "buffer"], result: "pointer" },
  xcb_translate_coordinates: {
    parameters: ["pointer", "u32", /* from */ "u32", /* to */ "i16", "i16"],
    result: "u32",
  },
  xcb_translate_coordinates_reply: { parameters: ["pointer", "u32", "buffer"], result: "pointer" },
  xcb_get_input_focus: { parameters: ["pointer"], result: "u32" },
  xcb_get_input_focus_reply: { parameters: ["pointer", "u32", "buffer"], result: "pointer" },
  xcb_get_atom_name: { parameters: ["pointer", "u32"], result: "u32" },
  xcb_get_atom_name_reply: { parameters: ["pointer", "u32", "buffer"], result: "pointer" },
  xcb_get_file_descriptor: { parameters: ["pointer"], result: "i32" },
  xcb_poll_for_event: { parameters: ["pointer"], result: "pointer" },
  xcb_create_window: {
    parameters: [
      "pointer",
      "u8", // depth, 0 as its parent
      "u32", // window
      "u32", // parent
      "i16", // x
      "i16", // y
      "u16", // width
      "u16", // height
      "u16", // border
      "u16", // class
      "u32", // visual, 0 as its parent
      "u32", // value mask
      "buffer", // uint32_t *values
    ],
    result: "u32",
  },
  xcb_change_window_attributes: {
    parameters: ["pointer", "u32", "u32", /* mask */ "buffer" /* uint32_t *values */],
    result: "u32",
  },
  xcb_change_property: {
    parameters: [
      "pointer",
      "u8", // mode
      "u32", // window
      "u32", // property
      "u32", // type
      "u8", // format
      "u32", // items
      "buffer", // data
    ],
    result: "u32",
  },
  xcb_delete_property: { parameters: ["pointer", "u32", "u32" /* property */], result: "u32" },
  xcb_set_selection_owner: {
    parameters: ["pointer", "u32", /* window */ "u32", /* selection */ "u32" /* time */],
    result: "u32",
  },
  xcb_get_selection_owner: { parameters: ["pointer", "u32"], result: "u32" },
  xcb_get_selection_owner_reply: { parameters: ["pointer", "u32", "buffer"], result: "pointer" },
  xcb_convert_selection: {
    parameters: [
      "pointer",
      "u32", // requestor
      "u32", // selection
      "u32", // target
      "u32", // property
      "u32", // time
    ],
    result: "u32",
  },
  xcb_send_event: {
    parameters: ["pointer", "u8", /* propagate */ "u32", /* to */ "u32", /* mask */ "buffer" /* char[32] */],
    result: "u32",
  },
  xcb_configure_window_checked: {
    parameters: ["pointer", "u32", "u16", /* mask */ "buffer" /* uint32_t *values */],
    result: "u32",
  },
  xcb_set_input_focus_checked: {
    parameters: ["pointer", "u8", /* revert_to */ "u32", /* focus */ "u32" /* time */],
    result: "u32",
  },
} as const satisfies Deno.ForeignLibraryInterface;

/** libxcb-shm */
export const XCB_SHM = {
  xcb_shm_attach_checked: {
    parameters: ["pointer", "u32", /* xcb_shm_seg_t */ "u32", /* shmid */ "u8" /* read_only */],
    result: "u32",
  },
  xcb_shm_detach: { parameters: ["pointer", "u32"], result: "u32" },
  xcb_shm_get_image: {
    parameters: [
      "pointer", // xcb_connection_t *
      "u32", // xcb_drawable_t
      "i16", // x
      "i16", // y
      "u16", // width
      "u16", // height
      "u32", // plane_mask
      "u8", // format
      "u32", // xcb_shm_seg_t
      "u32", // offset
    ],
    result: "u32", // xcb_shm_get_image_cookie_t
  },
  xcb_shm_get_image_reply: {
    parameters: ["pointer", "u32", /* cookie */ "buffer" /* xcb_generic_error_t ** */],
    result: "pointer",
  },
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

/** libxkbcommon */
export const XKBCOMMON = {
  xkb_utf32_to_keysym: { parameters: ["u32"], result: "u32" },
  xkb_keysym_to_utf32: { parameters: ["u32"], result: "u32" },
} as const satisfies Deno.ForeignLibraryInterface;

/** The C library */
export const C = {
  free: { parameters: ["pointer"], result: "void" },
  dlsym: { parameters: ["pointer", /* NULL: this process */ "buffer"], result: "pointer" },
  poll: { parameters: ["buffer", /* struct pollfd * */ "u64", "i32" /* ms */], result: "i32" },
  /** The same off this thread, for waiting. */
  poll_waiting: { name: "poll", parameters: ["buffer", "u64", "i32"], result: "i32", nonblocking: true },
  eventfd: { parameters: ["u32", "i32"], result: "i32" },
  read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  write: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  close: { parameters: ["i32"], result: "i32" },
  usleep: { parameters: ["u32" /* microseconds */], result: "i32" },
  shmget: { parameters: ["i32", /* key */ "usize", "i32" /* flags */], result: "i32" },
  shmat: { parameters: ["i32", "pointer", "i32"], result: "pointer" },
  shmdt: { parameters: ["pointer"], result: "i32" },
  shmctl: { parameters: ["i32", "i32", /* command */ "pointer"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;
