/** What a service answers to a call, or does not. */

import { DesktopUnavailableError } from "../../../core/errors.ts";
import type { Channel, Incoming } from "./channel.ts";
import { BusError } from "./errors.ts";
import { MESSAGE } from "./message.ts";
import type { Values } from "./values.ts";

/**
 * The values of an answer.
 * @param reply The signature that they must have; empty takes any, and gives no values.
 * @param name What was called, for the error.
 * @param channel Closes descriptors that are not among the result.
 * @throws BusError if the service refused; DesktopUnavailableError if the answer has another signature.
 */
export function valuesOf<Reply extends string>(
  answer: Incoming,
  reply: Reply,
  name: string,
  channel: Channel,
): Values<Reply> {
  const { type, values, signature = "", errorName = "" } = answer;
  if (type === MESSAGE.reply && signature === reply) return values as Values<Reply>;
  channel.discard(answer);
  if (type === MESSAGE.error) {
    throw new BusError(errorName, typeof values[0] === "string" ? values[0] : "", name);
  }
  if (reply === "") return [] as Values<Reply>;
  throw new DesktopUnavailableError(
    `${name}: the answer has the type "${signature}" instead of "${reply}"`,
  );
}

/**
 * The error of an answer that does not come.
 * @param what Was waited for.
 * @param ms How long, in milliseconds.
 */
export function tooLate(what: string, ms: number): DesktopUnavailableError {
  return new DesktopUnavailableError(`${what}: no answer came in ${ms} ms`);
}
