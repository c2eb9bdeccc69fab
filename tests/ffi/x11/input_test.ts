/** X11-specific pointer and key behavior, on a real X server; desktops_test.ts tests the rest. */

import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { Operator } from "../../../control/operator/operator.ts";
import { newRecording } from "../../../control/recording/format.ts";
import { planRound } from "../../../control/recording/playback.ts";
import { Recorder } from "../../../control/recording/recorder.ts";
import { StoredRecording } from "../../../control/recording/stored.ts";
import { InputError } from "../../../core/errors.ts";
import { openX11 } from "../../../ffi/x11/desktop.ts";
import { controlApi } from "../../support/control.ts";
import { need } from "../../support/need.ts";
import { X11, xevEvents } from "../../support/window_desktops.ts";
import { Xvfb } from "../../support/xvfb.ts";

Deno.test({ name: "position and move agree with xdotool to the pixel", ...X11 }, async () => {
  await using server = await Xvfb.start();
  const desktop = openX11(server.display);
  for (const [x, y] of [[0, 0], [1279, 719], [640, 360], [1, 718], [777, 3]]) {
    await desktop.pointer.move({ x, y });
    assertEquals(await desktop.pointer.position(), { x, y });
    assertMatch(await server.run("xdotool", "getmouselocation"), new RegExp(`^x:${x} y:${y} `));
  }
  await server.run("xdotool", "mousemove", "12", "34");
  assertEquals(await desktop.pointer.position(), { x: 12, y: 34 });
  desktop.close();
});

Deno.test(
  { name: "presses a symbol with the modifiers that it needs", ...need("Xvfb", "xdotool", "xev") },
  async () => {
    await using server = await Xvfb.start();
    const desktop = openX11(server.display);
    await using xev = server.spawn("xev", "-geometry", "1280x720+0+0", "-event", "keyboard");
    await server.window("--name", "Event Tester");
    await desktop.pointer.move({ x: 300, y: 200 });
    for (const down of [true, false]) await desktop.keyboard.key("keysym:0xfe20", down);
    const expected = ["Press Shift_L", "Press ISO_Left_Tab", "Release ISO_Left_Tab", "Release Shift_L"];
    const printed = await xev.printing((text) => xevEvents(text).length >= expected.length);
    assertEquals(xevEvents(printed), expected.map((event) => `Key${event}`));
    desktop.close();
  },
);

/** Number of double clicks: without a pause, some would have both presses in one millisecond. */
const DOUBLE_CLICKS = 60;

Deno.test(
  { name: "the presses of a double click have different timestamps", ...need("Xvfb", "xdotool", "xev") },
  async () => {
    await using server = await Xvfb.start();
    const desktop = openX11(server.display), operator = new Operator(desktop);
    await using xev = server.spawn("xev", "-geometry", "1280x720+0+0", "-event", "button");
    await server.window("--name", "Event Tester");
    for (let i = 0; i < DOUBLE_CLICKS; i++) await operator.click({ x: 300, y: 200 }, "left", 2);
    const printed = await xev.printing((text) => xevEvents(text).length >= 4 * DOUBLE_CLICKS);
    const times = Array.from(printed.matchAll(/^ButtonPress event[^]*?, time (\d+),/gm), ([, time]) => time);
    assertEquals(times.length, 2 * DOUBLE_CLICKS);
    const firsts = times.filter((_, i) => i % 2 === 0);
    assertEquals(firsts.filter((time, i) => time === times[2 * i + 1]), []);
    desktop.close();
  },
);

// Replays in a Worker, on the desktop's own display rather than that of `$DISPLAY`.

Deno.test(
  {
    name: "a replay finds free keycodes, even right after a text that bound all of them",
    ...X11,
  },
  async () => {
    await using server = await Xvfb.start();
    const desktop = openX11(server.display), operator = new Operator(desktop);
    const recorder = new Recorder(operator);
    recorder.load(StoredRecording.of({
      ...newRecording(desktop.screen.layout(), new Date()),
      events: [true, false].map((down, t) => ({ t, type: "key", key: "漢", down })),
    }));
    await operator.type(String.fromCodePoint(...Array.from({ length: 100 }, (_, i) => 0x4e00 + i)));
    assertEquals((await recorder.play()).performed, 2);
    desktop.close();
  },
);

Deno.test(
  { name: "a replay of a million events does not load the thread that starts it", ...X11 },
  async () => {
    await using server = await Xvfb.start();
    const desktop = openX11(server.display), screen = desktop.screen.layout();
    const events = Array.from({ length: 1000 }, (_, t) => ({ t, type: "move", x: t, y: 1 } as const));
    const { parts, head } = StoredRecording.of({ ...newRecording(screen, new Date()), events });
    const pieces = Array.from({ length: 1000 }, () => parts.pieces[0]);
    const million = new StoredRecording({ head, count: 1_000_000, lastMs: 999, hasElements: false, pieces });
    // Processor time, which other programs do not affect.
    const before = workedMs();
    const playback = desktop.playback.start(planRound(million, { speed: 0.05 }, screen), 1);
    await playback.begun;
    const worked = workedMs() - before;
    playback.stop();
    assertEquals((await playback.done).stopped, true);
    assert(worked < 50, `${worked} ms`);
    const place = await desktop.pointer.position();
    // Stopped while its steps are generated, a replay ends early and moves nothing.
    const stopped = desktop.playback.start(planRound(million, {}, screen), 1);
    stopped.stop();
    assertEquals((await stopped.done).performed, 0);
    // Neither does one with a position outside the desktop.
    const small = { ...screen, width: 500 };
    const wrong = desktop.playback.start({
      ...planRound(million, {}, screen),
      recorded: small,
      screen: small,
    }, 1);
    for (const end of [wrong.begun, wrong.done]) {
      await assertRejects(() => end, InputError, "events[500] is at 500,1, which is not on this desktop");
    }
    assertEquals(await desktop.pointer.position(), place);
    desktop.close();
  },
);

/** This thread's processor time. */
function workedMs(): number {
  return Number(Deno.readTextFileSync("/proc/thread-self/schedstat").split(" ")[0]) / 1e6;
}

// Successive moves in one request on X11: programs see each of them, and a wrong one ends the list.

/** A list of distinct moves. */
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
  name: "a position outside the screen ends successive moves after the earlier ones",
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
  { name: "successive moves reach both Xinerama screens", ...need("Xvfb", "Xephyr", "xev") },
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
