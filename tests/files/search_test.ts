/** Searching a folder, and all folders below it. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { dirname } from "@std/path";
import { type Bounds, DeepSearch, nameFilter } from "../../files/listing/read.ts";
import { Root } from "../../files/resolve.ts";
import { type Ask, served, statusOf } from "../support/uploads.ts";
import { until } from "../support/shell.ts";

/** A number of entries that is too large for the serving thread, so that another thread lists them. */
const MANY = 2202;

/** Writes files and their parent folders. */
function write(root: string, ...paths: string[]) {
  for (const path of paths) {
    Deno.mkdirSync(dirname(`${root}/${path}`), { recursive: true });
    Deno.writeTextFileSync(`${root}/${path}`, "12345");
  }
}

async function list(ask: Ask, path: string) {
  const { entries, found, complete } = await (await ask(path)).json() as {
    entries: { name: string }[];
    found?: number;
    complete?: boolean;
  };
  return { names: entries.map(({ name }) => name), found, complete };
}

/** The names of a page's entries, in order. */
function rows(html: string): string[] {
  return [...html.matchAll(/<tr[^>]*><td><a href="[^"]+">([^<]+)<\/a>/g)].map(([, name]) => name);
}

Deno.test("a name is found by its words, in any order, ignoring case and accents", () => {
  const cases: [search: string, name: string, found: boolean][] = [
    ["", "a", true],
    [" ", "a", true],
    ["beach", "At the Beach.jpg", true],
    ["jpg beach", "At the Beach.jpg", true],
    ["beach 2024", "At the Beach.jpg", false],
    ["éCLAIR", "eclair", true],
    ["eclair", "ÉCLAIR.txt", true],
    ["e\u0301", "é", true],
    ["日本", "日本語.txt", true],
    [".*", "a", false],
    [".*", "a.*b", true],
  ];
  for (const [search, name, found] of cases) {
    assertEquals(nameFilter(search)(name), found, `${search} ${name}`);
  }
});

for (const [size, count] of [["small", 20], ["large", MANY]] as const) {
  Deno.test(`a ${size} folder is searched without scripts, as a page and as JSON`, async () => {
    await served(async (root, ask) => {
      write(root, "sub/Photo below.txt", ...Array.from({ length: count }, (_, i) => `photo ${i}.txt`));
      Deno.mkdirSync(`${root}/Photos`);
      assertEquals(await list(ask, "/?format=json&q=PHOTO+7"), {
        names: Array.from({ length: count }, (_, i) => i).filter((i) => String(i).includes("7")).map((i) =>
          `photo ${i}.txt`
        ),
        found: Array.from({ length: count }, (_, i) => i).filter((i) => String(i).includes("7")).length,
        complete: true,
      });
      assertEquals((await list(ask, "/?format=json&q=")).names.length, count + 2);
      assertEquals((await list(ask, "/?format=json")).found, undefined);
      const html = await (await ask("/?q=photos")).text();
      assertEquals(rows(html), ["Photos/"]);
      assertMatch(html, /role="status"><span class="counts">1 folder<\/span> found for “photos”</);
      assertMatch(html, /<input type="search" name="q" value="photos"/);
      assertMatch(await (await ask("/?q=nothing+here")).text(), /Nothing was found/);
    });
  });
}

Deno.test("a search survives sorting, and its text is not markup", async () => {
  await served(async (root, ask) => {
    write(root, `a"<b>&.txt`);
    const html = await (await ask("/?q=%22%3Cb%3E%26&sort=size&order=desc")).text();
    assertEquals(rows(html), ["a&quot;&lt;b&gt;&amp;.txt"]);
    assert(!html.includes("<b>") && !html.includes(`value=""<`));
    const forms = [...html.matchAll(/<th[^]*?<\/th>/g)].map(([form]) => form);
    assertEquals(forms.length, 3);
    for (const form of forms) assertMatch(form, /name="q" value="&quot;&lt;b&gt;&amp;"/);
    assertMatch(html, /href="\.\/\?sort=size&amp;order=desc">All entries</);
    assertMatch(html, /<meta name="robots" content="noindex">/);
  });
});

Deno.test("a deep search finds entries of all folders below, and links to them", async () => {
  await served(async (root, ask) => {
    write(root, "a.txt", "x/a #1.txt", "x/y/A.txt", "x/y/b.txt", "z/aa/c.txt");
    assertEquals(await list(ask, "/?format=json&deep&q=a"), {
      names: ["z/aa", "a.txt", "x/a #1.txt", "x/y/A.txt"],
      found: 4,
      complete: true,
    });
    const html = await (await ask("/?q=a&deep=on")).text();
    assertEquals(rows(html), ["z/aa/", "a.txt", "x/a #1.txt", "x/y/A.txt"]);
    assertMatch(html, /1 folder, 3 files, 15 B<\/span> found for “a” in this folder and below/);
    for (const [, link] of html.matchAll(/<td><a href="\.([^"]+)">/g)) {
      assertEquals(await statusOf(ask(link)), 200, link);
    }
    assertEquals((await list(ask, "/x/?format=json&deep&q=a")).names, ["a #1.txt", "y/A.txt"]);
    // Without words it counts everything below.
    assertMatch(
      await (await ask("/?deep")).text(),
      /4 folders, 5 files, 25 B<\/span> in this folder and below/,
    );
  });
});

