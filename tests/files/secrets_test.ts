/** deskhand's own secrets, and names that begin with a dot: which paths reach them. */

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { isSecret } from "../../files/secrets.ts";
import { type Ask, LATER, served, statusOf } from "../support/uploads.ts";

const POSIX = { ignore: Deno.build.os === "windows" };

/** The names in a folder's listing. */
async function namesIn(ask: Ask, folder: string): Promise<string[]> {
  const { entries } = await (await ask(`${folder}?format=json`)).json();
  return entries.map(({ name }: { name: string }) => name);
}

/** Creates a state folder and secret files below a folder that is about to be served. */
async function makeSecrets(root: string) {
  await Deno.mkdir(`${root}/state/deskhand/sub`, { recursive: true });
  for (const name of ["state/deskhand/token", "state/deskhand/sub/deep", "key.pem", "a.log", "plain.txt"]) {
    await Deno.writeTextFile(`${root}/${name}`, `content of ${name}`);
  }
}

const SECRETS = (root: string) => ({
  folder: `${root}/state/deskhand`,
  files: [`${root}/key.pem`, `${root}/a.log`, `${root}/missing.log`],
});

Deno.test("a secret is recognized by its path, or by device, inode and creation time", () => {
  const created = new Date(1e12);
  const secrets = {
    paths: [join("/state"), join("/a.log")],
    fingerprints: [{ dev: 1, ino: 2, birthtime: created }],
  };
  const cases: [real: string, dev: number, ino: number | null, birthtime: Date | null, secret: boolean][] = [
    ["/state", 1, 9, created, true],
    ["/state/token", 1, 9, created, true],
    ["/statement", 1, 9, created, false],
    ["/a.log", 1, 9, created, true],
    ["/a.log.1", 1, 9, created, false],
    ["/hard", 1, 2, created, true],
    ["/other", 3, 2, created, false],
    ["/number-that-reads-the-same", 1, 2, new Date(1e12 + 1), false],
    ["/no-number", 1, null, created, false],
  ];
  for (const [real, dev, ino, birthtime, secret] of cases) {
    assertEquals(isSecret(secrets, join(real), { dev, ino, birthtime }), secret, real);
  }
});

Deno.test("secrets are neither listed nor served, under their own names", async () => {
  await served(async (root, ask) => {
    await makeSecrets(root);
    for (
      const path of [
        "/state/deskhand/token",
        "/state/deskhand/sub/deep",
        "/state/deskhand/",
        "/state/deskhand/sub/",
        "/state/deskhand",
        "/key.pem",
        "/a.log",
      ]
    ) {
      assertEquals(await statusOf(ask(path)), 404, path);
    }
    assertEquals(await statusOf(ask("/plain.txt")), 200);
    assertEquals(await namesIn(ask, "/"), ["state", "plain.txt"]);
    assertEquals(await namesIn(ask, "/state/"), []);
  }, (root) => ({ secrets: SECRETS(root) }));
});

Deno.test({ ...POSIX, name: "links and hard links lead to no secret" }, async () => {
  await served(async (root, ask) => {
    await makeSecrets(root);
    await Deno.link(`${root}/state/deskhand/token`, `${root}/hard`);
    await Deno.link(`${root}/key.pem`, `${root}/hard.pem`);
    await Deno.symlink("key.pem", `${root}/soft.pem`);
    await Deno.symlink("state/deskhand", `${root}/folder`);
    await Deno.symlink("state", `${root}/above`);
    for (
      const path of [
        "/hard",
        "/hard.pem",
        "/soft.pem",
        "/folder/",
        "/folder/token",
        "/above/deskhand/token",
      ]
    ) {
      assertEquals(await statusOf(ask(path)), 404, path);
    }
    assertEquals(await namesIn(ask, "/"), ["above", "state", "plain.txt"]);
  }, (root) => ({ secrets: SECRETS(root) }));
});

Deno.test({ ...POSIX, name: "a secret created while files are served is hidden immediately" }, async () => {
  await served(async (root, ask) => {
    assertEquals(await namesIn(ask, "/"), []);
    await makeSecrets(root);
    await Deno.writeTextFile(`${root}/state/deskhand/journal`, "typed");
    await Deno.link(`${root}/state/deskhand/journal`, `${root}/hard`);
    assertEquals(await statusOf(ask("/hard")), 404);
    assertEquals(await namesIn(ask, "/"), ["state", "plain.txt"]);
  }, (root) => ({ secrets: SECRETS(root) }));
});

Deno.test({
  ...POSIX,
  name: "a cached file that is moved into the state folder is not found through a link",
}, async () => {
  await served(async (root, ask) => {
    await makeSecrets(root);
    for (let i = 0; i < 3; i++) assertEquals(await statusOf(ask("/plain.txt")), 200);
    await Deno.rename(`${root}/plain.txt`, `${root}/state/deskhand/plain.txt`);
    await Deno.symlink("state/deskhand/plain.txt", `${root}/plain.txt`);
    assertEquals(await statusOf(ask("/plain.txt")), 404);
  }, (root) => ({ secrets: SECRETS(root), clock: LATER }));
});

Deno.test("a large folder's listing omits secrets and hidden names too", async () => {
  await served(async (root, ask) => {
    await makeSecrets(root);
    Deno.writeTextFileSync(`${root}/.hidden`, "");
    for (let i = 0; i < 2200; i++) Deno.writeTextFileSync(`${root}/${i}`, "");
    const names = await namesIn(ask, "/");
    assertEquals(names.length, 2202);
    for (const name of ["key.pem", "a.log", ".hidden"]) assertEquals(names.includes(name), false, name);
  }, (root) => ({ secrets: SECRETS(root), noHidden: true }));
});

Deno.test({ ...POSIX, name: "noHidden omits dot files from listings and answers" }, async () => {
  const prepare = async (root: string) => {
    await Deno.mkdir(`${root}/.git`);
    await Deno.mkdir(`${root}/in`);
    for (const name of [".env", ".git/config", "in/.x", "in/y", "a.b"]) {
      await Deno.writeTextFile(`${root}/${name}`, name);
    }
    await Deno.symlink(".env", `${root}/link`);
    await Deno.symlink("a.b", `${root}/.link`);
  };
  const HIDDEN = ["/.env", "/.git/", "/.git/config", "/in/.x", "/link", "/.link", "/.git"];
  await served(async (root, ask) => {
    await prepare(root);
    for (const path of HIDDEN) assertEquals(await statusOf(ask(path)), 404, path);
    for (const path of ["/a.b", "/in/y", "/in/"]) assertEquals(await statusOf(ask(path)), 200, path);
    assertEquals([await namesIn(ask, "/"), await namesIn(ask, "/in/")], [["in", "a.b"], ["y"]]);
  }, { noHidden: true });
  await served(async (root, ask) => {
    await prepare(root);
    for (const path of HIDDEN.slice(0, -1)) assertEquals(await statusOf(ask(path)), 200, path);
    assertEquals(await namesIn(ask, "/"), [".git", "in", ".env", ".link", "a.b", "link"]);
  });
});
