/** Listings of large folders: turns, limits, and memory afterwards. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { BusyError } from "../../core/errors.ts";
import { LargeListings, type Sent } from "../../files/listing/listing.ts";
import { RequestError } from "../../http/request.ts";
import { listingOf, served } from "../support/uploads.ts";
import { copied } from "../support/pictures.ts";
import { until } from "../support/shell.ts";
import { workersStarted } from "../support/program.ts";

/** The listing thread stays for a while after the last folder. */
const THREAD = { sanitizeOps: false, sanitizeResources: false };
/** The signal of a client that does not leave. */
const STAYS = new AbortController().signal;

async function bytesOf({ length, body }: Sent): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await copied(new Response(body)).bytes();
  assertEquals(bytes.length, length, "Content-Length is the length of the content");
  return bytes;
}

async function textOf(sent: Promise<Sent>): Promise<string> {
  return new TextDecoder().decode(await bytesOf(await sent));
}

Deno.test(
  { name: "a listing has the same text uncompressed and in gzip, of several pieces", ...THREAD },
  async () => {
    await served(async (root) => {
      Deno.mkdirSync(`${root}/a`);
      for (let i = 0; i < 3000; i++) Deno.writeTextFileSync(`${root}/a/${"ü".repeat(90)} ${i}`, "");
      const large = new LargeListings(), listing = listingOf(root, "a", "a", "html");
      const plain = await bytesOf(await large.answer(listing, false, STAYS));
      const gzip = await bytesOf(await large.answer(listing, true, STAYS));
      assert(plain.length > 1024 * 1024, "a piece would hold it all");
      assert(gzip.length < plain.length / 5, `${gzip.length} bytes`);
      const decoded = new Blob([gzip]).stream().pipeThrough(new DecompressionStream("gzip"));
      assertEquals(await new Response(decoded).bytes(), plain);
      assertEquals(new TextDecoder().decode(plain).split("<td><a ").length - 1, 3001);
    });
  },
);

Deno.test(
  { name: "one thread makes all listings, since starting it delays other requests", ...THREAD },
  async () => {
    await served(async (root) => {
      Deno.mkdirSync(`${root}/a`);
      const large = new LargeListings(),
        answer = () => textOf(large.answer(listingOf(root, "a", "a"), false, STAYS));
      assertEquals(await workersStarted(answer), 1);
      assertEquals(await workersStarted(answer), 0);
    });
  },
);

Deno.test({
  name: "large folders are listed in turn; one that vanishes before its turn is not found",
  ...THREAD,
}, async () => {
  await served(async (root) => {
    const listing = (name: string) => listingOf(root, name, name);
    for (const name of ["stays", "goes"]) Deno.mkdirSync(`${root}/${name}`);
    const large = new LargeListings();
    const first = large.answer(listing("stays"), false, STAYS);
    const second = assertRejects(() => large.answer(listing("goes"), false, STAYS), RequestError);
    const third = large.answer(listing("stays"), false, STAYS);
    // The second does not begin until the first is done.
    Deno.renameSync(`${root}/goes`, `${root}/gone`);
    assertEquals(JSON.parse(await textOf(first)), { path: "/stays/", entries: [] });
    assertEquals((await second).status, 404);
    assertEquals(JSON.parse(await textOf(third)), { path: "/stays/", entries: [] });
  });
});

Deno.test({
  name: "a large folder that a link out of the root replaces before its turn is not listed",
  ignore: Deno.build.os === "windows",
  ...THREAD,
}, async () => {
  await served(async (root) => {
    for (const name of ["stays", "large"]) Deno.mkdirSync(`${root}/${name}`);
    const large = new LargeListings();
    const first = large.answer(listingOf(root, "stays", "stays"), false, STAYS);
    const listing = listingOf(root, "large", "large");
    const second = assertRejects(() => large.answer(listing, false, STAYS), RequestError);
    Deno.renameSync(`${root}/large`, `${root}/was large`);
    Deno.symlinkSync(`${root}/..`, `${root}/large`);
    await (await first).body.cancel();
    assertEquals((await second).status, 404);
  });
});

