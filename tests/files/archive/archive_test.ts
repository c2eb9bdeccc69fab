/** Archives of folders through the file server: contents, ranges, links, bounds. */

import { assertEquals, assertMatch, assertNotEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { BusyError, InputError, StateError } from "../../../core/errors.ts";
import { Archives } from "../../../files/archive/archives.ts";
import { memberAt } from "../../../files/archive/members.ts";
import { type Source, walk } from "../../../files/archive/walk.ts";
import { Root } from "../../../files/resolve.ts";
import { LATER, served, statusOf } from "../../support/files.ts";
import { need } from "../../support/need.ts";
import { mustRun } from "../../support/shell.ts";
import { temporary } from "../../support/temporary.ts";
import { until } from "../../support/until.ts";
import { workersStarted } from "../../support/workers.ts";

/** The threads that plan and read stay for a while after the last archive. */
const THREAD = { sanitizeOps: false, sanitizeResources: false };

async function fill(folder: string) {
  await Deno.mkdir(`${folder}/sub/empty`, { recursive: true });
  await Deno.writeTextFile(`${folder}/a.txt`, "hello\n");
  await Deno.writeTextFile(`${folder}/héllo €.txt`, "unicode");
  await Deno.writeFile(`${folder}/sub/b.bin`, crypto.getRandomValues(new Uint8Array(50_000)));
  await Deno.writeTextFile(`${folder}/sub/nothing`, "");
}

/** The names of the members of a tar, as bsdtar and others read them. */
function tarNames(tar: Uint8Array): string[] {
  const names: string[] = [], text = new TextDecoder();
  for (let at = 0, path: string | undefined; tar[at];) {
    const block = tar.subarray(at, at + 512);
    const size = parseInt(text.decode(block.subarray(124, 135)), 8);
    const content = text.decode(tar.subarray(at + 512, at + 512 + size));
    const isExtended = block[156] === "x".charCodeAt(0);
    if (!isExtended) names.push(path ?? text.decode(block.subarray(0, 100)).replace(/\0.*/, ""));
    path = isExtended ? /path=(.*)\n/.exec(content)![1] : undefined;
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return names;
}

for (const format of ["tar", "zip"]) {
  Deno.test({ name: `ranges of a ${format} are those of the whole`, ...THREAD }, async () => {
    await served(async (root, ask) => {
      await fill(root);
      const whole = await (await ask(`/?archive=${format}`)).bytes();
      const { length } = whole;
      const ranges = [[0, 0], [1, 600], [511, 513], [2000, 40_000], [length - 300, length - 1], [
        0,
        length - 1,
      ]];
      for (const [start, end] of ranges) {
        const answer = await ask(`/?archive=${format}`, { headers: { range: `bytes=${start}-${end}` } });
        assertEquals(answer.status, 206);
        assertEquals(answer.headers.get("content-range"), `bytes ${start}-${end}/${length}`);
        assertEquals(answer.headers.get("content-length"), `${end - start + 1}`);
        assertEquals(await answer.bytes(), whole.slice(start, end + 1), `${start}-${end}`);
      }
      const several = await ask(`/?archive=${format}`, { headers: { range: "bytes=40000-40009,5-9,-4" } });
      const [, last, first, end] = (await several.bytes().then(latin1)).split(/\r\n--deskhand-.*\r\n/);
      const parts = [last, first, end].map((part) => part.split("\r\n\r\n")[1]);
      const expected = [whole.slice(40_000, 40_010), whole.slice(5, 10), whole.slice(-4)].map(latin1);
      assertEquals(parts, expected);
      assertEquals(
        await statusOf(ask(`/?archive=${format}`, { headers: { range: `bytes=${length}-` } })),
        416,
      );
    });
  });
}

function latin1(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes);
}

Deno.test({ name: "HEAD of an archive answers with GET's headers", ...THREAD }, async () => {
  await served(async (root, ask) => {
    await fill(root);
    for (const [format, type] of [["tar", "application/x-tar"], ["zip", "application/zip"]]) {
      const get = await ask(`/sub/?archive=${format}`),
        head = await ask(`/sub/?archive=${format}`, { method: "HEAD" });
      assertEquals([...head.headers], [...get.headers]);
      assertEquals(head.body, null);
      assertEquals(get.headers.get("content-type"), type);
      assertEquals(get.headers.get("accept-ranges"), "bytes");
      assertEquals(get.headers.get("content-disposition"), `attachment; filename="sub.${format}"`);
      assertEquals((await get.bytes()).length, Number(get.headers.get("content-length")));
    }
  });
});

Deno.test({ name: "an archive's ETag changes when a member does", ...THREAD }, async () => {
  await served(async (root, ask) => {
    await fill(root);
    const tag = async (format = "tar") => {
      const { headers } = await ask(`/?archive=${format}`, { method: "HEAD" });
      return headers.get("etag")!;
    };
    const first = await tag();
    assertMatch(first, /^"/);
    assertEquals(await tag(), first);
    assertNotEquals(await tag("zip"), first);
    const headers = { "if-none-match": first };
    assertEquals(await statusOf(ask("/?archive=tar", { headers })), 304);
    const changes: (() => unknown)[] = [
      () => Deno.writeTextFile(`${root}/sub/b.bin`, "other"),
      () => Deno.utime(`${root}/a.txt`, 1e9, 1e9),
      () => Deno.chmod(`${root}/a.txt`, 0o600),
      () => Deno.rename(`${root}/a.txt`, `${root}/b.txt`),
      () => Deno.writeTextFile(`${root}/sub/empty/new`, ""),
      () => Deno.remove(`${root}/sub/nothing`),
    ];
    const tags = [first];
    for (const change of changes) {
      await change();
      const now = await tag();
      assertEquals(tags.includes(now), false, `${change}`);
      tags.push(now);
    }
    assertEquals(await statusOf(ask("/?archive=tar", { headers })), 200);
    const resumed = { range: "bytes=5-", "if-range": first };
    assertEquals(await statusOf(ask("/?archive=tar", { headers: resumed })), 200); // it is another archive
  }, { clock: LATER });
});

Deno.test({ name: "the tag of an archive is weak while a member changed just now", ...THREAD }, async () => {
  await served(async (root, ask) => {
    await fill(root);
    assertMatch((await ask("/?archive=tar", { method: "HEAD" })).headers.get("etag")!, /^W\//);
  });
});

Deno.test({
  name: "an archive has what listings show, and nothing else",
  ignore: Deno.build.os === "windows",
  ...THREAD,
}, async () => {
  await served(async (root, ask) => {
    await fill(root);
    await Deno.mkdir(`${root}/.git`);
    await Deno.writeTextFile(`${root}/.git/config`, "");
    await Deno.writeTextFile(`${root}/key.pem`, "secret");
    await Deno.link(`${root}/key.pem`, `${root}/sub/hard.pem`);
    await Deno.symlink("../../secret.txt", `${root}/sub/outside`);
    await Deno.symlink("../.git/config", `${root}/sub/hidden`);
    await Deno.symlink("gone", `${root}/sub/dangling`);
    await Deno.symlink("..", `${root}/sub/loop`);
    await Deno.symlink("../a.txt", `${root}/sub/link`);
    await Deno.symlink("empty", `${root}/sub/folder link`);
    await new Deno.Command("mkfifo", { args: [`${root}/pipe`] }).output();
    const names = tarNames(await (await ask("/?archive=tar")).bytes());
    assertEquals(names, [
      "files/",
      "files/a.txt",
      "files/héllo €.txt",
      "files/sub/",
      "files/sub/b.bin",
      "files/sub/empty/",
      "files/sub/folder link/",
      "files/sub/link",
      "files/sub/nothing",
    ]);
    assertEquals(await statusOf(ask("/.git/?archive=tar")), 404);
  }, (root) => ({ noHidden: true, secrets: { files: [`${root}/key.pem`] } }));
});

Deno.test({ name: "a folder alone has archives, of the known formats", ...THREAD }, async () => {
  await served(async (root, ask) => {
    await fill(root);
    assertEquals(await (await ask("/a.txt?archive=zip")).text(), "hello\n");
    assertEquals((await ask("/sub?archive=zip")).headers.get("location"), "./sub/?archive=zip");
    assertEquals(await statusOf(ask("/?archive=rar")), 400);
    assertEquals(await statusOf(ask("/?archive=toString")), 400);
    assertEquals(await statusOf(ask("/gone/?archive=zip")), 404);
    await Deno.writeTextFile(`${root}/index.html`, "<h1>index</h1>");
    for (const _ of ["before it is cached", "cached"]) {
      assertEquals((await ask("/?archive=zip")).headers.get("content-type"), "application/zip");
      assertEquals(await (await ask("/")).text(), "<h1>index</h1>");
    }
  }, { index: true, clock: LATER });
});

Deno.test({ name: "a member that changes ends the archive that is being sent", ...THREAD }, async () => {
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
      assertEquals(message, "files/z.bin changed while it was sent in an archive", `${change}`);
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
      "To look through the folder takes more than",
    );
    walk(source, { stop });
    stop[0] = 1;
    assertThrows(() => walk(source, { stop }), StateError, "the archive is no longer wanted");
  });
});

