/** An agent's tool call, and what the tool can use while it runs. */

import { delay } from "@std/async/delay";
import { now } from "../../core/until.ts";
import { ChangedError, ExpectedError, InputError } from "../../core/errors.ts";
import type { Action, ActionOutput, ResultOf } from "../actions/action.ts";
import { pointOf } from "../schema/fields.ts";
import type { ActionRunner } from "../actions/runner.ts";
import { type Caller, type Judgement, verdictText } from "../operator/calls.ts";
import type { Fields, Values } from "../schema/schema.ts";
import type { Point, Region } from "../desktop/desktop.ts";
import type { Held } from "../operator/held.ts";
import type { Size } from "../image/bitmap.ts";
import type { Patience, Seen } from "../observe/mod.ts";
import type { Question } from "../operator/agent_policy.ts";
import { desktopPlace, desktopRegion, type View, viewPlace, type ViewSetting } from "../view/view.ts";
import type { StepGuard } from "../actions/step_guard.ts";
import { CallPictures, type PictureLimit, STILL } from "./call_pictures.ts";
import { guardedStep } from "./tools/steps.ts";
import { type Answer, argumentsOf, Deadline, type PartShape, type Tool, type ToolContext } from "./tool.ts";
import type { Marks, ShownElementLists } from "./shown_elements.ts";
import type { WindowReport } from "./window_report.ts";

/** Time reserved for the picture at the end of a call, in milliseconds. */
const PICTURE_MS = 3000;
/** The options that tools require. */
const NEEDED: ReadonlyMap<string, string> = new Map([["open", "--agent-open"], ["files", "--files"]]);

/** A call's position in a guarded list of actions. */
export interface GuardedCall {
  guard: StepGuard;
  /** The action's number in the list, from 1. */
  number: number;
  /** Whether it is the list's last action, so that no other depends on its effect. */
  isLast: boolean;
}

/** The parts and limits of a call. */
interface ToolCallOptions extends Pick<Caller, "by" | "client" | "isSensitive"> {
  runner: ActionRunner;
  setting: ViewSetting;
  /** Returns the part of the desktop that pictures show. */
  view(): View;
  /** Size of the coordinate space; the picture's size if left out. */
  space?: Size;
  /** The caller's signal. */
  signal: AbortSignal;
  /** Maximum time of the call in addition to the time in its arguments, in milliseconds. */
  limitMs: number;
  /** Reports windows that opened and closed; left out if the caller wants no report. */
  windows?: WindowReport;
  pictures: PictureLimit;
  /** The call's place in a list of actions, if it belongs to one. */
  step?: GuardedCall;
  /** The marks and elements that the agent was shown. */
  marks: Marks;
  shownElements: ShownElementLists;
  /** Receives the keys and buttons that the call holds down, by name. */
  kept: Map<string, Held>;
  /** Finds an available tool by name. */
  find(name: string): Tool | undefined;
  /**
   * Receives the questions to a person that the call waits for; left out if the caller does not ask people
   * itself.
   */
  asks?(question: Question): void;
  /** Receives errors that are bugs. */
  report(error: unknown): void;
}

/** Actions that must report a miss if other steps follow. */
const JUDGED = new Set(
  "click,drag,key,type,clickOnElement,clickText,clickPicture,setElement,focusElement".split(","),
);

/** How the actions of a part of a call are observed. */
interface Observed {
  /** As steps that others follow, or each as if it were alone. */
  how: "not" | "steps" | "each";
  /** The effects of the actions so far. */
  seen: Seen[];
  /** When the first observed action started, on the clock of changes. */
  since?: number;
}

/** The combined effect of the actions of one step. */
function stepOf(seen: readonly Seen[]): Seen {
  const last = seen.findLast(({ verdict }) => verdict === "hit") ?? seen.at(-1)!;
  const windows = seen.flatMap(({ windows = [] }) => windows);
  if (windows.length < 2) return { ...last, ...(windows.length ? { windows: windows[0] } : {}) };
  const opened = windows.flatMap(({ opened }) => opened), closed = windows.flatMap(({ closed }) => closed);
  return { ...last, windows: { ...windows.at(-1)!, opened, closed } };
}

/**
 * The verdict on a whole call.
 * @param change The change of the windows in words, which counts as an effect whatever the pictures show.
 */
