/** Finding pictures on the screen, and clicking on them. */

import { InputError, NotFoundError } from "../../core/errors.ts";
import { BUTTONS } from "../desktop.ts";
import { findPicture, type FindRequest, waitForPicture } from "../find/find.ts";
import { action, type ActionContext } from "./action.ts";
import { waitToClick } from "./click_wait.ts";
import { MATCH, PICTURE_QUERY, TIMEOUT_MS } from "./find_fields.ts";
import { choice, flag, integer, list, optional, type Values } from "./schema.ts";

const MATCHES = list(MATCH, "The found places, the best first; none overlaps a better one");

export const find = action({
  name: "find",
  summary: "Find a picture on the screen",
  effect: "read",
  waits: true,
  input: {
    ...PICTURE_QUERY,
    limit: optional(integer(1, 100, "How many places are wanted; 1 if left out")),
    timeout_ms: TIMEOUT_MS,
    gone: optional(flag("With timeout_ms: waits until the picture or text is not there")),
    best: optional(flag("Return the nearest place if no place agrees")),
  },
  output: { matches: MATCHES, best: optional(MATCH) },
  async run({ timeout_ms, gone = false, ...query }, context) {
    if (gone && timeout_ms === undefined) throw new InputError("Missing timeout_ms: gone waits");
    const { finder } = context, request = requestOf(query, context);
    if (timeout_ms === undefined) return await findPicture(finder, request);
    const { matches } = await waitForPicture(finder, request, gone, timeout_ms);
    return { matches };
  },
});

export const clickPicture = action({
  name: "clickPicture",
  summary: "Find a picture on the screen and click on its middle",
  effect: "act",
  waits: true,
  input: {
    click: choice(BUTTONS, "Clicks on the middle of the place with this button; not under --read-only"),
    count: optional(integer(1, 3, "With click, the number of clicks: 2 is a double click")),
    ...PICTURE_QUERY,
    timeout_ms: TIMEOUT_MS,
  },
  output: { matches: MATCHES },
  async run({ click, count, timeout_ms, ...query }, context) {
    const { operator, finder } = context, request = requestOf(query, context);
    const { matches } = timeout_ms === undefined
      ? await findPicture(finder, request)
      : await waitToClick(timeout_ms, context, () => waitForPicture(finder, request, false, timeout_ms));
    if (!matches.length) throw new NotFoundError("the picture is not on the screen");
    await context.aimAt?.(matches[0].center);
    await operator.click(matches[0].center, click, count, [], context);
    return { matches };
  },
});

function requestOf(
  { x, y, width, height, ...query }: Values<typeof PICTURE_QUERY> & { limit?: number; best?: boolean },
  context: ActionContext,
): FindRequest {
  const { signal } = context;
  return { ...query, region: { x, y, width, height }, signal, pictureRead: () => context.inputRead() };
}
