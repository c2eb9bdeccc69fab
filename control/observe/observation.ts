/** Observes an action: compares the screen and the windows before and after it. */

import { now } from "../../core/until.ts";
import { loadPerProcessor } from "../../core/proc.ts";
import { DesktopUnavailableError, ExpectedError, on } from "../../core/errors.ts";
import type { Waiter } from "../../core/mutex.ts";
import type { Point, Region, WindowInfo } from "../desktop/desktop.ts";
import { type ListedElement, readElements } from "../elements/list.ts";
import type { Operator } from "../operator/operator.ts";
import {
  activeOf,
  changeText,
  dialogOver,
  dialogText,
  differenceOf,
  isOther,
  type Listed,
  type WindowsDifference,
  windowsIfListed,
} from "../windows/list.ts";
import { type ActionTarget, aimOf, isRestless, windowAt } from "./aims.ts";
import {
  approach,
  type Approached,
  askedAt,
  endOf,
  Handling,
  type Moments,
  type Patience,
  QUIET_MS,
  settledAt,
} from "./approach.ts";
import type { Judgement } from "../operator/calls.ts";
import { joined } from "../desktop/geometry.ts";
import { isCaret, isInside, type Motion, type Moving } from "./motion.ts";
import { type Aim, judge, sortRegions } from "./verdict.ts";
import type { ChangeWatch } from "./watch.ts";

// The elements of windows before and after an action.

/** Maximum number of elements of each kind in an answer. */
const MOST = 30;

/** Changes of the elements. */
interface ElementsSeen {
  added: ListedElement[];
  /** Elements whose name, value or states have changed, in their current state. */
  changed: ListedElement[];
  removed: ListedElement[];
  /** The focused element of the active window. */
  focus?: ListedElement;
  /** Why elements cannot be read. */
  silent?: string;
}

/** The elements of one window at one time. */
interface ElementsRead {
  windowId?: string;
  elements: readonly ListedElement[];
  silent?: string;
}

/**
 * Reads the elements of a window.
 * @param window No elements are read without one.
 */
async function elementsIn(
  operator: Operator,
  window: WindowInfo | undefined,
): Promise<ElementsRead> {
  if (!window) return { elements: [] };
  const { id: windowId, title } = window;
  try {
    const { elements, silent } = await readElements(operator, { id: windowId });
    const reason = silent && `${JSON.stringify(title)} shows no elements: ${silent}`;
    return { windowId, elements, ...(reason ? { silent: reason } : {}) };
  } catch (error) {
    if (!(error instanceof ExpectedError)) throw error;
    return { windowId, elements: [], silent: error.message };
  }
}

/**
 * Reads the changes of elements. Elements of a closed window are not listed individually; all elements of a
 * newly opened active window are new.
 * @param before The elements of the action's window before the action.
 * @param windows The windows before the action and now.
 */
async function elementsSince(
  operator: Operator,
  before: ElementsRead,
  windows: { before: readonly WindowInfo[]; after: readonly WindowInfo[] },
): Promise<ElementsSeen> {
  const active = activeOf(windows.after);
  const same = windows.after.find(({ id }) => id === before.windowId);
  const after = await elementsIn(operator, same);
  const front = active && active.id !== same?.id ? await elementsIn(operator, active) : after;
  const isNew = front !== after && !windows.before.some(({ id }) => id === active?.id);
  const difference = same ? elementsDifference(before.elements, after.elements) : NONE;
  const focus = front.elements.find(({ states }) => states.includes("focused"));
  const silent = front.silent ?? after.silent;
  return {
    ...difference,
    added: [...difference.added, ...isNew ? front.elements : []].slice(0, MOST),
    ...(focus ? { focus } : {}),
    ...(silent ? { silent } : {}),
  };
}

const NONE = { added: [], changed: [], removed: [] };

/**
 * Compares the elements of a window at two times. Places are ignored: scrolling a list moves all its
 * elements.
 */
function elementsDifference(
  before: readonly ListedElement[],
  after: readonly ListedElement[],
): Pick<ElementsSeen, "added" | "changed" | "removed"> {
  const had = new Map(before.map((element) => [element.key, element]));
  const has = new Set(after.map(({ key }) => key));
  return {
    added: after.filter(({ key }) => !had.has(key)).slice(0, MOST),
    changed: after.filter((element) =>
      had.has(element.key) && looks(element) !== looks(had.get(element.key)!)
    )
      .slice(0, MOST),
    removed: before.filter(({ key }) => !has.has(key)).slice(0, MOST),
  };
}

