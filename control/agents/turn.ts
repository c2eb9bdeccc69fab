/** Runs a turn of Anthropic's models: blocks of `tool_use`, each answered by a ready `tool_result`. */

import { ExpectedError, InputError } from "../../core/errors.ts";
import { isJsonObject } from "../../core/json.ts";
import { describeValue } from "../../core/printable.ts";
import { ANTHROPIC } from "./dialects/anthropic.ts";
import type { Dialect, ModelAction } from "./dialects/dialect.ts";
import { NOT_EXECUTED, resultText, TOOLSET, TOOLSET_NAME } from "./dialects/toolset.ts";

/** The answer to an action. */
export interface ActionAnswer {
  text: string;
  /** The part of the text that says what the action did. */
  told?: string;
  /** A PNG file. */
  image?: Uint8Array<ArrayBuffer>;
}

/** A part of a result. */
type Content =
  | { type: "text"; text: string }
  | { type: "image"; source: { type: "base64"; media_type: "image/png"; data: string } };

/** A block of `tool_result`, as the vendor's service takes it. */
export interface ToolResult {
  type: "tool_result";
  tool_use_id: string;
  toolset_name?: string;
  content: Content[];
  is_error?: true;
}

/** A block of `tool_use`, checked. */
interface ToolUse {
  id: string;
  dialect: Dialect;
  /** The action in the form of the dialect. */
  action: ModelAction;
  /** The member of the toolset and its input; undefined for the older tool without members. */
  member?: { name: string; input: Record<string, unknown> };
}

/** Tells whether an entry of a request is a block and no bare action. */
export function isToolUse(entry: Record<string, unknown>): boolean {
  return entry.type === "tool_use";
}

/**
 * Runs the blocks of a turn, in order, until one fails.
 * @param run Runs one action of a dialect.
 * @returns One result for each block; after a failure, later blocks do not run, and their results say so.
 * @throws InputError, before anything runs, if an entry is no block of the toolset or of the tool `computer`.
 */
export async function runTurn(
  blocks: readonly Record<string, unknown>[],
  run: (dialect: Dialect, action: ModelAction) => Promise<ActionAnswer>,
): Promise<ToolResult[]> {
  const uses = blocks.map(toolUse), results: ToolResult[] = [];
  for (const use of uses) {
    if (results.at(-1)?.is_error) {
      results.push(resultOf(use, [textPart(NOT_EXECUTED)], true));
      continue;
    }
    try {
      results.push(resultOf(use, contentOf(use, await run(use.dialect, use.action))));
    } catch (error) {
      if (!(error instanceof ExpectedError)) throw error;
      results.push(resultOf(use, [textPart(error.message)], true));
    }
  }
  return results;
}

function toolUse(block: Record<string, unknown>, index: number): ToolUse {
  const { type, id, name, toolset_name: toolset, input } = block, where = `actions[${index}]`;
  if (type !== "tool_use") throw new InputError(`${where} must be a block of tool_use, as the others are`);
  if (typeof id !== "string" || !id) {
    throw new InputError(`${where}.id must be a text of at least one character, not ${describeValue(id)}`);
  }
  if (!isJsonObject(input)) {
    throw new InputError(`${where}.input must be a JSON object, not ${describeValue(input)}`);
  }
  if (toolset === TOOLSET_NAME && typeof name === "string") {
    return { id, dialect: TOOLSET, action: { ...input, name }, member: { name, input } };
  }
  if (toolset === undefined && name === "computer") return { id, dialect: ANTHROPIC, action: input };
  throw new InputError(
    `${where} must have toolset_name "computer", or be of the tool "computer", not ${
      describeValue(toolset ?? name)
    }`,
  );
}

function contentOf({ member }: ToolUse, { image, text, told }: ActionAnswer): Content[] {
  const words = member ? resultText(member.name, member.input) || (image ? "" : text) : text;
  return [
    ...(words ? [textPart(words)] : []),
    ...(member && told && words !== text ? [textPart(told)] : []),
    ...(image ? [imagePart(image)] : []),
  ];
}

const textPart = (text: string): Content => ({ type: "text", text });

function imagePart(png: Uint8Array<ArrayBuffer>): Content {
  return { type: "image", source: { type: "base64", media_type: "image/png", data: png.toBase64() } };
}

function resultOf({ id, member }: ToolUse, content: Content[], isError = false): ToolResult {
  return {
    type: "tool_result",
    tool_use_id: id,
    ...(member ? { toolset_name: TOOLSET_NAME } : {}),
    content,
    ...(isError ? { is_error: true } : {}),
  };
}