function verdictOf(seen: Judgement, { stoppedBy, isReadBack }: Answer, change?: string): Judgement {
  if (stoppedBy) return stoppedBy;
  if (change !== undefined && seen.verdict !== "hit") return { verdict: "hit", reason: change };
  return isReadBack && seen.verdict === "miss" ? { verdict: "hit", reason: "it was so already" } : seen;
}

function withPicture(answer: Answer, { text, pictures }: Answer): Answer {
  return { ...answer, text: `${answer.text}\n${text}`, pictures: [...answer.pictures, ...pictures] };
}

/** A call in progress. */
export class ToolCall implements ToolContext {
  readonly operator;
  readonly windows;
  /** Aborted when the call ends. */
  signal: AbortSignal;
  view!: View;
  space!: View;
  readonly readOnly;
  readonly kept;
  readonly setting;
  readonly marks;
  readonly shownElements;
  readonly by;
  readonly client;
  readonly isAgent = true;
  /** The key of the caller's pictures while an action runs whose place was chosen in one. */
  sees: string | undefined;
  /** Whether the call, or its running step, declares its text secret. */
  isSensitive: boolean;

  readonly #deadline: Deadline;
  readonly #pictures: CallPictures;
  #observed: Observed = { how: "not", seen: [] };
  /** Picture places that this call found on the screen itself, and those that were chosen in a picture. */
  readonly #found = new Set<string>();
  readonly #chosen = new Set<string>();
  /**
   * When the last action that changed more than the pointer position ended, on the scale of
   * `performance.now()`.
   */
  #actedAt: number | undefined;

  constructor(readonly options: ToolCallOptions) {
    this.operator = options.runner.operator;
    this.windows = options.step?.guard.windows ?? options.runner.knownWindows();
    this.readOnly = options.runner.readOnly;
    this.signal = options.signal;
    this.#deadline = new Deadline(options.limitMs);
    this.kept = options.kept;
    this.setting = options.setting;
    this.marks = options.marks;
    this.shownElements = options.shownElements;
    this.by = options.by;
    this.client = options.client;
    this.isSensitive = options.isSensitive ?? false;
    this.#pictures = new CallPictures(this, `${this.by} ${this.client}`);
  }

  /**
   * Runs the tool of a call within the call's limits. Never throws.
   * @param given The arguments.
   * @returns An answer with `isError` if the call fails.
   */
  async answer(tool: Tool, given: Record<string, unknown>): Promise<Answer> {
    const { runner: { permission }, signal: caller, view, space, windows, step } = this.options;
    using deadline = this.#deadline;
    const run = (stopped: AbortSignal[] = []) => {
      this.signal = AbortSignal.any([caller, deadline.signal, ...stopped]);
      this.view = view();
      this.space = { ...this.view, ...space };
      const call = () =>
        windows && tool.effect === "act" ? this.#told(windows, tool, given) : this.call(tool, given);
      return step ? this.#guarded(step, tool, given, call) : call();
    };
    try {
      if (tool.effect === "read") return await run();
      return await permission.guard((stopped) => run([stopped]));
    } catch (thrown) {
      const error = this.signal.aborted ? this.signal.reason : thrown; // the signal's reason is more specific
      const shown = await this.changed(error);
      const text = [this.#messageOf(error, caller), ...shown ? [shown.text] : []].join("\n");
      return { text, pictures: shown?.pictures ?? [], isError: true, error };
    } finally {
      await this.#noteActed().catch(this.#unlessExpected);
    }
  }

  /** Records that the caller has acted since its pictures. */
  async #noteActed(): Promise<void> {
    const { runner } = this.options, at = this.#actedAt;
    if (at !== undefined) await (await runner.seen()).acted(this.#pictures.name, at);
  }

  async changed(error: unknown): Promise<Answer | undefined> {
    if (!(error instanceof ChangedError)) return undefined;
    const shown = await this.picture().catch(this.#unlessExpected);
    if (shown) error.picture = shown.pictures[0];
    return shown;
  }

  /** Ignores expected errors: if the desktop has ended, the answer itself says so. */
  readonly #unlessExpected = (error: unknown): undefined => {
    if (!(error instanceof ExpectedError)) throw error;
  };

  /** Runs the call as part of a list, unless it would press or type blindly. */
  async #guarded(
    { guard, number, isLast }: GuardedCall,
    tool: Tool,
    given: Record<string, unknown>,
    call: () => Promise<Answer>,
  ): Promise<Answer> {
    const { result } = await guard.run(guardedStep(tool, given, number), async () => {
      if (isLast) return { result: await call() };
      const { result, observed: { seen } } = await this.#observing(call, "steps");
      return { result, isReadBack: result.isReadBack, ...(seen.length ? { seen: stepOf(seen) } : {}) };
    });
    return result;
  }