/** The properties compared to find changed elements. */
const looks = ({ role, name, value, states }: ListedElement) => JSON.stringify([role, name, value, states]);

/** Describes changes of elements in words; undefined if there are none. */
function elementsText({ added, changed, removed }: ElementsSeen): string | undefined {
  if (added.length) return "an element appeared";
  if (removed.length) return "an element vanished";
  return changed.length ? "an element changed" : undefined;
}

/**
 * Time before an action after which deskhand checks whether the caller has left, in milliseconds. The
 * necessary signal takes 0.1 ms to create, and most actions start earlier.
 */
const LEAVING_MS = 200;

/** The effect of an action. */
export interface Seen extends Judgement {
  /** When the action ran, on the clock of changes; left out if the screen was not watched. */
  actedAt?: number;
  /** Time from the action to the last change, in milliseconds; left out if the screen did not settle. */
  settledMs?: number;
  /** Where the screen changed, without the parts that move on their own. */
  regions: Region[];
  windows?: WindowsDifference;
  /** The windows before and after; left out if they cannot be listed. */
  listed?: WindowsListed;
  /** Changes of the elements, if the caller requested them. */
  elements?: ElementsSeen;
}

/** The windows before and after an action. */
interface WindowsListed {
  before: readonly WindowInfo[];
  after: readonly WindowInfo[];
  /** Whether the windows are still those after the action, since the watched screen has not changed. */
  isCurrent(): boolean;
}

/** Details that an observation gives the observed action. */
interface ObservedDetails {
  /** Takes aim again, at the place that the action finds itself. */
  aimAt(point: Point): Promise<void>;
  /** The windows just before the action. */
  windows: readonly WindowInfo[] | undefined;
}

interface ObservationParts {
  operator: Operator;
  watch: ChangeWatch;
  /** Also reads elements, which takes some tens of milliseconds before and after the action. */
  readsElements?: boolean;
  /** How long to wait for an effect; `whole` if left out. */
  patience?: Patience;
  /** The windows as the caller last listed them. */
  known?: Listed | undefined;
}

/**
 * Runs an action and observes its effects.
 * @param target Where the action has its effect.
 * @param caller The caller; if it has left, the pointer is not moved.
 * @param act Runs the action, with no details if the screen cannot be watched. If the action itself finds the
 * place of its click, it reports the place before clicking.
 * @returns The action's result, and the verdict, which is `unsure` if the screen cannot be watched.
 * @throws The errors of the action.
 */
export async function observe<T>(
  { operator, watch, readsElements = false, patience = "whole", known }: ObservationParts,
  target: ActionTarget,
  caller: Waiter,
  act: (details?: ObservedDetails) => Promise<T>,
): Promise<{ result: T; seen: Seen }> {
  const asked = now();
  let watching: Disposable, motion: Motion;
  try {
    watching = await watch.watch();
    motion = motionOf(watch, watching);
  } catch (error) {
    if (!(error instanceof ExpectedError)) throw error;
    const state = operator.desktop.state?.();
    const windows = await windowsIfListed(operator).catch(on(ExpectedError)), result = await act();
    const judgement = knownVerdict(operator, state) ?? { verdict: "unsure", reason: error.message };
    const listed = windows && { before: windows, after: windows, isCurrent: () => false };
    return { result, seen: { ...judgement, regions: [], ...(listed ? { listed } : {}) } };
  }
  using _ = watching;
  using _close = watch.closely();
  const observation = new Observation(operator, watch, motion, known);
  let before: readonly WindowInfo[] | undefined,
    aim: ReturnType<typeof aimOf>,
    elements: ElementsRead | undefined;
  const takeAim = async (target: ActionTarget) => {
    await observation.approach(target, caller);
    if (now() - asked > LEAVING_MS) caller.signal.throwIfAborted();
    before = await observation.windows();
    aim = aimOf(target, operator, before, observation.come);
    observation.movesPointer = target.at === "point" && (target.drags || !target.moves);
    elements = readsElements ? await elementsIn(operator, aim?.window) : undefined;
    observation.begin();
  };
  await takeAim(target);
  const aimAt = (point: Point) => takeAim({ at: "point", point, moves: true });
  const result = await act({ aimAt, windows: before });
  return { result, seen: await observation.end(aim, before, elements, patience) };
}

