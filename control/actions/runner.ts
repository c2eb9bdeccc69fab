/** Runs actions, and decides for every interface whether an action may run. */

import { Capacity } from "../../core/coalesced_read.ts";
import { ChangedError, ForbiddenError, InputError, OverdueError, STOPPING } from "../../core/errors.ts";
import { AgentPermission } from "../operator/permission.ts";
import { Finder } from "../find/find.ts";
import { LivePictures } from "../live/pictures.ts";
import type { ChangeFollower, ChangeWatch, Patience, Seen, SeenPictures } from "../observe/mod.ts";
import { type CalledAction, type Caller, type CallListener, Calls } from "../operator/calls.ts";
import type { Held } from "../operator/held.ts";
import type { Operator } from "../operator/operator.ts";
import { KnownWindows, type Listed } from "../windows/list.ts";
import type { TextReader } from "../read/reader.ts";
import type { Recorder } from "../recording/recorder.ts";
import type { Traces, TraceSettings } from "../trace/traces.ts";
import {
  type Action,
  type ActionContext,
  type ActionOutput,
  type AnyAction,
  CallContext,
  Content,
  namedPicture,
  type ResultOf,
  type RunDetails,
} from "./action.ts";
import { withinOwnBound } from "./bound.ts";
import { ACTIONS } from "./mod.ts";
import type { Fields, Values } from "../schema/schema.ts";

export const TRACE_DEFAULTS: TraceSettings = { limit: 1e9, days: 30, hide: [], notice: () => {} };

/** Errors of agents that run what is not for them. */
const REFUSALS = {
  always: (name: string) => `${name} is for people: no agent decides about agents`,
  "if limited": (name: string) => `${name} is for people: no agent replays recordings under --agent-allow`,
};

const NO_DETAILS: RunDetails = {};

/** Finished calls of one action. */
interface ActionCount {
  done: number;
  /** Rejected or failed. */
  failed: number;
}

/** Call counts by action name, for the metrics; an action that was never called has no entry. */
export class ActionCounts extends Map<string, ActionCount> implements CallListener {
  /** Returns the counts of an action. */
  of(name: string): ActionCount {
    let count = this.get(name);
    if (!count) this.set(name, count = { done: 0, failed: 0 });
    return count;
  }

  /** Counts a run. */
  ended({ name }: CalledAction, hasFailed: boolean): void {
    this.of(name)[hasFailed ? "failed" : "done"]++;
  }
}

interface RunnerOptions {
  operator: Operator;
  recorder: Recorder;
  /** Whether only actions that look are available. */
  readOnly: boolean;
  /** Languages of text on the screen: names and file paths; English if left out. */
  languages?: readonly string[];
  /** Trace settings; {@linkcode TRACE_DEFAULTS} if left out. */
  tracing?: TraceSettings;
}

/** Runs the actions of one desktop for every interface. */
export class ActionRunner {
  readonly operator: Operator;
  readonly recorder: Recorder;
  readonly readOnly: boolean;
  readonly permission: AgentPermission;
  readonly finder: Finder;
  /** Pictures of the screen for viewers. */
  readonly pictures: LivePictures;
  /** Local address of the control API, without a trailing slash; undefined if it is not running. */
  url: string | undefined;
  readonly calls = new Calls();
  /** The number of runs of each action. */
  readonly counts = new ActionCounts();
  readonly #languages: readonly string[] | undefined;
  #reader: TextReader | undefined;
  readonly #tracing: TraceSettings;
  #traces: Traces | undefined;
  #observing: typeof import("../observe/mod.ts") | undefined;
  #changes: ChangeWatch | undefined;
  #followed: ChangeFollower | undefined;
  #seen: SeenPictures | undefined;
  /** Free slots of actions that limit simultaneous callers, by action. */
  readonly #capacities: ReadonlyMap<AnyAction, Capacity>;
  readonly #stop = new AbortController();
  /** Aborted by {@linkcode endWaits}, also for waits that are not actions. */
  readonly stopping: AbortSignal = this.#stop.signal;

