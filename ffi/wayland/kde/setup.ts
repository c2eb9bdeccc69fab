/** Gives deskhand the permission to control a KDE desktop, and makes KDE read it. */

import { DesktopUnavailableError, NoDesktopError, StateError } from "../../../core/errors.ts";
import { until } from "../../../core/until.ts";
import { Bus } from "../../linux/dbus/bus.ts";
import type { Permission } from "../../permission.ts";
import { Connection } from "../wire/connection.ts";
import { Registry } from "../wire/registry.ts";
import type { Session } from "../session.ts";
import type { Probe } from "../way.ts";
import { missingPermission, permissionPath, writePermission } from "./permission.ts";

/** The time that KDE may take to read a new file, and the time between two looks for that, in milliseconds. */
const READ_MS = 20_000, LOOK_MS = 250;
/** KDE's daemon, which keeps the index of desktop files: of Plasma 6 and 5. */
const DAEMONS = ["org.kde.kded6", "org.kde.kded5"];

/** @returns undefined if KWin lets deskhand control it already, or there is no place for the file. */
export function kdePermission({ session, registry }: Probe): Permission | undefined {
  const path = permissionPath();
  if (!path || missingPermission(registry) === undefined) return undefined;
  return {
    description: "KDE lets only programs that a permission file allows send input and take screenshots. " +
      `deskhand writes ${path}, which allows this executable to do so. deskhand setup --remove undoes this.`,
    async grant() {
      writePermission(path);
      rebuildIndex(session);
      if (await until(() => isRead(session), { ms: READ_MS, every: LOOK_MS })) {
        return `${path} has been written, and KWin has read it.`;
      }
      throw new StateError(
        `${path} has been written, but KWin has not read it yet. Run: kbuildsycoca6 (Plasma 5: kbuildsycoca5)`,
      );
    },
  };
}

/** Whether KWin lets a new connection control it. */
function isRead({ socket }: Session): boolean {
  const connection = Connection.open(socket);
  if (!connection) return false;
  try {
    return missingPermission(new Registry(connection)) === undefined;
  } finally {
    connection.close();
  }
}

/** Asks KDE to look for new desktop files now, rather than after a while by itself. */
function rebuildIndex({ buses }: Session): void {
  let bus: Bus | undefined;
  try {
    bus = Bus.open(buses);
    const destination = DAEMONS.find((name) => bus!.owner(name) !== undefined);
    const builder = { path: "/kbuildsycoca", interface: "org.kde.kbuildsycoca" };
    if (destination) bus.call({ ...builder, destination }, "recreate", "", [], "");
  } catch (error) {
    if (!(error instanceof DesktopUnavailableError || error instanceof NoDesktopError)) throw error;
  } finally {
    bus?.close();
  }
}
