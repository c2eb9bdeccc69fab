/** File shares: who may create and use them, for how long and how often, and the file that stores them. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { makeThumbnail, orientationOf, upright } from "../../cli/thumbnails/work.ts";
import { readPicture } from "../../control/image/read_picture.ts";
import { openJpegReader } from "../../ffi/jpeg.ts";
import { createFilesGuard } from "../../files/guard.ts";
import { createFilesHandler, type FilesOptions } from "../../files/handler.ts";
import { type Keeper, ShareBook } from "../../files/share/book.ts";
import { Reach } from "../../core/disk.ts";
import { type Resolved, Root } from "../../files/resolve.ts";
import { Thumbnails, ThumbnailStore } from "../../files/thumbnails/thumbnails.ts";
import { AttemptLimiter, withoutToken } from "../../http/secret.ts";
import { PEER } from "../support/control.ts";
import { need } from "../support/need.ts";
import { mustRun, temporary } from "../support/shell.ts";
import { LATER, served } from "../support/uploads.ts";

/** A store in memory. */
function inMemory(): Keeper & { text?: string } {
  const keeper: Keeper & { text?: string } = {
    read: () => keeper.text,
    write: (text) => keeper.text = text,
  };
  return keeper;
}

const REMOTE = { ...PEER, remoteAddr: { ...PEER.remoteAddr, hostname: "192.168.1.9" } };

interface Serving {
  root: string;
  keeper: Keeper & { text?: string };
  ask: (path: string, init?: RequestInit, peer?: typeof PEER) => Promise<Response>;
  /** Creates a share; returns its path. */
  share: (fields: Record<string, unknown>) => Promise<string>;
}

/**
 * Serves a folder with a film, a page and a folder in it, and by default sends requests as a local program.
 */
async function sharing(use: (serving: Serving) => Promise<void>, options: Partial<FilesOptions> = {}) {
  await temporary(async (base) => {
    const root = `${Deno.realPathSync(base)}/root`, keeper = inMemory();
    Deno.mkdirSync(`${root}/sub`, { recursive: true });
    Deno.writeTextFileSync(`${root}/film é.mp4`, "0123456789");
    Deno.writeTextFileSync(`${root}/page.html`, "<script>1</script>");
    Deno.writeTextFileSync(`${root}/sub/a.txt`, "a");
    Deno.writeTextFileSync(`${base}/outside.txt`, "outside");
    const shares = { keeper, hasPassword: false, addresses: () => ["http://localhost:4001"] };
    const handler = createFilesHandler({ root, shares, ...options });
    const ask: Serving["ask"] = (path, init, peer = PEER) =>
      handler(new Request(`http://localhost:4001${path}`, init), peer);
    const share: Serving["share"] = async (fields) => {
      const answer = await ask("/.share", { method: "POST", body: JSON.stringify(fields) });
      assertEquals(answer.status, 201);
      return new URL((await answer.json()).urls[0]).pathname;
    };
    await use({ root, keeper, ask, share });
  });
}

Deno.test("without --allow-share there are no shares, and a folder of that name is a folder", async () => {
  await sharing(async ({ root, ask }) => {
    assertEquals((await ask("/.share")).status, 404);
    assertEquals((await ask("/.share", { method: "POST", body: "{}" })).status, 405);
    Deno.mkdirSync(`${root}/.share`);
    assertEquals((await ask("/.share/")).status, 200);
    assert(!(await (await ask("/")).text()).includes("Share"));
  }, { shares: undefined });
});

Deno.test("a link serves its file to everyone, with ranges, until it ends", async () => {
  await sharing(async ({ ask, share, root }) => {
    const path = await share({ path: "/film%20%C3%A9.mp4", hours: 1 });
    assertMatch(path, /^\/\.share\/[\w-]{32}\/film%20%C3%A9\.mp4$/);
    const answer = await ask(path, {}, REMOTE);
    assertEquals([answer.status, await answer.text()], [200, "0123456789"]);
    assertMatch(answer.headers.get("content-disposition")!, /filename\*=UTF-8''film%20%C3%A9\.mp4/);
    const part = await ask(path, { headers: { range: "bytes=2-4" } }, REMOTE);
    assertEquals([part.status, await part.text()], [206, "234"]);
    assertEquals((await ask(path, { method: "HEAD" }, REMOTE)).status, 200);
    assertEquals((await ask(path, { method: "PUT", body: "x" }, REMOTE)).status, 405);
    const html = await ask(await share({ file: `${root}/page.html` }), {}, REMOTE);
    assertMatch(html.headers.get("content-security-policy")!, /sandbox/);
    const zip = await share({ path: "/sub/" });
    assertMatch(zip, /\/sub\.zip$/);
    assertEquals((await ask(zip, {}, REMOTE)).headers.get("content-type"), "application/zip");
    for (const wrong of ["x", path.split("/")[2].slice(1), `${path.split("/")[2]}x`, ""]) {
      assertEquals((await ask(`/.share/${wrong}/film`, {}, REMOTE)).status, 404, wrong);
    }
    Deno.removeSync(`${root}/film é.mp4`);
    assertEquals((await ask(path, {}, REMOTE)).status, 404);
  });
});

