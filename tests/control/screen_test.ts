/** Waiting for the screen, and pictures of it that are under way. */

import { assert, assertEquals } from "@std/assert";
import { VirtualDesktop } from "../../ffi/virtual/mod.ts";
import { controlApi } from "../support/control.ts";

Deno.test("wait sees a pixel change and a region come to rest", async () => {
  const { request, desktop } = controlApi();
  const before = await (await request("GET", "/api/pixel?x=309&y=200")).json();
  assertEquals(before.hex, "#20242c");
  const waiting = request("POST", "/api/wait", { pixel: { x: 309, y: 200, hex: "4FC3F7", tolerance: 3 } });
  await request("POST", "/api/click", { x: 300, y: 200, button: "left" });
  assertEquals((await (await waiting).json()).ok, true);
  assertEquals(await (await request("GET", "/api/pixel?x=309&y=200")).json(), {
    r: 0x4f,
    g: 0xc3,
    b: 0xf7,
    hex: "#4fc3f7",
  });
  // Off by 0x20 at most; by one less than that is too little.
  const near = { x: 309, y: 200, hex: "#2fe3d7" };
  assertEquals((await request("POST", "/api/wait", { pixel: { ...near, tolerance: 0x20 } })).status, 200);
  const tooFar = { pixel: { ...near, tolerance: 0x1f }, timeout_ms: 20 };
  assertEquals((await request("POST", "/api/wait", tooFar)).status, 408);
  const still = await request("POST", "/api/wait", { still: { ms: 50, x: 0, y: 0, width: 10, height: 10 } });
  const answer = await still.json();
  assert(answer.ms >= 50, `${answer.ms}`);
  // A region that keeps changing never comes to rest.
  const timer = setInterval(() => desktop.keyboard.type("x"), 5);
  const restless = await request("POST", "/api/wait", { still: { ms: 200 }, timeout_ms: 600 });
  clearInterval(timer);
  assertEquals(restless.status, 408);
});

Deno.test("waiting for the screen to come to rest outlasts a change of its size", async () => {
  const desktop = new VirtualDesktop(), screen = desktop.screen.layout();
  let height = screen.height;
  desktop.screen.layout = () => ({ ...screen, height });
  const take = desktop.screen.take.bind(desktop.screen);
  desktop.screen.take = (region, cursor) => {
    const frame = take(region, cursor);
    height = 600; // from the second look on
    return frame;
  };
  const { request } = controlApi({ desktop });
  assertEquals((await request("POST", "/api/wait", { still: { ms: 50 } })).status, 200);
  const outside = await request("POST", "/api/wait", { still: { ms: 50, y: 100, height: 501 } });
  assertEquals(outside.status, 400);
});

Deno.test("so many BMPs may be under way and no more, and the place of one that was left is free", async () => {
  const api = controlApi();
  const ask = () => api.request("GET", "/api/screenshot?width=2&height=2");
  const answers: Response[] = [];
  let refused = await ask();
  // Answers that other tests left unread are under way too.
  while (refused.status === 200 && answers.push(refused) <= 64) refused = await ask();
  assertEquals([refused.status, Object.keys(await refused.json())], [503, ["error"]]);
  assert(answers.length > 8, `${answers.length}`);
  await answers.pop()!.body!.cancel(); // its client has gone
  answers.push(await ask());
  for (const answer of answers) assertEquals((await answer.bytes()).length, 66 + 16);
  assertEquals((await (await ask()).bytes()).length, 66 + 16);
});
