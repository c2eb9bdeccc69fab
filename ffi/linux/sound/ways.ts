/** The table of the ways to a session's sound, in the order in which they are tried. */

import { DesktopUnavailableError } from "../../../core/errors.ts";
import { PipeWireInput, pipeWireLack } from "./pipewire.ts";
import { PulseInput, pulseLack } from "./pulse.ts";
import type { SoundWay } from "./way.ts";

const WAYS: readonly SoundWay[] = [
  { name: "PipeWire", lack: pipeWireLack, open: (take) => new PipeWireInput(take) },
  { name: "PulseAudio", lack: pulseLack, open: (take) => new PulseInput(take) },
];

/**
 * Chooses the way to the session's sound. Captures nothing.
 * @throws DesktopUnavailableError with what each way lacks if there is none.
 */
export function chooseWay(): SoundWay {
  const lacks: string[] = [];
  for (const way of WAYS) {
    const lack = way.lack();
    if (lack === undefined) return way;
    lacks.push(lack);
  }
  throw new DesktopUnavailableError(`no sound server is reached: ${lacks.join("; ")}`);
}
