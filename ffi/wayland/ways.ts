/** The table of ways to control compositors, and the only place that names them. */

import { attempt, ExpectedError } from "../../core/errors.ts";
import type { Bus } from "../linux/dbus/bus.ts";
import { Link, missingProtocols } from "./wire/link.ts";
import { type Probe, type Session, socketPath, type Way } from "./way.ts";
import { printable } from "../../core/printable.ts";
import type { Finding } from "../permission.ts";
import { compositorName } from "./wire/connection.ts";

/** A way and the compositors that it is for. */
interface WayRow {
  name: string;
  /** Whether the session is of this kind, even if it is incomplete. */
  isFor(probe: Probe): Promise<boolean>;
  /** Loads the way, with modules that only it needs, such as the bus. */
  load(): Promise<Way>;
  /**
   * Revokes a person's stored permissions for sessions of this kind; omitted if none are stored.
   * @returns A sentence about the change.
   */
  revoke?(): Promise<string>;
}

/**
 * Ways in the order in which they are tried. KWin is recognized by its program's name, since asking for its
 * protocols is slow: KWin first reads deskhand's whole executable, and draws nothing meanwhile.
 */
const WAYS = [
  {
    name: "kde",
    isFor: ({ connection }) => Promise.resolve(connection.isKwin),
    load: async () => (await import("./kde/way.ts")).KDE,
    revoke: async () => (await import("./kde/permission.ts")).revokePermission(),
  },
  {
    name: "wlroots",
    isFor: async (probe) => !missingProtocols(await probe.registry()).length,
    load: async () => (await import("./wlroots/way.ts")).WLROOTS,
  },
  {
    name: "gnome",
    isFor: ({ hasService }) => hasService("org.gnome.Mutter.RemoteDesktop"),
    load: async () => (await import("./gnome/way.ts")).GNOME,
  },
  {
    name: "portal",
    isFor: async ({ session }) => (await import("./portal/way.ts")).missingPortal(session) === undefined,
    load: async () => (await import("./portal/way.ts")).PORTAL,
  },
] as const satisfies readonly WayRow[];

/** A way's name. */
export type WayName = typeof WAYS[number]["name"];

/** A session and the way to control it: plain data, so that a Worker can open the same desktop. */
export interface WaySource {
  session: Session;
  way: WayName;
}

/**
 * Loads a way.
 * @param name The name in its row.
 */
export async function loadWay(name: WayName): Promise<Way> {
  return await WAYS.find((row) => row.name === name)!.load();
}

/**
 * Chooses the way to control a session.
 * @returns The first row that fits the session; if none does, wlroots, whose error says what the compositor
 * lacks.
 */
export async function chooseWay(probe: Probe): Promise<WayName> {
  for (const { name, isFor } of WAYS) if (await isFor(probe)) return name;
  return "wlroots";
}

/** Revokes a person's stored permissions, for all kinds of sessions. @returns Sentences about the changes. */
export async function revokeAll(): Promise<string[]> {
  const rows: readonly WayRow[] = WAYS, done: string[] = [];
  for (const { revoke } of rows) if (revoke) done.push(await revoke());
  return done;
}

/**
 * Inspects a session over a connection that is closed at the end, unless `look` keeps it.
 * @param look Receives the session, and may wait.
 * @returns The result of `look`; undefined if there is no compositor, or it refuses this user.
 * @throws The errors of `look`; DesktopUnavailableError if the compositor does not answer.
 */
export async function probe<T>(session: Session, look: (probe: Probe) => Promise<T>): Promise<T | undefined> {
  const link = Link.open(session.socket);
  if (!link) return undefined;
  const services = new Services(session);
  let isKept = false;
  try {
    return await look({
      session,
      connection: link.connection,
      registry: () => link.registry(),
      hasService: (name) => services.has(name),
      keep() {
        isKept = true;
        return link;
      },
    });
  } finally {
    if (!isKept) link.connection.close();
    services.close();
  }
}

/** The programs of a session that own names on its bus, which is opened at the first query. */
class Services {
  #bus: Promise<Bus | undefined> | undefined;

  constructor(readonly session: Session) {}

  async has(name: string): Promise<boolean> {
    const bus = await (this.#bus ??= this.#open());
    return bus?.owner(name) !== undefined;
  }

  close(): void {
    void this.#bus?.then((bus) => bus?.close());
  }

  /** @returns undefined if there is no bus, or it refuses this user. */
  async #open(): Promise<Bus | undefined> {
    const { Bus } = await import("../linux/dbus/bus.ts");
    return attempt(() => Bus.open(this.session.buses), undefined, ExpectedError);
  }
}

// Compositor checks, for `deskhand doctor`.

/**
 * Checks everything that controlling a Wayland desktop needs. Moves and presses nothing, and never throws.
 */
export async function inspectWayland(): Promise<Finding[]> {
  const socket = socketPath();
  if (!socket) return [missing("WAYLAND_DISPLAY or XDG_RUNTIME_DIR is not set")];
  const session: Session = { socket };
  try {
    const findings = await probe(session, inspectCompositor);
    return findings ?? [
      missing(
        `${printable(socket)} cannot be opened: no compositor is there, or this user may not use it`,
      ),
    ];
  } catch (error) {
    return [missing((error as Error).message)];
  }
}

async function inspectCompositor(probe: Probe): Promise<Finding[]> {
  const { connection } = probe, chosen = await chooseWay(probe), way = await loadWay(chosen);
  const missing = await way.missing(probe);
  const verdict = missing === undefined
    ? "deskhand controls it as --desktop wayland, which auto chooses"
    : `deskhand cannot control it, since it ${missing}`;
  const name = printable(compositorName(connection)), path = printable(connection.path);
  return [
    { name: "compositor", ok: missing === undefined, detail: `${name} at ${path}: ${verdict}` },
    ...await way.inspect(probe, missing),
    (await import("../atspi/bus.ts")).inspectAccessibility(),
    ...missing === undefined || chosen === "portal" ? [] : [await wayOut(probe)],
  ];
}

/** The portal, an alternative if the compositor itself cannot be controlled. */
async function wayOut({ session }: Probe): Promise<Finding> {
  const { missingPortal, portalFinding } = await import("./portal/way.ts");
  const missing = missingPortal(session), finding = portalFinding(session.buses, missing);
  return missing === undefined ? { ...finding, detail: `--desktop portal: ${finding.detail}` } : finding;
}

function missing(detail: string): Finding {
  return { name: "compositor", ok: false, detail };
}