Deno.test("only the owner creates, lists and revokes: local programs, own pages, or the password", async () => {
  await sharing(async ({ ask, share }) => {
    const path = await share({ path: "/film%20%C3%A9.mp4" }),
      post = { method: "POST", body: "path=/page.html" };
    const refused: [RequestInit, typeof PEER][] = [
      [post, REMOTE],
      [{ ...post, headers: { origin: "http://evil.example" } }, PEER],
      [{ ...post, headers: { "sec-fetch-site": "cross-site" } }, PEER],
      [{ ...post, headers: { "x-forwarded-for": "1.2.3.4" } }, PEER],
      [{}, REMOTE],
    ];
    for (const [init, peer] of refused) assertEquals((await ask("/.share", init, peer)).status, 403);
    const { shares: [{ id, uses }] } = await (await ask("/.share")).json();
    assertEquals(uses, 0);
    assertEquals((await ask("/.share", { method: "POST", body: "revoke=none" })).status, 404);
    assertEquals((await ask("/.share", { method: "POST", body: `revoke=${id}` })).status, 200);
    assertEquals((await ask(path, {}, REMOTE)).status, 404);
    assertEquals((await ask("/.share", { method: "DELETE" })).status, 405);
  });
  const parts = { hosts: new Set(["desk"]), tls: false, cors: false, limiter: new AttemptLimiter() };
  await sharing(async ({ ask, share }) => {
    assertEquals((await ask("/.share", { method: "POST", body: "path=/page.html" }, REMOTE)).status, 401);
    assertEquals((await ask("/film%20%C3%A9.mp4", {}, REMOTE)).status, 401);
    const headers = { authorization: `Basic ${btoa("me:secret")}` };
    const made = await ask("/.share", { method: "POST", body: "path=/page.html", headers }, REMOTE);
    const { urls } = await made.json();
    assertEquals((await ask(new URL(urls[0]).pathname, {}, REMOTE)).status, 200); // without the files' password
    assertEquals(typeof share, "function");
  }, {
    shares: { keeper: inMemory(), hasPassword: true, addresses: () => ["http://desk:4001"] },
    guard: createFilesGuard({ ...parts, passwords: ["me:secret"] }),
    shareGuard: createFilesGuard(parts),
  });
});

Deno.test("a share requires its password, and too many wrong ones are delayed", async () => {
  await sharing(async ({ ask, share, keeper }) => {
    const path = await share({ path: "/page.html", password: "wörd:1" });
    const basic = (text: string) => ({
      headers: { authorization: `Basic ${new TextEncoder().encode(text).toBase64()}` },
    });
    const asked = await ask(path, {}, REMOTE);
    assertEquals(asked.status, 401);
    assertMatch(asked.headers.get("www-authenticate")!, /^Basic realm=/);
    assertEquals((await ask(path, basic("any:wörd:1"), REMOTE)).status, 200);
    assert(!keeper.text!.includes("wörd"));
    for (let i = 0; i < 10; i++) assertEquals((await ask(path, basic(`any:${i}`), REMOTE)).status, 401);
    assertEquals((await ask(path, basic("any:wörd:1"), REMOTE)).status, 429);
    assertEquals((await ask(path, basic("any:wörd:1"))).status, 200); // another address
  });
});

Deno.test("a download count persists, also across parts and restarts", async () => {
  await sharing(async ({ ask, share, root, keeper }) => {
    const path = await share({ path: "/film%20%C3%A9.mp4", count: 2 });
    assertEquals((await ask(path, { method: "HEAD" }, REMOTE)).status, 200);
    const part = await ask(path, { headers: { range: "bytes=5-" } }, REMOTE);
    assertEquals([part.status, await part.text()], [200, "0123456789"]); // a part would not be counted
    assert(!keeper.text!.includes(path.split("/")[2]));
    const again = createFilesHandler({ root, shares: { keeper, hasPassword: false, addresses: () => [] } });
    const request = () => again(new Request(`http://localhost:4001${path}`), REMOTE);
    assertEquals((await request()).status, 200);
    assertEquals((await request()).status, 404);
  });
});

