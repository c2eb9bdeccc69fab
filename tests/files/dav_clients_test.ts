/** WebDAV with its clients: litmus, cadaver, davfs2, rclone, gvfs, curl. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { FilesOptions } from "../../files/handler.ts";
import { listening, names } from "../support/uploads.ts";
import { need, needRoot } from "../support/need.ts";
import { bash, mustRun, temporary } from "../support/shell.ts";
import { endProgramsWith } from "../support/user_session.ts";

const ALL: Partial<FilesOptions> = {
  dav: { deletes: true },
  uploads: { overwrite: true, limit: 1e9, hasPassword: false, forDav: true },
};
const CONTENT = crypto.getRandomValues(new Uint8Array(60_000));

/**
 * litmus tests that need client-defined ("dead") properties, which deskhand does not store: PROPPATCH answers
 * 403 for each of them (RFC 4918 section 9.2.1).
 */
const WITHOUT_PROPERTIES = [/PROPPATCH on [^:]*: [^\n]*403 Forbidden/, /No value given for property/];

Deno.test({
  ...need("litmus"),
  name: "litmus passes everything that a server without dead properties can pass",
  async fn() {
    await listening(async (_root, url) => {
      await temporary(async (cwd) => {
        const command = new Deno.Command("litmus", { args: ["-k", `${url}/`], cwd, stdin: "null" });
        const output = new TextDecoder().decode((await command.output()).stdout);
        const suites = [
          ...output.matchAll(/summary for `(\w+)': of (\d+) tests run: (\d+) passed, (\d+) failed/g),
        ];
        const results = suites.map(([, suite, ...counts]) => [suite, ...counts.map(Number)]);
        assertEquals(results, [
          ["basic", 16, 16, 0],
          ["copymove", 13, 13, 0],
          ["props", 14, 11, 3],
          ["locks", 41, 38, 3],
          ["http", 4, 4, 0],
        ], output);
        const failures = output.match(/^.*FAIL \([^]*?\)$/gm) ?? [];
        assertEquals(failures.length, 6, output);
        for (const failure of failures) {
          assert(WITHOUT_PROPERTIES.some((reason) => reason.test(failure)), failure);
        }
        assert(!/WARNING/.test(output), output);
      });
    }, ALL);
  },
});

Deno.test({
  ...need("cadaver"),
  name: "cadaver puts, lists, copies, moves, locks and deletes",
  async fn() {
    await listening(async (root, url) => {
      await temporary(async (folder) => {
        await Deno.writeFile(`${folder}/in`, CONTENT);
        const lines = [
          `put ${folder}/in a.bin`,
          "mkcol d",
          "copy a.bin d/b.bin",
          "move a.bin d/ü.bin",
          "lock d/b.bin",
          "discover d/b.bin",
          "unlock d/b.bin",
          `get d/b.bin ${folder}/out`,
          "delete d/ü.bin",
          "ls d",
        ];
        const shown = await bash(
          `printf '%s\\n' ${lines.map((line) => `'${line}'`).join(" ")} | cadaver ${url}/`,
        );
        assertEquals(shown.match(/succeeded/g)?.length, 9, shown);
        assertMatch(shown, /Timeout: \d+ seconds/);
        assertMatch(shown, / b\.bin +60000 /);
        assertEquals(Deno.readFileSync(`${folder}/out`), CONTENT);
        assertEquals(names(`${root}/d`), ["b.bin"]);
      });
    }, ALL);
  },
});

Deno.test({
  ...need("rclone"),
  name: "rclone copies a tree there, checks, moves and purges it",
  async fn() {
    await listening(async (root, url) => {
      await temporary(async (folder) => {
        await Deno.mkdir(`${folder}/tree/sub`, { recursive: true });
        await Deno.writeFile(`${folder}/tree/a.bin`, CONTENT);
        await Deno.writeTextFile(`${folder}/tree/sub/ü #1%20.txt`, "hello");
        const config = `${folder}/rclone.conf`;
        await Deno.writeTextFile(config, `[d]\ntype = webdav\nurl = ${url}/\nvendor = other\n`);
        const rclone = (...args: string[]) => mustRun("rclone", ["--config", config, ...args]);
        await rclone("copy", `${folder}/tree`, "d:t");
        await rclone("check", "--download", `${folder}/tree`, "d:t");
        assertEquals((await rclone("lsf", "-R", "d:t")).trim().split("\n").sort(), [
          "a.bin",
          "sub/",
          "sub/ü #1%20.txt",
        ]);
        await rclone("moveto", "d:t/a.bin", "d:t/b.bin");
        await rclone("copyto", "d:t/b.bin", "d:t/c.bin");
        assertEquals(names(`${root}/t`), ["b.bin", "c.bin", "sub"]);
        assertMatch(await rclone("about", "d:"), /Free:/);
        await rclone("purge", "d:t");
        assertEquals(await rclone("lsf", "d:"), "");
      });
    }, ALL);
  },
});

Deno.test({
  ...need("/usr/libexec/gvfsd-dav", "gio", "dbus-run-session"),
  name: "gvfs, which GNOME Files mounts with, copies, renames, reads and removes",
  async fn() {
    await listening(async (root, url) => {
      await temporary(async (home) => {
        await Deno.writeFile(`${home}/in`, CONTENT);
        const dav = url.replace("http:", "dav:");
        const script = `gio mount ${dav}/ && gio mkdir ${dav}/d && gio copy ${home}/in ${dav}/d/ &&
          gio rename ${dav}/d/in out.bin && gio list ${dav}/d && gio cat ${dav}/d/out.bin > ${home}/out`;
        const folders = { HOME: home, XDG_RUNTIME_DIR: home, XDG_CACHE_HOME: `${home}/cache` };
        const env = { ...folders, GVFS_DISABLE_FUSE: "1" }; // a mount could not be removed
        const shown = await mustRun("dbus-run-session", ["--", "bash", "-c", script], { env });
        assertStringIncludes(shown, "out.bin");
        assertEquals(Deno.readFileSync(`${home}/out`), CONTENT);
        assertEquals(names(`${root}/d`), ["out.bin"]);
        await mustRun("dbus-run-session", [
          "--",
          "bash",
          "-c",
          `gio mount ${dav}/ && gio remove ${dav}/d/out.bin`,
        ], { env });
        assertEquals(names(`${root}/d`), []);
        await endProgramsWith(`XDG_RUNTIME_DIR=${home}`); // the services of the two buses, which write there
      });
    }, ALL);
  },
});

/** Whether FUSE can mount here; reports loudly if not. */
function needFuse(): { ignore: boolean } {
  const program = need("mount.davfs", "/dev/fuse");
  if (program.ignore) return program;
  return needRoot("sh", "-c", "exec 3<>/dev/fuse");
}

Deno.test({
  ...needFuse(),
  name: "davfs2 mounts the folder; programs write, rename and remove there",
  async fn() {
    await listening(async (root, url) => {
      await temporary(async (folder) => {
        const mount = `${folder}/mnt`, config = `${folder}/davfs2.conf`;
        await Deno.mkdir(mount);
        await Deno.writeTextFile(config, "ask_auth 0\ndelay_upload 0\n");
        await Deno.writeFile(`${root}/there.bin`, CONTENT);
        await mustRun("mount", ["-t", "davfs", "-o", `conf=${config}`, `${url}/`, mount]);
        try {
          assertEquals(await Deno.readFile(`${mount}/there.bin`), CONTENT);
          await bash(
            `cd ${mount} && echo hello > a.txt && mkdir d && mv a.txt d/b.txt && echo more >> d/b.txt &&
            cp there.bin d/copy.bin && rm there.bin`,
          );
        } finally {
          await mustRun("umount", [mount]); // returns when everything is uploaded
        }
        assertEquals(names(`${root}/d`), ["b.txt", "copy.bin"]);
        assertEquals(Deno.readTextFileSync(`${root}/d/b.txt`), "hello\nmore\n");
        assertEquals(Deno.readFileSync(`${root}/d/copy.bin`), CONTENT);
        assertEquals(names(root).filter((name) => !name.startsWith(".")), ["d"]);
      });
    }, ALL);
  },
});

Deno.test({
  ...need("curl"),
  name: "curl deletes, moves and queries properties",
  async fn() {
    await listening(async (root, url) => {
      await Deno.writeTextFile(`${root}/a.txt`, "a");
      const status = (...args: string[]) =>
        mustRun("curl", ["-s", "-o", "/dev/null", "-w", "%{http_code}", ...args]);
      assertEquals(await status("-X", "MOVE", "-H", `Destination: ${url}/b.txt`, `${url}/a.txt`), "201");
      assertEquals(await status("-X", "PROPFIND", "-H", "Depth: 1", `${url}/`), "207");
      assertEquals(await status("-X", "DELETE", `${url}/b.txt`), "204");
      assertEquals(names(root), [".deskhand-trash"]);
    }, ALL);
  },
});

Deno.test("10,000 entries are answered as they are read, in bounded memory", async () => {
  await listening(async (root, url) => {
    for (let i = 0; i < 10_000; i++) Deno.writeTextFileSync(`${root}/file ${i}.txt`, "");
    const answer = await fetch(`${url}/`, { method: "PROPFIND", headers: { depth: "1" } });
    assertEquals([answer.status, answer.headers.get("content-length")], [207, null]);
    const text = await answer.text();
    assertEquals(text.match(/<D:response>/g)?.length, 10_001);
    assert(text.endsWith("</D:multistatus>\n"));
  }, { dav: {} });
});
