/** Recordings as text. */

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { parseRecordingBytes, type Recording } from "../../control/recording/format.ts";
import { StoredRecording } from "../../control/recording/stored.ts";
import { run } from "./program.ts";

/** The text of a recording file. */
export function formatRecording(recording: Recording): string {
  return textOf(StoredRecording.of(recording));
}

/** The text of a stored recording's file. */
export function textOf(recording: StoredRecording): string {
  return Array.from(recording.file(), (piece) => new TextDecoder().decode(piece)).join("");
}

/** Parses the text of a recording file. */
export function parseRecordingText(text: string): Recording {
  return parseRecordingBytes(new TextEncoder().encode(text));
}

// Traces in tests: calls of the control API, and files read by the subcommand.

/** The token of programs in these tests. */
export const TOKEN = "hunter2-token-of-the-trace-test";

/**
 * Calls the control API, and also returns unsuccessful responses. An empty token is not sent, because a wrong
 * one would be refused.
 */
export async function call(
  url: string,
  path: string,
  body?: unknown,
  method = "POST",
  token = TOKEN,
): Promise<Record<string, unknown>> {
  const headers: HeadersInit = token ? { authorization: `Bearer ${token}` } : {};
  const response = await fetch(`${url}/api/${path}`, {
    method: body === undefined && method === "POST" ? "GET" : method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return JSON.parse(await response.text());
}

/** A file's entries, read by the subcommand. */
export async function entriesOf(file: string): Promise<Record<string, unknown>[]> {
  const { stdout, stderr, code } = await run(["trace", file, "--json"]);
  assertEquals(code, 0, stderr);
  return stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
}

/** The first file in a folder. */
export function fileIn(folder: string): string {
  return join(folder, [...Deno.readDirSync(folder)].map(({ name }) => name).sort()[0]);
}
