/** Pictures and input of agents' tools in tests. */

import { assertEquals } from "@std/assert";
import type { Desktop } from "../../control/desktop/desktop.ts";
import { pictureSize } from "../../control/image/read_picture.ts";
import { VirtualDesktop } from "../../ffi/virtual/mod.ts";
import type { ControlApi } from "./control.ts";

/** Merges repeated moves: an observed click first moves the pointer to its position. */
export const withoutRepeats = (log: string[]) =>
  log.filter((entry, i) => entry !== log[i - 1] || !entry.startsWith("("));

export function sizeOf({ content }: ToolResult) {
  const { data, mimeType } = content.find(({ type }) => type === "image")!;
  assertEquals(mimeType, "image/png");
  const { width, height } = pictureSize(Uint8Array.fromBase64(data!));
  return { width, height };
}

/** A virtual desktop with a full HD screen. */
export function largeDesktop(): VirtualDesktop {
  const desktop = new VirtualDesktop(), region = { x: 0, y: 0, width: 1920, height: 1080 };
  desktop.screen.layout = () => ({ ...region, displays: [{ name: "large", primary: true, ...region }] });
  desktop.screen.take = ({ width, height }) => {
    const pixels = new Uint8Array(width * height * 4);
    return { width, height, stride: width * 4, pixels };
  };
  return desktop;
}

// Calls agents' tools over MCP, like a client of an old revision.

/** Headers sent by a client. */
export const MCP_HEADERS = {
  accept: "application/json, text/event-stream",
  "content-type": "application/json",
  "mcp-protocol-version": "2025-11-25",
};

/** The line about an action's effect that is one of the longest: long titles of several windows. */
export const LONG_EFFECT = 'hit; active: "He said \\"漢字漢字漢字\\" and\\nthe…" (new), ' +
  'opened "He said \\"漢字…" and 1 more, closed "Notes"';

/** A tool's response. */
interface ToolResult {
  content: { type: string; text?: string; data?: string; mimeType?: string }[];
  isError?: boolean;
  structuredContent?: unknown;
}

/** Sends a request; returns the message that answers it. */
export async function ask<D extends Desktop>(
  { request }: Pick<ControlApi<D>, "request">,
  method: string,
  params?: unknown,
  // deno-lint-ignore no-explicit-any
): Promise<any> {
  const answer = await request("POST", "/mcp", { jsonrpc: "2.0", id: 1, method, params }, {
    headers: MCP_HEADERS,
  });
  const text = await answer.text();
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
}

/** Calls a tool. */
export async function call<D extends Desktop>(
  api: Pick<ControlApi<D>, "request">,
  name: string,
  given: Record<string, unknown> = {},
): Promise<ToolResult> {
  const { result, error } = await ask(api, "tools/call", { name, arguments: given });
  if (error) throw new Error(error.message);
  return result;
}

/** The text of a result. */
export function wordsOf({ content }: ToolResult): string {
  return content.filter(({ type }) => type === "text").map(({ text }) => text).join("\n");
}