/**
 * @throws DesktopUnavailableError if the watch has ended since it was ready, for example with the display
 * server.
 */
function motionOf({ motion }: ChangeWatch, watching: Disposable): Motion {
  if (motion) return motion;
  watching[Symbol.dispose]();
  throw new DesktopUnavailableError(
    "the desktop session ended while deskhand was starting to watch the screen",
  );
}

class Observation {
  /** The move to the place; undefined if the pointer was already there. */
  come: Approached | undefined;
  /** The windows read before, or on the way to the place. */
  #listed: Listed | undefined;
  #actedAt = 0;
  /** The state before the action, if the desktop knows it. */
  #state: string | undefined;
  #moving!: Moving;
  /** Whether the action itself moves the pointer. */
  movesPointer = false;
  /** Other windows that move on their own. */
  #restless: readonly Region[] = [];
  /** Changes since the action, without the parts that move on their own, and those of them at the target. */
  #fresh: { at: number; region: Region }[] = [];
  #own: readonly Region[] = [];
  /** Number of changes already recorded. */
  #noted = 0;

  constructor(
    readonly operator: Operator,
    readonly watch: ChangeWatch,
    readonly motion: Motion,
    known: Listed | undefined,
  ) {
    this.#listed = known;
  }

  /** Moves to the place in advance, and waits until the screen is quiet. */
  async approach(target: ActionTarget, caller: Waiter): Promise<void> {
    const { operator, watch, motion } = this;
    const front = async (point: Point) => {
      const isCurrent = watch.noted(), last = this.#listed;
      const list = await windowsIfListed(operator, last?.list);
      if (list !== last?.list) this.#listed = { list, isCurrent };
      return windowAt(list, point);
    };
    this.come = await approach({ operator, watch, motion, windowAt: front }, target, caller) ?? this.come;
  }

  /**
   * The windows before the action: those read just before, if nothing has changed since then but what moves on
   * its own, such as a caret.
   */
  async windows(): Promise<readonly WindowInfo[] | undefined> {
    const listed = this.#listed;
    return await windowsIfListed(this.operator, listed?.isCurrent() ? listed.list : undefined);
  }

