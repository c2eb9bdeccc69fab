/** Opens Wayland desktops. */

import { DesktopUnavailableError, NoDesktopError } from "../../core/errors.ts";
import { ConnectedDesktop } from "./connected_desktop.ts";
import { Connection } from "./connection.ts";
import { WaylandDesktop } from "./desktop.ts";
import { missingProtocols } from "./protocols.ts";
import { Registry } from "./registry.ts";

const VIRTUAL = "To try deskhand without a desktop: --desktop virtual";

/**
 * The compositor's socket, by the environment (wl_display_connect(3)).
 * @returns undefined if the environment names none.
 */
export function socketPath(): string | undefined {
  const name = Deno.env.get("WAYLAND_DISPLAY"), folder = Deno.env.get("XDG_RUNTIME_DIR");
  if (!name) return undefined;
  if (name.startsWith("/")) return name;
  return folder ? `${folder}/${name}` : undefined;
}

/**
 * Opens the desktop of a Wayland compositor.
 * @param path Of its socket; the environment's if left out.
 * @throws NoDesktopError naming what is missing and how to get it.
 */
export function openWayland(path = socketPath()): WaylandDesktop {
  if (!path) {
    throw new NoDesktopError(
      "there is no Wayland compositor: WAYLAND_DISPLAY or XDG_RUNTIME_DIR is not set. Start deskhand inside a " +
        `desktop session, or name both (XDG_RUNTIME_DIR=/run/user/1000 WAYLAND_DISPLAY=wayland-1 deskhand …). ${VIRTUAL}`,
    );
  }
  const desktop = opened(path);
  if (!desktop) {
    throw new NoDesktopError(
      `the Wayland socket ${path} cannot be opened: no compositor is there, or this user may not use it. ${VIRTUAL}`,
    );
  }
  return new WaylandDesktop(path, desktop);
}

/** Why the compositor that the environment names cannot be controlled; undefined if it can. Never throws. */
export function refusal(): string | undefined {
  const path = socketPath(), onlyX11 = "only programs under XWayland are reached and seen";
  let connection: Connection | undefined;
  try {
    connection = path ? Connection.open(path) : undefined;
    if (!connection) return `no Wayland compositor answers at ${path ?? "WAYLAND_DISPLAY"}: ${onlyX11}`;
    const missing = missingProtocols(new Registry(connection));
    if (!missing.length) return undefined;
    return `this Wayland compositor does not offer ${missing.join(", ")} (see deskhand doctor): ${onlyX11}`;
  } catch (error) {
    return `${(error as Error).message}: ${onlyX11}`;
  } finally {
    connection?.close();
  }
}

function opened(path: string): ConnectedDesktop | undefined {
  try {
    return ConnectedDesktop.open(path);
  } catch (error) {
    if (error instanceof DesktopUnavailableError) throw new NoDesktopError(`${error.message}. ${VIRTUAL}`);
    throw error;
  }
}