  asksPerson(question: Question): void {
    this.options.asks?.(question);
  }

  waitsForPerson(ms: number): void {
    this.#deadline.extend(ms);
  }

  timeLeft(): number {
    return Math.max(1, Math.round(this.#deadline.leftMs - PICTURE_MS));
  }

  pause(ms: number): Promise<void> {
    this.windows.forget();
    return delay(ms, { signal: AbortSignal.any([this.signal, this.options.runner.stopping]) });
  }

  async run<I extends Fields, O extends ActionOutput>(
    action: Action<I, O>,
    values: Values<I>,
  ): Promise<ResultOf<O>> {
    this.signal.throwIfAborted();
    this.sees = await this.#isChosen(action.name, values) ? this.#pictures.name : undefined;
    try {
      return await this.#runObserved(action, values);
    } finally {
      if (action.effect === "act") this.windows.forget();
      if (action.effect === "act" && action.name !== "move") this.#actedAt = performance.now();
    }
  }

  async #runObserved<I extends Fields, O extends ActionOutput>(
    action: Action<I, O>,
    values: Values<I>,
  ): Promise<ResultOf<O>> {
    const { runner } = this.options, observed = this.#observed, { how } = observed;
    if (how === "not" || action.effect !== "act") return await runner.run(action, values, this);
    const began = now();
    const patience: Patience = how === "each" ? "whole" : JUDGED.has(action.name) ? "step" : "brief";
    try {
      const { result, seen } = await runner.observe(action, values, this, {
        patience,
        known: this.windows.listed,
      });
      observed.seen.push(seen);
      observed.since ??= seen.actedAt;
      return result;
    } finally {
      observed.since ??= began; // even a failed action may have changed something
    }
  }

  /**
   * Whether an action's place was chosen in a picture. After an earlier action of the same call, it was
   * chosen with that action's effect in mind, and the step guard replaces the check.
   */
  async #isChosen(name: string, values: Record<string, unknown>): Promise<boolean> {
    if (this.#actedAt !== undefined || (this.options.step?.number ?? 1) > 1 || !this.#chosen.size) {
      return false;
    }
    const { pressPlace } = await import("../observe/mod.ts"), place = pressPlace(name, values);
    return place !== undefined && this.#chosen.has(placeKey(place));
  }

  async settle(stillMs = STILL.ms): Promise<void> {
    if (this.operator.desktop.state) return;
    const watch = await this.options.runner.changes();
    for (const end = now() + STILL.most;;) {
      const since = now();
      await delay(stillMs, { signal: this.signal });
      if (now() >= end || !watch.hasChangedSince(since)) return;
    }
  }

  async observe<T>(run: () => Promise<T>): Promise<{ result: T; seen?: Judgement }> {
    const { result, observed } = await this.#observing(run, "each");
    return { result, seen: observed.seen.at(-1) };
  }

  async callStep<T>(run: () => Promise<T>, isLast: boolean): Promise<{ result: T; seen?: Seen }> {
    if (this.#observed.how !== "steps") return { result: await run() };
    const { result, observed: { seen } } = await this.#observing(run, isLast ? "each" : "steps");
    return { result, ...(seen.length ? { seen: stepOf(seen) } : {}) };
  }

  /** Runs a part of the call, whose effects also count for the whole call. */
  async #observing<T>(
    run: () => Promise<T>,
    how: "steps" | "each",
  ): Promise<{ result: T; observed: Observed }> {
    const before = this.#observed, observed: Observed = this.#observed = { how, seen: [] };
    try {
      return { result: await run(), observed };
    } finally {
      this.#observed = before;
      before.seen.push(...observed.seen);
      before.since ??= observed.since;
    }
  }

