/** Reading a folder with more entries than are described at once. */

import { assertEquals } from "@std/assert";
import type { Entry } from "../../files/listing/entries.ts";
import { ordered, readEntries } from "../../files/listing/read.ts";
import { Root } from "../../files/resolve.ts";
import { findSecrets } from "../../files/secrets.ts";
import { served } from "../support/files.ts";

Deno.test({
  name: "a folder of several blocks has each entry that may be served, with its own size and time",
  ignore: Deno.build.os === "windows",
}, async () => {
  await served(async (path) => {
    for (let i = 0; i < 2600; i++) {
      Deno.writeTextFileSync(`${path}/${i}`, "x".repeat(i % 100));
      Deno.utimeSync(`${path}/${i}`, i, 1_000_000 + i);
    }
    for (let i = 0; i < 50; i++) {
      Deno.mkdirSync(`${path}/folder ${i}`);
      Deno.symlinkSync(`${i}`, `${path}/link ${i}`);
      Deno.symlinkSync("../secret.txt", `${path}/out ${i}`);
      Deno.linkSync(`${path}/7`, `${path}/secret ${i}`);
      Deno.writeTextFileSync(`${path}/.hidden ${i}`, "");
    }
    const secrets = findSecrets({ files: [`${path}/7`] });
    const root = new Root(path, { secrets: () => secrets, hidden: true });
    const read = (await readEntries(root, { real: path, lexicalPath: path }, {}))!;
    const expected: Entry[] = [];
    for (let i = 0; i < 50; i++) expected.push({ name: `folder ${i}`, size: undefined, modified: null });
    for (let i = 0; i < 2600; i++) if (i !== 7) expected.push(file(`${i}`, i));
    for (let i = 0; i < 50; i++) if (i !== 7) expected.push(file(`link ${i}`, i));
    const byName = (entries: Iterable<Entry>) =>
      [...entries].map((entry) => entry.size === undefined ? { ...entry, modified: null } : entry)
        .sort((a, b) => a.name < b.name ? -1 : 1);
    const order = ordered(read, { sort: "name", descending: false });
    assertEquals(byName(read.inOrder(order)), byName(expected));
  });
});

/** The entry of a file that the test made, or of a link to it. */
function file(name: string, number: number): Entry {
  return { name, size: number % 100, modified: (1_000_000 + number) * 1000 };
}
