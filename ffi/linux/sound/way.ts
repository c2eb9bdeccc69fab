/** Ways to the sound that the session plays. Each is a row of ways.ts. */

/**
 * Takes the samples of the sound as they arrive.
 * @param samples Left and right in turn, from -1 to 1; valid until this returns.
 */
export type TakeSamples = (samples: Float32Array<ArrayBuffer>) => void;

/** Sound in the making, on the thread that opened it. */
export interface SoundInput {
  /**
   * Passes on the sound that has arrived.
   * @param ms The longest wait for sound, in milliseconds.
   * @throws DesktopUnavailableError if the sound has ended.
   */
  iterate(ms: number): void;
  /** Frees everything. */
  close(): void;
}

/** A kind of sound server. */
export interface SoundWay {
  /** The name of the way. */
  name: string;
  /**
   * The reason why there is no sound now, as a sentence without its end; undefined if there is sound. Captures nothing.
   * Never throws.
   */
  missing(): string | undefined;
  /** @throws DesktopUnavailableError if the sound server refuses. */
  open(take: TakeSamples): SoundInput;
}