  /** The effect of a whole call: of its last action, or of all of them together if it has steps. */
  async #judged({ name }: Tool, { seen, since }: Observed): Promise<Judgement | undefined> {
    if (name !== "do") return seen.at(-1);
    if (since === undefined) return undefined;
    const { wholeOf } = await import("../observe/mod.ts"), watch = await this.options.runner.changes();
    const isKnown = this.operator.desktop.state !== undefined; // every verdict is certain
    return wholeOf(seen, !isKnown && watch.hasChangedSince(since));
  }

  place = (point: Point, prefix = ""): Point => {
    const place = desktopPlace(this.space, point, prefix);
    if (!this.#found.has(placeKey(point))) this.#chosen.add(placeKey(place));
    return place;
  };

  found = (point: Point): Point => {
    const place = this.shown(point);
    this.#found.add(placeKey(place));
    return place;
  };

  async placeOrPointer(point: Partial<Point>): Promise<Point> {
    const given = pointOf(point);
    return given ? this.place(given) : await this.operator.position();
  }

  region = (region: Region, prefix = ""): Region => desktopRegion(this.space, region, prefix);

  shown = (point: Point): Point => viewPlace(this.space, point);

  step(name: unknown): Tool {
    const tool = typeof name === "string" ? this.options.find(name) : undefined;
    if (tool) return tool;
    const option = typeof name === "string" ? NEEDED.get(name) : undefined;
    const why = option === undefined ? "" : `: deskhand needs ${option}`;
    throw new InputError(`there is no tool named ${JSON.stringify(name)} here${why}`);
  }

  picture(region?: Region, cursor?: boolean): Promise<Answer> {
    return this.#pictures.ofView(region, cursor);
  }

  pictureOf(area: Region, shape?: PartShape): Promise<Answer> {
    return this.#pictures.ofPart(area, shape);
  }

  async call(tool: Tool, given: Record<string, unknown>): Promise<Answer> {
    const { answer, shown } = await this.#called(tool, given);
    return shown ? withPicture(answer, await this.#pictures.still(shown === "window")) : answer;
  }

  /** Calls a tool without adding a picture. */
  async #called(
    tool: Tool,
    given: Record<string, unknown>,
  ): Promise<{ answer: Answer; shown: boolean | "window" }> {
    const { look, ...values } = argumentsOf(tool, given);
    this.#deadline.extend(tool.ownMs?.(values) ?? 0);
    const before = this.isSensitive;
    this.isSensitive ||= values.sensitive === true;
    const answer = await Promise.try(() => tool.run(values, this)).finally(() => this.isSensitive = before);
    return { answer, shown: look as boolean | "window" | undefined ?? tool.picture === "unless refused" };
  }

  /** Runs the called tool, and adds a line about its effect. */
  async #told(windows: WindowReport, tool: Tool, given: Record<string, unknown>): Promise<Answer> {
    const { settleMs = 0 } = tool, run = () => this.#called(tool, given);
    if (tool.tellsEffect) return (await this.#observing(() => this.call(tool, given), "steps")).result;
    const isPress = tool.aim !== undefined; // its observation lists the windows
    if (settleMs && !isPress) await windows.begin(this.windows);
    const { result: { answer: said, shown }, observed } = settleMs > 0
      ? await this.#observing(run, tool.name === "do" ? "steps" : "each")
      : { result: await run(), observed: undefined };
    const seen = observed && await this.#judged(tool, observed);
    if (isPress && observed) windows.observed(observed.seen);
    let report = said.isReading
      ? undefined
      : await windows.line(seen?.verdict === "miss" ? 0 : settleMs, this.signal);
    let picture = shown && await this.#pictures.still(shown === "window");
    const later = picture && report && await windows.again();
    if (later) { // the picture may be older than that change
      report = later;
      picture = await this.#pictures.still(shown === "window");
    }
    const answer = picture ? withPicture(said, picture) : said;
    if (said.isReading) return answer;
    const verdict = seen && verdictText(verdictOf(seen, answer, report?.change));
    const line = [verdict, report?.text].filter((part) => part !== undefined).join("; ");
    return line ? { ...answer, text: `${answer.text}\n${line}`, told: line } : answer;
  }

  #messageOf(error: unknown, { aborted }: AbortSignal): string {
    if (error instanceof ExpectedError) return error.message;
    if (aborted) return "the call was cancelled"; // a client that leaves gives no reason
    this.options.report(error);
    return "an internal error occurred";
  }

  seen(region: Region): Promise<Uint8Array<ArrayBuffer>> {
    return this.#pictures.cut(region);
  }
}

const placeKey = ({ x, y }: Point) => `${x},${y}`;
