/** Actions on text on the screen: reading it, finding a text, and clicking on a text. */

import { InputError } from "../../core/errors.ts";
import { type Button, BUTTONS } from "../desktop.ts";
import type { TextMatch } from "../read/find.ts";
import { action, type ActionContext } from "./action.ts";
import { waitToClick } from "./click_wait.ts";
import { Content } from "./content.ts";
import { REGION } from "./fields.ts";
import { TIMEOUT_MS } from "./find_fields.ts";
import { choice, flag, integer, list, optional, type Values } from "./schema.ts";
import { LANGUAGE, ONLY_SOURCE, TEXT_LINE, TEXT_MATCHES, TEXT_QUERY, textRequest } from "./text_fields.ts";

/** Loads the module that finds text, at the first call that needs it. */
const finding = () => import("../read/find.ts");

const REGION_TEXT = { ...REGION, language: LANGUAGE, source: ONLY_SOURCE };

async function linesOf(
  { language, source, ...region }: Values<typeof REGION_TEXT>,
  { reader, signal }: ActionContext,
) {
  const { wholeText } = await import("../read/whole_text.ts");
  return await wholeText(await reader(), { region, language, source, signal });
}

export const text = action({
  name: "text",
  summary: "The text on the screen",
  effect: "read",
  waits: true,
  input: REGION_TEXT,
  output: { lines: list(TEXT_LINE, "The lines, in reading order") },
  run: async (query, context) => ({ lines: await linesOf(query, context) }),
});

export const textLines = action({
  name: "textLines",
  summary: "The text on the screen, as plain text",
  effect: "read",
  waits: true,
  input: REGION_TEXT,
  output: ["text/plain"],
  async run(query, context) {
    const lines = await linesOf(query, context);
    const bytes = new TextEncoder().encode(lines.map(({ text }) => `${text}\n`).join(""));
    return new Content("text/plain", bytes.length, [bytes]);
  },
});

export const findText = action({
  name: "findText",
  summary: "Find a text on the screen",
  effect: "read",
  waits: true,
  input: {
    ...TEXT_QUERY,
    limit: optional(integer(1, 100, "How many places are wanted; 1 if left out")),
    timeout_ms: TIMEOUT_MS,
    gone: optional(flag("With timeout_ms: waits until the picture or text is not there")),
  },
  output: { matches: TEXT_MATCHES, nearest: optional(TEXT_MATCHES) },
  async run({ timeout_ms, gone = false, limit, ...query }, context) {
    if (gone && timeout_ms === undefined) throw new InputError("Missing timeout_ms: gone waits");
    const { findText, waitForText } = await finding(), reader = await context.reader();
    const request = textRequest(query, context.signal);
    if (timeout_ms === undefined) return await findText(reader, request, limit);
    const { matches } = await waitForText(reader, request, gone, timeout_ms, limit);
    return { matches };
  },
});

/** Clicks on a place; on an element as `element/click` does, which sees whether it is covered or disabled. */
async function clickAt(
  { ref, center }: TextMatch,
  { button, count }: { button: Button; count: number },
  context: ActionContext,
): Promise<void> {
  const { operator, signal } = context;
  await context.aimAt?.(center);
  if (ref === undefined) return await operator.click(center, button, count, [], context);
  const { clickElement } = await import("../elements/clicking.ts");
  await clickElement(operator, { element: ref, window: {} }, { button, count, signal });
}

export const clickText = action({
  name: "clickText",
  summary: "Find a text on the screen and click on its middle",
  effect: "act",
  waits: true,
  input: {
    click: choice(BUTTONS, "Clicks on the middle of the place with this button; not under --read-only"),
    count: optional(integer(1, 3, "With click, the number of clicks: 2 is a double click")),
    ...TEXT_QUERY,
    timeout_ms: TIMEOUT_MS,
  },
  output: { matches: TEXT_MATCHES },
  async run({ click, count, timeout_ms, ...query }, context) {
    const { oneText, waitForText } = await finding(), reader = await context.reader();
    const request = textRequest(query, context.signal);
    if (timeout_ms !== undefined) {
      await waitToClick(timeout_ms, context, () => waitForText(reader, request, false, timeout_ms));
    }
    const match = await oneText(reader, request);
    context.signal.throwIfAborted();
    await clickAt(match, { button: click, count: count ?? 1 }, context);
    return { matches: [match] };
  },
});
