/**
 * The C functions of an X11 desktop, except XCB's. `Display *`, `Window` and the like are opaque; a `Window`,
 * `Atom` or `KeySym` is an unsigned long.
 */

import { prototypes } from "../../core/binding.ts";

const XLIB = prototypes({
  XConnectionNumber: "i32 (pointer)",
  XDefaultScreen: "i32 (pointer)",
  XDefaultRootWindow: "u64 (pointer)",
  XSetErrorHandler: "pointer (pointer XErrorHandler)",
  XSync: "i32 (pointer, i32 Bool discard)",
  XPending: "i32 (pointer)",
  XNextEvent: "i32 (pointer, buffer XEvent *)",
  XSelectInput: "i32 (pointer, u64 Window, i64 long mask)",
  XFree: "i32 (pointer)",
  XInitThreads: "i32 ()",
  XOpenDisplay: "pointer (buffer char *name)",
  XCloseDisplay: "i32 (pointer Display *)",
  XDefaultVisual: "pointer (pointer, i32 screen)",
  XDefaultDepth: "i32 (pointer, i32 screen)",
  XServerVendor: "pointer (pointer)",
  XSetIOErrorHandler: "pointer (pointer XIOErrorHandler)",
  XSetIOErrorExitHandler: "void (pointer, pointer XIOErrorExitHandler, pointer void *)",
  XGetEventData: "i32 (pointer, buffer XGenericEventCookie *)",
  XFreeEventData: "void (pointer, buffer)",
  XQueryExtension: "i32 (pointer, buffer char *name, buffer int *opcode, buffer, buffer)",
  XQueryPointer: `i32 (pointer, u64 Window w, buffer Window *root, buffer Window *child, buffer int *root_x,
    buffer int *root_y, buffer int *win_x, buffer int *win_y, buffer unsigned int *mask)`,
  XWarpPointer: `i32 (pointer, u64 Window from; None for any, u64 Window to, i32 from x, i32 from y,
    u32 from width, u32 from height, i32 x, i32 y)`,
  XGetGeometry: "i32 (pointer, u64, buffer, buffer, buffer, buffer, buffer, buffer, buffer)",
  XTranslateCoordinates: `i32 (pointer, u64 Window source, u64 Window destination, i32 source x, i32 source y,
    buffer int *destination_x, buffer int *destination_y, buffer Window *child)`,
  XGetAtomName: "pointer (pointer, u64)",
  XGetImage: "pointer (pointer, u64, i32, i32, u32, u32, u64 plane_mask, i32 format)",
  XDestroyImage: "i32 (pointer XImage *)",
  Xutf8TextPropertyToTextList: `i32 (pointer, buffer XTextProperty *, buffer char ***list,
    buffer int *count)`,
  XFreeStringList: "void (pointer char **)",
  XFlush: "i32 (pointer)",
  XGrabServer: "i32 (pointer)",
  XUngrabServer: "i32 (pointer)",
  XGrabPointer: `i32 (pointer, u64 Window grab_window, i32 Bool owner_events, u32 event_mask,
    i32 pointer_mode, i32 keyboard_mode, u64 Window confine_to, u64 Cursor, u64 Time)`,
  XAllowEvents: "i32 (pointer, i32 event_mode, u64 Time)",
  XUngrabPointer: "i32 (pointer, u64 Time)",
  XGetInputFocus: "i32 (pointer, buffer Window *focus, buffer int *revert_to)",
  XQueryKeymap: "i32 (pointer, buffer char[32])",
  XkbGetMap: "pointer XkbDescPtr (pointer, u32 which, u32 device)",
  XkbFreeKeyboard: "void (pointer XkbDescPtr, u32 which, i32 Bool free_all)",
  XkbChangeTypesOfKey: `i32 (pointer XkbDescPtr, i32 key, i32 number of groups, u32 mask of groups,
    buffer int *types; one for each group, pointer XkbMapChangesPtr)`,
  XkbChangeMap: "i32 (pointer, pointer XkbDescPtr, buffer XkbMapChangesPtr)",
  XkbGetState: "i32 (pointer, u32 device, buffer XkbStateRec *)",
  XkbSelectEvents: "i32 (pointer, u32 device, u32 affect, u32 values)",
  XGetPointerMapping: "i32 (pointer, buffer unsigned char map[], i32 its length)",
  XkbAllocKeyboard: "pointer XkbDescPtr ()",
  XkbGetControls: "i32 (pointer, u64 which, pointer XkbDescPtr)",
  XkbChangeEnabledControls: "i32 (pointer, u32 device, u32 affect, u32 values)",
  XkbLatchModifiers: "i32 (pointer, u32 device, u32 affect, u32 values)",
  XkbLockGroup: "i32 (pointer, u32 device, u32 group)",
  XkbLockModifiers: "i32 (pointer, u32, u32 affect, u32 values)",
});

