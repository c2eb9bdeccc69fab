/**
 * The functions of libxdo that xdotool is made of. Windows are unsigned longs, delays microseconds; results are 0 for
 * success. Later versions have more functions.
 */

const XDO = "pointer", WINDOW = "u64", OUT = "buffer";

/** Functions of libxdo since version 3.20160805. */
export const XDOTOOL = {
  xdo_new: { parameters: ["pointer" /* char *display */], result: "pointer" },
  xdo_free: { parameters: [XDO], result: "void" },
  xdo_version: { parameters: [], result: "pointer" },
  xdo_get_mouse_location: { parameters: [XDO, OUT, OUT, OUT], result: "i32" },
  xdo_get_mouse_location2: { parameters: [XDO, OUT, OUT, OUT, OUT /* Window * */], result: "i32" },
  xdo_find_window_client: {
    parameters: [XDO, WINDOW, OUT, /* Window * */ "i32" /* direction */],
    result: "i32",
  },
  xdo_move_mouse: { parameters: [XDO, "i32", "i32", "i32" /* screen */], result: "i32" },
  xdo_move_mouse_relative: { parameters: [XDO, "i32", "i32"], result: "i32" },
  xdo_mouse_down: { parameters: [XDO, WINDOW, "i32"], result: "i32" },
  xdo_mouse_up: { parameters: [XDO, WINDOW, "i32"], result: "i32" },
  xdo_send_keysequence_window: {
    parameters: [XDO, WINDOW, "buffer", /* char *keys */ "u32" /* delay */],
    result: "i32",
  },
  xdo_send_keysequence_window_down: { parameters: [XDO, WINDOW, "buffer", "u32"], result: "i32" },
  xdo_send_keysequence_window_up: { parameters: [XDO, WINDOW, "buffer", "u32"], result: "i32" },
  xdo_enter_text_window: {
    parameters: [XDO, WINDOW, "buffer", /* char *text */ "u32" /* delay */],
    result: "i32",
  },
  xdo_get_active_modifiers: {
    parameters: [XDO, OUT, /* charcodemap_t **keys */ OUT /* int *count */],
    result: "i32",
  },
  xdo_clear_active_modifiers: {
    parameters: [XDO, WINDOW, "pointer", /* charcodemap_t *keys */ "i32" /* count */],
    result: "i32",
  },
  xdo_set_active_modifiers: { parameters: [XDO, WINDOW, "pointer", "i32"], result: "i32" },
  xdo_get_input_state: { parameters: [XDO], result: "u32" /* modifiers and buttons, as XQueryPointer */ },
  xdo_get_window_property: {
    parameters: [
      XDO,
      WINDOW,
      "buffer", // char *name
      OUT, // unsigned char **value
      OUT, // long *count
      OUT, // Atom *type
      OUT, // int *bits
    ],
    result: "i32",
  },
  xdo_get_viewport_dimensions: { parameters: [XDO, OUT, OUT, "i32" /* screen */], result: "i32" },
  xdo_get_window_location: { parameters: [XDO, WINDOW, OUT, OUT, OUT /* Screen ** */], result: "i32" },
  xdo_get_window_size: { parameters: [XDO, WINDOW, OUT, OUT], result: "i32" },
  xdo_get_active_window: { parameters: [XDO, OUT], result: "i32" },
  xdo_get_focused_window: { parameters: [XDO, OUT], result: "i32" },
  xdo_get_focused_window_sane: { parameters: [XDO, OUT], result: "i32" },
  xdo_select_window_with_click: { parameters: [XDO, OUT], result: "i32" },
  xdo_get_window_name: { parameters: [XDO, WINDOW, OUT, OUT, OUT /* int *type */], result: "i32" },
  xdo_get_window_classname: {
    parameters: [XDO, WINDOW, OUT /* unsigned char ** */],
    result: "i32",
    optional: true,
  },
  xdo_get_pid_window: { parameters: [XDO, WINDOW], result: "i32" },
  xdo_activate_window: { parameters: [XDO, WINDOW], result: "i32" },
  xdo_focus_window: { parameters: [XDO, WINDOW], result: "i32" },
  xdo_map_window: { parameters: [XDO, WINDOW], result: "i32" },
  xdo_unmap_window: { parameters: [XDO, WINDOW], result: "i32" },
  xdo_minimize_window: { parameters: [XDO, WINDOW], result: "i32" },
  xdo_raise_window: { parameters: [XDO, WINDOW], result: "i32" },
  xdo_lower_window: { parameters: [XDO, WINDOW], result: "i32", optional: true },
  xdo_close_window: { parameters: [XDO, WINDOW], result: "i32" },
  xdo_quit_window: { parameters: [XDO, WINDOW], result: "i32", optional: true },
  xdo_kill_window: { parameters: [XDO, WINDOW], result: "i32" },
  xdo_wait_for_window_active: { parameters: [XDO, WINDOW, "i32" /* active */], result: "i32" },
  xdo_wait_for_window_focus: { parameters: [XDO, WINDOW, "i32" /* focused */], result: "i32" },
  xdo_wait_for_window_map_state: { parameters: [XDO, WINDOW, "i32" /* state */], result: "i32" },
  xdo_wait_for_window_size: {
    parameters: [XDO, WINDOW, "u32", "u32", "i32", /* flags */ "i32" /* to or from */],
    result: "i32",
  },
  xdo_move_window: { parameters: [XDO, WINDOW, "i32", "i32"], result: "i32" },
  xdo_translate_window_with_sizehint: {
    parameters: [XDO, WINDOW, "u32", "u32", OUT, OUT],
    result: "i32",
  },
  xdo_set_window_size: { parameters: [XDO, WINDOW, "i32", "i32", "i32" /* flags */], result: "i32" },
  xdo_reparent_window: { parameters: [XDO, WINDOW, WINDOW], result: "i32" },
  xdo_set_window_property: {
    parameters: [XDO, WINDOW, "buffer", /* char *name */ "buffer" /* char *value */],
    result: "i32",
  },
  xdo_set_window_class: {
    parameters: [XDO, WINDOW, "buffer", /* char *name */ "buffer" /* char *class */],
    result: "i32",
  },
  xdo_set_window_override_redirect: { parameters: [XDO, WINDOW, "i32"], result: "i32" },
  xdo_set_window_urgency: { parameters: [XDO, WINDOW, "i32"], result: "i32" },
  xdo_window_state: {
    parameters: [XDO, WINDOW, "u64", /* how */ "buffer" /* char *property */],
    result: "i32",
    optional: true,
  },
  xdo_get_number_of_desktops: { parameters: [XDO, OUT /* long * */], result: "i32" },
  xdo_set_number_of_desktops: { parameters: [XDO, "i64"], result: "i32" },
  xdo_get_current_desktop: { parameters: [XDO, OUT], result: "i32" },
  xdo_set_current_desktop: { parameters: [XDO, "i64"], result: "i32" },
  xdo_get_desktop_for_window: { parameters: [XDO, WINDOW, OUT], result: "i32" },
  xdo_set_desktop_for_window: { parameters: [XDO, WINDOW, "i64"], result: "i32" },
  xdo_get_desktop_viewport: { parameters: [XDO, OUT, OUT], result: "i32" },
  xdo_set_desktop_viewport: { parameters: [XDO, "i32", "i32"], result: "i32" },
  xdo_search_windows: {
    parameters: [XDO, "buffer", /* xdo_search_t * */ OUT, /* Window **windows */ OUT /* unsigned *count */],
    result: "i32",
  },
} as const satisfies Deno.ForeignLibraryInterface;
