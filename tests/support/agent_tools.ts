/** Pictures and input of agents' tools in tests. */

import { assertEquals } from "@std/assert";
import { pictureSize } from "../../control/image/read_picture.ts";
import { VirtualDesktop } from "../../ffi/virtual/mod.ts";
import type { ToolResult } from "./mcp.ts";

/** A click that is observed moves the pointer to its place beforehand. */
export const withoutRepeats = (log: string[]) =>
  log.filter((entry, i) => entry !== log[i - 1] || !entry.startsWith("("));

export function sizeOf({ content }: ToolResult) {
  const { data, mimeType } = content.find(({ type }) => type === "image")!;
  assertEquals(mimeType, "image/png");
  const { width, height } = pictureSize(Uint8Array.fromBase64(data!));
  return { width, height };
}

/** A virtual desktop of a full HD screen. */
export function largeDesktop(): VirtualDesktop {
  const desktop = new VirtualDesktop(), region = { x: 0, y: 0, width: 1920, height: 1080 };
  desktop.screen.layout = () => ({ ...region, displays: [{ name: "large", primary: true, ...region }] });
  desktop.screen.take = ({ width, height }) => {
    const pixels = new Uint8Array(width * height * 4);
    return { width, height, stride: width * 4, pixels };
  };
  return desktop;
}