/** libX11 */
export const X11 = {
  ...XLIB,
  XOpenDisplay_aside: { ...XLIB.XOpenDisplay, name: "XOpenDisplay", nonblocking: true },
  XCloseDisplay_aside: { ...XLIB.XCloseDisplay, name: "XCloseDisplay", nonblocking: true },
  /** Sets the handler for lost servers, since libX11 1.7; without it, the process ends with the server. */
  XSetIOErrorExitHandler: { ...XLIB.XSetIOErrorExitHandler, optional: true },
} as const satisfies Deno.ForeignLibraryInterface;

/** libXext: MIT-SHM */
export const XEXT = prototypes({
  XShmQueryExtension: "i32 (pointer)",
  XShmCreateImage: `pointer (pointer, pointer Visual *, u32 depth, i32 format, pointer char *data,
    pointer XShmSegmentInfo *; kept by the image, u32 width, u32 height)`,
  XShmAttach: "i32 (pointer, pointer XShmSegmentInfo *)",
  XShmDetach: "i32 (pointer, pointer)",
  XShmGetImage: "i32 (pointer, u64 Drawable, pointer XImage *, i32, i32, u64 planes)",
});

/** libXtst: XTEST */
export const XTST = prototypes({
  /** Allows this connection's requests to be handled while another program grabs the server. */
  XTestGrabControl: "i32 (pointer, i32 Bool impervious)",
  XTestQueryExtension: "i32 (pointer, buffer, buffer, buffer, buffer)",
  XTestFakeKeyEvent: "i32 (pointer, u32 keycode, i32 Bool is_press, u64 delay)",
  XTestFakeMotionEvent: "i32 (pointer, i32 screen, i32 x, i32 y, u64 delay)",
});

/** libXtst: RECORD */
export const XRECORD = prototypes({
  XRecordCreateContext: `u64 XRecordContext (pointer, i32 int datum_flags, buffer XRecordClientSpec *,
    i32 nclients, buffer XRecordRange **, i32 nranges)`,
  XRecordEnableContextAsync: "i32 (pointer, u64, function XRecordInterceptProc, pointer closure)",
  XRecordProcessReplies: "void (pointer)",
  XRecordDisableContext: "i32 (pointer, u64)",
  XRecordFreeContext: "i32 (pointer, u64)",
  XRecordFreeData: "void (pointer XRecordInterceptData *)",
});

/** libXi: XInput 2 */
export const XI = prototypes({
  XIQueryVersion: "i32 (pointer, buffer int *major, buffer int *minor)",
  XIQueryDevice: "pointer (pointer, i32 deviceid, buffer int *count)",
  XIFreeDeviceInfo: "void (pointer)",
  XISelectEvents: "i32 (pointer, u64 Window, buffer XIEventMask *, i32 count)",
  XOpenDevice: "pointer (pointer, u64 XID)",
  XCloseDevice: "i32 (pointer, pointer XDevice *)",
  XQueryDeviceState: "pointer XDeviceState * (pointer, pointer)",
  XFreeDeviceState: "void (pointer)",
});

/** libXrandr */
export const XRANDR = prototypes({
  XRRGetMonitors: "pointer (pointer, u64 Window, i32 Bool active, buffer int *count)",
  XRRFreeMonitors: "void (pointer)",
});

/** libXfixes */
export const XFIXES = prototypes({
  XFixesGetCursorImage: "pointer (pointer)",
  XFixesSelectCursorInput: "void (pointer, u64 Window, u64 unsigned long eventMask)",
});

/** libxdo */
export const XDO = prototypes({
  xdo_mouse_down: "i32 (pointer, u64 Window, i32 button)",
  xdo_mouse_up: "i32 (pointer, u64, i32)",
  xdo_send_keysequence_window_list_do: `i32 (pointer, u64 Window, buffer charcodemap_t *keys, i32 nkeys,
    i32 pressed, buffer int *modifier, u32 useconds_t delay)`,
});

/** libXRes: the process that owns a window */
export const XRES = prototypes({
  XResQueryClientIds: `i32 (pointer, i64 long num_specs, buffer XResClientIdSpec *, buffer long *num_ids,
    buffer XResClientIdValue **)`,
  XResGetClientPid: "i32 (pointer XResClientIdValue *)",
  XResClientIdsDestroy: "void (i64, pointer XResClientIdValue *)",
});

/** libxkbcommon */
export const XKBCOMMON = prototypes({
  xkb_utf32_to_keysym: "u32 (u32)",
  xkb_keysym_to_utf32: "u32 (u32)",
});
