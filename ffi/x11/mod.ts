/** Opens X11 desktops. */

import { NoDesktopError } from "../../core/errors.ts";
import { ConnectedDesktop, ReconnectingDesktop } from "./desktop.ts";

const VIRTUAL = "To try deskhand without a desktop: --desktop virtual";

/**
 * Opens the desktop of an X server.
 * @param display Such as `:0`; `$DISPLAY` if left out.
 * @throws NoDesktopError naming what is missing and how to get it.
 */
export function openX11(display = Deno.env.get("DISPLAY")): ReconnectingDesktop {
  if (!display) {
    throw new NoDesktopError(
      `there is no X11 display: DISPLAY is not set${waylandHint()}. Start deskhand inside a desktop session, ` +
        `or name its display (DISPLAY=:0 deskhand …). ${VIRTUAL}`,
    );
  }
  const desktop = ConnectedDesktop.open(display);
  if (!desktop) {
    throw new NoDesktopError(
      `the X11 display ${display} cannot be opened: no X server is running there, or it does not allow this user to connect ` +
        `(see XAUTHORITY, xhost). ${VIRTUAL}`,
    );
  }
  return new ReconnectingDesktop(display, desktop);
}

function waylandHint(): string {
  return Deno.env.get("WAYLAND_DISPLAY") ? " (this is a Wayland session without XWayland)" : "";
}
