/** The settings of traces. */

/** The folder of traces, and the parts that they leave out. */
export interface TraceSettings {
  /** The folder of traces; a folder in the user's state folder if left out. */
  folder?: string;
  /** The most bytes that all files of the folder have together. */
  limit: number;
  /** The days that files are kept. */
  days: number;
  /** Patterns of the titles of windows that are left out; `*` stands for any text. */
  hide: readonly string[];
  /** Prints a notice for the person. */
  notice: (text: string) => void;
}

/** The default settings. */
export const TRACE_DEFAULTS: TraceSettings = { limit: 1e9, days: 30, hide: [], notice: () => {} };
