/** Objects of the accessibility bus, and calls to them. */

import { propertiesOf, type RemoteObject } from "../linux/dbus/message.ts";
import type { ValueReader } from "../linux/dbus/marshalling.ts";
import type { Sent } from "../linux/dbus/values.ts";

/** A call, and the function that receives its answer. */
export interface Call {
  object: RemoteObject;
  member: string;
  signature?: string;
  args?: readonly Sent[];
  /** Reads the values out of the answer's body, where that is faster than by its signature. */
  decode?(reader: ValueReader, signature: string): unknown[];
  /** Gets the values of the answer; undefined if the program refuses or is silent. May add further calls. */
  then(values: unknown[] | undefined): void;
}

/** The beginning of all interfaces' names (at-spi2-core, xml/). */
const PREFIX = "org.a11y.atspi.";
/** The object of a program that its windows are in. */
export const ROOT_PATH = "/org/a11y/atspi/accessible/root";

/** A reference to an object: the unique name of its program on the bus, and its path there. */
export interface Ref {
  app: string;
  path: string;
}

/** The object that takes registrations of events. */
export const REGISTRY_OBJECT: Ref = { app: "org.a11y.atspi.Registry", path: "/org/a11y/atspi/registry" };
/** The registry, in which programs are. */
export const REGISTRY: Ref = { app: "org.a11y.atspi.Registry", path: ROOT_PATH };

/**
 * Unique names and paths as the bus takes them: the bus closes the connection of a caller that uses other names, such
 * as "".
 */
const NAME = /^:[\w-]+(?:\.[\w-]+)+$/, PATH = /^(?:\/\w+)+$/;
/** Characters of a name or path. */
const LENGTH = 255;

/**
 * Reads a value as a reference.
 * @param value A structure `(so)` from a program, with unchecked content.
 * @returns undefined if the value is no reference, or refers to nothing.
 */
export function refOf(value: unknown): Ref | undefined {
  if (!Array.isArray(value)) return undefined;
  const [app, path] = value;
  if (typeof app !== "string" || typeof path !== "string") return undefined;
  return app.length <= LENGTH && NAME.test(app) && isPath(path) ? { app, path } : undefined;
}

/** Whether a text is a valid path of an object, and not the path that stands for no object. */
export function isPath(text: string): boolean {
  return text.length <= LENGTH && PATH.test(text) && !text.endsWith("/null");
}

/**
 * References among the values of an answer, without references to no object.
 * @param value An array of structures `(so)`.
 * @param most How many are wanted.
 */
export function refsOf(value: unknown, most = Infinity): Ref[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, most).map(refOf).filter((ref) => ref !== undefined);
}

/** An interface of an object, such as `Accessible`. */
export function interfaceOf({ app, path }: Ref, name: string): RemoteObject {
  return { destination: app, path, interface: PREFIX + name };
}

/** A call that reads a single property, since programs of Qt 5 crash when all properties are asked for. */
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