  constructor({ operator, recorder, readOnly, languages, tracing = TRACE_DEFAULTS }: RunnerOptions) {
    this.operator = operator;
    this.recorder = recorder;
    this.readOnly = readOnly;
    this.#languages = languages;
    this.#tracing = tracing;
    this.permission = new AgentPermission(operator);
    this.finder = new Finder(operator);
    this.pictures = new LivePictures(operator.desktop.live);
    this.calls.on(this.counts);
    this.calls.on(this.permission);
    const limited = Object.values<AnyAction>(ACTIONS).filter(({ limit }) => limit);
    this.#capacities = new Map(
      limited.map((action) => [action, new Capacity(action.limit!.count, action.limit!.message)]),
    );
  }

  /** Whether an action may run, for lists of available actions. */
  isOpen(action: Pick<AnyAction, "effect">): boolean {
    return !this.readOnly || action.effect === "read";
  }

  /**
   * @throws ForbiddenError if the action may not run.
   */
  checkOpen(action: Pick<AnyAction, "effect">): void {
    if (!this.isOpen(action)) {
      throw new ForbiddenError("deskhand is running with --read-only and accepts no input");
    }
  }

  /**
   * Runs an action.
   * @param values Checked against the action's input.
   * @returns The action's result. The caller must end content.
   * @throws ForbiddenError if the action may not run; BusyError if too many are running; OverdueError if the
   * action exceeds its own time limit; the action's errors.
   */
  run<I extends Fields, O extends ActionOutput>(
    action: Action<I, O>,
    values: Values<I>,
    caller: Caller,
  ): Promise<ResultOf<O>> {
    // Avoids an extra async function if nothing follows the call.
    const run = isSeen(action, values, caller)
      ? () =>
        this.#unlessChanged(
          action,
          values,
          caller,
          (expects) => this.#run(action, values, caller, { expects }),
        )
      : () => this.#run(action, values, caller, NO_DETAILS);
    return this.calls.isFollowed ? this.noted(action, values, caller, run) : run();
  }

  /**
   * Runs an action whose caller chose the place in a picture.
   * @param run Receives what the press must hit.
   * @throws ChangedError if the place has changed, with the new picture if the caller wants it.
   */
  async #unlessChanged<T>(
    action: AnyAction,
    values: Record<string, unknown>,
    caller: Caller,
    run: (expects: ActionContext["expects"]) => Promise<T>,
  ): Promise<T> {
    const { seen: given, picture } = values as { seen?: string; picture?: boolean };
    const name = given === undefined ? caller.sees! : namedPicture(given);
    const { pressPlace } = this.#observing ??= await import("../observe/mod.ts"), seen = await this.seen();
    const place = pressPlace(action.name, values);
    if (!place) {
      if (given !== undefined) throw new InputError("seen needs a position: x and y");
      return await run(undefined);
    }
    try {
      this.checkOpen(action);
      const expects = await seen.check(name, place, given !== undefined, action.name !== "scroll", caller)
        .catch((error) => {
          this.calls.ended(action, true);
          throw error;
        });
      return await run(expects);
    } catch (error) {
      if (!picture || !(error instanceof ChangedError)) throw error;
      throw await this.#withPicture(error, name, caller);
    }
  }

  /** Attaches the current picture to an error, which the caller has then seen. */
  async #withPicture(error: ChangedError, name: string, caller: Caller): Promise<ChangedError> {
    const { makePicture } = await import("../image/picture_maker.ts"), seen = await this.seen();
    const area = seen.areaOf(name) ?? this.operator.region({});
    await seen.keep(name, area);
    const made = await makePicture(
      (memory) => this.operator.share(area, false, memory),
      (size) => ({ size }),
      caller,
    );
    error.picture = made.file;
    return error;
  }

  #run<I extends Fields, O extends ActionOutput>(
    action: Action<I, O>,
    values: Values<I>,
    caller: Caller,
    details: RunDetails,
  ): Promise<ResultOf<O>> {
    const { programs } = this.permission, run = () => this.#runOnce(action, values, caller, details);
    const { refusesAgents } = action;
    if (caller.isAgent && (refusesAgents === "always" || refusesAgents && programs)) {
      return Promise.reject(new ForbiddenError(REFUSALS[refusesAgents](action.name)));
    }
    if (!programs || action.effect !== "act") return run();
    return caller.isAgent ? programs.within(caller, action.name, run) : programs.outside(run);
  }

  async #runOnce<I extends Fields, O extends ActionOutput>(
    action: Action<I, O>,
    values: Values<I>,
    caller: Caller,
    details: RunDetails,
  ): Promise<ResultOf<O>> {
    let lease: Disposable | undefined;
    const context = new CallContext(this, caller, details);
    try {
      this.checkOpen(action);
      lease = this.#capacities.get(action)?.enter();
      if (action.effect === "act") this.#changes?.acted();
      const running = action.waits && action.effect !== "act"
        ? context.looking(() => action.run(values, context))
        : action.run(values, context);
      const result = await withinOwnBound(this.operator, action, values, running, (error) => {
        context.end(error);
        running.then((late) => late instanceof Content && late.end(), () => {});
      });
      if (action.effect === "act") this.pictures.viewers?.acted();
      if (result instanceof Content) result.onEnd(() => lease?.[Symbol.dispose]());
      else lease?.[Symbol.dispose]();
      this.calls.ended(action, false);
      details.followed?.done();
      return result;
    } catch (error) {
      this.calls.ended(action, true);
      lease?.[Symbol.dispose]();
      throw error;
    }
  }

  /**
   * Ends a replay and releases all keys and buttons, which the program cannot do while it is stopped.
   * @param continued As for {@linkcode Operator.letGo}.
   * @returns What was held.
   */
  async letGo(continued: Promise<void>): Promise<Held[]> {
    if (this.recorder.status().state === "playing") await this.recorder.stop();
    return await this.operator.letGo(continued);
  }

  /**
   * Ends waits that only look, also those before a click, and waits for a person's answer, because the program
   * is stopping.
   */
  endWaits(): void {
    const error = new OverdueError(STOPPING);
    this.#stop.abort(error);
    this.permission.programs?.endWaits(error);
  }

  /**
   * Runs an action like {@linkcode run} and reports its effect.
   * @param how As in `ObservationParts`.
   * @throws The errors of {@linkcode run}.
   */
  async observe<I extends Fields, O extends ActionOutput>(
    action: Action<I, O>,
    values: Values<I>,
    caller: Caller,
    how: { readsElements?: boolean; patience?: Patience; known?: Listed | undefined } = {},
  ): Promise<{ result: ResultOf<O>; seen: Seen }> {
    const followed = this.calls.began(action, caller, values);
    try {
      this.checkOpen(action);
      const { targetOf, observe } = this.#observing ??= await import("../observe/mod.ts");
      const observed = async (expects: ActionContext["expects"]) => {
        const target = await targetOf(action.name, values, this.operator);
        const parts = { operator: this.operator, watch: await this.changes(), ...how };
        return await observe(parts, target, caller, (details) => {
          followed?.restarted();
          return this.#run(action, values, caller, { followed, ...details, expects });
        });
      };
      const done = isSeen(action, values, caller) // looks before the pointer moves there and changes a button
        ? await this.#unlessChanged(action, values, caller, observed)
        : await observed(undefined);
      followed?.ended(done);
      return done;
    } catch (error) {
      followed?.ended({ error });
      throw error;
    }
  }

  /**
   * Runs work that is not an action of the table, or that surrounds an action, so that listeners follow it.
   * @param action The action whose name and fields they record.
   */
  async noted<T>(
    action: AnyAction,
    values: Record<string, unknown>,
    caller: Caller,
    run: () => T | Promise<T>,
  ): Promise<T> {
    const followed = this.calls.began(action, caller, values);
    try {
      const result = await run();
      followed?.ended({ result });
      return result;
    } catch (error) {
      followed?.ended({ error });
      throw error;
    }
  }

  /** The pictures given to callers; loaded on first use. */
  readonly seen = async (): Promise<SeenPictures> => {
    const { SeenPictures } = await import("../observe/mod.ts");
    return this.#seen ??= new SeenPictures(this.operator);
  };

  /** The traces, if they are loaded. */
  get loadedTraces(): Traces | undefined {
    return this.#traces;
  }

  /** The traces; loaded on first use. */
  readonly traces = async (): Promise<Traces> => {
    const { Traces } = await import("../trace/traces.ts");
    return this.#traces ??= new Traces(this, this.#tracing);
  };

  /** Reads text on the screen; loaded on first use. */
  readonly reader = async (): Promise<TextReader> => {
    const { TextReader } = await import("../read/reader.ts");
    return this.#reader ??= new TextReader(this.operator, this.#languages);
  };

  /** The changes of the screen; loaded on first use. */
  async changes(): Promise<ChangeWatch> {
    if (this.#changes) return this.#changes; // importing is slow even for a loaded module
    const { ChangeWatch } = await import("../observe/mod.ts");
    return this.#changes ??= new ChangeWatch(this.pictures, () => this.operator.desktop.answering?.());
  }

  /** The windows as one call knows them. */
  knownWindows(): KnownWindows {
    return new KnownWindows(this.operator, () => this.#changes?.noted() ?? (() => false));
  }

  /** The changes of the screen, if they are loaded. */
  get loadedChanges(): ChangeWatch | undefined {
    return this.#changes;
  }

  /** Changes that no action causes; loaded on first use. */
  readonly followed = async (): Promise<ChangeFollower> => {
    const watch = await this.changes(), { ChangeFollower } = await import("../observe/mod.ts");
    return this.#followed ??= new ChangeFollower(this.operator, watch);
  };
}

/** Whether an action's caller chose the place in a picture. */
function isSeen({ effect }: AnyAction, values: Record<string, unknown>, { sees }: Caller): boolean {
  return effect === "act" && (sees !== undefined || values.seen !== undefined);
}
