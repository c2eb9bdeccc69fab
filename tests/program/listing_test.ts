/** Listings over a socket: memory, programs that follow every link. */

import { assert, assertEquals } from "@std/assert";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { temporary } from "../support/temporary.ts";

/**
 * Serves a folder of the test's own.
 * @param dir Where the folder is made; among other temporary folders if left out.
 */
async function serving(use: (root: string, url: string, program: Program) => Promise<void>, dir?: string) {
  await temporary(async (root) => {
    await using program = new Program(["--files", root, "--files-port", "0", "--log", "-"], {
      env: { DISPLAY: "" },
    });
    await use(root, await program.filesUrl(), program);
  }, { dir });
}

/** The most memory that a process has had resident, in bytes. */
function peakOf(pid: number): number {
  return 1024 * Number(/^VmHWM:\s+(\d+)/m.exec(Deno.readTextFileSync(`/proc/${pid}/status`))![1]);
}

Deno.test(
  {
    name: "a folder of 200,000 entries takes 300 bytes of memory an entry, also when two clients ask at once",
    // /proc tells a process's peak, and a file system in memory makes so many files in a second.
    ignore: Deno.build.os !== "linux",
  },
  async () => {
    await serving(async (root, url, program) => {
      const count = 200_000, script = `seq -f 'photo_%06.0f.jpg' 1 ${count} | xargs touch`;
      assert((await new Deno.Command("sh", { args: ["-c", script], cwd: root }).output()).success);
      Deno.mkdirSync(`${root}/small`);
      await fetch(`${url}/small/`).then((answer) => answer.text());
      const before = peakOf(program.pid);
      const lengths = ["", "?sort=size"].map(async (query) => {
        const answer = await fetch(`${url}/${query}`, { headers: { "accept-encoding": "identity" } });
        const told = Number(answer.headers.get("content-length"));
        const decoder = new TextDecoder();
        let length = 0, rows = 0;
        for await (const chunk of answer.body!) {
          length += chunk.length;
          rows += decoder.decode(chunk, { stream: true }).split("<tr").length - 1;
        }
        assertEquals(length, told);
        return rows;
      });
      // Some rows are cut in two by chunks.
      for (const rows of await Promise.all(lengths)) assert(Math.abs(rows - count) < count / 100, `${rows}`);
      const grown = peakOf(program.pid) - before;
      // A thread has a runtime of 35 MB, and threads leave some garbage.
      const allowed = 300 * count + 80 * 1024 * 1024;
      assert(grown < allowed, `${grown} bytes, ${Math.round(grown / count)} an entry`);
    }, "/dev/shm");
  },
);

Deno.test({ name: "wget -r fetches each folder in one order", ...need("wget") }, async () => {
  await serving(async (root, url, program) => {
    for (const path of ["a.txt", "sub/b #1.txt", "sub/deep/c.txt"]) {
      await Deno.mkdir(`${root}/sub/deep`, { recursive: true });
      await Deno.writeTextFile(`${root}/${path}`, path);
    }
    await temporary(async (copy) => {
      const { success } = await new Deno.Command("wget", { args: ["-q", "-r", "-nH", `${url}/`], cwd: copy })
        .output();
      // The last line of the log may come after the last answer.
      await program.printed(/ GET \/sub\/deep\/c\.txt 200 /);
      for (const path of ["a.txt", "sub/b #1.txt", "sub/deep/c.txt"]) {
        assertEquals(await Deno.readTextFile(`${copy}/${path}`), path);
      }
      const asked = [...program.stdout.matchAll(/ GET (\S+) \d+ /g)].map(([, path]) => path).sort();
      assertEquals(asked, [
        "/",
        "/a.txt",
        "/robots.txt",
        "/sub/",
        "/sub/b%20%231.txt",
        "/sub/deep/",
        "/sub/deep/c.txt",
      ]);
      assert(success);
    });
  });
});
