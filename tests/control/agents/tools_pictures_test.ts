/** Pictures of agents' tools: their size, their coordinates, and their parts. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { controlApi } from "../../support/control.ts";
import { short } from "../../support/log.ts";
import { call, wordsOf } from "../../support/mcp.ts";
import { largeDesktop, sizeOf } from "../../support/agent_tools.ts";

Deno.test("coordinates are pixels of the screenshot, and lead to the middle of what they show", async () => {
  const api = controlApi({ desktop: largeDesktop() });
  const result = await call(api, "screenshot");
  assertEquals(sizeOf(result), { width: 1456, height: 819 });
  assertMatch(
    wordsOf(result),
    /^1456x819; pointer at \d+,\d+\. Coordinates of all tools are pixels of this picture\.$/,
  );
  await call(api, "click", { x: 1455, y: 818 });
  assertEquals(short(api.desktop.log)[0], "(1919,1079)");
  const outside = await call(api, "click", { x: 1456, y: 0 });
  assertEquals([outside.isError, wordsOf(outside)], [
    true,
    "x must be from 0 to 1455 (the picture is 1456x819), not 1456",
  ]);
});

Deno.test("a region is shown enlarged, and changes no coordinates", async () => {
  const api = controlApi({ desktop: largeDesktop() });
  const region = { x: 728, y: 0, width: 728, height: 400 };
  const result = await call(api, "screenshot", { region });
  assertEquals(sizeOf(result), { width: 960, height: 528 });
  assertStringIncludes(wordsOf(result), "728x400 at 728,0, shown as 960x528");
  assertStringIncludes(wordsOf(result), "pixels of the whole screenshot, 1456x819");
  await call(api, "move", { x: 0, y: 0 });
  assertEquals(short(api.desktop.log), ["(0,0)"]);
});

Deno.test("a picture over the budget is shrunk further and says so", async () => {
  const desktop = largeDesktop(), take = desktop.screen.take;
  desktop.screen.take = (region, cursor) => {
    const frame = take(region, cursor);
    for (let at = 0, seed = 1; at < frame.pixels.length; at++) {
      seed = seed * 1103515245 + 12345 & 0x7fffffff;
      frame.pixels[at] = seed >> 16;
    }
    return frame;
  };
  const result = await call(controlApi({ desktop }), "screenshot");
  const { data } = result.content.find(({ type }) => type === "image")!;
  assert(data!.length < 1_000_000, `${data!.length}`);
  assert(sizeOf(result).width < 1456);
  assertStringIncludes(
    wordsOf(result),
    "pixels of 1456x819: this picture was too large and is shrunk further",
  );
});

Deno.test("look adds a picture when the screen is still, and no structured content", async () => {
  const result = await call(controlApi(), "click", { x: 1, y: 1, look: true });
  assertEquals(sizeOf(result), { width: 1280, height: 720 });
  assertEquals(result.structuredContent, undefined);
});

Deno.test("the active window alone is shown with look: window", async () => {
  const api = controlApi();
  const result = await call(api, "click", { x: 1, y: 1, look: "window" });
  const [{ x, y, width, height }] = await api.operator.read(({ windows }) => windows!.list());
  assertStringIncludes(wordsOf(result), `${width}x${height} at ${x},${y}, shown as ${width}x${height}`);
  assertEquals(sizeOf(result), { width, height });
});
