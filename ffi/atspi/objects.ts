/** Objects on the accessibility bus, and calls to them. */

import { propertiesOf, type RemoteObject } from "../linux/dbus/message.ts";
import type { ValueReader } from "../linux/dbus/marshalling.ts";
import type { Sent } from "../linux/dbus/values.ts";

/** A call, and the function that receives its answer. */
export interface Call {
  object: RemoteObject;
  member: string;
  signature?: string;
  args?: readonly Sent[];
  /** Reads the values directly from the answer's body, where that is faster than by its signature. */
  decode?(reader: ValueReader, signature: string): unknown[];
  /** Receives the answer's values; undefined if the program refuses or is silent. May add further calls. */
  then(values: unknown[] | undefined): void;
}

/** The prefix of all interface names (at-spi2-core, xml/). */
const PREFIX = "org.a11y.atspi.";
/** The program object that contains its windows. */
export const ROOT_PATH = "/org/a11y/atspi/accessible/root";

/** An object reference: its program's unique name on the bus, and its path there. */
export interface Ref {
  app: string;
  path: string;
}

/** The object for event registrations. */
export const REGISTRY_OBJECT: Ref = { app: "org.a11y.atspi.Registry", path: "/org/a11y/atspi/registry" };
/** The registry, which contains the programs. */
export const REGISTRY: Ref = { app: "org.a11y.atspi.Registry", path: ROOT_PATH };

/**
 * Valid unique names and paths: the bus closes the connection of a caller that uses invalid ones, such as "".
 */
const NAME = /^:[\w-]+(?:\.[\w-]+)+$/, PATH = /^(?:\/\w+)+$/;
/** Maximum length of a name or path, in characters. */
const LENGTH = 255;

/**
 * Reads a value as a reference.
 * @param value A `(so)` structure from a program, with unchecked content.
 * @returns undefined if the value is not a reference, or refers to nothing.
 */
export function refOf(value: unknown): Ref | undefined {
  if (!Array.isArray(value)) return undefined;
  const [app, path] = value;
  if (typeof app !== "string" || typeof path !== "string") return undefined;
  return app.length <= LENGTH && NAME.test(app) && isPath(path) ? { app, path } : undefined;
}

/** Whether a text is a valid object path, other than the path for no object. */
export function isPath(text: string): boolean {
  return text.length <= LENGTH && PATH.test(text) && !text.endsWith("/null");
}

/**
 * The references in an answer's value, without references to no object.
 * @param value An array of `(so)` structures.
 * @param most Maximum number of references.
 */
export function refsOf(value: unknown, most = Infinity): Ref[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, most).map(refOf).filter((ref) => ref !== undefined);
}

/** An object's interface, such as `Accessible`. */
export function interfaceOf({ app, path }: Ref, name: string): RemoteObject {
  return { destination: app, path, interface: PREFIX + name };
}

/** A call that reads a single property, since Qt 5 programs crash when all properties are requested. */
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

// Object names.

/** Identifies an element: neither a unique name nor a path contains a space. */
export const keyOf = ({ app, path }: Ref) => `${app} ${path}`;

/** The offset and prime of FNV-1a (RFC 9923), truncated to the bits of a JavaScript integer. */
const HASH = { offset: 0xcbf29ce484222325n, prime: 0x100000001b3n, mask: (1n << 52n) - 1n };

/** A window's number, which is derived from its object, so that it stays the same across connections. */
export function idOf(ref: Ref): string {
  let hash = HASH.offset;
  for (const byte of new TextEncoder().encode(keyOf(ref))) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * HASH.prime);
  }
  return `0x${(hash & HASH.mask).toString(16)}`;
}

/** The object identified by a key. */
export function objectOf(key: string): Ref {
  const [app, path] = key.split(" ");
  return { app, path };
}

/** The relation of a browser's window to the page that it shows (AtspiRelationType). */
const EMBEDS = 13;

/** The page that a browser's window shows, according to its relations. */
export function embeddedIn(relations: unknown): Ref | undefined {
  const all: unknown[] = Array.isArray(relations) ? relations : [];
  const found = all.find((one) => Array.isArray(one) && one[0] === EMBEDS) as unknown[] | undefined;
  return refsOf(found?.[1])[0];
}
