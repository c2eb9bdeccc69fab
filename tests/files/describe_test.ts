/** Reading a large folder with the help of another thread. */

import { assert, assertEquals } from "@std/assert";
import { DescribeHelper } from "../../files/listing/describe.ts";
import type { Entry } from "../../files/listing/entry.ts";
import { ordered } from "../../files/listing/order.ts";
import { readEntries } from "../../files/listing/read.ts";
import { Root } from "../../files/resolve.ts";
import { findSecrets } from "../../files/secrets.ts";
import { served } from "../support/files.ts";

Deno.test({
  name: "a folder that a thread helps to read has the same entries as without",
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
    const folder = { real: path, lexicalPath: path };
    const read = async (helper?: DescribeHelper): Promise<Entry[]> => {
      const entries = (await readEntries(root, folder, { helper }))!;
      return [...entries.inOrder(ordered(entries, { sort: "name", descending: false }))];
    };
    const alone = await read();
    assertEquals(alone.length, 2600 - 1 + 50 + 50 - 1); // the secret, and the link to it
    let parts = 0;
    using helper = new DescribeHelper(root, folder, 1000);
    const { describe } = DescribeHelper.prototype;
    helper.describe = (...part) => (parts++, describe.apply(helper, part));
    assertEquals(await read(helper), alone);
    assert(parts > 0, "the thread had nothing to do");
  });
});
