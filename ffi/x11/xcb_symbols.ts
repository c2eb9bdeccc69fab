/** The C functions of XCB, which sends requests without waiting for their replies. */

/**
 * libxcb. A cookie is a structure of one unsigned int, which is passed as an unsigned int; a reply is memory that the
 * caller frees, or NULL after an error, which the last parameter then receives.
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
  xcb_query_pointer: { parameters: ["pointer", "u32" /* window */], result: "u32" },
  xcb_query_pointer_reply: { parameters: ["pointer", "u32", "buffer"], result: "pointer" },
  xcb_get_pointer_mapping: { parameters: ["pointer"], result: "u32" },
  xcb_get_input_focus: { parameters: ["pointer"], result: "u32" },
  xcb_get_input_focus_reply: { parameters: ["pointer", "u32", "buffer"], result: "pointer" },
  /** Takes a reply that has arrived, without waiting: 1 if the request has its reply or its error. */
  xcb_poll_for_reply: {
    parameters: [
      "pointer",
      "u32",
      /* unsigned int request */ "buffer",
      /* void **reply */ "buffer", /* error ** */
    ],
    result: "i32",
  },
  xcb_discard_reply: { parameters: ["pointer", "u32" /* sequence */], result: "void" },
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
  xcb_free_pixmap: { parameters: ["pointer", "u32" /* pixmap */], result: "u32" },
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

/** libxcb-damage */
export const XCB_DAMAGE = {
  xcb_damage_query_version: {
    parameters: ["pointer", "u32", /* major */ "u32" /* minor */],
    result: "u32",
  },
  xcb_damage_query_version_reply: { parameters: ["pointer", "u32", "buffer"], result: "pointer" },
  xcb_damage_create_checked: {
    parameters: ["pointer", "u32", /* xcb_damage_damage_t */ "u32", /* drawable */ "u8" /* level */],
    result: "u32",
  },
  xcb_damage_subtract: {
    parameters: ["pointer", "u32", /* damage */ "u32", /* repair, 0 for all */ "u32" /* parts, 0 for none */],
    result: "u32",
  },
} as const satisfies Deno.ForeignLibraryInterface;

/** libxcb-composite */
export const XCB_COMPOSITE = {
  xcb_composite_query_version: {
    parameters: ["pointer", "u32", /* major */ "u32" /* minor */],
    result: "u32",
  },
  xcb_composite_query_version_reply: { parameters: ["pointer", "u32", "buffer"], result: "pointer" },
  xcb_composite_redirect_window_checked: {
    parameters: ["pointer", "u32", /* window */ "u8" /* update */],
    result: "u32",
  },
  xcb_composite_unredirect_window_checked: { parameters: ["pointer", "u32", "u8"], result: "u32" },
  xcb_composite_name_window_pixmap_checked: {
    parameters: ["pointer", "u32", /* window */ "u32" /* pixmap */],
    result: "u32",
  },
} as const satisfies Deno.ForeignLibraryInterface;

/** libX11-xcb: the connection of XCB on which Xlib is made. */
export const X11_XCB = {
  XGetXCBConnection: { parameters: ["pointer" /* Display * */], result: "pointer" },
} as const satisfies Deno.ForeignLibraryInterface;
