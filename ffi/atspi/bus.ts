/** The way to the accessibility bus, whose address the session's bus knows (at-spi2-core, bus/README). */

import { parseAddresses } from "../linux/dbus/address.ts";
import { Bus } from "../linux/dbus/bus.ts";
import { Calls, type SilentPrograms } from "./calls.ts";
import { interfaceOf, REGISTRY_OBJECT } from "./objects.ts";

/** The session's service that starts the accessibility bus. */
const LAUNCHER = { destination: "org.a11y.Bus", path: "/org/a11y/bus", interface: "org.a11y.Bus" };
/** How long the session may take to start the bus, in milliseconds. */
const START_MS = 25_000;

/**
 * Connects to the accessibility bus; the session starts it if need be. Programs that speak ATK keep the cache that is read
 * here for clients that listen to an event, and forget it with this connection: the event is a rare one.
 * @param silent Programs that an earlier connection gave up.
 * @throws NoDesktopError if there is no session bus; BusError if the session has no accessibility.
 */
export function openAccessibility(silent?: SilentPrograms): Calls {
  const session = Bus.open();
  let address: string;
  try {
    [address] = session.call(LAUNCHER, "GetAddress", "", [], "s", START_MS);
  } finally {
    session.close();
  }
  const calls = new Calls(parseAddresses(address, Deno.env.get("XDG_RUNTIME_DIR")), silent);
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
