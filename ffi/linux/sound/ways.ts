/** The table of the ways to a session's sound, in the order in which they are tried. */

import { DesktopUnavailableError } from "../../../core/errors.ts";
import { missingPipeWire, PipeWireInput } from "./pipewire.ts";
import { missingPulse, PulseInput } from "./pulse.ts";
import type { SoundWay } from "./mod.ts";

const WAYS: readonly SoundWay[] = [
  { name: "PipeWire", missing: missingPipeWire, open: (take) => new PipeWireInput(take) },
  { name: "PulseAudio", missing: missingPulse, open: (take) => new PulseInput(take) },
];

/**
 * Chooses the way to the session's sound. Captures nothing.
 * @throws DesktopUnavailableError with what each way lacks if there is none.
 */
export function chooseWay(): SoundWay {
  const reasons: string[] = [];
  for (const way of WAYS) {
    const missing = way.missing();
    if (missing === undefined) return way;
    reasons.push(missing);
  }
  throw new DesktopUnavailableError(`no sound server is reached: ${reasons.join("; ")}`);
}
