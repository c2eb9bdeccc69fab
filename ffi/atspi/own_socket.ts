/** Programs' own sockets, which programs of ATK offer: over them, answers need not pass through the bus. */

import type { Calls } from "./calls.ts";
import { ask, ROOT_PATH } from "./objects.ts";

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
