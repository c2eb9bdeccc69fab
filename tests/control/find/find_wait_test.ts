/** Waiting for images over HTTP, and other requests during searches. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { Finder } from "../../../control/find/find.ts";
import { encodePng } from "../../../control/image/png.ts";
import { VirtualDesktop } from "../../../ffi/virtual/mod.ts";
import { controlApi } from "../../support/control.ts";
import { until } from "../../support/shell.ts";
import { clicked, find, FOUND, frame, picture, wait } from "../../support/pictures.ts";

Deno.test("timeout_ms waits until the image appears, with gone until it disappears", async () => {
  const { api, png } = await clicked();
  const other = controlApi();
  const coming = find(other, png, "?timeout_ms=20000");
  await other.operator.click({ x: 300, y: 200 }, "left");
  assertEquals(await coming, { status: 200, matches: [FOUND] });
  const going = find(api, png, "?timeout_ms=20000&gone=true");
  await api.operator.click({ x: 300, y: 200 }, "right"); // a ring of another colour
  assertEquals(await going, { status: 200, matches: [] });
  const shown = await picture(api);
  const stays = { status: 408, error: "the picture did not go away within 20 ms" };
  assertEquals(await find(api, shown, "?timeout_ms=20&gone=true"), stays);
  const late = await find(api, png, "?timeout_ms=20&best=true");
  assertEquals(late.status, 408);
  assertMatch(late.error, /^the picture did not appear within 20 ms; (the nearest place is x|nothing on)/);
});

Deno.test("wait ends when an image appears, and says where, or when it is gone", async () => {
  const { api, png } = await clicked();
  const picture = { png: png.toBase64() };
  const { ms: _, ...there } = await wait(api, { picture });
  assertEquals(there, { status: 200, ok: true, match: FOUND });
  const elsewhere = { ...picture, x: 400, tolerance: 1, match: 0.99 };
  const late = { status: 408, error: "the picture did not appear within 30 ms" };
  assertEquals(await wait(api, { picture: elsewhere, timeout_ms: 30 }), late);
  const { ms: __, ...gone } = await wait(api, { picture: { ...elsewhere, gone: true } });
  assertEquals(gone, { status: 200, ok: true });
});

Deno.test("the former names, wait_ms of find and image of wait, are still accepted", async () => {
  const { api, png } = await clicked();
  assertEquals(await find(api, png, "?wait_ms=20000"), { status: 200, matches: [FOUND] });
  const late = { status: 408, error: "the picture did not appear within 20 ms" };
  assertEquals(await find(api, png, "?click=left&x=400&wait_ms=20"), late);
  const { ms: _, ...there } = await wait(api, { image: { png: png.toBase64() } });
  assertEquals(there, { status: 200, ok: true, match: FOUND });
});

Deno.test("wait for a change ends when a pixel differs from the start of the call", async () => {
  const api = controlApi();
  const region = { x: 280, y: 180, width: 40, height: 40 };
  const late = { status: 408, error: "the region did not change within 100 ms" };
  await api.operator.click({ x: 700, y: 200 }, "left"); // outside
  assertEquals(await wait(api, { change: region, timeout_ms: 100 }), late);
  const asked = Promise.withResolvers<void>();
  const take = api.desktop.screen.take.bind(api.desktop.screen);
  api.desktop.screen.take = (region, cursor) => {
    const taken = take(region, cursor);
    asked.resolve();
    return taken;
  };
  const waiting = wait(api, { change: region });
  await asked.promise; // the screen at the start of the call
  await api.operator.click({ x: 300, y: 200 }, "left");
  const { status, ok } = await waiting;
  assertEquals([status, ok], [200, true]);
});

Deno.test("waiting for images leaves others their places; the oldest wait ends for the 33rd", async () => {
  const { png } = await clicked();
  const api = controlApi(), waiting: ReturnType<typeof find>[] = [];
  const { wait } = Finder.prototype;
  let begun = 0;
  Finder.prototype.wait = function (picture) {
    begun++;
    return wait.call(this, picture);
  };
  try {
    while (waiting.length < 33) {
      waiting.push(find(api, png, "?timeout_ms=60000"));
      await until(() => begun, (count) => count === waiting.length);
    }
    const error = "too many waits for pictures are running; this one was ended";
    assertEquals(await waiting[0], { status: 503, error });
    assertEquals(await find(api, png), { status: 200, matches: [] });
    await api.operator.click({ x: 300, y: 200 }, "left");
    for (const found of await Promise.all(waiting.slice(1))) {
      assertEquals(found, { status: 200, matches: [FOUND] });
    }
  } finally {
    Finder.prototype.wait = wait;
  }
});

Deno.test("the end of the program ends waits before a click and in steps at once, and nothing is pressed", async () => {
  const { png } = await clicked(), api = controlApi(), { take } = api.desktop.screen;
  let looks = 0;
  api.desktop.screen.take = function (...region) {
    looks++;
    return take.apply(this, region);
  };
  const post = async (path: string, body: unknown) => {
    const answer = await api.request("POST", path, body);
    return { status: answer.status, error: (await answer.json()).error };
  };
  /** Begins a wait, and waits until it has looked. */
  const begun = async <T>(begin: () => Promise<T>) => {
    const [before, waiting] = [looks, begin()];
    await until(() => looks, (count) => count > before);
    return { waiting };
  };
  const text = { text: "Nowhere", click: "left", timeout_ms: 30_000 };
  const steps = [
    post("/api/steps", { steps: [{ action: "wait", pixel: { x: 1, y: 1, hex: "#123456" } }] }),
    post("/api/steps", { steps: ["wait 300000", "click 300,200"] }),
    post("/api/steps", { steps: ['wait "Nowhere"', "click 300,200"] }),
  ];
  const picture = await begun(() => find(api, png, "?click=left&timeout_ms=30000"));
  const words = await begun(() => post("/api/find", text));
  api.runner.endWaits();
  const stopping = { status: 503, error: "deskhand is stopping" };
  assertEquals([await picture.waiting, await words.waiting], [stopping, stopping]);
  for (const { error } of await Promise.all(steps)) assertMatch(error, /deskhand is stopping$/);
  assertEquals(await find(api, png, "?click=left&timeout_ms=30000"), stopping);
  await api.operator.click({ x: 300, y: 200 }, "right"); // what has begun may still act
  const presses = api.desktop.log.filter(({ type }) => type === "button");
  assertEquals(presses.map((press) => "button" in press && press.button), ["right", "right"]);
});

