/** An archive's walk, and its limits. */

import { assertEquals, assertThrows } from "@std/assert";
import { BusyError, InputError, StateError } from "../../../core/errors.ts";
import { Archives } from "../../../files/archive/archives.ts";
import { memberAt, type Source, walk } from "../../../files/archive/members.ts";
import { Root } from "../../../files/resolve.ts";
import { served, statusOf, THREAD } from "../../support/uploads.ts";
import { temporary } from "../../support/shell.ts";
import { workersStarted } from "../../support/program.ts";

Deno.test({ name: "a member that changes ends the archive being sent", ...THREAD }, async () => {
  await served(async (root, ask) => {
    const changes: ((file: string) => unknown)[] = [
      (file) => Deno.truncate(file, 5),
      (file) => Deno.utime(file, 1e9, 1e9),
      (file) => Deno.remove(file),
      (file) => Deno.rename(`${root}/../other`, file),
    ];
    for (const change of changes) {
      for (const file of ["../other", "z.bin"]) {
        await Deno.writeFile(`${root}/${file}`, new Uint8Array(3_000_000));
      }
      const reader = (await ask("/?archive=zip")).body!.getReader();
      await reader.read();
      await change(`${root}/z.bin`);
      let message = "";
      try {
        while (!(await reader.read()).done);
      } catch (error) {
        message = (error as Error).message;
      }
      assertEquals(message, "files/z.bin changed while being archived", `${change}`);
    }
  });
});

Deno.test("a folder with too many entries has no archive", async () => {
  await temporary(async (folder) => {
    const real = await Deno.realPath(folder);
    for (const name of "abc") await Deno.writeTextFile(`${real}/${name}`, "");
    const source = sourceOf(real);
    const { names } = walk(source, { limit: 4 });
    assertEquals(names.starts.length, 5);
    assertThrows(() => walk(source, { limit: 3 }), InputError, "The folder has more than 3 entries");
  });
});

Deno.test("a walk ends when it takes too long, or is no longer wanted", async () => {
  await temporary(async (folder) => {
    const source = sourceOf(await Deno.realPath(folder)), stop = new Int32Array(new SharedArrayBuffer(4));
    assertThrows(
      () => walk(source, { longestMs: -1 }),
      BusyError,
      "Listing the folder took more than",
    );
    walk(source, { stop });
    stop[0] = 1;
    assertThrows(() => walk(source, { stop }), StateError, "the archive was cancelled");
  });
});

Deno.test({
  ignore: Deno.build.os === "windows",
  name: "links to folders are followed once each, so that two per level do not double the members",
}, async () => {
  await temporary(async (folder) => {
    const real = await Deno.realPath(folder), levels = 40;
    for (let i = 0; i < levels; i++) {
      await Deno.mkdir(`${real}/d${i}`);
      await Deno.writeTextFile(`${real}/d${i}/file`, "");
      for (const name of i ? "xy" : "") await Deno.symlink(`../d${i}`, `${real}/d${i - 1}/${name}`);
    }
    const { count } = walk(sourceOf(real), { limit: 1000 });
    // Itself; each folder and its file, at its own path and once through a link; no link leads to d0.
    assertEquals(count, 1 + 2 * levels + 2 * (levels - 1));
  });
});

Deno.test(
  { ...THREAD, name: "a client that leaves ends its walk, and the next archive is made" },
  async () => {
    await served(async (root, ask) => {
      for (let i = 0; i < 60; i++) {
        await Deno.mkdir(`${root}/large/${i}`, { recursive: true });
        for (let file = 0; file < 99; file++) await Deno.writeTextFile(`${root}/large/${i}/${file}`, "");
      }
      await Deno.mkdir(`${root}/small`);
      const leaving = new AbortController();
      const left = statusOf(ask("/large/?archive=tar", { signal: leaving.signal }));
      const queued = statusOf(ask("/large/?archive=tar", { signal: leaving.signal }));
      const other = statusOf(ask("/small/?archive=tar"));
      leaving.abort();
      assertEquals(await Promise.all([left, queued, other]), [499, 499, 200]);
    });
  },
);

Deno.test("a name that begins with U+FEFF is unchanged", async () => {
  await temporary(async (folder) => {
    const real = await Deno.realPath(folder);
    await Deno.writeTextFile(`${real}/\ufeffbom`, "");
    assertEquals(memberAt(walk(sourceOf(real)), 1).name, "name/\ufeffbom");
  });
});

function sourceOf(real: string): Source {
  return {
    root: new Root(real).data(),
    folder: real,
    identity: Deno.lstatSync(real),
    lexicalPath: real,
    name: "name",
  };
}

Deno.test(
  { name: "no archive begins while too many are in flight; one thread plans them all", ...THREAD },
  async () => {
    await temporary(async (folder) => {
      const root = new Root(await Deno.realPath(folder)), archives = new Archives(root, 1);
      const plan = (client = new AbortController().signal) =>
        archives.plan({ ...root.resolve(root.real), lexicalPath: root.real, names: [] }, "zip", client);
      const body = archives.read(await plan(), [{ start: 0, end: 9 }], () => {});
      assertEquals(await plan().catch((error) => error.name), "BusyError");
      await body.cancel();
      assertEquals(await workersStarted(() => plan()), 0);
      assertEquals(await plan(AbortSignal.abort()).catch((error) => error.status), 499);
    });
  },
);
