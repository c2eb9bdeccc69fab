/** Connects to the accessibility bus, whose address the session's bus knows (at-spi2-core, bus/README). */

import { DesktopUnavailableError, NoDesktopError, UnsupportedError } from "../../core/errors.ts";
import { Bus } from "../linux/dbus/bus.ts";
import { BusError } from "../linux/dbus/channel.ts";
import { ask, Calls, interfaceOf, REGISTRY_OBJECT, ROOT_PATH, type SilentPrograms } from "./calls.ts";
import { accessibilitySockets, START_MS } from "./status.ts";

/** The missing part of a session in which no program can show elements. */
const NO_ACCESSIBILITY = "this session has no accessibility bus (on Debian, install at-spi2-core)";

/**
 * Runs a function with a connection to the session's bus.
 * @throws UnsupportedError if the session has no bus, or no accessibility; the errors of `use`.
 */
export function onSession<T>(use: (session: Bus) => T): T {
  let session: Bus | undefined;
  try {
    session = Bus.open();
    return use(session);
  } catch (error) {
    if (!(error instanceof NoDesktopError || error instanceof BusError)) throw error;
    throw new UnsupportedError(`${NO_ACCESSIBILITY}: ${error.message}`, { cause: error });
  } finally {
    session?.close();
  }
}

/**
 * Connects to the accessibility bus; the session starts it if need be. Programs that use ATK keep a cache only for
 * clients that listen to an event, so this connection listens to a rare event. They drop the cache when the
 * connection ends.
 * @param silent Programs that did not answer an earlier connection.
 * @throws UnsupportedError if the session has no accessibility; DesktopUnavailableError if its bus does not answer.
 */
export function openAccessibility(silent?: SilentPrograms): Calls {
  const sockets = onSession(accessibilitySockets);
  if (!sockets.length) throw new DesktopUnavailableError("the accessibility bus reports no address");
  const calls = new Calls(sockets, silent);
  calls.add({
    object: interfaceOf(REGISTRY_OBJECT, "Registry"),
    member: "RegisterEvent",
    signature: "sass",
    args: ["window:activate", [], ""],
    then: () => {},
  });
  calls.run(START_MS);
  return calls;
}

// Programs' own sockets, which programs of ATK offer: over them, answers need not pass through the bus.

/** The time that a program may take to tell its socket, in milliseconds. */
const TELL_MS = 500;

/**
 * Has a program called over a socket of its own from the next calls on, where it has one that can be used.
 * @param app The program's name on the bus.
 * @param pid Its process.
 */
export function useOwnSocket(calls: Calls, app: string, pid: number): void {
  const { own } = calls, root = { app, path: ROOT_PATH };
  if (!own.wasOffered(app)) {
    calls.add(
      ask(root, "Application", "GetApplicationBusAddress", (address) => own.offer(app, address, pid)),
    );
    calls.run(TELL_MS);
  }
  own.open(app);
}
