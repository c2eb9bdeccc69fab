/** Remains of a recording after a crash. */

import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { newRecording } from "../../../control/recording/format.ts";
import { Journal, journalName } from "../../../control/recording/journal.ts";
import { leftJournals, recover } from "../../../control/recording/loading.ts";
import { InputError } from "../../../core/errors.ts";
import { temporary } from "../../support/temporary.ts";

const HEAD = newRecording({ x: 0, y: 0, width: 1280, height: 720 }, new Date(0));
const move = (t: number) => ({ t, type: "move" as const, x: t, y: 1 });

/** Runs with a folder of its own. */
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

Deno.test("the newest journal that was left behind is recovered, whether its last line is whole or cut off", async () => {
  await inFolder(async (folder) => {
    await assertRejects(() => recover(folder), InputError, "there is no recording to recover");
    const { events: _, ...head } = HEAD;
    const lines = [JSON.stringify(head), JSON.stringify(move(1)), JSON.stringify(move(2))];
    leave(folder, [lines[0], ""], new Date(1000));
    leave(folder, [...lines, '{"t":3,"ty'], new Date(2000));
    // A file that is no journal, or cannot be opened, hides no journal.
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
      const [, aside] = /it is now (.*)$/.exec(message)!;
      assertEquals(Deno.statSync(aside).isFile, true);
    }
    assertEquals((await recover(folder)).recording.events, [move(1)]);
  });
});

Deno.test("a journal is removed when its recording is saved, and a folder that cannot be written is reported once", async () => {
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
    journal.append([move(3)]); // nothing is kept of what comes now
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

Deno.test("a recording of another desktop is not announced, and recovered where there is none of this one", async () => {
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
