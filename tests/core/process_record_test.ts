/** Records of processes that start and end at the same time. */

import { assertEquals } from "@std/assert";
import { ProcessRecord } from "../../core/process_record.ts";
import { temporary } from "../support/shell.ts";

Deno.test("a record that another process removes before it is locked is created again", () =>
  temporary((folder) => {
    const recordOf = () => new ProcessRecord<number>("kind", JSON.parse, (name) => `${folder}/${name}`);
    const written = () =>
      Array.from(Deno.readDirSync(folder), ({ name }) => Deno.readTextFileSync(`${folder}/${name}`));
    const record = recordOf(), { lockSync } = Deno.FsFile.prototype;
    Deno.FsFile.prototype.lockSync = function (isExclusive) {
      Deno.FsFile.prototype.lockSync = lockSync;
      recordOf().takeLeft(() => true, () => {}); // sees the new file before it is locked
      lockSync.call(this, isExclusive);
    };
    record.write(7);
    assertEquals(written(), ["7\n"]);
    record.clear();
    assertEquals(written(), []);
  }));
