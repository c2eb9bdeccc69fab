/** Successive moves in one request on X11: each is seen by programs, and a wrong one ends the list where it stands. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { openX11 } from "../../../ffi/x11/mod.ts";
import { controlApi } from "../../support/control.ts";
import { need } from "../../support/need.ts";
import { xevEvents } from "../../support/x11.ts";
import { Xvfb } from "../../support/xvfb.ts";

/** A list of moves that are all different. */
const PLACES = Array.from({ length: 300 }, (_, i) => ({ x: 10 + i * 3, y: 20 + i * 2 }));
const stepTo = (place: { x: number; y: number }) => ({ action: "move", ...place });

Deno.test(
  { name: "programs see each of successive moves, in order", ...need("Xvfb", "xdotool", "xev") },
  async () => {
    await using server = await Xvfb.start();
    await using xev = server.spawn("stdbuf", "-oL", "xev", "-geometry", "1280x720+0+0", "-event", "mouse");
    await server.window("--name", "Event Tester");
    const desktop = openX11(server.display), { request } = controlApi({ desktop });
    const answer = await request("POST", "/api/steps", { steps: PLACES.map(stepTo) });
    assertEquals([answer.status, await answer.json()], [200, { ok: true, done: PLACES.length }]);
    assertEquals(await desktop.pointer.position(), PLACES.at(-1));
    const expected = PLACES.map(({ x, y }) => `MotionNotify ${x},${y}`);
    await xev.printing((text) => xevEvents(text).includes(expected.at(-1)!));
    const moves = xevEvents(xev.printed).filter((event) => expected.includes(event));
    assertEquals(moves, expected);
    const metrics = await (await request("GET", "/metrics")).text();
    assertStringIncludes(metrics, `{action="move",result="done"} ${PLACES.length}\n`);
    desktop.close();
  },
);

Deno.test({
  name: "a place outside the screen ends successive moves behind those before it",
  ...need("Xvfb"),
}, async () => {
  await using server = await Xvfb.start();
  const desktop = openX11(server.display), { request } = controlApi({ desktop });
  const [first, second, third] = PLACES, far = { x: 1280, y: 1 };
  const answer = await request("POST", "/api/steps", { steps: [first, second, far, third].map(stepTo) });
  assertEquals([answer.status, (await answer.json()).done], [400, 2]);
  assertEquals(await desktop.pointer.position(), second);
  desktop.close();
});

Deno.test(
  { name: "successive moves reach both screens that Xinerama joins", ...need("Xvfb", "Xephyr", "xev") },
  async () => {
    await using outer = await Xvfb.start({ width: 1300, height: 500 });
    const args = ["-screen", "640x480", "+xinerama"];
    await using server = await Xvfb.start({ within: outer, width: 640, height: 480, args });
    await using xev = server.spawn("stdbuf", "-oL", "xev", "-geometry", "300x300+700+50", "-event", "mouse");
    await server.window("--name", "Event Tester");
    const desktop = openX11(server.display), { request } = controlApi({ desktop });
    const places = [{ x: 100, y: 100 }, { x: 800, y: 200 }, { x: 90, y: 90 }];
    const answer = await request("POST", "/api/steps", { steps: places.map(stepTo) });
    assertEquals(await answer.json(), { ok: true, done: 3 });
    await xev.printing((printed) => printed.includes("LeaveNotify"));
    assertEquals(await desktop.pointer.position(), places[2]);
    desktop.close();
  },
);
