/** The recorder: a person who takes over a replay, limits, and overlapping calls. */

import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { delay } from "@std/async/delay";
import type { InputAction } from "../../../control/desktop/desktop.ts";
import { EventStream } from "../../../control/http/event_stream.ts";
import { Operator } from "../../../control/operator/operator.ts";
import { newRecording } from "../../../control/recording/format.ts";
import { Recorder } from "../../../control/recording/recorder.ts";
import { loadRecording, saveRecording } from "../../../control/recording/store.ts";
import { StoredRecording } from "../../../control/recording/stored.ts";
import { BusyError, DesktopUnavailableError, InputError, StateError } from "../../../core/errors.ts";
import { VirtualDesktop } from "../../../ffi/virtual/mod.ts";
import { controlApi } from "../../support/control.ts";
import { need } from "../../support/need.ts";
import { parseRecordingText, textOf } from "../../support/recordings.ts";
import { temporary, until } from "../../support/shell.ts";
import { WatchedDesktop } from "../../support/window_desktops.ts";

const LONG = {
  ...newRecording({ x: 0, y: 0, width: 1280, height: 720 }, new Date()),
  events: [
    { t: 0, type: "key", key: "shift", down: true },
    { t: 0, type: "key", key: "escape", down: true },
    { t: 0, type: "key", key: "escape", down: false },
    { t: 60_000, type: "key", key: "shift", down: false },
  ] as const,
};
const move = (x: number): InputAction => ({ type: "move", x, y: 1 });
const PERSON: [what: InputAction[], stoppedBy: string][] = [
  [[{ type: "key", key: "escape", down: true }], "escape"],
  [[{ type: "button", button: "left", down: true, x: 1, y: 1 }], "pointer"],
  [[move(3)], "pointer"], // the third of its kind
];

for (const [actions, stoppedBy] of PERSON) {
  Deno.test(`a replay stops when a person does ${JSON.stringify(actions)}`, async () => {
    const desktop = new WatchedDesktop();
    const recorder = new Recorder(new Operator(desktop));
    recorder.load(StoredRecording.of({ ...LONG, events: [...LONG.events] }));
    const playing = recorder.play();
    // By then the replay has pressed its own Escape, which does not stop it.
    await until(() => desktop.log.length >= 3);
    desktop.person({ type: "key", key: "a", down: true });
    desktop.person(move(1));
    desktop.person(move(2));
    assertEquals(recorder.status().state, "playing");
    for (const action of actions) desktop.person(action);
    const result = await playing;
    assertEquals([result.stopped, result.stoppedBy], [true, stoppedBy]);
    assertEquals(desktop.log.at(-1), { type: "key", key: "shift", down: false });
    assertEquals(recorder.status().state, "idle");
  });
}

for (const elements of [false, true]) {
  Deno.test(`the end of the program releases what a replay holds down, at once (elements: ${elements})`, async () => {
    const desktop = new WatchedDesktop(), recorder = new Recorder(new Operator(desktop));
    recorder.load(StoredRecording.of({ ...LONG, events: [...LONG.events] }));
    const playing = recorder.play({ elements });
    await until(() => desktop.log.length >= 3);
    recorder.abort();
    assertEquals(desktop.log.at(-1), { type: "key", key: "shift", down: false });
    assertEquals((await playing).stopped, true);
  });
}

