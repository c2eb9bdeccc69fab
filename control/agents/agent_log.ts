/** The log of what agents do: one JSON line a call, with texts as their length. */

import type { Answer } from "./tool.ts";

/** A call that is over. */
export interface LoggedCall {
  /** What the client calls itself. */
  client: string;
  tool: string;
  given: Record<string, unknown>;
  answer: Answer;
  /** How long it took, in milliseconds. */
  ms: number;
}

/** The line of a call. */
export function logLine({ client, tool, given, answer, ms }: LoggedCall): string {
  return JSON.stringify({
    time: new Date().toISOString(),
    client,
    tool,
    arguments: withoutTexts(given),
    outcome: answer.isError ? answer.text : "ok",
    ms: Math.round(ms),
  });
}

/** Arguments that hold texts, or files in base64. */
const LONG = ["text", "png"];

/** Arguments with each text as its length in characters, and without even that where it is `sensitive`. */
function withoutTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (typeof value !== "object" || value === null) return value;
  const isSensitive = (value as { sensitive?: unknown }).sensitive === true;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => {
      if (!LONG.includes(name)) return [name, withoutTexts(entry)];
      return [name, isSensitive ? "secret" : { characters: [...String(entry)].length }];
    }),
  );
}
