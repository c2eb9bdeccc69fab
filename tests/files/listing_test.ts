/** Listings of real folders, small and large. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { createFilesHandler } from "../../files/handler.ts";
import { PEER } from "../support/control.ts";
import { LATER, served, statusOf } from "../support/uploads.ts";
import { temporary } from "../support/shell.ts";

/** A number of entries that is too large for the serving thread, so that another thread lists them. */
const MANY = 2202;

Deno.test("conditions apply to a listing, which has no validators", async () => {
  await served(async (root, ask) => {
    await Deno.mkdir(`${root}/large`);
    for (let i = 0; i < MANY; i++) Deno.writeTextFileSync(`${root}/large/${i}`, "");
    const cases: [headers: Record<string, string>, status: number][] = [
      [{ "if-match": '"x"' }, 412],
      [{ "if-match": "*" }, 200],
      [{ "if-none-match": "*" }, 304],
      [{ "if-none-match": '"x"' }, 200],
      [{ "if-modified-since": "Tue, 31 Dec 9999 23:59:59 GMT" }, 200],
    ];
    for (const path of ["/", "/large/?format=json"]) {
      for (const [headers, status] of cases) {
        assertEquals(await statusOf(ask(path, { headers })), status, `${path} ${JSON.stringify(headers)}`);
      }
    }
    // Conditions do not matter for requests that would not return a listing anyway.
    assertEquals(await statusOf(ask("/nothing/", { headers: { "if-none-match": "*" } })), 404);
    assertEquals(await statusOf(ask("/?sort=no", { headers: { "if-match": '"x"' } })), 400);
  });
});

Deno.test("a listing links to any name, sorts, and is available as JSON", async () => {
  await served(async (root, ask) => {
    const names = [
      "a b.txt",
      "#1.txt",
      "100%.txt",
      "q'\"&<b>.txt",
      "ü漢😀.txt",
      "?x=1.txt",
      "a:b.txt",
      "z10.txt",
      "z9.txt",
      "javascript:alert(1)",
      "\ufeffmark.txt",
    ];
    for (const [i, name] of names.entries()) {
      await Deno.writeTextFile(`${root}/${name}`, "x".repeat(i * 1000));
    }
    await Deno.mkdir(`${root}/sub folder`);
    await Deno.mkdir(`${root}/sub folder/deep`);
    const html = await (await ask("/")).text();
    assertMatch(html, /<h1>Directory listing: \/<\/h1>/);
    const links = [...html.matchAll(/<td><a href="([^"]+)">/g)].map((match) =>
      match[1].replaceAll("&amp;", "&").replaceAll("&#39;", "'").replaceAll("&quot;", '"')
    );
    assertEquals(links.length, names.length + 1);
    for (const link of links) {
      const path = new URL(link, "http://127.0.0.1/").pathname;
      assertEquals(await statusOf(ask(path)), 200, link);
    }
    const unnamed = html.replaceAll(/<script type="module">[^]*?<\/script>/g, "");
    assert(!unnamed.includes("<script") && !unnamed.includes("<b>"));
    const list = async (query: string) =>
      (await (await ask(`/?format=json${query}`)).json()).entries.map((entry: { name: string }) =>
        entry.name
      );
    assertEquals((await list(""))[0], "sub folder");
    const order = await list("");
    assert(order.indexOf("z9.txt") < order.indexOf("z10.txt"));
    assertEquals((await list("&sort=size&order=desc"))[1], names.at(-1));
    const sub = await (await ask("/sub%20folder/")).text();
    assertMatch(sub, /<h1>Directory listing: \/sub folder\/<\/h1>/);
    assertMatch(sub, /href="\.\.\/"/);
    const entry = (await (await ask("/?format=json")).json()).entries.find((row: { name: string }) =>
      row.name === "z9.txt"
    );
    assertEquals([entry.type, entry.size], ["file", 8000]);
    assertMatch(
      (await ask("/")).headers.get("content-security-policy")!,
      /default-src 'none'; style-src 'sha256-/,
    );
  });
});

