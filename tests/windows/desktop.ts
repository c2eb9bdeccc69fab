/** The desktop that tests under Wine control. */

import { openWindows, type WindowsDesktop } from "../../ffi/windows/mod.ts";

/** Opens the desktop; `using` closes it. */
export function openDesktop(): WindowsDesktop & Disposable {
  const desktop = openWindows();
  return Object.assign(desktop, { [Symbol.dispose]: () => desktop.close() });
}
