/** The settings of traces. */

/** The folder of traces, and the parts that they leave out. */
export interface TraceSettings {
  /** The folder; one in the user's state folder if left out. */
  folder?: string;
  /** Bytes of all files of the folder together. */
  limit: number;
  /** The days that files are kept. */
  days: number;
  /** Patterns of the titles of windows that are left out; `*` stands for any text. */
  hide: readonly string[];
  /** Tells the person something. */
  notice: (text: string) => void;
}

/** The settings where none are given. */
export const TRACE_DEFAULTS: TraceSettings = { limit: 1e9, days: 30, hide: [], notice: () => {} };
