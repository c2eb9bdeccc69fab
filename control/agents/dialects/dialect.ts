/** Converts models' own actions to tool calls: the building blocks of the dialect tables. */

import { InputError } from "../../../core/errors.ts";
import { describeValue, printable } from "../../../core/printable.ts";
import type { Size } from "../../image/bitmap.ts";
import type { ViewSetting } from "../../view/view.ts";

/** An action in the form in which a model writes it. */
export type ModelAction = Record<string, unknown>;

/** A tool call: the tool's name together with its fields. */
export type ModelCall = { tool: string } & Record<string, unknown>;

export interface Dialect {
  /** The field that names an action. */
  readonly names: string;
  /** The dialect's coordinate space; the picture if left out. */
  readonly space?: Size;
  /** Picture size if neither the request nor --view gives one. */
  readonly view?: ViewSetting;
  /** Fields of actions by action name, apart from the name itself: an action with others is rejected. */
  readonly fields?: Readonly<Record<string, readonly string[]>>;
  /** Fields that every action may have. */
  readonly common?: readonly string[];
  /** The calls that perform an action, by its name. A screenshot among them is returned as the image. */
  readonly actions: Readonly<Record<string, (action: ModelAction) => ModelCall[]>>;
}

/**
 * The calls that perform an action.
 * @throws InputError if the dialect has no such action or a field has a wrong value.
 * @example
 * const dialect = { names: "type", actions: { screenshot: () => [SCREENSHOT] } };
 * callsOf(dialect, { type: "screenshot" }); // [{ tool: "screenshot" }]
 */
export function callsOf(dialect: Dialect, action: ModelAction): ModelCall[] {
  const { names, actions } = dialect, name = action[names];
  if (typeof name === "string" && Object.hasOwn(actions, name)) {
    checkFields(name, action, dialect);
    return actions[name](action);
  }
  throw new InputError(
    `action.${names} must be one of ${Object.keys(actions).join(", ")}, not ${describeValue(name)}`,
  );
}

/** @throws InputError if an action has a field that would be ignored. */
function checkFields(name: string, action: ModelAction, { names, fields, common = [] }: Dialect): void {
  const known = fields?.[name];
  if (!known) return;
  const unknown = Object.keys(action).find((field) =>
    field !== names && !known.includes(field) && !common.includes(field) && action[field] != null
  );
  if (unknown === undefined) return;
  throw new InputError(
    `action.${printable(unknown, 40)} is unknown; ${name} takes ${known.join(", ") || "no fields"}`,
  );
}

/**
 * The fields of a call, without undefined ones.
 * @example
 * toolCall("click", { x: 10, y: 20, hold: undefined }); // { tool: "click", x: 10, y: 20 }
 */
export function toolCall(tool: string, fields: Record<string, unknown> = {}): ModelCall {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return { tool, ...Object.fromEntries(given) };
}

/**
 * A numeric field of an action.
 * @param fallback The default; without one, the action must have the field.
 * @example
 * numberOf({ scroll_y: 300 }, "scroll_y"); // 300
 * numberOf({}, "scroll_x", 0); // 0
 */
export function numberOf(action: ModelAction, name: string, fallback?: number): number {
  const value = action[name] ?? fallback;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (value === undefined) throw new InputError(`Missing action.${name}`);
  throw new InputError(`action.${name} must be a number, not ${describeValue(value)}`);
}

/** A text field of an action. */
export function textOf(action: ModelAction, name: string): string {
  const value = action[name];
  if (typeof value === "string") return value;
  if (value === undefined) throw new InputError(`Missing action.${name}`);
  throw new InputError(`action.${name} must be a string, not ${describeValue(value)}`);
}

/** A field of an action that lists texts. */
export function textsOf(action: ModelAction, name: string): string[] {
  const value = action[name];
  if (Array.isArray(value) && value.every((entry) => typeof entry === "string")) return value;
  throw new InputError(`action.${name} must be an array of strings, not ${describeValue(value)}`);
}

/**
 * Converts a distance in pixels to wheel notches; 0 for 0.
 * @example
 * notches(-250, 100); // 3
 */
export function notches(pixels: number, pixelsPerNotch: number): number {
  return pixels === 0 ? 0 : Math.min(100, Math.max(1, Math.round(Math.abs(pixels) / pixelsPerNotch)));
}

export const SCREENSHOT: ModelCall = { tool: "screenshot" };
