/** The setup of a connection: the server's answer to its opening, which lists the screens. */

/** Sizes in xcb_setup_t, xcb_screen_t and xcb_depth_t (xproto.h). */
export const SETUP = { size: 40, vendorLength: 24, formats: 29, formatSize: 8 };
export const SCREEN = { size: 40, depths: 39 }, DEPTH = { size: 8, visuals: 2, visualSize: 24 };

/**
 * Finds the root window of a screen. The setup lists screens one after the other, and the length of each depends on
 * its depths and visuals.
 * @param setup An xcb_setup_t with the data behind it, as xcb_get_setup(3) gives it.
 * @param screen The number of the screen, counted from 0; one of the setup.
 */
export function rootOf(setup: Deno.UnsafePointerView, screen: number): number {
  const vendor = (setup.getUint16(SETUP.vendorLength) + 3) & ~3;
  let at = SETUP.size + vendor + setup.getUint8(SETUP.formats) * SETUP.formatSize;
  for (let number = 0; number < screen; number++) {
    const depths = setup.getUint8(at + SCREEN.depths);
    at += SCREEN.size;
    for (let depth = 0; depth < depths; depth++) {
      at += DEPTH.size + setup.getUint16(at + DEPTH.visuals) * DEPTH.visualSize;
    }
  }
  return setup.getUint32(at);
}
