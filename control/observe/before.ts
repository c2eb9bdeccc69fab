/** Waits for a quiet screen before an action, so that earlier changes do not count as effects of the action. Pure. */

/** The time without a new change after which the screen is quiet, in milliseconds. */
export const QUIET_BEFORE_MS = 60;
/**
 * The time after the last change until deskhand asks the program whether it has handled all input, and the time that
 * the program may draw after its answer, in milliseconds. On a busy machine a program may pause for longer than the
 * quiet lasts and then draw again: a button that the pointer left fades in several drawings.
 */
const ASKED_MS = 30, DRAWN_MS = 20;
/** The time in which what a move changes is drawn at first, in milliseconds: one wait is long enough for both. */
const FIRST_MS = 8;
/**
 * The longest time in which a running program answers, in milliseconds. A program that answers later was paused and
 * may still draw, so deskhand asks it once more.
 */
const PROMPT_MS = 10;
/**
 * The longest wait before the action, in milliseconds: `changing` while the screen keeps changing (the program's
 * answering times excluded), `silent` if the program does not answer.
 */
const LIMITS = { changing: 400, silent: 2000 } as const;

/** A question to the program. */
export interface AskedBefore {
  asked: number;
  /** The time of the answer, or when it became clear that no answer will come; undefined until then. */
  answered?: number;
}

/** The moments before an action so far, in milliseconds of one clock. */
export interface MomentsBefore {
  /** The beginning of the wait. */
  start: number;
  /** The move of the pointer to the place of the action; undefined if the pointer is there. */
  moved?: number;
  /** The last change of a part that does not move by itself; undefined if there was none. */
  changed?: number;
  /** The questions to the program so far. */
  questions: readonly AskedBefore[];
  /** The last look at the screen that was waited for. */
  looked?: number;
}

/** The next step before an action: to act, to ask the program, to look at the screen, or to wait until a moment. */
export type StepBefore = "act" | "ask" | "look" | number;

/**
 * Tells the next step before an action.
 * @param time Now.
 * @example
 * stepBefore({ start: 1000, questions: [] }, 1000); // "act"
 * stepBefore({ start: 1000, moved: 1005, questions: [] }, 1010); // 1043
 * stepBefore({ start: 1000, moved: 1005, questions: [] }, 1035); // "ask"
 */
export function stepBefore(moments: MomentsBefore, time: number): StepBefore {
  const { start, moved, changed = -Infinity, looked = -Infinity } = moments;
  const last = Math.max(changed, moved ?? start - QUIET_BEFORE_MS), limit = limitOf(moments, last, time);
  if (time >= limit) return "act";
  const waitOr = (moment: number, step: StepBefore) => time >= moment ? step : Math.min(moment, limit);
  if (moved === undefined) return waitOr(last + QUIET_BEFORE_MS, "act");
  const asked = moments.questions.at(-1);
  if (asked && asked.answered === undefined) return limit;
  const since = moments.questions.filter(({ asked }) => asked >= last + ASKED_MS);
  if (!since.length) return time >= last + ASKED_MS ? "ask" : Math.min(last + ASKED_MS + FIRST_MS, limit);
  const drawn = asked!.answered! + DRAWN_MS;
  if (since.length < 2 && asked!.answered! > asked!.asked + PROMPT_MS) return waitOr(drawn, "ask");
  const quiet = Math.max(last + QUIET_BEFORE_MS, drawn);
  return looked >= quiet ? "act" : waitOr(quiet, "look");
}

function limitOf({ start, questions }: MomentsBefore, last: number, time: number): number {
  const silent = start + LIMITS.silent;
  const isAsking = questions.length > 0 && questions.at(-1)!.answered === undefined;
  // If the machine delayed this thread, it may have delayed the program too.
  if (isAsking || time - last >= QUIET_BEFORE_MS) return silent;
  const late = questions.reduce((sum, { asked, answered = asked }) => sum + answered - asked, 0);
  return Math.min(silent, start + LIMITS.changing + late);
}
