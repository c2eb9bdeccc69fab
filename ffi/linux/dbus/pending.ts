/** Calls of one connection that wait for their answers. */

import type { DesktopUnavailableError } from "../../../core/errors.ts";
import type { Channel, Incoming } from "./channel.ts";
import { MESSAGE } from "./message.ts";

/** A call that waits for its answer. */
interface Pending {
  settle(answer: Incoming): void;
  fail?(error: Error): void;
}

/** Pending calls by their serial numbers. */
export class PendingCalls extends Map<number, Pending> {
  /** Hands an answer to its call. Safe where its caller waits no more. */
  answer(message: Incoming, channel: Channel): void {
    const pending = this.get(message.replySerial!);
    if (!pending) return channel.discard(message);
    this.delete(message.replySerial!);
    pending.settle(message);
  }

  /** Tells the callers that the bus is gone. */
  end(error: DesktopUnavailableError): void {
    for (const { fail } of this.values()) fail?.(error);
  }

  /**
   * Adds a call whose caller polls for the answer.
   * @returns A function: true if the answer has come, false for an error, undefined before the answer.
   */
  watch(serial: number, channel: Channel): () => boolean | undefined {
    let hasValues: boolean | undefined;
    const settle = (message: Incoming) => {
      hasValues = message.type === MESSAGE.reply;
      channel.discard(message);
    };
    this.set(serial, { settle });
    return () => hasValues;
  }
}
