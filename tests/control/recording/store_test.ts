/** Recordings in files: files that are replaced, files that are kept, and the messages. */

import { assertEquals, assertRejects } from "@std/assert";
import { newRecording } from "../../../control/recording/format.ts";
import { textOf } from "../../support/recordings.ts";
import { loadRecording, saveRecording } from "../../../control/recording/store.ts";
import { StoredRecording } from "../../../control/recording/stored.ts";
import { InputError } from "../../../core/errors.ts";
import { need } from "../../support/need.ts";
import { temporary } from "../../support/temporary.ts";

const RECORDING = StoredRecording.of(newRecording({ x: 0, y: 0, width: 1280, height: 720 }, new Date(0)));
const POSIX = { ignore: Deno.build.os === "windows" };

const names = (folder: string) => Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();

Deno.test({ name: "saving to a link replaces its target and keeps the link", ...POSIX }, async () => {
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

Deno.test({ name: "saving to a pipe is refused", ...need("mkfifo") }, async () => {
  await temporary(async (folder) => {
    await new Deno.Command("mkfifo", { args: [`${folder}/pipe`] }).output();
    await Deno.symlink("pipe", `${folder}/link`);
    for (const file of [`${folder}/pipe`, `${folder}/link`]) {
      const error = await assertRejects(() => saveRecording(file, RECORDING), InputError);
      assertEquals(error.message, `cannot save ${file}: it is no file`);
    }
    assertEquals(Deno.lstatSync(`${folder}/pipe`).isFifo, true);
    assertEquals(names(folder), ["link", "pipe"]);
  });
});

Deno.test({ name: "the message of a failed save names the file that was asked for", ...POSIX }, async () => {
  await temporary(async (folder) => {
    const long = `${folder}/${"x".repeat(300)}`;
    const cases: [file: string, message: RegExp][] = [
      [folder, /: it is no file$/],
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
  name: "a file that Deno closes to programs is refused with the reason",
  ignore: Deno.build.os !== "linux",
  permissions: { read: true, write: true }, // listed, as an executable's are
}, async () => {
  const said = (await assertRejects(() => loadRecording("/proc/uptime"), InputError)).message;
  assertEquals(
    said,
    "cannot load /proc/uptime: what is in /dev, /proc and /sys is closed to deskhand, /dev/null apart",
  );
});
