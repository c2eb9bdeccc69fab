/** Objects of the accessibility bus, and calls that several modules make. */

import { propertiesOf, type RemoteObject } from "../linux/dbus/objects.ts";
import type { Call } from "./calls.ts";

/** The beginning of all interfaces' names (at-spi2-core, xml/). */
const PREFIX = "org.a11y.atspi.";
/** The object of a program that its windows are in. */
export const ROOT_PATH = "/org/a11y/atspi/accessible/root";

/** A reference to an object: the unique name of its program on the bus, and its path there. */
export interface Ref {
  app: string;
  path: string;
}

/** The registry, in which programs are. */
export const REGISTRY: Ref = { app: "org.a11y.atspi.Registry", path: ROOT_PATH };

/**
 * References among the values of an answer, without those to nothing.
 * @param value An array of structures `(so)`.
 */
export function refsOf(value: unknown): Ref[] {
  if (!Array.isArray(value)) return [];
  return value.map(([app, path]) => ({ app, path })).filter(({ app, path }) =>
    app !== "" && !path.endsWith("/null")
  );
}

/** An interface of an object, such as `Accessible`. */
export function interfaceOf({ app, path }: Ref, name: string): RemoteObject {
  return { destination: app, path, interface: PREFIX + name };
}

/** A call that reads a property. Only one at a time: Qt 5 ends when all are asked for. */
export function property(ref: Ref, type: string, name: string, then: (value: unknown) => void): Call {
  const object = interfaceOf(ref, type);
  return {
    object: propertiesOf(object),
    member: "Get",
    signature: "ss",
    args: [object.interface, name],
    then: (values) => then(values?.[0]),
  };
}

/** A call without arguments. */
export function ask(ref: Ref, type: string, member: string, then: (value: unknown) => void): Call {
  return { object: interfaceOf(ref, type), member, then: (values) => then(values?.[0]) };
}