Deno.test("sixteen images may be searched at a time, one more is a 503", async () => {
  const { api, png } = await clicked();
  const all = await Promise.all(Array.from({ length: 17 }, () => find(api, png)));
  assertEquals(all.filter(({ status }) => status === 200).length, 16);
  assertEquals(all.find(({ status }) => status !== 200), {
    status: 503,
    error: "16 pictures are being searched for already; try again later",
  });
});

Deno.test("other requests are answered during a long search", async () => {
  const desktop = new VirtualDesktop();
  const stripe = (y: number) => y & 1 ? 0xffffff : 0xcccccc;
  const striped = frame(1280, 720, (x, y) => (x * 7 + y * 13) % 9 ? stripe(y) : 0xff);
  desktop.screen.take = () => striped;
  const api = controlApi({ desktop });
  const png = await encodePng(frame(200, 100, (_, y) => stripe(y)));
  let isOver = false, answers = 0;
  const searching = find(api, png, "?match=0.89&limit=100").finally(() => isOver = true);
  while (!isOver) {
    assertEquals((await api.request("GET", "/api/position")).status, 200);
    if (!isOver) answers++;
  }
  assertMatch((await searching).error, /^nearly all of the screen matches the picture: /);
  assert(answers > 20, `${answers} answers`);
});
