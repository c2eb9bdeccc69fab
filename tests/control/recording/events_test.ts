/** The stream of input events: watched while there are listeners, and bounded. */

import { assertEquals, assertRejects } from "@std/assert";
import { EventStream } from "../../../control/http/event_stream.ts";
import { BusyError } from "../../../core/errors.ts";
import { until } from "../../support/until.ts";
import { WatchedDesktop } from "../../support/virtual.ts";

/** The pointer moves, as by a person. */
function moved(desktop: WatchedDesktop, x: number) {
  desktop.person({ type: "move", x, y: 2 }, 5);
}

const LISTENING = ": listening\n\n";
const event = (x: number) => `event: move\ndata: {"at":5,"injected":false,"type":"move","x":${x},"y":2}\n\n`;

Deno.test("one watch serves all listeners, from the first to the last", async () => {
  const desktop = new WatchedDesktop(), events = new EventStream(desktop);
  const [first, second] = [new AbortController(), new AbortController()];
  const answers = [await events.answer(first.signal), await events.answer(second.signal)];
  assertEquals(desktop.listeners.size, 1);
  moved(desktop, 1);
  first.abort();
  moved(desktop, 2);
  assertEquals(desktop.listeners.size, 1);
  await answers[1].body!.getReader().cancel(); // the client has gone
  await until(() => desktop.listeners.size === 0);
  assertEquals(await answers[0].text(), LISTENING + event(1));
  const third = await events.answer(new AbortController().signal);
  assertEquals(desktop.listeners.size, 1);
  for (const listener of desktop.listeners) listener.problem("gap", "some are lost");
  moved(desktop, 3);
  for (const listener of desktop.listeners) listener.problem("ended", "it is gone");
  const told = (kind: string, message: string) => `event: ${kind}\ndata: {"message":"${message}"}\n\n`;
  assertEquals(
    await third.text(),
    LISTENING + told("gap", "some are lost") + event(3) + told("ended", "it is gone"),
  );
  await until(() => desktop.listeners.size === 0);
});

Deno.test("a listener that does not read gets the number of events that it missed", async () => {
  const desktop = new WatchedDesktop(), events = new EventStream(desktop);
  const leaving = new AbortController();
  const reader = (await events.answer(leaving.signal)).body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let i = 0; i < 2000; i++) moved(desktop, i);
  const seen: string[] = [];
  for (let i = 0; i < 500; i++) seen.push((await reader.read()).value!);
  moved(desktop, 5000);
  leaving.abort();
  for (let next; !(next = await reader.read()).done;) seen.push(next.value);
  const moves = seen.filter((text) => text.startsWith("event: move"));
  const gap = seen.at(-2)!;
  assertEquals(moves.slice(0, -1), Array.from({ length: moves.length - 1 }, (_, i) => event(i)));
  assertEquals(seen.at(-1), event(5000));
  assertEquals(gap, `event: gap\ndata: {"message":"${2000 - (moves.length - 1)} events were left out"}\n\n`);
});

Deno.test("the number of listeners is bounded, and one that leaves makes room", async () => {
  const events = new EventStream(new WatchedDesktop());
  const leaving = Array.from({ length: 32 }, () => new AbortController());
  for (const { signal } of leaving) await events.answer(signal);
  const ask = () => events.answer(AbortSignal.timeout(0));
  await assertRejects(ask, BusyError, "32 clients are listening already");
  leaving[7].abort();
  assertEquals((await ask()).status, 200);
  for (const controller of leaving) controller.abort();
});