Deno.test("a recording ends by itself before it is too long to be loaded", async () => {
  const hour = 3600_000;
  const ENDS: [moves: number, hours: number, problem: string][] = [
    [1000, 25, "recording ended after a day"],
    [1_000_000, 2, "recording ended after 999000 events"],
  ];
  for (const [moves, hours, problem] of ENDS) {
    const desktop = new WatchedDesktop();
    const recorder = new Recorder(new Operator(desktop));
    await recorder.start();
    const start = Date.now();
    desktop.person({ type: "key", key: "shift", down: true }, start + hour);
    const batch = Array.from(
      { length: 1000 },
      (_, x) => ({ action: move(x), at: start + hours * hour, injected: false }),
    );
    for (let moved = 0; moved < moves; moved += batch.length) {
      for (const listener of desktop.listeners) listener.actions(batch);
    }
    await until(() => recorder.status().state === "idle");
    assertEquals(recorder.status().problem, problem);
    const { t, ...action } = parseRecordingText(textOf(recorder.recording())).events.at(-1)!;
    assertEquals([action, t < 24 * hour], [{ type: "key", key: "shift", down: false }, true]);
  }
});

Deno.test("without the keyboard no key is recorded, and times never go back", async () => {
  const desktop = new WatchedDesktop();
  const recorder = new Recorder(new Operator(desktop));
  for (const [keyboard, types] of [[true, ["move", "key", "move"]], [false, ["move", "move"]]] as const) {
    await (keyboard ? recorder.start() : recorder.start({ keyboard }));
    desktop.person(move(1), Date.now() + 60_000);
    desktop.person({ type: "key", key: "a", down: true }, 0);
    desktop.person(move(2), 0);
    desktop.person({ type: "key", key: "a", down: false }, 0);
    await recorder.stop();
    const { events } = recorder.recording();
    assertEquals(events.map(({ type }) => type).slice(0, types.length), [...types]);
    assertEquals(events.every(({ t }, i) => i === 0 || t >= events[i - 1].t), true);
  }
});

Deno.test("a recording ends and is retained when input can no longer be watched", async () => {
  const desktop = new WatchedDesktop();
  const recorder = new Recorder(new Operator(desktop));
  assertEquals(recorder.status(), { state: "idle", events: 0, ms: 0 });
  await recorder.start();
  desktop.person(move(1));
  for (const listener of desktop.listeners) listener.problem("gap", "some were lost");
  assertEquals([recorder.status().state, recorder.status().problem], ["recording", "some were lost"]);
  for (const listener of desktop.listeners) listener.problem("ended", "the desktop is gone");
  await until(() => recorder.status().state, (state) => state === "idle");
  assertEquals([recorder.status().events, recorder.status().problem], [1, "the desktop is gone"]);
  assertEquals(recorder.recording().events.length, 1);
});

Deno.test("one of two simultaneous starts is refused", async () => {
  const desktop = new WatchedDesktop();
  const recorder = new Recorder(new Operator(desktop));
  const first = recorder.start();
  await assertRejects(() => recorder.start(), StateError, "already recording");
  await first;
  assertThrows(() => recorder.load(StoredRecording.of({ ...LONG, events: [] })), StateError);
  const stops = await Promise.allSettled([recorder.stop(), recorder.stop()]);
  assertEquals(stops[0].status, "fulfilled");
  assertEquals(recorder.status().state, "idle");
});

Deno.test("two simultaneous stops both answer after the last events are recorded", async () => {
  const desktop = new WatchedDesktop();
  const watch = desktop.observer.watch.bind(desktop.observer);
  const closed = Promise.withResolvers<void>();
  desktop.observer.watch = async (listener) => {
    await watch(listener);
    return {
      close: async () => {
        await closed.promise;
        desktop.person(move(7)); // the last batch
      },
    };
  };
  const recorder = new Recorder(new Operator(desktop));
  await recorder.start();
  let stopped = 0;
  const stops = [recorder.stop(), recorder.stop()].map((stop) => stop.then(() => stopped++));
  await delay(0);
  assertEquals([stopped, recorder.status().state], [0, "recording"]);
  closed.resolve();
  await Promise.all(stops);
  assertEquals(recorder.recording().events.map(({ type }) => type), ["move"]);
});