Deno.test({
  name:
    "names that are not valid Unicode are neither listed nor served, not even as a file with a similar name",
  ignore: Deno.build.os !== "linux",
}, async () => {
  await served(async (root, ask, reported) => {
    const script = `echo a >"$(printf '\\377.txt')"; echo bc >"$(printf '\\357\\277\\275.txt')"
      echo d >"$(printf '\\376')"; ln -s "$(printf '\\376')" link; ln -s "$(printf '\\376/x')" far`;
    assert((await new Deno.Command("sh", { args: ["-ec", script], cwd: root }).output()).success);
    for (const path of ["/link", "/far"]) assertEquals(await statusOf(ask(path)), 404);
    const { entries } = await (await ask("/?format=json")).json();
    assertEquals(
      entries.map(({ name, size }: { name: string; size: number }) => [name, size]),
      [["\ufffd.txt", 3]],
    );
    assertEquals(await (await ask("/%EF%BF%BD.txt")).text(), "bc\n");
    assertEquals(reported, []);
  });
});

Deno.test("HTML is sandboxed unless it is trusted; index.html is served on request", async () => {
  const make = async (root: string) => await Deno.writeTextFile(`${root}/index.html`, "<p>index");
  await served(async (root, ask) => {
    await make(root);
    assertEquals(
      (await ask("/index.html")).headers.get("content-security-policy"),
      "sandbox allow-scripts; frame-ancestors 'self'",
    );
    assertMatch(await (await ask("/")).text(), /Directory listing/);
  });
  await served(async (root, ask) => {
    await make(root);
    assertEquals((await ask("/index.html")).headers.get("content-security-policy"), "frame-ancestors 'self'");
    for (let i = 0; i < 3; i++) { // the page is cached by then
      assertEquals(await (await ask("/")).text(), "<p>index");
      assertEquals(await (await ask("/?q=a")).text(), "<p>index"); // may be the page's own query
      const { entries } = await (await ask("/?format=json")).json();
      assertEquals(entries.map(({ name }: { name: string }) => name), ["index.html"]);
    }
  }, { trustHtml: true, index: true, clock: LATER });
});

Deno.test("each of several concurrent listings has all entries of its own folder", async () => {
  await served(async (root, ask) => {
    const folders = ["a", "b", "c"];
    for (const folder of folders) {
      Deno.mkdirSync(`${root}/${folder}`);
      for (let i = 0; i < 100; i++) Deno.writeTextFileSync(`${root}/${folder}/${folder}${i}`, "");
    }
    await Promise.all(Array.from({ length: 60 }, async (_, i) => {
      const folder = folders[i % 3];
      const { entries } = await (await ask(`/${folder}/?format=json`)).json();
      assertEquals(entries.length, 100);
      assertEquals(entries.every(({ name }: { name: string }) => name.startsWith(folder)), true);
    }));
  });
});