  /** Records the state just before the action. */
  begin(): void {
    this.#state = this.operator.desktop.state?.();
    this.#actedAt = now();
    this.#moving = this.motion.movingAt(this.#actedAt);
    this.motion.acted(this.#actedAt);
    this.#fresh = [];
    this.#own = [];
    this.#noted = 0;
  }

  /** Waits for the effects of the action, and judges it. */
  async end(
    aim: Aim & { window?: WindowInfo } | undefined,
    before: readonly WindowInfo[] | undefined,
    elements: ElementsRead | undefined,
    patience: Patience,
  ): Promise<Seen> {
    const { watch } = this;
    const load = loadPerProcessor();
    const moments: Moments = { acted: this.#actedAt, done: now(), hasEffect: false, patience, load };
    this.motion.acted(moments.done);
    const handling = new Handling(this.operator, aim?.window);
    this.#restless = before?.filter((window) => isRestless(window, aim, this.#moving)) ?? [];
    let after = before, listed = 0, isCurrent = () => false;
    const fresh = this.#fresh;
    const list = async () => {
      isCurrent = watch.noted();
      after = await windowsIfListed(this.operator);
    };
    // A desktop that knows its state has handled the action immediately.
    const hasEffect = () =>
      this.#isShown() || this.#state !== undefined ||
      before !== undefined && after !== undefined && isOther(before, after);
    for (;;) {
      this.#note(aim, moments);
      const time = now();
      // A new window may be the only effect, but is no blinking caret.
      let isUnlisted = fresh.slice(listed).some(({ region }) => !isCaret(region)) && !hasEffect();
      if (isUnlisted && time >= settledAt(moments)) {
        listed = fresh.length;
        await list();
        isUnlisted = false;
      }
      moments.hasEffect = hasEffect();
      moments.handled = handling.at;
      if (!handling.isAsked && !moments.hasEffect && time >= askedAt(moments)) handling.ask();
      const end = endOf(moments), isAsking = !handling.isAsked && !moments.hasEffect;
      const next = isUnlisted ? settledAt(moments) : isAsking ? askedAt(moments) : end;
      if (time >= end) break;
      await watch.next(Math.max(1, next - time), handling.told, QUIET_MS);
    }
    if (!this.#own.length) {
      await watch.look(); // records all changes until now, so that a miss is certain
      this.#note(aim, moments);
    }
    if (!isCurrent()) await list();
    const windows = { before: before ?? [], after: after ?? [] };
    const became = elements && await elementsSince(this.operator, elements, windows);
    const seen: Seen = {
      ...this.#seen(aim, windows, moments, became, handling.answer),
      ...(before && after ? { listed: { before, after, isCurrent } } : {}),
    };
    return seen.verdict === "miss" && aim?.window ? await this.#explained(seen, aim.window) : seen;
  }

  /** Adds the dialog that the window of an action without effect waits for. */
  async #explained(seen: Seen, window: WindowInfo): Promise<Seen> {
    // The action is done, whether or not its program tells why it had no effect.
    const dialog = await dialogOver(this.operator, window, seen.listed?.after).catch(on(ExpectedError));
    return dialog ? { ...seen, reason: `${seen.reason}: ${dialogText(dialog)} is in the way` } : seen;
  }

  /** Records the changes since the last recorded ones. */
  #note(aim: Aim | undefined, moments: Moments): void {
    const moving = this.#moving, changes = this.motion.after(this.#actedAt, this.#noted);
    this.#noted = this.motion.count;
    const fresh = changes.flatMap(({ at, regions }) =>
      regions.filter((region) => !moving.has(region)).map((region) => ({ at, region }))
    );
    if (!fresh.length) return;
    this.#fresh.push(...fresh);
    this.#own = sortRegions({ aim, regions: this.#fresh.map(({ region }) => region), moving }).own;
    const last = fresh.findLast(({ region }) => !this.#restless.some((window) => isInside(region, window)));
    if (last) moments.changed = last.at;
  }

  /**
   * Whether the changes show an effect. A change that may be a blinking caret counts only if earlier blinking
   * is known.
   */
  #isShown(): boolean {
    const isKnown = this.motion.isKnown(this.#actedAt);
    return this.#own.some((region) => isKnown || !isCaret(region));
  }

  #seen(
    aim: Aim | undefined,
    { before, after }: { before: readonly WindowInfo[]; after: readonly WindowInfo[] },
    moments: Moments,
    elements: ElementsSeen | undefined,
    answered: boolean | undefined,
  ): Seen {
    const fresh = this.#fresh, isSettled = now() >= settledAt(moments);
    const windows = isOther(before, after) ? differenceOf(before, after) : undefined;
    const change = windows ? changeText(windows) : elements && elementsText(elements);
    const judgement = knownVerdict(this.operator, this.#state, change) ?? judge({
      aim,
      regions: fresh.map(({ region }) => region),
      moving: this.#moving,
      restless: this.#restless,
      movesPointer: this.movesPointer && this.watch.hasPointer,
      isKnown: this.motion.isKnown(this.#actedAt),
      ...(change ? { change } : {}),
      isSettled,
      ...(answered === undefined ? {} : { isHandled: answered }),
    });
    return {
      ...judgement,
      actedAt: this.#actedAt,
      ...(isSettled ? { settledMs: Math.max(0, Math.round((moments.changed ?? 0) - moments.acted)) } : {}),
      regions: joined(fresh.map(({ region }) => region)),
      ...(windows ? { windows } : {}),
      ...(elements ? { elements } : {}),
    };
  }
}

/**
 * The verdict of a desktop that knows its state.
 * @param before The state before the action.
 * @param change The change of a window or element, in words.
 * @returns undefined for all other desktops.
 */
function knownVerdict({ desktop }: Operator, before?: string, change?: string): Judgement | undefined {
  if (before === undefined || !desktop.state) return undefined;
  if (change) return { verdict: "hit", reason: change };
  return desktop.state() === before
    ? { verdict: "miss", reason: "nothing changed" }
    : { verdict: "hit", reason: "the window changed" };
}