Deno.test("a replay that is always late can be stopped", async () => {
  const desktop = new VirtualDesktop();
  const recorder = new Recorder(new Operator(desktop));
  const events = Array.from({ length: 20_000 }, (_, i) => (
    { t: 0, type: "button", button: "left", down: i % 2 === 0, x: 1, y: 1 } as const
  ));
  recorder.load(StoredRecording.of({ ...LONG, events }));
  const playing = recorder.play({ times: 100, speed: 100 });
  await recorder.begun;
  setTimeout(() => recorder.stop().catch(() => {}));
  assertEquals((await playing).stoppedBy, "stop");
});

Deno.test("a replay to a position off the desktop is refused before anything moves", async () => {
  const { desktop, request } = controlApi();
  const events = [{ t: 0, ...move(1) }, { t: 1, ...move(1280) }];
  assertEquals((await request("PUT", "/api/recording", { ...LONG, events })).status, 200);
  const answer = await request("POST", "/api/recording/play", {});
  assertEquals(answer.status, 400);
  assertEquals(await answer.json(), { error: "events[1] is at 1280,1, which is not on this desktop" });
  assertEquals(desktop.log, []);
  assertEquals((await (await request("GET", "/api/recording/state")).json()).state, "idle");
  assertEquals((await request("POST", "/api/move", { x: 1, y: 1 })).status, 200);
});

Deno.test("a replay waits for its turn, and does nothing if it is stopped before", async () => {
  const { desktop, operator, request } = controlApi();
  const shift = (down: boolean, t: number) => ({ t, type: "key", key: "shift", down });
  assertEquals(
    (await request("PUT", "/api/recording", { ...LONG, events: [shift(true, 0), shift(false, 0)] })).status,
    200,
  );
  const state = async () => await (await request("GET", "/api/recording/state")).json();
  for (const stopped of [true, false]) {
    const typed = Promise.withResolvers<void>();
    desktop.keyboard.type = () => typed.promise;
    const typing = operator.type("a long text");
    const playing = request("POST", "/api/recording/play", {});
    await until(state, ({ state }) => state === "playing");
    await assertRejects(() => operator.move({ x: 1, y: 1 }), StateError, "a replay is running");
    if (stopped) {
      assertEquals((await request("POST", "/api/recording/stop", {})).status, 200);
      const { state: now, result } = await state();
      assertEquals([now, result.performed, result.stoppedBy], ["idle", 0, "stop"]);
    }
    let answered = false;
    const answer = playing.then(() => answered = true);
    if (stopped) await answer;
    await state();
    assertEquals([answered, desktop.log], [stopped, []]); // it answers when it has begun
    typed.resolve();
    assertEquals((await playing).status, 200);
    await typing;
    await until(state, ({ state }) => state === "idle");
    assertEquals(desktop.log.length, stopped ? 0 : 2);
  }
});

Deno.test("a stop during the start of a recording ends it", async () => {
  const desktop = new WatchedDesktop();
  const watch = desktop.observer.watch.bind(desktop.observer);
  const opened = Promise.withResolvers<void>();
  let watched = 0;
  desktop.observer.watch = async (listener) => {
    await opened.promise;
    const { close } = await watch(listener);
    watched++;
    return { close: () => (watched--, close()) };
  };
  const recorder = new Recorder(new Operator(desktop));
  recorder.load(StoredRecording.of({ ...LONG, events: [...LONG.events] }));
  const both = Promise.allSettled([recorder.start(), recorder.stop()]);
  opened.resolve();
  const [started, stopped] = await both;
  assertEquals([started.status, stopped.status], ["fulfilled", "fulfilled"]);
  assertEquals([recorder.status().state, recorder.status().events, watched], ["idle", 0, 0]);
  await recorder.start();
  assertEquals([recorder.status().state, watched], ["recording", 1]);
  await recorder.stop();

  desktop.observer.watch = () => Promise.reject(new DesktopUnavailableError("gone"));
  const tried = await Promise.allSettled([recorder.start(), recorder.stop()]);
  assertEquals([tried[0].status, tried[1].status, recorder.status().state], [
    "rejected",
    "fulfilled",
    "idle",
  ]);
});

