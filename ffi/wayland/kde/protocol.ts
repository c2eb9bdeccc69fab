/** Numbers of the requests and events of KWin's own protocols (plasma-wayland-protocols), by interface. */

/** org_kde_kwin_fake_input, as version 4 (Plasma 5.27) has it. */
export const FAKE_INPUT = {
  name: "org_kde_kwin_fake_input",
  authenticate: 0,
  pointerMotion: 1,
  button: 2,
  axis: 3,
  pointerMotionAbsolute: 9,
  keyboardKey: 10,
} as const;
/** The first version with keys, and the newest that deskhand was tried with. */
export const FAKE_INPUT_VERSIONS = { least: 4, newest: 5 } as const;

/** org_kde_kwin_keystate 1, which reports keys that lock. */
export const KEY_STATE = {
  name: "org_kde_kwin_keystate",
  fetchStates: 0,
  stateChanged: 0,
  capsLock: 0,
  locked: 2,
} as const;

/** org_kde_plasma_window_management; from version 17 on the order of windows is asked for. */
export const WINDOW_MANAGEMENT = {
  name: "org_kde_plasma_window_management",
  least: 13,
  newest: 17,
  ordersAskedFor: 17,
  getWindowByUuid: 2,
  getStackingOrder: 3,
  stackingOrderUuids: 3,
  windowWithUuid: 4,
  stackingOrderChanged: 5,
} as const;
/** org_kde_plasma_stacking_order, which lists windows from the bottom up; its other event is the end. */
export const STACKING_ORDER = { window: 0 } as const;
/** org_kde_plasma_window. */
export const PLASMA_WINDOW = {
  setState: 0,
  close: 4,
  destroy: 7,
  title: 0,
  appId: 1,
  state: 2,
  unmapped: 5,
  initialState: 6,
  geometry: 8,
  pid: 10,
} as const;
/** Bits of a window's state (org_kde_plasma_window_management.state). */
export const WINDOW_STATE = {
  active: 0x1,
  minimized: 0x2,
  maximized: 0x4,
  fullscreen: 0x8,
  closeable: 0x100,
  minimizable: 0x200,
  maximizable: 0x400,
  fullscreenable: 0x800,
  skipSwitcher: 0x40000,
} as const;
