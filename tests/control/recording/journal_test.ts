/** Recordings after a crash. */

import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { newRecording, type RecordedEvent } from "../../../control/recording/format.ts";
import {
  Journal,
  journalName,
  leftJournals,
  readRecording,
  recover,
} from "../../../control/recording/files.ts";
import { Operator } from "../../../control/operator/operator.ts";
import { Recorder } from "../../../control/recording/recorder.ts";
import { StoredRecording } from "../../../control/recording/stored.ts";
import { inTurns } from "../../../core/until.ts";
import { BusyError, InputError } from "../../../core/errors.ts";
import { VirtualDesktop } from "../../../ffi/virtual/mod.ts";
import { workersStarted } from "../../support/program.ts";
import { formatRecording, textOf } from "../../support/recordings.ts";
import { temporary } from "../../support/shell.ts";

const HEAD = newRecording({ x: 0, y: 0, width: 1280, height: 720 }, new Date(0));
const move = (t: number) => ({ t, type: "move" as const, x: t, y: 1 });

/** Runs with its own folder. */
async function inFolder(use: (folder: string) => void | Promise<void>) {
  await temporary(async (folder) => {
    await use(folder);
  });
}

/** A journal as a crash leaves it: no process holds it open. */
function leave(folder: string, lines: string[], modified: Date) {
  const path = `${folder}/recording-${crypto.randomUUID()}.journal`;
  Deno.writeTextFileSync(path, lines.join("\n"));
  Deno.utimeSync(path, modified, modified);
}

Deno.test("the newest leftover journal is recovered, whether its last line is complete or truncated", async () => {
  await inFolder(async (folder) => {
    await assertRejects(() => recover(folder), InputError, "there is no recording to recover");
    const { events: _, ...head } = HEAD;
    const lines = [JSON.stringify(head), JSON.stringify(move(1)), JSON.stringify(move(2))];
    leave(folder, [lines[0], ""], new Date(1000));
    leave(folder, [...lines, '{"t":3,"ty'], new Date(2000));
    // A file that is not a journal, or cannot be opened, hides no journal.
    Deno.symlinkSync(`${folder}/nothing`, `${folder}/recording-${crypto.randomUUID()}.journal`);
    Deno.writeTextFileSync(`${folder}/recording-x.journal`, "");
    assertEquals(leftJournals(folder).map(({ modified }) => modified.getTime()), [2000, 1000]);
    const { recording, discard } = await recover(folder);
    assertEquals(recording.events, [move(1), move(2)]);
    discard();
    assertEquals((await recover(folder)).recording.events, []);
  });
  assertEquals(leftJournals("/nowhere"), []);
});

Deno.test("a damaged journal is renamed, and does not hide an older one", async () => {
  await inFolder(async (folder) => {
    const { events: _, ...head } = HEAD;
    leave(folder, [JSON.stringify(head), JSON.stringify(move(1)), ""], new Date(1000));
    leave(folder, ["\0\0\0", JSON.stringify(move(2)), ""], new Date(2000));
    leave(folder, [JSON.stringify(head), '{"t":1,"type":"teleport"}', ""], new Date(3000));
    for (const why of [/events\[0\]\.type must be/, /JSON/]) {
      const { message } = await assertRejects(() => recover(folder), InputError);
      assertMatch(message, why);
      const [, aside] = /it was renamed to (.*)$/.exec(message)!;
      assertEquals(Deno.statSync(aside).isFile, true);
    }
    assertEquals((await recover(folder)).recording.events, [move(1)]);
  });
});

Deno.test("a journal is removed when its recording is saved, and an unwritable folder is reported once", async () => {
  await inFolder((folder) => {
    const notices: string[] = [];
    const journal = new Journal(folder, "x11 :7", (text) => notices.push(text));
    journal.begin({ ...HEAD, events: [move(1)] });
    journal.append([move(2)]);
    journal.flush();
    const [name] = [...Deno.readDirSync(folder)].map(({ name }) => name);
    assertEquals(Deno.readTextFileSync(`${folder}/${name}`).trimEnd().split("\n").length, 3);
    journal.discard();
    assertEquals([...Deno.readDirSync(folder)], []);
    journal.append([move(3)]); // none of these events are stored
    journal.flush();
    assertEquals([[...Deno.readDirSync(folder)], notices], [[], []]);
  });
  const notices: string[] = [];
  const nowhere = new Journal("/nowhere", "x11 :7", (text) => notices.push(text));
  nowhere.begin(HEAD);
  nowhere.append([move(1)]);
  nowhere.flush();
  assertEquals(notices.length, 1);
});