Deno.test({
  name: "at most 64 large folders may wait, and a finished one frees its place",
  ...THREAD,
}, async () => {
  await served(async (root) => {
    Deno.mkdirSync(`${root}/a`);
    const large = new LargeListings(), leaving = new AbortController();
    const answer = (i: number, client = STAYS) => large.answer(listingOf(root, "a", `${i}`), false, client); // each of its own
    const first = answer(0);
    // Clients that only take a place leave before their turn.
    const waiting = Array.from({ length: 63 }, (_, i) => orLeft(answer(1 + i, leaving.signal)));
    const last = answer(64);
    await assertRejects(() => answer(65), BusyError);
    const same = answer(64); // the same as a waiting one
    await first;
    const another = answer(66);
    leaving.abort();
    const paths = await Promise.all([first, last, same, another].map(textOf));
    assertEquals(paths.map((text) => JSON.parse(text).path), ["/0/", "/64/", "/64/", "/66/"]);
    const left = (await Promise.all(waiting)).filter((has) => has).length;
    assert(left >= 62, `${left} left before their turn`); // one may have begun
  });
});

Deno.test(
  { name: "a large folder is not listed for clients that left before its turn", ...THREAD },
  async () => {
    await served(async (root) => {
      Deno.mkdirSync(`${root}/a`);
      const leaves = () => {
        const leaving = new AbortController();
        setTimeout(() => leaving.abort());
        return leaving.signal;
      };
      const large = new LargeListings();
      const answer = (name: string, client: AbortSignal) =>
        large.answer(listingOf(root, "a", name), false, client);
      const first = answer("first", leaves()); // it has begun, so it is finished
      const left = assertRejects(() => answer("left", leaves()), RequestError);
      const wanted = [answer("wanted", leaves()), answer("wanted", STAYS)];
      assertMatch(await textOf(first), /first/);
      assertEquals((await left).status, 499);
      for (const sent of wanted) assertMatch(await textOf(sent), /wanted/);
    });
  },
);

Deno.test(
  { name: "while clients hold more listings than the limit, no other begins", ...THREAD },
  async () => {
    await served(async (root) => {
      for (const folder of ["empty", "a"]) Deno.mkdirSync(`${root}/${folder}`);
      for (let i = 0; i < 200; i++) Deno.writeTextFileSync(`${root}/a/${crypto.randomUUID()}`, "");
      const large = new LargeListings(2000); // an empty folder's listing is shorter, the other one longer
      const answer = (name: string, folder = "a") => large.answer(listingOf(root, folder, name), true, STAYS);
      // The two identical ones wait for the one before them, and so are made once.
      const [before, ...stalled] = await Promise.all([
        answer("before", "empty"),
        answer("first"),
        answer("first"),
      ]);
      await before.body.cancel();
      for (const { body } of stalled) {
        await assertRejects(() => answer("second"), BusyError);
        await body.cancel();
      }
      await bytesOf(await answer("second"));
      await bytesOf(await answer("third"));
    });
  },
);

for (const leaves of ["before a listing is made", "during a listing"] as const) {
  Deno.test({ name: `a client that goes away ${leaves} frees its place`, ...THREAD }, async () => {
    await served(async (root) => {
      Deno.mkdirSync(`${root}/a`);
      // More than the system buffers for a connection.
      for (let i = 0; i < 3000; i++) Deno.writeTextFileSync(`${root}/a/${"ü".repeat(120)} ${i}`, "");
      const large = new LargeListings(1), asked = Promise.withResolvers<void>();
      const made = Promise.withResolvers<void>();
      await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async () => {
        asked.resolve();
        const { body } = await large.answer(listingOf(root, "a", "a"), false, STAYS);
        made.resolve();
        return new Response(body);
      });
      const client = await Deno.connect({ hostname: "127.0.0.1", port: server.addr.port });
      await client.write(new TextEncoder().encode("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
      await (leaves === "before a listing is made" ? asked : made).promise;
      client.close();
      await made.promise;
      const sent = await until(() => orBusy(large.answer(listingOf(root, "a", "b"), false, STAYS)));
      await sent!.body.cancel();
    });
  });
}

/** @returns undefined if the request is refused because the server is overloaded. */
async function orBusy(sent: Promise<Sent>): Promise<Sent | undefined> {
  try {
    return await sent;
  } catch (error) {
    if (error instanceof BusyError) return undefined;
    throw error;
  }
}

/** @returns Whether the client left before the listing was made. */
async function orLeft(sent: Promise<Sent>): Promise<boolean> {
  try {
    await (await sent).body.cancel();
    return false;
  } catch (error) {
    if (error instanceof RequestError && error.status === 499) return true;
    throw error;
  }
}
