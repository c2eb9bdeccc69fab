/** Fields of gestures: keys that are held, places on the way, repetition. */

import { assert, assertEquals } from "@std/assert";
import { controlApi } from "../support/control.ts";
import { short } from "../support/log.ts";

/** A path, a body, and the input that the desktop receives. */
const GESTURES: [string, Record<string, unknown>, string[]][] = [
  ["click", { x: 3, y: 4, button: "left", hold: "ctrl+shift" }, [
    "(3,4)",
    "+ctrl",
    "+shift",
    "+left",
    "-left",
    "-shift",
    "-ctrl",
  ]],
  ["click", { x: 3, y: 4, button: "right", count: 2, hold: "Alt_L" }, [
    "(3,4)",
    "+alt",
    "+right",
    "-right",
    "+right",
    "-right",
    "-alt",
  ]],
  ["scroll", { direction: "up", amount: 2, hold: "ctrl" }, ["+ctrl", "up 2", "-ctrl"]],
  ["key", { keys: "ctrl+z", repeat: 2 }, ["+ctrl", "+z", "-z", "-ctrl", "+ctrl", "+z", "-z", "-ctrl"]],
];

for (const [name, body, told] of GESTURES) {
  Deno.test(`${name} ${JSON.stringify(body)} is done as written`, async () => {
    const { request, desktop } = controlApi();
    assertEquals((await request("POST", `/api/${name}`, body)).status, 200);
    assertEquals(short(desktop.log), told);
  });
}

Deno.test("a drag goes through the places on its way, with keys held", async () => {
  const { request, desktop } = controlApi();
  const body = { from: { x: 0, y: 0 }, via: [{ x: 50, y: 0 }], to: { x: 50, y: 50 }, hold: "shift" };
  assertEquals((await request("POST", "/api/drag", body)).status, 200);
  const told = short(desktop.log);
  assertEquals([told.slice(0, 3), told.slice(-3)], [["(0,0)", "+shift", "+left"], [
    "(50,50)",
    "-left",
    "-shift",
  ]]);
  assert(told.includes("(50,0)"), told.join(" "));
  const outside = await request("POST", "/api/drag", { ...body, via: [{ x: 50, y: 720 }] });
  assertEquals([outside.status, await outside.json()], [400, {
    error: "via[0].y must be from 0 to 719 (the desktop), not 720",
  }]);
});

Deno.test("a key is held for as long as asked", async () => {
  const { request, desktop } = controlApi();
  const times: number[] = [];
  const key = desktop.keyboard.key.bind(desktop.keyboard);
  desktop.keyboard.key = (name, down) => {
    times.push(performance.now());
    return key(name, down);
  };
  assertEquals((await request("POST", "/api/key", { keys: "a", hold_ms: 80 })).status, 200);
  assert(times[1] - times[0] >= 75, `${times[1] - times[0]}`);
});

Deno.test("what is no key is refused before anything is done", async () => {
  const { request, desktop } = controlApi();
  const answer = await request("POST", "/api/click", { x: 1, y: 1, button: "left", hold: "ctrl+nokey" });
  assertEquals([answer.status, desktop.log.length], [400, 0]);
});
