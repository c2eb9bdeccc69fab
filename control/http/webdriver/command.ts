/** A session's command: runs actions so that `--read-only`, traces and counts apply. */

import {
  type ActionContext,
  type AnyAction,
  type Content,
  type Effect,
  isContent,
} from "../../actions/action.ts";
import { ELEMENTS } from "../../actions/bound.ts";
import type { ActionRunner } from "../../actions/runner.ts";
import type { Caller } from "../../operator/calls.ts";
import { type Fields, optional, parseFields, plainText } from "../../schema/schema.ts";
import type { ElementDetails } from "../../desktop/desktop.ts";
import { WebDriverError } from "./errors.ts";
import { ELEMENT_KEY } from "./input_actions.ts";
import type { Session } from "./session.ts";

/** The values that a trace records for commands that are not actions of the table. */
const NOTED = {
  element: optional(plainText("The element")),
  name: optional(plainText("The name")),
  locator: optional(plainText("The locator")),
  program: optional(plainText("The program")),
} satisfies Fields;

/** The caller of a command; its texts become secret when they go to a password field. */
export type CommandCaller = Caller & { isSensitive: boolean };

/**
 * Runs an action that only WebDriver has, like the runner runs those of the table.
 * @param name Its name in traces and counts.
 * @param values The values that a trace records.
 * @param limits Further time that it may take, in milliseconds, and whether it only waits and looks, so that the
 * end of the program ends it.
 */
export async function runOwn<T>(
  runner: ActionRunner,
  caller: Caller,
  name: string,
  effect: Effect,
  values: { [N in keyof typeof NOTED]?: string },
  run: (context: ActionContext) => T | Promise<T>,
  { takesMs = 0, waits = false }: { takesMs?: number; waits?: boolean } = {},
): Promise<T> {
  const bound = { ...ELEMENTS, takesMs: ELEMENTS.takesMs + takesMs };
  let result: T;
  const keep = async (_: unknown, context: ActionContext) => {
    result = await run(context);
    return {};
  };
  const action: AnyAction = {
    name,
    summary: name,
    effect,
    input: NOTED,
    output: {},
    bound,
    waits,
    run: keep,
  };
  await runner.run(action, values, caller);
  return result!;
}

/** A command of a session. */
export class Command {
  /**
   * @param given Parameters from the path.
   * @param body Fields of the body.
   */
  constructor(
    readonly runner: ActionRunner,
    readonly session: Session,
    readonly given: Readonly<Record<string, string>>,
    readonly body: Readonly<Record<string, unknown>>,
    readonly caller: CommandCaller,
  ) {}

  /**
   * Runs an action of the table.
   * @param values Its values, as a client of the control API sends them.
   * @returns Its result; for content, the bytes in base64.
   */
  async act(action: AnyAction, values: Record<string, unknown> = {}): Promise<unknown> {
    const result = await this.runner.run(action, parseFields(action.input, values), this.caller);
    return isContent(action.output) ? (await (result as Content).bytes()).toBase64() : result;
  }

  /** Runs an action that only WebDriver has, like {@linkcode runOwn}. */
  async own<T>(
    name: string,
    effect: Effect,
    values: Parameters<typeof runOwn>[4],
    run: (context: ActionContext) => T | Promise<T>,
    limits?: Parameters<typeof runOwn>[6],
  ): Promise<T> {
    return await runOwn(this.runner, this.caller, name, effect, values, run, limits);
  }

  /** The element in the path. */
  get element(): string {
    return this.given.element;
  }

  /** Reads an element; by default, the one in the path. */
  async details(element = this.element): Promise<ElementDetails> {
    return await this.session.details(element);
  }
}

/**
 * The element that a value refers to: a W3C reference, an older one, or the bare text.
 * @throws WebDriverError if it refers to none.
 */
export function referredBy(value: unknown): string {
  if (typeof value === "string") return value;
  const { [ELEMENT_KEY]: own, ELEMENT, elementId, element } = (value ?? {}) as Record<string, unknown>;
  const found = own ?? ELEMENT ?? elementId ?? element;
  if (found !== undefined) return referredBy(found);
  throw new WebDriverError("invalid argument", "an element is missing");
}
