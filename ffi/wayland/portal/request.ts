/** Requests to the portal: a method whose result comes later, as a signal, since a person may be asked first. */

import { DesktopUnavailableError } from "../../../core/errors.ts";
import type { Bus } from "../../linux/dbus/bus.ts";
import type { RemoteObject } from "../../linux/dbus/objects.ts";
import { type Sent, Variant } from "../../linux/dbus/values.ts";
import { REQUEST, requestPath, RESPONSE } from "./names.ts";

/** The time that the portal may take where no person is asked, in milliseconds. */
const ANSWER_MS = 20_000;

/** The person refused, or the portal ended the request by itself. */
export class RequestRefusedError extends DesktopUnavailableError {
  /** @param isByPerson Whether the person refused. */
  constructor(readonly isByPerson: boolean, member: string) {
    super(`${isByPerson ? "the person refused" : "the desktop's portal ended the request"} (${member})`);
  }
}

/** The options of a method, which come last in its arguments. */
export type Options = Record<string, Variant>;

/**
 * Makes a request and waits for its result; this thread does other work during the wait.
 * @param portal The unique name of the portal's connection.
 * @param signature The signature of the arguments before the options.
 * @param ms How long the result may take, in milliseconds.
 * @returns The result, value by name.
 * @throws RequestRefusedError if the request is refused; BusError if the call is refused; DesktopUnavailableError if
 * the result does not come in time, or the bus is gone.
 */
export async function request(
  bus: Bus,
  portal: string,
  object: RemoteObject,
  member: string,
  signature: string,
  args: readonly Sent[],
  options: Options,
  ms = ANSWER_MS,
): Promise<Map<string, unknown>> {
  const token = `deskhand${crypto.randomUUID().replaceAll("-", "")}`, path = requestPath(bus.name, token);
  const result = Promise.withResolvers<[number, Map<string, unknown>]>();
  result.promise.catch(() => {}); // the promise may reject before a caller waits for it
  const rule = { sender: portal, path, interface: REQUEST, member: "Response" };
  const end = bus.listen(rule, ({ signature, values }) => {
    if (signature === "ua{sv}") result.resolve(values as [number, Map<string, unknown>]);
  });
  const late = `the desktop's portal gave no result in ${ms / 1000} s (${member})`;
  const timer = setTimeout(() => result.reject(new DesktopUnavailableError(late)), ms);
  const rest = bus.stayAwake(), lost = bus.onEnd((error) => result.reject(error));
  let isOpen = true;
  try {
    const all = { ...options, handle_token: new Variant("s", token) };
    await bus.callAsync(object, member, `${signature}a{sv}`, [...args, all], "o", { ms: ANSWER_MS });
    const [response, values] = await result.promise;
    isOpen = false;
    if (response === RESPONSE.success) return values;
    throw new RequestRefusedError(response === RESPONSE.cancelled, member);
  } finally {
    clearTimeout(timer);
    lost();
    end();
    rest();
    // Closes a dialog that is still open after the time limit.
    if (isOpen) bus.tell({ ...object, path, interface: REQUEST }, "Close", "", []);
  }
}
