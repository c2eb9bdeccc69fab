/** Recordings that are read on a thread of their own, and how they are kept. */

import { assertEquals, assertRejects } from "@std/assert";
import { newRecording, type RecordedEvent } from "../../../control/recording/format.ts";
import { readRecording } from "../../../control/recording/loading.ts";
import { StoredRecording } from "../../../control/recording/stored.ts";
import { inTurns } from "../../../control/recording/turns.ts";
import { BusyError, InputError } from "../../../core/errors.ts";
import { formatRecording, textOf } from "../../support/recordings.ts";
import { workersStarted } from "../../support/workers.ts";

/** The thread that reads stays for a while after the last recording. */
const THREAD = { sanitizeOps: false, sanitizeResources: false };
const HEAD = newRecording({ x: 0, y: 0, width: 1280, height: 720 }, new Date(0));
const move = (t: number): RecordedEvent => ({ t, type: "move", x: t % 1000, y: 1 });
const key = (t: number, down: boolean): RecordedEvent => ({ t, type: "key", key: "a", down });

/** A file of so many moves; from 5000 on it is too large to be read at once. */
const file = (moves: number) => ({ ...HEAD, events: Array.from({ length: moves }, (_, t) => move(t)) });
/** Bytes in pieces that cut through lines and characters. */
function pieces(text: string): Uint8Array<ArrayBuffer>[] {
  const bytes = new TextEncoder().encode(text);
  const cut: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < bytes.length; at += 65_521) cut.push(bytes.slice(at, at + 65_521));
  return cut;
}

for (const count of [0, 1, 999, 1000, 1001, 20_000]) {
  Deno.test(
    { name: `a recording of ${count} events is read, kept and written without change`, ...THREAD },
    async () => {
      const recording = file(count), text = formatRecording(recording);
      const stored = await readRecording(pieces(text));
      assertEquals([stored.count, stored.parts.lastMs], [count, Math.max(0, count - 1)]);
      assertEquals({ ...stored.head, events: stored.events }, recording);
      assertEquals(textOf(stored), text);
      assertEquals(stored.size, new TextEncoder().encode(text).length);
      assertEquals(textOf(await StoredRecording.inTurns(recording)), text);
      assertEquals(JSON.parse(text), recording);
    },
  );
}

Deno.test(
  { name: "a large recording is balanced when it is read, as a small one is", ...THREAD },
  async () => {
    for (const count of [10, 20_000]) {
      const { events } = file(count);
      const unbalanced = { ...HEAD, events: [key(0, false), ...events, key(count, true)] };
      const stored = await readRecording(pieces(formatRecording(unbalanced)));
      assertEquals(stored.events, [...events, key(count, true), key(count, false)]);
    }
  },
);

Deno.test({
  name: "a large recording that is wrong is refused with the same message as a small one",
  ...THREAD,
}, async () => {
  for (const count of [10, 20_000]) {
    const { events } = file(count);
    const wrong = { ...HEAD, events: [...events, { t: count, type: "move", x: 0.5, y: 1 }] };
    const message = `events[${count}].x must be a whole number from -1000000 to 1000000, not 0.5`;
    await assertRejects(() => readRecording(pieces(JSON.stringify(wrong))), InputError, message);
    const cut = JSON.stringify(file(count)).slice(0, -1);
    await assertRejects(
      () => readRecording(pieces(cut)),
      InputError,
      "this is no recording: it is not valid JSON",
    );
  }
});

Deno.test({
  name: "large recordings are read one after the other, and too many at once are refused",
  ...THREAD,
}, async () => {
  const text = formatRecording(file(20_000));
  const reads = await Promise.allSettled(Array.from({ length: 7 }, () => readRecording(pieces(text))));
  const refused = reads.filter((read) => read.status === "rejected");
  assertEquals(refused.map(({ reason }) => reason instanceof BusyError), [true, true]);
  assertEquals((await readRecording(pieces(text))).count, 20_000);
});

Deno.test(
  { name: "one thread reads all recordings, since its start keeps requests waiting", ...THREAD },
  async () => {
    const text = formatRecording(file(20_000)), read = () => readRecording(pieces(text));
    await read();
    assertEquals(await workersStarted(read), 0);
  },
);

Deno.test({ name: "other work has its turn between the pieces of long work", ...THREAD }, async () => {
  function* longWork() {
    for (let piece = 0; piece < 20; piece++) {
      for (const start = performance.now(); performance.now() - start < 3;);
      yield piece;
    }
  }
  let turns = 0;
  const other = setInterval(() => turns++, 0);
  const done: number[] = [];
  for await (const piece of inTurns(longWork())) done.push(piece);
  clearInterval(other);
  assertEquals(done, Array.from({ length: 20 }, (_, piece) => piece));
  assertEquals(turns >= 5, true, `${turns} turns`);
});
