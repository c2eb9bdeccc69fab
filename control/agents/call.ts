/** One call of an agent's tool: what tools work with while it lasts. */

import { InputError } from "../../core/errors.ts";
import type { Action, Output, ResultOf } from "../actions/action.ts";
import { pointOf } from "../actions/fields.ts";
import type { ActionRunner } from "../actions/runner.ts";
import { type Fields, parseFields, type Values } from "../actions/schema.ts";
import { intersection, type Point, type Region } from "../desktop.ts";
import type { Held } from "../held.ts";
import type { Seen } from "../observe/mod.ts";
import { desktopPlace, desktopRegion, fit, type View, viewPlace, type ViewSetting } from "../view/view.ts";
import { waitForStillness } from "../wait.ts";
import { listWindows } from "../windows/list.ts";
import type { Deadline } from "./deadline.ts";
import { inputOf } from "./listing.ts";
import { boundedPicture, type PictureLimit } from "./picture.ts";
import type { SeenScreen } from "./seen_screen.ts";
import type { Answer, Tool, ToolContext } from "./tool.ts";

/** For how long the screen must be still before `look` takes its picture, and how long that waits at most; in ms. */
const STILL = { ms: 150, most: 2000 };

/** The time of a call that is kept for the picture at its end, in milliseconds. */
const PICTURE_MS = 3000;

/** Parts and limits of a call. */
export interface CallOptions {
  runner: ActionRunner;
  setting: ViewSetting;
  /** The part of the desktop that pictures show. */
  view: View;
  /** The space of coordinates, where that is not the picture. */
  space: View;
  signal: AbortSignal;
  deadline: Deadline;
  pictures: PictureLimit;
  /** Keeps what pictures show, to look for parts of it later. */
  seen: SeenScreen;
  /** Gets what the call keeps down, by name. */
  kept: Map<string, Held>;
  /** The tool of this name, if it is open. */
  find(name: string): Tool | undefined;
}

/** A call in progress. */
export class Call implements ToolContext {
  readonly operator;
  readonly signal;
  readonly view;
  readonly space;
  readonly readOnly;
  readonly kept;

  /** Whether actions are observed, and what the last one did. */
  #observed: { observing: boolean; seen?: Seen } = { observing: false };

  constructor(readonly options: CallOptions) {
    this.operator = options.runner.operator;
    this.readOnly = options.runner.readOnly;
    this.signal = options.signal;
    this.view = options.view;
    this.space = options.space;
    this.kept = options.kept;
  }

  timeLeft(): number {
    return Math.max(1, Math.round(this.options.deadline.leftMs - PICTURE_MS));
  }

  async run<I extends Fields, O extends Output>(
    action: Action<I, O>,
    values: Values<I>,
  ): Promise<ResultOf<O>> {
    this.signal.throwIfAborted();
    const { runner } = this.options, { observing } = this.#observed;
    if (!observing || action.effect !== "act") return await runner.run(action, values, this);
    const { result, seen } = await runner.observe(action, values, this);
    this.#observed.seen = seen;
    return result;
  }

  async observe<T>(run: () => Promise<T>): Promise<{ result: T; seen?: Seen }> {
    const before = this.#observed;
    const observed: { observing: boolean; seen?: Seen } = this.#observed = { observing: true };
    try {
      const result = await run();
      return { result, seen: observed.seen };
    } finally {
      this.#observed = before;
    }
  }

  place = (point: Point, prefix = ""): Point => desktopPlace(this.space, point, prefix);

  async placeOrPointer(point: Partial<Point>): Promise<Point> {
    const given = pointOf(point);
    return given ? this.place(given) : await this.operator.position();
  }

  region = (region: Region, prefix = ""): Region => desktopRegion(this.space, region, prefix);

  shown = (point: Point): Point => viewPlace(this.space, point);

  step(name: unknown): Tool {
    const tool = typeof name === "string" ? this.options.find(name) : undefined;
    if (tool) return tool;
    throw new InputError(`there is no tool ${JSON.stringify(name)} here`);
  }