Deno.test("invalid fields are named", async () => {
  await sharing(async ({ ask, root }) => {
    const cases: [string, number, RegExp][] = [
      ["", 400, /path must name/],
      ["path=/gone", 404, /not found/],
      ["path=/../outside.txt", 404, /not found/],
      ["path=/page.html&hours=0", 400, /hours must be a number above 0/],
      ["path=/page.html&hours=x", 400, /hours must be/],
      ["path=/page.html&count=1.5", 400, /count must be a whole number/],
      [JSON.stringify({ file: `${root}/../outside.txt` }), 404, /not found/],
      [JSON.stringify({ file: "/etc/passwd" }), 400, /not in the served folder/],
      ["{", 400, /JSON/],
      [`path=${"x".repeat(20_000)}`, 413, /longer than/],
    ];
    for (const [body, status, message] of cases) {
      const answer = await ask("/.share", { method: "POST", body });
      assertEquals(answer.status, status, body.slice(0, 60));
      assertMatch(await answer.text(), message);
    }
  });
});

Deno.test("shares expire, and stored data in another form is not a share", async () => {
  let now = 1000;
  const keeper = inMemory(), book = new ShareBook(keeper, () => now);
  const { token } = await book.make({ names: ["a"], ms: 500 });
  now = 1499;
  assertEquals((await book.find(token))?.names, ["a"]);
  now = 1500;
  assertEquals(await book.find(token), undefined);
  for (const text of ["", "{", "[]", '{"version":2,"shares":[]}', '{"version":1,"shares":[{"id":1}]}']) {
    assertEquals(new ShareBook({ read: () => text, write: () => {} }).list(), [], text);
  }
  assertEquals(withoutToken("/.share/secret/a.txt"), "/.share/…/a.txt");
  assertEquals(withoutToken("/a/.share/b"), "/a/.share/b");
});

Deno.test("two servers with one state folder never undo each other's changes to shares", async () => {
  const keeper = inMemory(), [first, second] = [new ShareBook(keeper), new ShareBook(keeper)];
  const shared = await first.make({ names: ["a"], ms: 60_000, limit: 2 });
  const other = await second.make({ names: ["b"], ms: 60_000 });
  assertEquals(first.list().map(({ names }) => names[0]), ["a", "b"]);
  await second.revoke(other.share.id);
  assertEquals(await first.count(shared.share), true);
  assertEquals([first.list().length, await first.find(other.token)], [1, undefined]);
  assertEquals(await second.count(shared.share), true);
  assertEquals([await first.count(shared.share), await second.find(shared.token)], [false, undefined]);
});

Deno.test("a share is neither created nor revoked if the change cannot be stored", async () => {
  await sharing(async ({ ask, share, keeper }) => {
    const path = await share({ path: "/page.html" }), { write } = keeper;
    const [{ id }] = (await (await ask("/.share")).json()).shares;
    keeper.write = () => {
      throw new Deno.errors.PermissionDenied("read-only");
    };
    const post = async (body: unknown) => {
      const answer = await ask("/.share", { method: "POST", body: JSON.stringify(body) });
      return [answer.status, (await answer.text()).includes("Cannot save")];
    };
    assertEquals(await post({ path: "/sub/a.txt" }), [507, true]);
    assertEquals(await post({ revoke: id }), [507, true]);
    assertEquals((await ask(path)).status, 200);
    keeper.write = write;
    assertEquals(await post({ revoke: id }), [200, false]);
    assertEquals((await ask(path)).status, 404);
  });
});

Deno.test("simultaneous guesses of a share's password pass no limit, and right passwords are not slowed", async () => {
  await sharing(async ({ ask, share }) => {
    const path = await share({ path: "/page.html", password: "word" });
    const given = (password: string) =>
      ask(path, { headers: { authorization: `Basic ${btoa(`x:${password}`)}` } }, REMOTE);
    const guesses = await Promise.all(Array.from({ length: 40 }, (_, i) => given(`guess ${i}`)));
    assertEquals(guesses.filter(({ status }) => status === 401).length, 10);
    assertEquals(guesses.filter(({ status }) => status === 429).length, 30);
  });
  await sharing(async ({ ask, share }) => {
    const path = await share({ path: "/page.html", password: "word" });
    const given = () => ask(path, { headers: { authorization: `Basic ${btoa("x:word")}` } }, REMOTE);
    assertEquals((await given()).status, 200);
    const all = await Promise.all(Array.from({ length: 40 }, given));
    assertEquals(new Set(all.map(({ status }) => status)), new Set([200]));
  });
});

