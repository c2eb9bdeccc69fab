/** Numbers of the requests and events of KWin's own protocols (plasma-wayland-protocols), by interface. */

/** org_kde_kwin_fake_input 4 (Plasma 5.27), and 5, which adds what is not used here. */
export const FAKE_INPUT = {
  name: "org_kde_kwin_fake_input",
  authenticate: 0,
  pointerMotion: 1,
  button: 2,
  axis: 3,
  pointerMotionAbsolute: 9,
  keyboardKey: 10,
} as const;
/** The first version with keys, and the newest that is known here. */
export const FAKE_INPUT_VERSIONS = { least: 4, newest: 5 } as const;

/** org_kde_kwin_keystate 1, which tells of keys that lock. */
export const KEY_STATE = {
  name: "org_kde_kwin_keystate",
  fetchStates: 0,
  stateChanged: 0,
  capsLock: 0,
  locked: 2,
} as const;
