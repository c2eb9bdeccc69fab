/** Calls on the accessibility bus, and how their answers are read. */

import type { Incoming } from "../linux/dbus/channel.ts";
import { type Envelope, MESSAGE } from "../linux/dbus/message.ts";
import { DAEMON, type RemoteObject } from "../linux/dbus/objects.ts";
import { ValueReader } from "../linux/dbus/reader.ts";
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

/** Reads an answer in the way of its call. */
export function decodeAnswer(
  call: Call | undefined,
  { type, signature = "", isLittle, bodyAt }: Envelope,
  bytes: Uint8Array,
): unknown[] | undefined {
  if (type !== MESSAGE.reply) return undefined;
  return call?.decode?.(new ValueReader(bytes, isLittle, [], bodyAt), signature);
}

/** Tells whether an answer comes from the program that was called, or from the bus, which knows that it is gone. */
export function isFrom({ sender }: Incoming, { object: { destination } }: Call): boolean {
  return sender === destination || sender === DAEMON.destination || !destination.startsWith(":");
}
