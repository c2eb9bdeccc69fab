/** Opens Wayland desktops. */

import { DesktopUnavailableError, ExpectedError, NoDesktopError } from "../../core/errors.ts";
import { compositorGone, Connection } from "./wire/connection.ts";
import { WaylandDesktop } from "./desktop.ts";
import { type Session, socketPath, unnamedSockets } from "./session.ts";
import type { Permission } from "../permission.ts";
import { chooseWay, loadWay, probe, type WayName, type WaySource } from "./ways.ts";

export { revokeAll } from "./ways.ts";

const VIRTUAL = "To try deskhand without a desktop: --desktop virtual";

/**
 * Opens the desktop of a Wayland compositor. Some ways of control ask a person first.
 * @param socket The path of the compositor's socket; the environment's if left out.
 * @param buses Paths of sockets of the session's bus; the environment's if left out.
 * @param way The way of control; if left out, it is chosen by the compositor's protocols.
 * @throws NoDesktopError naming what is missing and how to get it.
 */
export async function openWayland(
  socket = socketPath(),
  buses?: readonly string[],
  way?: WayName,
): Promise<WaylandDesktop> {
  if (!socket) {
    throw new NoDesktopError(
      "there is no Wayland compositor: WAYLAND_DISPLAY or XDG_RUNTIME_DIR is not set. Start deskhand inside a " +
        `desktop session, or name both (XDG_RUNTIME_DIR=/run/user/1000 WAYLAND_DISPLAY=wayland-1 deskhand …). ${VIRTUAL}`,
    );
  }
  const session: Session = { socket, buses };
  const desktop = await opened(session, way);
  if (desktop) return desktop;
  throw new NoDesktopError(
    `the Wayland socket ${socket} cannot be opened: no compositor is there, or this user may not use it. ${VIRTUAL}`,
  );
}

/**
 * Opens a desktop once more, in a Worker.
 * @throws DesktopUnavailableError if the compositor is gone.
 */
export async function openAgain({ session, way: name }: WaySource): Promise<WaylandDesktop> {
  const way = await loadWay(name), desktop = await way.connect(session) ?? compositorGone(session.socket);
  return new WaylandDesktop({ session, way: name }, way, desktop);
}

/**
 * Tells how to name a running compositor that the environment does not name.
 * @returns undefined if no compositor answers. Never throws.
 */
export function unnamed(): string | undefined {
  const found = unnamedSockets(),
    name = found?.names.find((name) => Connection.isTaken(`${found.folder}/${name}`));
  if (!found || !name) return undefined;
  const folder = Deno.env.get("XDG_RUNTIME_DIR") ? "" : `XDG_RUNTIME_DIR=${found.folder} `;
  return `a Wayland session runs here (${found.folder}/${name}), and WAYLAND_DISPLAY, which names it, is not set. ` +
    `Type: ${folder}WAYLAND_DISPLAY=${name} deskhand …`;
}

/** Tells why the compositor that the environment names cannot be controlled; undefined if it can. Never throws. */
export async function refusal(): Promise<string | undefined> {
  const socket = socketPath();
  const nothing = `no Wayland compositor answers at ${socket ?? "WAYLAND_DISPLAY"}`;
  if (!socket) return nothing;
  try {
    const missing = await probe({ socket }, async (probe) => {
      const way = await loadWay(await chooseWay(probe));
      return { text: await way.missing(probe) };
    });
    if (!missing) return nothing;
    return missing.text && `this Wayland compositor ${missing.text} (see deskhand doctor)`;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The permission that deskhand lacks in the environment's session. @returns undefined if no permission is missing. */
export async function missingPermission(): Promise<Permission | undefined> {
  const socket = socketPath();
  if (!socket) return undefined;
  try {
    return await probe(
      { socket },
      async (probe) => (await loadWay(await chooseWay(probe))).permission?.(probe),
    );
  } catch (error) {
    if (error instanceof ExpectedError) return undefined; // opening the desktop says what is wrong
    throw error;
  }
}

async function opened(session: Session, chosen?: WayName): Promise<WaylandDesktop | undefined> {
  try {
    const name = chosen ?? await probe(session, chooseWay);
    if (!name) return undefined;
    const way = await loadWay(name), desktop = await way.connect(session);
    return desktop && new WaylandDesktop({ session, way: name }, way, desktop);
  } catch (error) {
    if (error instanceof DesktopUnavailableError) throw new NoDesktopError(`${error.message}. ${VIRTUAL}`);
    throw error;
  }
}