Deno.test("a large folder is listed like a small one", async () => {
  await served(async (root, ask) => {
    const dates = ["1969-12-31T23:59:59Z", "1970-01-01T00:00:00Z", "2024-02-29T12:30:00Z"];
    Deno.mkdirSync(`${root}/large`);
    Deno.mkdirSync(`${root}/small`);
    for (let i = 0; i < MANY; i++) {
      const path = `${root}/large/ü ${i}.txt`;
      Deno.writeTextFileSync(path, "x".repeat(i));
      Deno.utimeSync(path, new Date(), new Date(dates[i % 3]));
    }
    const odd = ["a&b", "javascript:alert(1)", "#", "ü 5.txt"];
    for (const name of odd) {
      for (const folder of ["large", "small"]) Deno.mkdirSync(`${root}/${folder}/dir ${name}`);
    }
    for (const folder of ["large", "small"]) {
      Deno.symlinkSync(`${root}/..`, `${root}/${folder}/out`);
      Deno.symlinkSync(`${root}/large`, `${root}/${folder}/way`);
    }
    const list = async (query: string) =>
      (await (await ask(`/large/?format=json${query}`)).json()).entries as {
        name: string;
        type: string;
        size?: number;
        modified: string;
      }[];
    const entries = await list("");
    assertEquals(entries.length, MANY + odd.length + 1);
    assertEquals(
      entries.slice(0, 6).map(({ name }) => name),
      [...odd.map((name) => `dir ${name}`), "way"].sort().concat("ü 0.txt"),
    );
    assertEquals(entries.at(-1), {
      name: `ü ${MANY - 1}.txt`,
      type: "file",
      size: MANY - 1,
      modified: "2024-02-29T12:30:00.000Z",
    });
    assertEquals((await list("&sort=size&order=desc")).slice(5, 8).map(({ size }) => size), [
      MANY - 1,
      MANY - 2,
      MANY - 3,
    ]);
    assertEquals((await list("&sort=time"))[5].modified, "1969-12-31T23:59:59.000Z");
    // The page has the same rows as one that is written on the serving thread.
    const rows = async (folder: string) =>
      (await (await ask(`/${folder}/`)).text()).match(/<tr class="folder">.*<\/tr>/g)!.map((row) =>
        row.replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/, "")
      );
    assertEquals(await rows("large"), await rows("small"));
    assertMatch(
      await (await ask("/large/")).text(),
      /<a href="%C3%BC%200\.txt">ü 0\.txt<\/a><\/td><td>0 B<\/td><td>1969-12-31 23:59 UTC<\/td>/,
    );
    assertEquals(await statusOf(ask("/large/?sort=colour")), 400);
  });
});

Deno.test({
  name: "a time outside the range of Date is omitted; the file and its folder are served",
  ignore: Deno.build.os !== "linux",
}, async () => {
  // Memory file systems store it unchanged; others clamp it to what they support.
  await temporary(async (folder) => {
    await new Deno.Command("touch", { args: ["-d", "@9000000000000", `${folder}/far.txt`] }).output();
    assertEquals(Deno.statSync(`${folder}/far.txt`).mtime?.getTime(), NaN);
    const handler = createFilesHandler({ root: folder });
    const ask = async (path: string, init?: RequestInit) =>
      await handler(new Request(`http://127.0.0.1${path}`, init), PEER);
    assertMatch(await (await ask("/")).text(), /far\.txt<\/a><\/td><td>0 B<\/td><td><\/td>/);
    assertEquals((await (await ask("/?format=json")).json()).entries[0].modified, null);
    for (let i = 0; i < 3; i++) assertEquals((await ask("/far.txt")).status, 200);
    const etag = (await ask("/far.txt")).headers.get("etag")!;
    assertEquals((await ask("/far.txt", { headers: { "if-none-match": etag } })).status, 304);
  }, { dir: "/dev/shm" });
});

Deno.test("concurrent requests for a large folder all get its listing", async () => {
  await served(async (root, ask) => {
    for (let i = 0; i < MANY; i++) Deno.openSync(`${root}/${i}`, { create: true, write: true }).close();
    const queries = ["", "?sort=size", "?order=desc", "?format=json"];
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => ask(`/${queries[i % 4]}`)));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    for (const [i, text] of texts.entries()) {
      assertEquals(text, texts[i % 4]);
      assertEquals(text.split(i % 4 === 3 ? '"name"' : "<td><a ").length - 1, MANY);
    }
    // A later request sees the current entries.
    Deno.removeSync(`${root}/7`);
    assertEquals((await (await ask("/?format=json")).json()).entries.length, MANY - 1);
  });
});

Deno.test({
  name: "a small folder that a link out of the root replaces before it is read is not listed",
  ignore: Deno.build.os === "windows",
}, async () => {
  await served(async (root, ask) => {
    Deno.mkdirSync(`${root}/small`);
    const { readDir } = Deno;
    Deno.readDir = (path) => {
      Deno.renameSync(`${root}/small`, `${root}/was small`);
      Deno.symlinkSync(`${root}/..`, `${root}/small`);
      return readDir(path);
    };
    try {
      assertEquals(await statusOf(ask("/small/")), 404);
    } finally {
      Deno.readDir = readDir;
    }
  });
});