Deno.test({
  ignore: Deno.build.os === "windows",
  name: "links to folders lead to each once, so that two a level do not double the members",
}, async () => {
  await temporary(async (folder) => {
    const real = await Deno.realPath(folder), levels = 40;
    for (let i = 0; i < levels; i++) {
      await Deno.mkdir(`${real}/d${i}`);
      await Deno.writeTextFile(`${real}/d${i}/file`, "");
      for (const name of i ? "xy" : "") await Deno.symlink(`../d${i}`, `${real}/d${i - 1}/${name}`);
    }
    const { count } = walk(sourceOf(real), { limit: 1000 });
    // Itself; each folder and its file, where it is and once by a link; d0 has no link to it.
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

Deno.test("a name that begins with U+FEFF keeps it", async () => {
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
  { name: "no archive is begun while too much is under way; one thread plans them all", ...THREAD },
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

const PYTHON = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive: print(archive.testzip(), len(archive.namelist()))`;

Deno.test(
  { name: "an archive has room for 70,000 files", ...THREAD, ...need("unzip", "python3") },
  async () => {
    await temporary(async (folder) => {
      const many = `${folder}/many`, file = `${folder}/many.zip`;
      await Deno.mkdir(many);
      for (let i = 0; i < 70_000; i++) {
        Deno.openSync(`${many}/${i}`, { createNew: true, write: true }).close();
      }
      // Longer than a walk has otherwise: the machine may have far too much to do.
      const root = new Root(await Deno.realPath(many)), archives = new Archives(root, undefined, 25_000);
      const client = new AbortController().signal;
      const plan = await until(
        () =>
          archives.plan({ ...root.resolve(root.real), lexicalPath: root.real, names: [] }, "zip", client)
            .catch((error) => error.name === "BusyError" ? undefined : Promise.reject(error)),
        (plan) => plan !== undefined,
      );
      const whole = [{ start: 0, end: plan!.layout.length - 1 }];
      await Deno.writeFile(file, archives.read(plan!, whole, () => {}));
      assertEquals(await mustRun("python3", ["-c", PYTHON, file]), "None 70001\n");
      assertStringIncludes(await mustRun("unzip", ["-tq", file]), "No errors detected");
    });
  },
);