// Recordings in files: files that are replaced, files that are left alone, and the messages.

const RECORDING = StoredRecording.of(newRecording({ x: 0, y: 0, width: 1280, height: 720 }, new Date(0)));
const POSIX = { ignore: Deno.build.os === "windows" };

const names = (folder: string) => Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();

Deno.test({ name: "saving to a link replaces its target and leaves the link", ...POSIX }, async () => {
  await temporary(async (folder) => {
    await Deno.mkdir(`${folder}/real`);
    await Deno.writeTextFile(`${folder}/real/a.json`, "old");
    await Deno.symlink("real/a.json", `${folder}/link.json`);
    await saveRecording(`${folder}/link.json`, RECORDING);
    assertEquals(await Deno.readLink(`${folder}/link.json`), "real/a.json");
    assertEquals(await Deno.readTextFile(`${folder}/real/a.json`), textOf(RECORDING));
    assertEquals([names(folder), names(`${folder}/real`)], [["link.json", "real"], ["a.json"]]);
  });
});

Deno.test({ name: "saving to a named pipe is refused", ...need("mkfifo") }, async () => {
  await temporary(async (folder) => {
    await new Deno.Command("mkfifo", { args: [`${folder}/pipe`] }).output();
    await Deno.symlink("pipe", `${folder}/link`);
    for (const file of [`${folder}/pipe`, `${folder}/link`]) {
      const error = await assertRejects(() => saveRecording(file, RECORDING), InputError);
      assertEquals(error.message, `cannot save ${file}: it is not a file`);
    }
    assertEquals(Deno.lstatSync(`${folder}/pipe`).isFifo, true);
    assertEquals(names(folder), ["link", "pipe"]);
  });
});

Deno.test({ name: "the message of a failed save names the requested file", ...POSIX }, async () => {
  await temporary(async (folder) => {
    const long = `${folder}/${"x".repeat(300)}`;
    const cases: [file: string, message: RegExp][] = [
      [folder, /: it is not a file$/],
      [`${folder}/none/a.json`, /: there is no folder \S+\/none$/],
      [long, /: File name too long \(os error \d+\)$/],
    ];
    for (const [file, message] of cases) {
      const said = (await assertRejects(() => saveRecording(file, RECORDING), InputError)).message;
      assertEquals([said, message.test(said)], [said, true]);
    }
    assertEquals(names(folder), []);
  });
});

Deno.test({
  name: "a file that Deno does not let programs access is refused with the reason",
  ignore: Deno.build.os !== "linux",
  permissions: { read: true, write: true }, // listed, like an executable's
}, async () => {
  const said = (await assertRejects(() => loadRecording("/proc/uptime"), InputError)).message;
  assertEquals(
    said,
    "cannot load /proc/uptime: deskhand cannot access files in /dev, /proc and /sys, except /dev/null",
  );
});

// The stream of input events: watched while there are listeners, and bounded.

/** The pointer moves, as if by a person. */
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

Deno.test("a watch that fails after its listener has left does not forget the next listener's", async () => {
  const desktop = new WatchedDesktop(), events = new EventStream(desktop);
  const watch = desktop.observer.watch.bind(desktop.observer);
  const refused = Promise.withResolvers<never>(), [first, second] = [0, 1].map(() => new AbortController());
  desktop.observer.watch = () => refused.promise;
  const failed = assertRejects(() => events.answer(first.signal), DesktopUnavailableError, "gone");
  first.abort();
  desktop.observer.watch = watch;
  await events.answer(second.signal);
  refused.reject(new DesktopUnavailableError("gone"));
  await failed;
  assertEquals(desktop.listeners.size, 1);
  second.abort();
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
  await assertRejects(ask, BusyError, "32 clients are already listening");
  leaving[7].abort();
  assertEquals((await ask()).status, 200);
  for (const controller of leaving) controller.abort();
});
