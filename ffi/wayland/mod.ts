/** Opens Wayland desktops. */

import { DesktopUnavailableError, ExpectedError, NoDesktopError } from "../../core/errors.ts";
import { compositorGone, Connection } from "./wire/connection.ts";
import type { ConnectedDesktop, Probe, Way } from "./way.ts";
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
  try {
    const desktop = way
      ? await connected(session, way)
      : await probe(session, async (probe) => await connected(session, await chooseWay(probe), probe));
    return desktop ?? cannotOpen(socket);
  } catch (error) {
    throw withWayOut(error);
  }
}

/**
 * Opens the desktop of the compositor that the environment names, over one connection.
 * @param brief As in {@linkcode Session}.
 * @returns The desktop; or the reason why the compositor cannot be controlled, as {@linkcode refusal} gives it.
 * @throws NoDesktopError if opening fails although nothing was missing.
 */
export async function openUnlessRefused(brief: Session["brief"]): Promise<WaylandDesktop | string> {
  const socket = socketPath();
  if (!socket) return noAnswer(socket);
  const session: Session = { socket, brief };
  let isRefused = true;
  try {
    return await probe(session, async (probe) => {
      const name = await chooseWay(probe), way = await loadWay(name), reason = await refusalOf(probe, way);
      if (reason !== undefined) return reason;
      isRefused = false;
      return desktopOf({ session, way: name }, way, await way.connect(session, probe)) ?? cannotOpen(socket);
    }) ?? noAnswer(socket);
  } catch (error) {
    if (isRefused) return (error as Error).message;
    throw withWayOut(error);
  }
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
 * Returns how to name a running compositor that the environment does not name.
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

/** The reason why the compositor that the environment names cannot be controlled; undefined if it can. Never throws. */
export async function refusal(): Promise<string | undefined> {
  const socket = socketPath();
  if (!socket) return noAnswer(socket);
  try {
    const found = await probe({ socket }, async (probe) => ({
      reason: await refusalOf(probe, await loadWay(await chooseWay(probe))),
    }));
    return found ? found.reason : noAnswer(socket);
  } catch (error) {
    return (error as Error).message;
  }
}

const noAnswer = (socket: string | undefined) =>
  `no Wayland compositor answers at ${socket ?? "WAYLAND_DISPLAY"}`;

async function refusalOf(probe: Probe, way: Way): Promise<string | undefined> {
  const missing = await way.missing(probe);
  return missing && `this Wayland compositor ${missing} (see deskhand doctor)`;
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

async function connected(
  session: Session,
  name: WayName,
  probe?: Probe,
): Promise<WaylandDesktop | undefined> {
  const way = await loadWay(name);
  return desktopOf({ session, way: name }, way, await way.connect(session, probe));
}

function desktopOf(
  source: WaySource,
  way: Way,
  desktop: ConnectedDesktop | undefined,
): WaylandDesktop | undefined {
  return desktop && new WaylandDesktop(source, way, desktop);
}

function cannotOpen(socket: string): never {
  throw new NoDesktopError(
    `the Wayland socket ${socket} cannot be opened: no compositor is running there, or this user has no access to it. ${VIRTUAL}`,
  );
}

/** Adds to the error of a compositor that ended how deskhand works without one. */
function withWayOut(error: unknown): unknown {
  return error instanceof DesktopUnavailableError
    ? new NoDesktopError(`${error.message}. ${VIRTUAL}`)
    : error;
}