// Thumbnails: made from the right files, once, kept within limits, and replaced by the file if none can be
// made.

const SMALL = new Uint8Array([0xff, 0xd8, 1, 2, 3]);

/** An image of 1200x600, red on the left and blue on the right, written by ImageMagick. */
async function picture(folder: string, name: string, ...options: string[]): Promise<Uint8Array<ArrayBuffer>> {
  const halves = ["(", "-size", "600x600", "xc:red", "xc:blue", "+append", ")"];
  await mustRun("convert", [...halves, ...options, join(folder, name)]);
  return await Deno.readFile(join(folder, name));
}

/** The colour at the center of the left and the right half, roughly: its largest component. */
function halves(file: Uint8Array<ArrayBuffer>): string {
  const jpeg = file[0] === 0xff ? openJpegReader()!(file, 480, 1e6)! : undefined;
  const { width, height } = jpeg ?? readPicture(file, { width: 480, height: 480 });
  const pixels = jpeg
    ? new Uint32Array(jpeg.pixels.buffer)
    : readPicture(file, { width: 480, height: 480 }).pixels;
  const at = (x: number) => pixels[(height >> 1) * width + x];
  return [at(width >> 2), at(width - (width >> 2))]
    .map((pixel) => (pixel >> 16 & 255) > 128 ? "red" : (pixel & 255) > 128 ? "blue" : "other").join(" ") +
    ` ${width}x${height}`;
}

Deno.test({ ...need("convert"), name: "PNG, BMP and JPEG get thumbnails, other files none" }, async () => {
  await temporary(async (folder) => {
    for (const name of ["a.png", "a.bmp", ...openJpegReader() ? ["a.jpg"] : []]) {
      assertEquals(halves(makeThumbnail(await picture(folder, name))!), "red blue 480x240", name);
    }
    assertEquals(makeThumbnail(new TextEncoder().encode("no picture")), undefined);
    const cut = await picture(folder, "b.png");
    assertEquals(makeThumbnail(cut.slice(0, 100)), undefined);
    assertEquals(makeThumbnail(await picture(folder, "tiny.png", "-resize", "100x50")), undefined);
    const huge = await picture(folder, "huge.png", "-filter", "point", "-resize", "8000x4000!");
    assertEquals(makeThumbnail(huge), undefined); // 32 million pixels
  });
});

Deno.test("pixels are rotated by the photo's orientation", () => {
  const rows = (width: number, pixels: number[]) => ({
    width,
    height: pixels.length / width,
    stride: width * 4,
    pixels: new Uint8Array(Uint32Array.from(pixels).buffer),
  });
  const shown = (orientation: number) => {
    const { width, pixels } = upright(rows(3, [1, 2, 3, 4, 5, 6]), orientation);
    return [width, ...new Uint32Array(pixels.buffer)].join(" ");
  };
  // The table of Exif 2.32: where the first stored row and column appear.
  const cases = [
    "3 1 2 3 4 5 6",
    "3 3 2 1 6 5 4",
    "3 6 5 4 3 2 1",
    "3 4 5 6 1 2 3",
    "2 1 4 2 5 3 6",
    "2 4 1 5 2 6 3",
    "2 6 3 5 2 4 1",
    "2 3 6 2 5 1 4",
  ];
  for (const [i, expected] of cases.entries()) assertEquals(shown(i + 1), expected, `orientation ${i + 1}`);
  // An Exif segment with one entry, in both byte orders.
  const little = "4949 2a00 08000000 0100 1201 0300 01000000 0600 0000",
    big = "4d4d 002a 00000008 0001 0112 0003 00000001 0008 0000";
  for (const [exif, expected] of [[little, 6], [big, 8]] as const) {
    const body = Uint8Array.fromHex(`457869660000${exif.replaceAll(" ", "")}`);
    const file = new Uint8Array([0xff, 0xd8, 0xff, 0xe1, 0, body.length + 2, ...body]);
    assertEquals(orientationOf(file), expected);
    assertEquals(orientationOf(file.slice(0, 20)), 1); // truncated
  }
});

