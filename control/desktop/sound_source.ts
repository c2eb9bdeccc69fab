/** The source of the desktop's sound. A backend implements it. */

/** Sound in the making. */
export interface SoundRun {
  /** Resolves when the capture has ended, after `stop`. Rejects with the error that ended it otherwise. */
  done: Promise<void>;
  /** Ends the capture soon. */
  stop(): void;
}

/** The sound that a desktop plays. */
export interface SoundSource {
  /**
   * Finds out whether there is sound. Captures nothing.
   * @throws UnsupportedError, or DesktopUnavailableError, with the reason if there is none.
   */
  check(): Promise<void>;
  /**
   * Captures sound, off the calling thread.
   * @param report Gets each packet with its time, on the calling thread, as sound.ts describes it; nothing in silence.
   */
  start(report: (message: Uint8Array<ArrayBuffer>) => void): SoundRun;
}