  async picture(region?: Region, cursor = true): Promise<Answer> {
    const { operator, view, options: { setting, pictures, seen } } = this;
    await seen.keep(operator, view.area);
    const area = region ? this.region(region, "region.") : view.area;
    const size = region ? fit(area, setting) : view;
    const { file, width, height } = await boundedPicture(operator, area, cursor, size, pictures, this);
    return {
      text: `${this.#pictureText(region, { width, height })}; pointer at ${await this.#pointerText()}. ` +
        `Coordinates of all tools are pixels of ${this.#coordinatesText(region, width)}.`,
      pictures: [file],
    };
  }

  async call(tool: Tool, given: Record<string, unknown>): Promise<Answer> {
    const fields = inputOf(tool), { look, ...values } = parseArguments(fields, given);
    const unknown = Object.keys(given).find((name) => !Object.hasOwn(fields, name));
    if (unknown !== undefined) {
      const known = Object.keys(fields).join(", ") || "nothing";
      throw new InputError(`${tool.name} has no field ${JSON.stringify(unknown)}; it takes ${known}`);
    }
    this.options.deadline.extend(tool.ownMs?.(values) ?? 0);
    const answer = await tool.run(values, this);
    const shown = look ?? tool.looks === "unless refused";
    if (!shown) return answer;
    const picture = await this.#stillPicture(shown === "window");
    return {
      ...answer,
      text: `${answer.text}\n${picture.text}`,
      pictures: [...answer.pictures, ...picture.pictures],
    };
  }

  seen(region: Region): Uint8Array<ArrayBuffer> {
    return this.options.seen.cut(region);
  }

  /** A picture when the screen is still, or when that takes too long. */
  async #stillPicture(ofWindow: boolean): Promise<Answer> {
    await waitForStillness(this.operator, this.view.area, STILL.ms, STILL.most, this.signal);
    return await this.picture(ofWindow ? await this.#activeWindow() : undefined);
  }

  /** The active window's part of the view; undefined where no window is active or no part of it is shown. */
  async #activeWindow(): Promise<Region | undefined> {
    const active = (await listWindows(this.operator)).find(({ active }) => active);
    const part = active?.width ? intersection(active, this.view.area) : undefined;
    if (!part) return undefined;
    const from = this.shown(part),
      to = this.shown({ x: part.x + part.width - 1, y: part.y + part.height - 1 });
    return { ...from, width: to.x - from.x + 1, height: to.y - from.y + 1 };
  }

  #pictureText(region: Region | undefined, { width, height }: { width: number; height: number }): string {
    if (!region) return `${width}x${height}`;
    return `${region.width}x${region.height} at ${region.x},${region.y}, shown as ${width}x${height}`;
  }

  async #pointerText(): Promise<string> {
    const { x, y } = this.shown(await this.operator.sharedPosition());
    return `${x},${y}`;
  }

  #coordinatesText(region: Region | undefined, width: number): string {
    const { space, view } = this, whole = `${space.width}x${space.height}`;
    if (region) return `the whole screenshot, ${whole}`;
    if (space.width !== view.width) return `a picture of ${whole}`;
    return width === view.width
      ? "this picture"
      : `${whole}: this picture was too large and is shrunk further`;
  }
}

/** Checks the arguments of a call; the message of a missing word lists the words that there are. */
function parseArguments<F extends Fields>(fields: F, given: Record<string, unknown>): Values<F> {
  try {
    return parseFields(fields, given, "", "the arguments");
  } catch (error) {
    const name = error instanceof InputError && /^Missing (\w+)$/.exec(error.message)?.[1];
    const words = name && Object.hasOwn(fields, name) && fields[name].schema.enum;
    if (!Array.isArray(words)) throw error;
    throw new InputError(`Missing ${name}: one of ${words.join(", ")}`, { cause: error });
  }
}
