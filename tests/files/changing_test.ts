/** Files that change, vanish or lose their client while they are served. */

import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FileChangedError } from "../../core/errors.ts";
import { openToReadSync } from "../../files/open_file.ts";
import { readAtOnce } from "../../files/read.ts";
import { LATER, served, statusOf } from "../support/uploads.ts";
import { temporary, until } from "../support/shell.ts";

Deno.test("a range of a cached file comes from its current version", async () => {
  await served(async (root, ask) => {
    for (const size of [5000, 500_000, 5_000_000]) { // content cached; metadata cached; streamed
      const file = `${root}/${size}.bin`;
      const settle = () => Deno.utimeSync(file, Date.now() / 1000 - size, Date.now() / 1000 - 60);
      const ranged = async (range: string) => {
        const response = await ask(`/${size}.bin`, { headers: { range } });
        return [response.status, [...new Set(await response.bytes())]];
      };
      Deno.writeFileSync(file, new Uint8Array(size).fill(1));
      settle();
      for (let i = 0; i < 3; i++) {
        assertEquals(await ranged("bytes=10-19"), [206, [1]]);
        assertEquals(await ranged("bytes=0-"), [206, [1]]);
        assertEquals(await ranged(`bytes=${size}-`).then(([status]) => status), 416);
      }
      Deno.writeFileSync(file, new Uint8Array(size).fill(2)); // the same size, another time
      assertEquals(await ranged("bytes=10-19"), [206, [2]]);
      settle();
      for (let i = 0; i < 3; i++) assertEquals(await ranged("bytes=10-19"), [206, [2]]);
      Deno.writeFileSync(`${file}.new`, new Uint8Array(size).fill(3));
      Deno.renameSync(`${file}.new`, file);
      assertEquals(await ranged("bytes=10-19"), [206, [3]]);
      settle();
      for (let i = 0; i < 3; i++) assertEquals(await ranged("bytes=-7"), [206, [3]]);
      Deno.truncateSync(file, 15);
      assertEquals(await ranged("bytes=10-19"), [206, [3]]);
      assertEquals((await (await ask(`/${size}.bin`)).bytes()).length, 15);
      Deno.removeSync(file);
      assertEquals(await statusOf(ask(`/${size}.bin`)), 404);
      Deno.mkdirSync(file);
      assertEquals(await statusOf(ask(`/${size}.bin`)), 301);
    }
  }, { clock: LATER });
});

Deno.test("a file that grows between planning and reading is answered as planned, under a weak tag", async () => {
  return await temporary(async (folder) => {
    const path = `${folder}/busy.log`;
    await Deno.writeTextFile(path, "0123456789");
    const opened = () => {
      const file = openToReadSync(path);
      return { file, info: file.statSync() };
    };
    const pieces = [{ start: 3, end: 8 }];
    for (const [change, mayGrow, expected] of CHANGES) {
      await Deno.writeTextFile(path, "0123456789");
      await Deno.utime(path, 1e9, 1e9); // makes any later change visible in the time
      const open = opened();
      change(path);
      const read = readAtOnce(open, pieces, mayGrow, (call) => call());
      if (expected === undefined) await assertRejects(() => read, FileChangedError);
      else assertEquals(new TextDecoder().decode(await read), expected);
      assertThrows(() => open.file.statSync(), Deno.errors.BadResource);
    }
  });
});

/** Changes to an open ten-byte file, whether it may grow, and the bytes that are then read. */
const CHANGES: [change: (path: string) => void, mayGrow: boolean, read: string | undefined][] = [
  [() => {}, false, "345678"],
  [(path) => Deno.writeTextFileSync(path, "more", { append: true }), true, "345678"],
  [(path) => Deno.writeTextFileSync(path, "more", { append: true }), false, undefined],
  [(path) => Deno.writeTextFileSync(path, "9876543210"), true, undefined],
  [(path) => Deno.truncateSync(path, 9), true, undefined],
  [(path) => Deno.truncateSync(path, 5), true, undefined],
  [(path) => Deno.removeSync(path), false, "345678"],
];