Deno.test("a thumbnail is made once, even across restarts, and never from an unserved file", async () => {
  await temporary(async (folder) => {
    let made = 0;
    const options = {
      thumbnails: {
        takes: (name: string) => name.endsWith(".jpg"),
        make: () => (made++, Promise.resolve(SMALL)),
      },
      thumbnailFolder: () => `${folder}/small`,
    };
    await served(async (root, ask) => {
      Deno.writeTextFileSync(`${root}/a.jpg`, "x".repeat(100_000));
      Deno.writeTextFileSync(`${root}/b.txt`, "text");
      const all = await Promise.all([1, 2, 3].map(() => ask("/a.jpg?thumbnail=1a")));
      for (const answer of all) assertEquals(new Uint8Array(await answer.arrayBuffer()), SMALL);
      assertEquals(all[0].headers.get("content-type"), "image/jpeg");
      assertEquals(all[0].headers.get("cache-control"), "private, max-age=86400, immutable");
      assertEquals((await ask("/a.jpg?thumbnail")).headers.get("cache-control"), "no-cache");
      assertEquals(made, 1);
      assertEquals(await (await ask("/b.txt?thumbnail")).text(), "text");
      assertEquals((await ask("/gone.jpg?thumbnail")).status, 404);
      const gallery = await (await ask("/?view=gallery")).text();
      assert(/<img src="a\.jpg\?thumbnail=\w+"/.test(gallery), gallery);
      Deno.writeTextFileSync(`${root}/a.jpg`, "y".repeat(100_001));
      await (await ask("/a.jpg?thumbnail")).bytes();
      assertEquals(made, 2); // another version
      const { createFilesHandler } = await import("../../files/handler.ts");
      const again = createFilesHandler({ root, ...options });
      const peer = { remoteAddr: { hostname: "127.0.0.1", port: 1, transport: "tcp" as const } };
      const answer = await again(new Request("http://localhost/a.jpg?thumbnail"), peer as never);
      assertEquals(await answer.bytes(), SMALL);
      assertEquals(made, 2); // it was on the disk
    }, options);
    assertEquals((Deno.statSync(`${folder}/small`).mode! & 0o777).toString(8), "700");
  });
});

Deno.test("a file that was sent before still has a thumbnail", async () => {
  const thumbnails = { takes: () => true, make: () => Promise.resolve(SMALL) };
  await served(async (root, ask) => {
    Deno.writeTextFileSync(`${root}/a.jpg`, "x");
    assertEquals(await (await ask("/a.jpg")).text(), "x");
    assertEquals(await (await ask("/a.jpg?thumbnail=1a")).bytes(), SMALL);
  }, { thumbnails, clock: LATER }); // only a file that changed long ago is cached
});

Deno.test("a file whose disk hangs does not keep other files from getting thumbnails", async () => {
  await temporary(async (folder) => {
    const real = Deno.realPathSync(folder), hung = Promise.withResolvers<number>();
    for (const name of ["far.jpg", "near.jpg"]) Deno.writeTextFileSync(`${real}/${name}`, name);
    const root = new class extends Root {
      override async open(resolved: Resolved) {
        const open = await super.open(resolved);
        if (resolved.real.endsWith("far.jpg")) open.file.read = () => hung.promise;
        return open;
      }
    }(real, undefined, new Reach({ ms: 3000 }));
    const thumbnails = new Thumbnails(
      root,
      { takes: () => true, make: () => Promise.resolve(SMALL) },
      () => undefined,
    );
    const of = (name: string) => thumbnails.of(root.resolve(`${real}/${name}`), name);
    const [far, near] = await Promise.allSettled([of("far.jpg"), of("near.jpg")]);
    assertEquals([far.status, near.status === "fulfilled" && near.value], ["rejected", SMALL]);
    hung.resolve(0);
  });
});

Deno.test("thumbnails on disk stay within their limit", async () => {
  await temporary(async (folder) => {
    const store = new ThumbnailStore(() => `${folder}/small`, 1000, 500);
    for (let i = 0; i < 30; i++) await store.put(`k${i}`, new Uint8Array(100));
    const left = [...Deno.readDirSync(`${folder}/small`)].length;
    assert(left >= 5 && left <= 10, `${left} are left`);
    assertEquals((await store.get("k29"))?.length, 100);
    const none = new ThumbnailStore(() => undefined);
    await none.put("a", SMALL);
    assertEquals(await none.get("a"), undefined);
  });
});
