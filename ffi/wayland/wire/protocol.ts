/**
 * Numbers of the requests, events and values that deskhand uses, by interface. Requests and events are numbered by
 * their order in the protocol files of wayland, wayland-protocols and wlr-protocols.
 */

/** wl_display, which every connection has as its first object. */
export const DISPLAY = { object: 1, sync: 0, getRegistry: 1, error: 0, deleteId: 1 } as const;

/** wl_registry. */
export const REGISTRY = { bind: 0, globalRemove: 1 } as const;

/** wl_output. */
export const OUTPUT = { geometry: 0, mode: 1, scale: 3, name: 4 } as const;
/** The flag of the current mode. */
export const MODE_CURRENT = 1;

/** zxdg_output_manager_v1. */
export const XDG_OUTPUT_MANAGER = { getXdgOutput: 1 } as const;
/** zxdg_output_v1. */
export const XDG_OUTPUT = { destroy: 0, logicalPosition: 0, logicalSize: 1, name: 3 } as const;

/** wl_seat. */
export const SEAT = {
  getPointer: 0,
  getKeyboard: 1,
  capabilities: 0,
  hasPointer: 1,
  hasKeyboard: 2,
} as const;
/** Requests and events of wl_pointer. */
export const POINTER = { release: 1, enter: 0 } as const;

/** wl_keyboard. */
export const KEYBOARD = { release: 0, keymap: 0, xkbV1: 1 } as const;

/** wl_compositor. */
export const COMPOSITOR = { createSurface: 0 } as const;
/** wl_surface. */
export const SURFACE = { destroy: 0, attach: 1, commit: 6 } as const;
/** wp_viewporter. */
export const VIEWPORTER = { getViewport: 1 } as const;
/** wp_viewport. */
export const VIEWPORT = { destroy: 0, setDestination: 2 } as const;
/** zwlr_layer_shell_v1. */
export const LAYER_SHELL = { getLayerSurface: 0, overlay: 3 } as const;
/** zwlr_layer_surface_v1. */
export const LAYER_SURFACE = {
  setAnchor: 1,
  setExclusiveZone: 2,
  ackConfigure: 6,
  destroy: 7,
  configure: 0,
  allEdges: 15,
} as const;

/** wl_shm. */
export const SHM = { createPool: 0 } as const;
/** wl_shm_pool. */
export const SHM_POOL = { createBuffer: 0, destroy: 1 } as const;
/** wl_buffer. */
export const BUFFER = { destroy: 0 } as const;

/** zwlr_screencopy_manager_v1. */
export const SCREENCOPY = { captureOutput: 0 } as const;
/** zwlr_screencopy_frame_v1. */
export const SCREENCOPY_FRAME = {
  copy: 0,
  destroy: 1,
  copyWithDamage: 2,
  buffer: 0,
  flags: 1,
  ready: 2,
  failed: 3,
  damage: 4,
  bufferDone: 6,
  yInverted: 1,
} as const;

/** zwlr_virtual_pointer_manager_v1. */
export const VIRTUAL_POINTER_MANAGER = { create: 0 } as const;
/** zwlr_virtual_pointer_v1. */
export const VIRTUAL_POINTER = {
  motion: 0,
  motionAbsolute: 1,
  button: 2,
  frame: 4,
  axisSource: 5,
  axisDiscrete: 7,
  wheel: 0,
} as const;

/** zwp_virtual_keyboard_manager_v1. */
export const VIRTUAL_KEYBOARD_MANAGER = { create: 0 } as const;
/** zwp_virtual_keyboard_v1. */
export const VIRTUAL_KEYBOARD = { keymap: 0, key: 1, modifiers: 2, xkbV1: 1 } as const;

/** ext_data_control_manager_v1, and zwlr_data_control_manager_v1, which has the same numbers. */
export const DATA_CONTROL_MANAGER = { createSource: 0, getDevice: 1 } as const;
/** ext_data_control_device_v1. */
export const DATA_CONTROL_DEVICE = {
  setSelection: 0,
  setPrimarySelection: 2,
  dataOffer: 0,
  selection: 1,
  primarySelection: 3,
} as const;
/** ext_data_control_source_v1. */
export const DATA_CONTROL_SOURCE = { offer: 0, destroy: 1, send: 0, cancelled: 1 } as const;
/** ext_data_control_offer_v1. */
export const DATA_CONTROL_OFFER = { receive: 0, destroy: 1, offer: 0 } as const;

/** zwlr_foreign_toplevel_manager_v1. */
export const TOPLEVEL_MANAGER = { toplevel: 0 } as const;
/** zwlr_foreign_toplevel_handle_v1. */
export const TOPLEVEL = {
  setMaximized: 0,
  unsetMaximized: 1,
  setMinimized: 2,
  unsetMinimized: 3,
  activate: 4,
  close: 5,
  destroy: 7,
  setFullscreen: 8,
  unsetFullscreen: 9,
  title: 0,
  appId: 1,
  state: 4,
  closed: 6,
} as const;
/** Values in the array of a toplevel's `state` event. */
export const TOPLEVEL_STATES = ["maximized", "minimized", "activated", "fullscreen"] as const;