/** Larger than everything buffered between file and reader, which is three chunks of 512 KiB. */
const LARGE = 8_000_000;

Deno.test("a large file that changes while it is sent aborts the answer", async () => {
  await served(async (root, ask) => {
    const file = `${root}/big.bin`;
    for (
      const change of [
        () => Deno.truncateSync(file, 1_000_000),
        () => Deno.writeFileSync(file, new Uint8Array(LARGE + 1_000_000)),
        () => { // of the same length
          using same = Deno.openSync(file, { write: true });
          same.writeSync(new Uint8Array(LARGE).fill(9));
        },
        () => { // with the same time
          const { mtime } = Deno.statSync(file);
          Deno.writeFileSync(file, new Uint8Array(LARGE + 1_000_000));
          Deno.utimeSync(file, mtime!, mtime!);
        },
      ]
    ) {
      await Deno.writeFile(file, new Uint8Array(LARGE).fill(1));
      await Deno.utime(file, 1e9, 1e9); // makes any later change visible in the time
      const response = await ask("/big.bin");
      const reader = response.body!.getReader();
      await reader.read();
      change(); // while the reader pauses: most of the file is still unread
      await assertRejects(async () => {
        while (!(await reader.read()).done);
      }, FileChangedError);
    }
  });
});

Deno.test("a large file that grows while it is sent is sent at its original length", async () => {
  await served(async (root, ask) => {
    const file = `${root}/big.log`;
    await Deno.writeFile(file, new Uint8Array(LARGE).fill(1));
    const response = await ask("/big.log");
    const reader = response.body!.getReader();
    let length = (await reader.read()).value!.length;
    for (let part; !(part = await reader.read()).done;) {
      length += part.value.length;
      Deno.writeFileSync(file, new Uint8Array(1000).fill(2), { append: true });
    }
    assertEquals([length, response.headers.get("content-length")], [LARGE, `${LARGE}`]);
    assertEquals(response.headers.get("etag")?.slice(0, 2), "W/");
    assertEquals(Deno.statSync(file).size > LARGE, true);
  });
});

Deno.test("a large file that is renamed, linked, removed or changes permissions is sent to its end", async () => {
  await served(async (root, ask) => {
    const file = `${root}/big.bin`;
    for (
      const change of [
        () => Deno.linkSync(file, `${root}/link.bin`),
        () => Deno.build.os === "windows" || Deno.chmodSync(file, 0o600),
        () => Deno.renameSync(file, `${root}/renamed.bin`),
        () => Deno.removeSync(file),
      ]
    ) {
      await Deno.writeFile(file, new Uint8Array(LARGE).fill(2));
      const reader = (await ask("/big.bin")).body!.getReader();
      let length = (await reader.read()).value!.length;
      await laterSecond(Deno.statSync(file).ctime);
      change();
      for (let read; !(read = await reader.read()).done;) length += read.value.length;
      assertEquals(length, LARGE);
    }
  });
});

/** Waits until another change has another time: Deno reports the last change in whole seconds. */
async function laterSecond(ctime: Date | null) {
  if (ctime) await until(() => Date.now() >= ctime.getTime() + 1000);
}

Deno.test({
  name: "a file is closed once it is sent, or its client left",
  ignore: Deno.build.os !== "linux",
}, async () => {
  await served(async (root, ask) => {
    await Deno.writeFile(`${root}/big.bin`, new Uint8Array(8_000_000));
    await Deno.writeFile(`${root}/small.bin`, new Uint8Array(800));
    const open = () => [...Deno.readDirSync("/proc/self/fd")].length;
    const before = open();
    for (let i = 0; i < 20; i++) {
      await (await ask("/big.bin")).bytes();
      await (await ask("/small.bin")).bytes();
      const left = await ask("/big.bin");
      const reader = left.body!.getReader();
      await reader.read();
      await reader.cancel();
      await ask("/big.bin", { method: "HEAD" });
    }
    // A read in flight when its client leaves ends first.
    await until(open, (now) => now <= before);
  });
});