Deno.test({
  name: "a deep search finds what listings show, and nothing else",
  ignore: Deno.build.os === "windows",
}, async () => {
  await served(async (root, ask) => {
    write(root, "sub/file.txt", "sub/.hidden/file.txt", "state/file.txt", "sub/.file", "key file");
    Deno.symlinkSync("../..", `${root}/sub/out file`);
    Deno.symlinkSync("../../secret.txt", `${root}/sub/secret file`);
    Deno.symlinkSync("..", `${root}/sub/loop file`);
    Deno.symlinkSync("../sub/file.txt", `${root}/sub/inner file`);
    Deno.linkSync(`${root}/key file`, `${root}/sub/other key file`);
    new Deno.Command("mkfifo", { args: [`${root}/sub/pipe file`] }).outputSync();
    assertEquals((await list(ask, "/?format=json&deep&q=file")).names, [
      "sub/loop file",
      "sub/file.txt",
      "sub/inner file",
    ]);
    assertEquals((await list(ask, "/?format=json&deep&q=.")).names, ["sub/file.txt"]);
  }, (root) => ({ noHidden: true, secrets: { folder: `${root}/state`, files: [`${root}/key file`] } }));
});

/** Searches a folder directly. */
async function search(root: string, text: string, bounds: Partial<Bounds>) {
  const { dev, ino } = Deno.statSync(root);
  const all = { entries: 100, time: 1000, now: () => 0, ...bounds };
  return await new DeepSearch(new Root(root), root, root, { dev, ino }, nameFilter(text), all).run();
}

Deno.test("a deep search lists the nearest entries up to its limit, and counts the others", async () => {
  await served(async (root) => {
    write(root, "a/b/c/far.txt", "a/near.txt", "nearest.txt");
    const { entries, totals, cut } = await search(root, "txt", { entries: 2 });
    assertEquals([entries.map(({ name }) => name), cut], [["nearest.txt", "a/near.txt"], "number"]);
    assertEquals(totals, { folders: 0, files: 3, bytes: 15 });
    assertEquals((await search(root, "txt", { entries: 3 })).cut, undefined);
  });
});

Deno.test("a deep search ends at its time limit, and lists what it found until then", async () => {
  await served(async (root) => {
    write(root, ...Array.from({ length: 1000 }, (_, i) => `${i % 10}/${i}.txt`));
    let time = 0;
    const { entries, cut } = await search(root, "txt", { entries: 1000, time: 3, now: () => time++ });
    assertEquals(cut, "time");
    assert(entries.length > 100 && entries.length < 1000, `${entries.length} were found`);
  });
});

Deno.test("a page and JSON say so when a deep search was truncated", async () => {
  await served(async (root, ask) => {
    for (let i = 0; i < 10_001; i++) Deno.openSync(`${root}/${i}.txt`, { create: true, write: true }).close();
    // A busy machine may end a search by time, before it has found that many.
    const { names, complete } = await until(
      () => list(ask, "/?format=json&deep&q=txt"),
      ({ found }) => found === 10_001,
    );
    assertEquals([names.length, complete], [10_000, false]);
    await until(
      async () => await (await ask("/?deep&q=txt")).text(),
      (page) =>
        page.includes(
          '<p class="cut">Only the first 10,000 of 10,001 are shown. To see others, search for more of the name.<',
        ),
      () => "the page does not say so",
    );
  });
});

Deno.test({
  name: "a subfolder that a link out of the root replaces while it is read is not searched",
  ignore: Deno.build.os === "windows",
}, async () => {
  await served(async (root) => {
    write(root, "goes/inside.txt", "stays/inside.txt");
    const { readDir } = Deno;
    Deno.readDir = (path) => {
      if (String(path).endsWith("/goes")) {
        Deno.renameSync(`${root}/goes`, `${root}/was`);
        Deno.symlinkSync("..", `${root}/goes`);
      }
      return readDir(path);
    };
    try {
      const { entries } = await search(root, "txt", {});
      assertEquals(entries.map(({ name }) => name), ["stays/inside.txt"]);
    } finally {
      Deno.readDir = readDir;
    }
  });
});
