/** The C functions of XCB, which sends requests without waiting for their replies. */

import { prototypes } from "../../core/binding.ts";

/**
 * libxcb. A cookie is a structure of one unsigned int, which is passed as an unsigned int; a reply is memory
 * that the caller frees, or NULL after an error, which the last parameter then receives.
 */
export const XCB = prototypes({
  xcb_connect: "pointer (buffer char *display, buffer int *screen)",
  xcb_connection_has_error: "i32 (pointer xcb_connection_t *)",
  xcb_disconnect: "void (pointer)",
  xcb_flush: "i32 (pointer)",
  xcb_generate_id: "u32 (pointer)",
  xcb_get_setup: "pointer xcb_setup_t * (pointer)",
  xcb_request_check: "pointer (pointer, u32 cookie)",
  xcb_grab_server: "u32 (pointer)",
  xcb_ungrab_server: "u32 (pointer)",
  xcb_intern_atom: "u32 (pointer, u8 only_if_exists, u16 length, buffer name)",
  xcb_intern_atom_reply: "pointer (pointer, u32, buffer)",
  xcb_get_property: `u32 (pointer, u8 delete, u32 window, u32 property, u32 type; 0 for any,
    u32 offset in 4 bytes, u32 length in 4 bytes)`,
  xcb_get_property_reply: "pointer (pointer, u32, buffer)",
  xcb_query_tree: "u32 (pointer, u32)",
  xcb_query_tree_reply: "pointer (pointer, u32, buffer)",
  xcb_get_geometry: "u32 (pointer, u32)",
  xcb_get_geometry_reply: "pointer (pointer, u32, buffer)",
  xcb_get_window_attributes: "u32 (pointer, u32)",
  xcb_get_window_attributes_reply: "pointer (pointer, u32, buffer)",
  xcb_translate_coordinates: "u32 (pointer, u32 from, u32 to, i16, i16)",
  xcb_translate_coordinates_reply: "pointer (pointer, u32, buffer)",
  xcb_query_pointer: "u32 (pointer, u32 window)",
  xcb_query_pointer_reply: "pointer (pointer, u32, buffer)",
  xcb_get_pointer_mapping: "u32 (pointer)",
  xcb_get_input_focus: "u32 (pointer)",
  xcb_get_input_focus_reply: "pointer (pointer, u32, buffer)",
  /** Takes a reply that has arrived, without waiting: returns 1 if there is a reply or an error. */
  xcb_poll_for_reply: "i32 (pointer, u32 unsigned int request, buffer void **reply, buffer error **)",
  xcb_discard_reply: "void (pointer, u32 sequence)",
  xcb_get_file_descriptor: "i32 (pointer)",
  xcb_poll_for_event: "pointer (pointer)",
  xcb_create_window: `u32 (pointer, u8 depth; 0 as its parent, u32 window, u32 parent, i16 x, i16 y,
    u16 width, u16 height, u16 border, u16 class, u32 visual; 0 as its parent, u32 value mask,
    buffer uint32_t *values)`,
  xcb_change_window_attributes: "u32 (pointer, u32, u32 mask, buffer uint32_t *values)",
  xcb_change_property: `u32 (pointer, u8 mode, u32 window, u32 property, u32 type, u8 format, u32 items,
    buffer data)`,
  xcb_delete_property: "u32 (pointer, u32, u32 property)",
  xcb_set_selection_owner: "u32 (pointer, u32 window, u32 selection, u32 time)",
  xcb_get_selection_owner: "u32 (pointer, u32)",
  xcb_get_selection_owner_reply: "pointer (pointer, u32, buffer)",
  xcb_convert_selection: "u32 (pointer, u32 requestor, u32 selection, u32 target, u32 property, u32 time)",
  xcb_send_event: "u32 (pointer, u8 propagate, u32 to, u32 mask, buffer char[32])",
  xcb_configure_window_checked: "u32 (pointer, u32, u16 mask, buffer uint32_t *values)",
  xcb_free_pixmap: "u32 (pointer, u32 pixmap)",
  xcb_set_input_focus_checked: "u32 (pointer, u8 revert_to, u32 focus, u32 time)",
});

/** libxcb-shm */
export const XCB_SHM = prototypes({
  xcb_shm_attach_checked: "u32 (pointer, u32 xcb_shm_seg_t, u32 shmid, u8 read_only)",
  xcb_shm_detach: "u32 (pointer, u32)",
  xcb_shm_get_image: `u32 xcb_shm_get_image_cookie_t (pointer xcb_connection_t *, u32 xcb_drawable_t, i16 x,
    i16 y, u16 width, u16 height, u32 plane_mask, u8 format, u32 xcb_shm_seg_t, u32 offset)`,
  xcb_shm_get_image_reply: "pointer (pointer, u32 cookie, buffer xcb_generic_error_t **)",
});

/** libxcb-damage */
export const XCB_DAMAGE = prototypes({
  xcb_damage_query_version: "u32 (pointer, u32 major, u32 minor)",
  xcb_damage_query_version_reply: "pointer (pointer, u32, buffer)",
  xcb_damage_create_checked: "u32 (pointer, u32 xcb_damage_damage_t, u32 drawable, u8 level)",
  xcb_damage_subtract: "u32 (pointer, u32 damage, u32 repair; 0 for all, u32 parts; 0 for none)",
});

/** libxcb-composite */
export const XCB_COMPOSITE = prototypes({
  xcb_composite_query_version: "u32 (pointer, u32 major, u32 minor)",
  xcb_composite_query_version_reply: "pointer (pointer, u32, buffer)",
  xcb_composite_redirect_window_checked: "u32 (pointer, u32 window, u8 update)",
  xcb_composite_unredirect_window_checked: "u32 (pointer, u32, u8)",
  xcb_composite_name_window_pixmap_checked: "u32 (pointer, u32 window, u32 pixmap)",
});

/** libX11-xcb: the XCB connection on which Xlib is built. */
export const X11_XCB = prototypes({
  XGetXCBConnection: "pointer (pointer Display *)",
});