Deno.test("a recording is on disk when its stop is answered", async () => {
  await inFolder(async (folder) => {
    const operator = new Operator(new VirtualDesktop());
    const recorder = new Recorder(operator, new Journal(folder, "virtual", () => {}));
    await recorder.start();
    await operator.move({ x: 7, y: 8 });
    await recorder.stop();
    const [{ name }] = [...Deno.readDirSync(folder)];
    assertMatch(Deno.readTextFileSync(`${folder}/${name}`), /"type":"move","x":7,"y":8/);
    recorder.discard();
  });
});

Deno.test("another desktop's recording is not announced, and recovered if this one has none", async () => {
  await inFolder(async (folder) => {
    for (
      const [desktop, events] of [["x11 :7", [move(7)]], ["wayland /run/user/7/wayland-0", [
        move(1),
        move(2),
      ]]] as const
    ) {
      const { events: _, ...head } = HEAD, lines = [head, ...events].map((entry) => JSON.stringify(entry));
      Deno.writeTextFileSync(`${folder}/${journalName(desktop)}`, [...lines, ""].join("\n"));
    }
    assertEquals(leftJournals(folder).length, 2);
    assertEquals(leftJournals(folder, "x11 :8"), []);
    assertEquals(leftJournals(folder, "x11 :7").length, 1);
    for (const events of [[move(7)], [move(1), move(2)]]) {
      const { recording, discard } = await recover(folder, "x11 :7");
      assertEquals(recording.events, events);
      discard();
    }
  });
});

// Recordings that are read on their own thread, and how they are stored.

/** The reading thread stays for a while after the last recording. */
const THREAD = { sanitizeOps: false, sanitizeResources: false };

const moveEvent = (t: number): RecordedEvent => ({ t, type: "move", x: t % 1000, y: 1 });
const key = (t: number, down: boolean): RecordedEvent => ({ t, type: "key", key: "a", down });

/** A file with this many moves; from 5000 on it is too large to be read in one go. */
const file = (moves: number) => ({ ...HEAD, events: Array.from({ length: moves }, (_, t) => moveEvent(t)) });
/** Bytes in pieces that cut through lines and characters. */
function pieces(text: string): Uint8Array<ArrayBuffer>[] {
  const bytes = new TextEncoder().encode(text);
  const cut: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < bytes.length; at += 65_521) cut.push(bytes.slice(at, at + 65_521));
  return cut;
}

for (const count of [0, 1, 999, 1000, 1001, 20_000]) {
  Deno.test(
    { name: `a recording of ${count} events is read, stored and written unchanged`, ...THREAD },
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
  { name: "a large recording is balanced when it is read, like a small one", ...THREAD },
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
  name: "an invalid large recording is refused with the same message as a small one",
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
      "this is not a recording: it is not valid JSON",
    );
  }
});

Deno.test({
  name: "large recordings are read one after the other, and too many at a time are refused",
  ...THREAD,
}, async () => {
  const text = formatRecording(file(20_000));
  const reads = await Promise.allSettled(Array.from({ length: 7 }, () => readRecording(pieces(text))));
  const refused = reads.filter((read) => read.status === "rejected");
  assertEquals(refused.map(({ reason }) => reason instanceof BusyError), [true, true]);
  assertEquals((await readRecording(pieces(text))).count, 20_000);
});

Deno.test(
  { name: "one thread reads all recordings, since starting it delays requests", ...THREAD },
  async () => {
    const text = formatRecording(file(20_000)), read = () => readRecording(pieces(text));
    await read();
    assertEquals(await workersStarted(read), 0);
  },
);

Deno.test({ name: "other work gets its turn between the pieces of long work", ...THREAD }, async () => {
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
