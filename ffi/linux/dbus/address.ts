/** Addresses of a bus (D-Bus Specification, "Server Addresses"), as `DBUS_SESSION_BUS_ADDRESS` has them. */

import { NoDesktopError } from "../../../core/errors.ts";

/**
 * Finds the address of the session's bus by the environment: `DBUS_SESSION_BUS_ADDRESS`, otherwise the bus of the
 * user's systemd in `XDG_RUNTIME_DIR`.
 * @returns Paths of sockets, in the order in which they are tried; an abstract socket's name begins with a zero
 * character.
 * @throws NoDesktopError if the environment names no usable socket.
 */
export function sessionSockets(env: (name: string) => string | undefined = (n) => Deno.env.get(n)): string[] {
  const addresses = env("DBUS_SESSION_BUS_ADDRESS"), folder = env("XDG_RUNTIME_DIR");
  if (!addresses) {
    if (folder) return [`${folder}/bus`];
    throw new NoDesktopError(
      "there is no session bus: neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set. Start deskhand inside " +
        "a desktop session, make one (dbus-run-session -- deskhand …; deskhand run -- COMMAND), or name one " +
        "(DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/1000/bus deskhand …)",
    );
  }
  const sockets = parseAddresses(addresses, folder);
  if (sockets.length) return sockets;
  throw new NoDesktopError(
    `DBUS_SESSION_BUS_ADDRESS is ${addresses}, which is not a Unix socket address such as unix:path=/run/user/1000/bus`,
  );
}

/**
 * The Unix sockets in a list of addresses; other transports, such as tcp, are left out.
 * @param runtimeFolder XDG_RUNTIME_DIR.
 * @example
 * parseAddresses("unix:path=/run/user/1000/bus,guid=0123;tcp:host=a"); // ["/run/user/1000/bus"]
 */
export function parseAddresses(addresses: string, runtimeFolder?: string): string[] {
  return addresses.split(";").flatMap((address) => {
    const [, transport, list] = /^([^:]*):(.*)$/s.exec(address) ?? [];
    if (transport !== "unix") return [];
    const keys = new Map(
      list.split(",").map((pair) => {
        const at = pair.indexOf("=");
        return [pair.slice(0, Math.max(at, 0)), unescaped(pair.slice(at + 1))] as const;
      }),
    );
    const path = keys.get("path"), abstract = keys.get("abstract");
    if (path) return [path];
    if (abstract) return [`\0${abstract}`];
    return keys.get("runtime") === "yes" && runtimeFolder ? [`${runtimeFolder}/bus`] : [];
  });
}

/** Decodes `%20` and similar escapes; gives an empty text if an escape is invalid. */
function unescaped(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return "";
  }
}
