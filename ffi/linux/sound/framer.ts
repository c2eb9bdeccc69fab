/** Frames of sound, with their times, from samples that come in pieces of any size. Pure. */

import { CHANNELS, FRAME, RATE } from "./format.ts";

/** The loudest sample that counts as silence: half a step of 16 bits. */
const SILENT = 1 / 65_536;
/** Silent frames that are handed on before the rest of the silence is left out: 200 ms, in which echoes end. */
const LAST_SILENT = 20;

/** Cuts frames. */
export class Framer {
  readonly #frame = new Float32Array(FRAME * CHANNELS);
  #filled = 0;
  #silent = LAST_SILENT;

  /**
   * @param frame Gets each frame that is to be heard, valid until it returns, and the time of its first sample in
   *   milliseconds.
   */
  constructor(readonly frame: (samples: Float32Array<ArrayBuffer>, at: number) => void) {}

  /**
   * Takes samples.
   * @param samples Left and right in turn.
   * @param until When the last of them was played, in milliseconds.
   */
  push(samples: Float32Array<ArrayBuffer>, until: number): void {
    for (let from = 0; from < samples.length;) {
      const part = samples.subarray(from, from + this.#frame.length - this.#filled);
      this.#frame.set(part, this.#filled);
      this.#filled += part.length;
      from += part.length;
      if (this.#filled < this.#frame.length) return;
      this.#filled = 0;
      const later = (samples.length - from + this.#frame.length) / CHANNELS;
      this.#silent = this.#frame.every((sample) => Math.abs(sample) < SILENT) ? this.#silent + 1 : 0;
      if (this.#silent <= LAST_SILENT) this.frame(this.#frame, until - 1000 * later / RATE);
    }
  }
}
