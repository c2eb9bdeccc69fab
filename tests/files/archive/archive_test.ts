/** Folder archives through the file server: contents, ranges, links. */

import { assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { Archives } from "../../../files/archive/archives.ts";
import { Root } from "../../../files/resolve.ts";
import { fill, LATER, served, statusOf, THREAD } from "../../support/uploads.ts";
import { need, needTime } from "../../support/need.ts";
import { mustRun, temporary, until } from "../../support/shell.ts";
import { progress, waiting } from "../../support/waits.ts";

/** The names of a tar's members, as bsdtar and other programs read them. */
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
  Deno.test({ name: `ranges of a ${format} match the whole`, ...THREAD }, async () => {
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
  }, { clock: LATER });
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
    assertEquals(await statusOf(ask("/?archive=tar", { headers: resumed })), 200); // it is a different archive
  }, { clock: LATER });
});

Deno.test({ name: "an archive's tag is weak if a member has just changed", ...THREAD }, async () => {
  const now = Date.now();
  await served(async (root, ask) => {
    await fill(root);
    assertMatch((await ask("/?archive=tar", { method: "HEAD" })).headers.get("etag")!, /^W\//);
  }, { clock: () => now });
});

Deno.test({
  name: "an archive contains what listings show, and nothing else",
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

Deno.test({ name: "only folders have archives, in the known formats", ...THREAD }, async () => {
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

const PYTHON = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive: print(archive.testzip(), len(archive.namelist()))`;

Deno.test(
  {
    ...THREAD,
    ignore: need("unzip", "python3").ignore || needTime("has 70,000 files").ignore,
    name: "an archive can hold 70,000 files",
  },
  async () => {
    await temporary(async (folder) => {
      const many = `${folder}/many`, file = `${folder}/many.zip`;
      await Deno.mkdir(many);
      for (let i = 0; i < 70_000; i++) {
        Deno.openSync(`${many}/${i}`, { createNew: true, write: true }).close();
      }
      progress();
      // Longer than the usual limit of a walk: the machine may be overloaded.
      const root = new Root(await Deno.realPath(many)), archives = new Archives(root, undefined, 25_000);
      const client = new AbortController().signal;
      const plan = await until(
        () =>
          archives.plan({ ...root.resolve(root.real), lexicalPath: root.real, names: [] }, "zip", client)
            .catch((error) => error.name === "BusyError" ? undefined : Promise.reject(error)),
        (plan) => plan !== undefined,
      );
      const whole = [{ start: 0, end: plan!.layout.length - 1 }];
      await waiting("the archive", Deno.writeFile(file, archives.read(plan!, whole, () => {})));
      assertEquals(await mustRun("python3", ["-c", PYTHON, file]), "None 70001\n");
      assertStringIncludes(await mustRun("unzip", ["-tq", file]), "No errors detected");
    });
  },
);
