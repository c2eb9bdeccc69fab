/** Windows in words. */

import type { Region, WindowInfo } from "../../desktop.ts";
import type { ToolContext } from "../tool.ts";

/** A window in one line, at its place of the picture. */
export function windowText(
  { id, title, class: kind, pid, state, active, ...place }: WindowInfo,
  context: ToolContext,
) {
  const { x, y, width, height } = regionShown(place, context);
  const process = pid === undefined ? "" : `, pid ${pid}`, focus = active ? ", active" : "";
  return `${id} ${
    JSON.stringify(title)
  } (${kind}${process}): ${width}x${height} at ${x},${y}, ${state}${focus}`;
}

function regionShown({ x, y, width, height }: Region, { shown }: ToolContext): Region {
  const from = shown({ x, y }), to = shown({ x: x + width, y: y + height });
  return { ...from, width: to.x - from.x, height: to.y - from.y };
}
