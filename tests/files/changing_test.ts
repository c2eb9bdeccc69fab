/** Files that change, vanish or are left by their client while they are served. */

import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { LATER, served, statusOf } from "../support/files.ts";
import { until } from "../support/until.ts";

Deno.test("ranges of a file that is known are of its present version, or none", async () => {
  await served(async (root, ask) => {
    for (const size of [5000, 500_000, 5_000_000]) { // kept whole; kept in part; streamed
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

Deno.test("a small file that grows while it is read is answered as it was; one that is written anew is not", async () => {
  await served(async (root, ask, reported) => {
    const file = `${root}/busy.log`;
    const { readSync } = Deno.FsFile.prototype;
    const whenRead = async (change: () => void, path: string, init?: RequestInit) => {
      Deno.FsFile.prototype.readSync = function (buffer) {
        const read = readSync.call(this, buffer);
        change();
        return read;
      };
      try {
        return await ask(path, init);
      } finally {
        Deno.FsFile.prototype.readSync = readSync;
      }
    };
    for (const size of [10, 900_000]) {
      Deno.writeFileSync(file, new Uint8Array(size).fill(7));
      const grow = () => Deno.writeTextFileSync(file, "more", { append: true });
      const whole = await whenRead(grow, "/busy.log");
      assertEquals([whole.status, await whole.bytes()], [200, new Uint8Array(size).fill(7)]);
      const range = await whenRead(grow, "/busy.log", { headers: { range: "bytes=3-8" } });
      assertEquals([range.status, await range.bytes()], [206, new Uint8Array(6).fill(7)]);
      assertMatch(range.headers.get("etag")!, /^W\//);
      let version = 7;
      const rewrite = () => Deno.writeFileSync(file, new Uint8Array(size + version).fill(++version));
      const refused = await whenRead(rewrite, "/busy.log");
      await refused.body?.cancel();
      assertEquals([refused.status, refused.headers.get("retry-after")], [503, "1"]);
      assertEquals((await ask("/busy.log")).status, 200);
    }
    assertEquals(reported, []);
  });
});

/** Waits until another change has another time: Deno tells that of the last change in whole seconds; Windows has none. */
async function laterSecond(ctime: Date | null) {
  if (ctime) await until(() => Date.now() >= ctime.getTime() + 1000);
}

Deno.test("a large file that changes while it is sent ends the answer", async () => {
  await served(async (root, ask) => {
    const file = `${root}/big.bin`;
    for (
      const change of [
        () => Deno.truncateSync(file, 1_000_000),
        () => Deno.writeFileSync(file, new Uint8Array(9_000_000)),
        () => Deno.writeFileSync(file, new Uint8Array(1), { append: true }),
        () => { // as long as before
          using same = Deno.openSync(file, { write: true });
          same.writeSync(new Uint8Array(8_000_000).fill(9));
        },
        () => { // at the same time as before
          const { mtime } = Deno.statSync(file);
          Deno.writeFileSync(file, new Uint8Array(9_000_000));
          Deno.utimeSync(file, mtime!, mtime!);
        },
        async () => { // as long as before, at the same time as before
          const { mtime, ctime } = Deno.statSync(file);
          await laterSecond(ctime);
          using same = Deno.openSync(file, { write: true });
          same.writeSync(new Uint8Array(8_000_000).fill(9));
          if (ctime) same.utimeSync(mtime!, mtime!);
        },
      ]
    ) {
      await Deno.writeFile(file, new Uint8Array(8_000_000).fill(1));
      const response = await ask("/big.bin");
      const reader = response.body!.getReader();
      await reader.read();
      await new Promise((resolve) => setTimeout(resolve, 20));
      await change();
      await assertRejects(async () => {
        while (!(await reader.read()).done);
      });
    }
    // One that is removed or replaced under its name is sent to its end, and one that gets other rights or a further
    // name: the open file is still the same.
    for (
      const change of [
        () => Deno.linkSync(file, `${root}/link.bin`),
        () => Deno.build.os === "windows" || Deno.chmodSync(file, 0o600),
        () => Deno.removeSync(file),
      ]
    ) {
      await Deno.writeFile(file, new Uint8Array(8_000_000).fill(2));
      const reader = (await ask("/big.bin")).body!.getReader();
      let length = (await reader.read()).value!.length;
      await laterSecond(Deno.statSync(file).ctime);
      change();
      for (let read; !(read = await reader.read()).done;) length += read.value.length;
      assertEquals(length, 8_000_000);
    }
  });
});

Deno.test({
  name: "files are closed when they were sent, or their client left",
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
    // A read that was under way when its client left is ended first.
    await until(open, (now) => now === before);
  });
});
