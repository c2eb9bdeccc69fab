/** Answers to calls: results and errors of services, and deskhand's answers to other programs. */

import { DesktopUnavailableError } from "../../../core/errors.ts";
import type { Channel, Incoming } from "./channel.ts";
import { BusError, ERROR_NAMES } from "./errors.ts";
import { FLAG, MESSAGE } from "./message.ts";
import type { Sent, Values } from "./values.ts";

/** The result of a method. */
export interface Reply {
  /** The signature of the values. */
  signature: string;
  args: readonly Sent[];
}

/**
 * The values of an answer.
 * @param reply The signature that the values must have; an empty one accepts any answer, and gives no values.
 * @param name The name of the called method, for the error.
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
 * Answers a call by another program, which would otherwise wait in vain.
 * @param reply The method's result; undefined refuses the call.
 */
export function answerCall(channel: Channel, { flags, serial, sender }: Incoming, reply?: Reply): void {
  if (flags & FLAG.noReply || !sender) return;
  const fields = { destination: sender, replySerial: serial };
  if (reply) return void channel.send({ type: MESSAGE.reply, flags: FLAG.noReply, fields, ...reply });
  const errorName = ERROR_NAMES.unknownMethod, args = ["deskhand offers no methods"];
  channel.send({
    type: MESSAGE.error,
    flags: FLAG.noReply,
    fields: { ...fields, errorName },
    signature: "s",
    args,
  });
}
