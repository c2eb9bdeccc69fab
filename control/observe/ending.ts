/** The end of an observation in time: until when an effect may still come, and the screen still change. Pure. */

/** The time without a new change after which the screen has settled, in milliseconds. */
export const QUIET_MS = 30;
/** The time after an action at which the program is asked, in milliseconds: most effects have come and settled then. */
const ASKED_MS = 40;
/**
 * Bounds of the observation of an action, in milliseconds: the shortest time in which an effect is waited for, also
 * after the program has handled the action, and the longest time in which the screen settles. `brief` is for one that
 * others follow.
 */
const WAITS = {
  whole: { shown: 400, handled: 150, limit: 2000 },
  brief: { shown: 60, handled: 30, limit: 250 },
} as const;

/** The moments of an observation so far, in milliseconds of one clock. */
export interface Moments {
  /** The beginning of the action, and its end. */
  acted: number;
  done: number;
  /** The last change that is not part of a movement by itself; undefined if there was no such change. */
  changed?: number;
  /**
   * The time when the program answered that it has handled the action, or proved unable to answer; undefined until
   * then.
   */
  handled?: number;
  /** Tells whether the action had an effect. */
  hasEffect: boolean;
  /** Tells whether another action follows at once. */
  isBrief?: boolean;
}

/** Tells when the screen has settled, if there are no further changes. */
export function settledAt({ acted, changed = acted }: Moments): number {
  return Math.max(acted, changed) + QUIET_MS;
}

/** The time after which deskhand asks the program whether it has handled the action; most effects show before. */
export function askedAt({ done, isBrief }: Moments): number {
  return done + (isBrief ? QUIET_MS : ASKED_MS);
}

/**
 * Tells when the observation ends, if nothing happens before.
 * @example
 * endOf({ acted: 1000, done: 1005, handled: 1010, hasEffect: false }); // 1405
 * endOf({ acted: 1000, done: 1005, handled: 1010, changed: 1020, hasEffect: true }); // 1050
 */
export function endOf(moments: Moments): number {
  const { done, handled = Infinity, hasEffect, isBrief } = moments,
    waits = WAITS[isBrief ? "brief" : "whole"];
  const effect = hasEffect ? done : Math.max(done + waits.shown, handled + waits.handled);
  return Math.min(Math.max(settledAt(moments), effect), done + waits.limit);
}
