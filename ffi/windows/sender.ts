/** SendInput, and the reason when Windows refuses it. */

import { DesktopUnavailableError } from "../../core/errors.ts";
import { encodeInputs, type Input, INPUT_BYTES } from "./input.ts";
import { IntegrityGuard, outranks } from "./integrity.ts";
import type { Libraries } from "./libraries.ts";
import { refusalReason } from "./refusal.ts";
import { inspectSession } from "./session.ts";

/** Sends input to Windows. */
export class InputSender {
  /** Refuses input for windows that may not get it. */
  readonly guard: IntegrityGuard;

  constructor(readonly libraries: Libraries) {
    this.guard = new IntegrityGuard(libraries);
  }

  /**
   * Sends inputs in one piece: no input of other programs or devices comes between them.
   * @throws DesktopUnavailableError if Windows does not take all of them.
   */
  send(inputs: readonly Input[]): void {
    if (inputs.length === 0) return;
    const sent = this.libraries.user32.SendInput(inputs.length, encodeInputs(inputs), INPUT_BYTES);
    if (sent !== inputs.length) throw this.refused("input");
  }

  /**
   * Makes the error for a call that Windows refused, with the cause as far as deskhand can find it.
   * @param call The refused call, as in "Windows refuses …".
   */
  refused(call: string): DesktopUnavailableError {
    const elevated = outranks(this.guard.foreground(), this.guard.ours);
    return new DesktopUnavailableError(refusalReason(call, inspectSession(this.libraries), elevated));
  }
}
