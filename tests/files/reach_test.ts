/** Shares that hang: only their own requests wait. */

import {
  assert,
  assertEquals,
  assertIsError,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { Archives } from "../../files/archive/archives.ts";
import { LargeListings } from "../../files/listing/listing.ts";
import { readEntries } from "../../files/listing/read.ts";
import { Disk, Reach } from "../../core/disk.ts";
import { isOnLocalDisk } from "../../core/proc.ts";
import { Root } from "../../files/resolve.ts";
import { removeLeft } from "../../files/upload/receive.ts";
import { complete } from "../../control/prompt/shell.ts";
import { BusyError } from "../../core/errors.ts";
import { FolderHandle } from "../../core/folder_handle.ts";
import { delay } from "@std/async/delay";
import { call, wordsOf } from "../support/agent_tools.ts";
import { readUntil } from "../support/notify_socket.ts";
import { Program } from "../support/program.ts";
import {
  hang,
  LATER,
  listening,
  listingOf,
  mounted,
  MOUNTS,
  names,
  OPEN,
  statusOf,
  THREAD,
} from "../support/uploads.ts";
import { temporary, until } from "../support/shell.ts";
import { WebDriverClient } from "../support/webdriver_client.ts";

Deno.test("only a late call fails; few hang for one area, and others go on", async () => {
  const reach = new Reach({ ms: 50, area: 2, all: 3 }), discarded: string[] = [];
  const hung = Array.from({ length: 4 }, () => Promise.withResolvers<string>());
  const late = hung.map(({ promise }) =>
    reach.call("share", () => promise, (value) => discarded.push(value))
  );
  const outcomes = await Promise.allSettled(late);
  assertEquals(outcomes.map(({ status }) => status), Array(4).fill("rejected"));
  let refusal: unknown;
  reach.call("share", () => Promise.resolve("no")).catch((error) => refusal = error);
  await delay(0); // due before the end of the call's limit
  assertIsError(refusal, BusyError, "has not answered");
  assertEquals(await reach.call("other", () => Promise.resolve("yes")), "yes");
  await assertRejects(
    () => reach.call("other", () => Promise.reject(new Error("its own"))),
    Error,
    "its own",
  );
  hung.forEach(({ resolve }, i) => resolve(`${i}`));
  await until(() => discarded.length === 2); // the other two never began
  assertEquals(await reach.call("share", () => Promise.resolve("again")), "again");
});

Deno.test("calls above the limit wait for their turn", async () => {
  const reach = new Reach({ area: 2, all: 3 });
  let running = 0, most = 0;
  const calls = Array.from({ length: 20 }, (_, i) =>
    reach.call(`area ${i % 3}`, async () => {
      most = Math.max(most, ++running);
      await delay(1);
      running--;
      return i;
    }));
  assertEquals(await Promise.all(calls), Array.from({ length: 20 }, (_, i) => i));
  assertEquals(most, 3);
});

Deno.test("a file is closed once its disk answers, even if no call may be made for it before", async () => {
  await temporary(async (folder) => {
    const disk = new Disk(new Reach({ ms: 20, area: 1, laterMs: 20 }), "share", folder);
    const hung = Promise.withResolvers<void>();
    let isClosed = false;
    await assertRejects(() => disk.call(() => hung.promise), BusyError, "has not answered");
    await assertRejects(() => disk.close({ close: () => isClosed = true }), BusyError, "has not answered");
    assertEquals([disk.isLate, isClosed], [true, false]);
    hung.resolve();
    await until(() => isClosed);
    assertEquals(disk.isLate, false);
  });
});

Deno.test({
  name: "a file of a share is written before it is closed, and its errors are not lost",
  ignore: Deno.build.os !== "linux",
}, async () => {
  for (const [path, expected] of [["/proc", "write, close"], ["/dev/shm", "close"]]) {
    const done: string[] = [], disk = new Disk(new Reach(), "share", path);
    const file = {
      syncData: () => Promise.resolve(void done.push("write")),
      close: () => void done.push("close"),
    };
    await disk.close(file);
    assertEquals(done.join(", "), expected);
  }
  const full = () => Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" }));
  let isClosed = false;
  const disk = new Disk(new Reach(), "share", "/proc");
  await assertRejects(() => disk.close({ syncData: full, close: () => isClosed = true }), Error, "full");
  assertEquals(isClosed, true);
});

Deno.test("what a hung disk keeps of an unfinished copy is removed once it answers", async () => {
  await temporary(async (folder) => {
    const disk = new Disk(new Reach({ ms: 20, area: 1, laterMs: 20 }), "share", folder);
    await Deno.mkdir(`${folder}/.deskhand-upload-copy/sub`, { recursive: true });
    const hung = Promise.withResolvers<void>();
    await assertRejects(() => disk.call(() => hung.promise), BusyError, "has not answered");
    {
      using open = FolderHandle.open({ real: folder, info: Deno.lstatSync(folder) });
      await removeLeft(open, [".deskhand-upload-copy"], disk);
    }
    assertEquals(names(folder), [".deskhand-upload-copy"]);
    hung.resolve();
    await until(() => names(folder).length === 0);
  });
});

Deno.test({
  ...MOUNTS,
  name: "a mount that hangs delays only its own requests, then they get 503",
  async fn() {
    await temporary(async (folder) => {
      await Deno.mkdir(`${folder}/far`);
      await Deno.writeTextFile(`${folder}/far/a.txt`, "far");
      await listening(async (root, url) => {
        const mount = `${root}/share`;
        await Deno.mkdir(mount);
        await Deno.mkdir(`${root}/near`);
        await Deno.writeTextFile(`${root}/near/b.txt`, "near");
        await Deno.writeTextFile(`${root}/c.txt`, "near");
        let isClosed = false;
        await mounted(`${folder}/far`, mount, [], async (program) => {
          for (let i = 0; i < 3; i++) { // cached by then, and still queried on another thread
            assertEquals(await (await fetch(`${url}/share/a.txt`)).text(), "far");
          }
          assertEquals(isOnLocalDisk(`${mount}/a.txt`), false);
          const far = listingOf(root, "share", "share"), near = listingOf(root, "near", "near");
          await hang(program.pid);
          const walks = ["?archive=zip", "share/?archive=tar", "?q=a&deep", "share/?deep&format=json"];
          const stuck = Promise.all(
            ["share/a.txt", "share/", "share/other.txt", "", ...walks].map(async (path) => {
              const answer = await fetch(`${url}/${path}`);
              await answer.text();
              return answer.status;
            }),
          );
          for (let i = 0; i < 20; i++) {
            const start = performance.now();
            assertEquals(await (await fetch(`${url}/near/b.txt`)).text(), "near");
            assertEquals(await (await fetch(`${url}/c.txt`)).text(), "near");
            for (const query of ["", "?archive=zip", "?q=b&deep"]) { // a walk of the share holds up no other
              assertEquals(await statusOf(fetch(`${url}/near/${query}`)), 200);
            }
            assert(performance.now() - start < 5000, "a file of another folder waited for the share");
          }
          // The mount may stop after the folder was found.
          const found = new Root(await Deno.realPath(root), undefined, new Reach({ ms: 500 }));
          const folder = { real: found.path(["share"]), lexicalPath: found.path(["share"]) };
          await assertRejects(() => readEntries(found, folder, {}), BusyError, "has not answered");
          const disk = found.disk(folder.real), close = () => isClosed = true;
          await assertRejects(() => disk.close({ close }), BusyError, "has not answered");
          await assertRejects(() => disk.during(new Promise(() => {})), BusyError, "has not answered");
          assertEquals([disk.isLate, isClosed], [true, false]);
          const statuses = await stuck;
          assertEquals(statuses.slice(1), Array(7).fill(503));
          assert([200, 503].includes(statuses[0])); // the system may still have the file cached
          const large = new LargeListings(undefined, 1500), { signal } = new AbortController();
          await assertRejects(() => large.answer(far, false, signal), BusyError, "took more than");
          assert((await large.answer(near, false, signal)).length > 0);
        });
        await until(() => isClosed);
      }, { ...OPEN, clock: LATER });
    });
  },
});

Deno.test(
  { ...MOUNTS, ...THREAD, name: "an archive of a mount that hangs ends, and others go on" },
  async () => {
    await temporary(async (folder) => {
      const far = `${folder}/far`, path = `${folder}/root`;
      for (const made of [far, `${path}/share`, `${path}/near`]) await Deno.mkdir(made, { recursive: true });
      await Deno.writeTextFile(`${far}/a.bin`, "");
      await Deno.truncate(`${far}/a.bin`, 100_000_000);
      await Deno.writeTextFile(`${path}/near/b.txt`, "near");
      const root = new Root(await Deno.realPath(path), undefined, new Reach({ ms: 4000 }));
      const archives = new Archives(root), { signal } = new AbortController();
      const begun = async (name: string) => {
        const lexicalPath = root.path([name]), resolved = await root.find(lexicalPath);
        const plan = await archives.plan({ ...resolved, lexicalPath, names: [name] }, "tar", signal);
        const pieces = [{ start: 0, end: plan.layout.length - 1 }];
        return archives.read(plan, pieces, () => {}, root.disksBelow(resolved.real)).getReader();
      };
      await mounted(far, `${path}/share`, [], async ({ pid }) => {
        const readers = await Promise.all([1, 2, 3].map(() => begun("share")));
        for (const reader of readers) await reader.read();
        await hang(pid);
        const ends = readers.map((reader) =>
          assertRejects(
            async () => {
              while (!(await reader.read()).done);
            },
            BusyError,
            "has not answered",
          )
        );
        const near = await begun("near");
        while (!(await near.read()).done);
        await Promise.all(ends);
      });
    });
  },
);

Deno.test({ ...MOUNTS, name: "a mount that takes no upload says which option it lacks" }, async () => {
  await temporary(async (folder) => {
    await Deno.mkdir(`${folder}/far`);
    await Deno.writeTextFile(`${folder}/far/a.txt`, "far");
    await listening(async (root, url) => {
      await Deno.mkdir(`${root}/share`);
      await mounted(`${folder}/far`, `${root}/share`, [], async () => {
        const upload = await fetch(`${url}/share/new.txt`, { method: "PUT", body: "new" });
        assertEquals(upload.status, 403); // it opens no file for both reading and writing
        assertStringIncludes(await upload.text(), "--vfs-cache-mode writes");
      });
    }, OPEN);
  });
});

/** Begins an upload of twice as many bytes as it sends. */
async function halfOfUpload(url: string, path: string, bytes: Uint8Array): Promise<Deno.TcpConn> {
  const { host, port } = new URL(url), connection = await Deno.connect({ port: Number(port) });
  const length = `Content-Length: ${2 * bytes.length}`;
  const head = `PUT ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${length}\r\n\r\n`;
  await writeTo(connection, new TextEncoder().encode(head));
  await writeTo(connection, bytes);
  return connection;
}

async function writeTo(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

Deno.test({ ...MOUNTS, name: "uploads into a mount that hangs get 503, and others go on" }, async () => {
  await temporary(async (folder) => {
    const far = `${folder}/far`, root = `${folder}/root`, mount = `${root}/share`;
    for (const path of [far, root, mount]) await Deno.mkdir(path);
    await Deno.writeTextFile(`${far}/a.txt`, "far");
    await Deno.writeTextFile(`${root}/b.txt`, "near");
    await using program = new Program(["--files", root, "--files-port", "0", "--allow-upload"]);
    const url = await program.filesUrl(), half = new Uint8Array(1_000_000);
    // Without this cache, rclone opens no file for both reading and writing.
    await mounted(far, mount, ["--vfs-cache-mode", "writes"], async ({ pid }) => {
      using staying = await halfOfUpload(url, "/share/c.bin", half);
      const leaving = await halfOfUpload(url, "/share/d.bin", half);
      await until(() => {
        const parts = Array.from(Deno.readDirSync(mount)).filter(({ name }) => name.startsWith("."));
        const sizes = parts.map(({ name }) => Deno.statSync(`${mount}/${name}`).size);
        return sizes.length === 2 && sizes.every((size) => size === half.length);
      });
      await hang(pid);
      leaving.close(); // its file must not be closed on the serving thread
      let isAnswered = false;
      const answer = writeTo(staying, half).then(() => readUntil(staying)).finally(() => isAnswered = true);
      while (!isAnswered) {
        const near = await fetch(`${url}/b.txt`, { signal: AbortSignal.timeout(60_000) });
        assertEquals(await near.text(), "near");
        await delay(50);
      }
      assertMatch(await answer, /^HTTP\/1\.1 503 /);
      assertEquals(await statusOf(fetch(`${url}/share/e.txt`, { method: "PUT", body: "e" })), 503);
    });
  });
});

/**
 * Mounts a folder, in which agents may not act, and starts deskhand on it.
 * @param argsOf Returns the arguments for the mount and a folder that cannot hang.
 */
async function onMount(
  argsOf: (mount: string, near: string) => string[],
  use: (program: Program, disk: { mount: string; near: string; pid: number }) => Promise<void>,
  isState = false,
): Promise<void> {
  await temporary(async (folder) => {
    const far = `${folder}/far`, mount = `${folder}/mount`, near = `${folder}/near`;
    for (const path of [far, mount, near, `${far}/deskhand`]) await Deno.mkdir(path, { mode: 0o700 });
    await Deno.writeTextFile(`${near}/a.txt`, "near");
    await Deno.writeTextFile(`${far}/agents.json`, '{"default":"read"}');
    await mounted(far, mount, ["--vfs-cache-mode", "writes"], async ({ pid }) => {
      const args = ["--desktop", "virtual", "--http", "0", ...argsOf(mount, near)];
      await using program = new Program(args, isState ? { env: { XDG_STATE_HOME: mount } } : {});
      using _continued = { [Symbol.dispose]: () => Deno.kill(pid, "SIGCONT") }; // or the program could not be ended
      await use(program, { mount, near, pid });
    });
  });
}

/** Waits for answers while the control API must answer other requests. */
async function besides<T>(control: string, waiting: Promise<T>): Promise<T> {
  let isOver = false;
  const over = waiting.finally(() => isOver = true);
  over.catch(() => {}); // a failed request is what the test reports
  while (!isOver) {
    assertEquals(await statusOf(fetch(`${control}/healthz`, { signal: AbortSignal.timeout(60_000) })), 200);
    await delay(50);
  }
  return await over;
}

for (const [secret, option] of [["state folder"], ["policy", "--agent-allow"]]) {
  Deno.test(
    { ...MOUNTS, name: `a ${secret} that hangs is a 503 of the file server, and others go on` },
    async () => {
      const args = (mount: string, near: string) => [
        ...["--files", near, "--files-port", "0"],
        ...option ? [option, `${mount}/${secret}`] : [],
      ];
      await onMount(args, async (program, { pid }) => {
        const files = await program.filesUrl(), control = await program.controlUrl();
        const asked = () => ["/a.txt", "/"].map((path) => statusOf(fetch(files + path)));
        assertEquals(await Promise.all(asked()), [200, 200]);
        await hang(pid);
        assertEquals(await besides(control, Promise.all(asked())), [503, 503]);
        assertEquals(await besides(control, statusOf(fetch(`${control}/api/text`))), 200);
        Deno.kill(pid, "SIGCONT");
        await until(() => statusOf(fetch(`${files}/`)), (status) => status === 200);
      }, !option);
    },
  );
}

Deno.test(
  { ...MOUNTS, name: "a hung file of --agent-allow holds only agents, whom it refuses" },
  async () => {
    await onMount((mount) => ["--agent-allow", `${mount}/agents.json`], async (program, { mount, pid }) => {
      const control = await program.controlUrl();
      const action = { type: "click", button: "left", x: 1000, y: 100 };
      const body = JSON.stringify({ dialect: "openai", action });
      const act = () => statusOf(fetch(`${control}/api/act`, { method: "POST", body }));
      const agents = () => statusOf(fetch(`${control}/api/agents`));
      assertEquals([await act(), await agents()], [403, 200]);
      await hang(pid);
      assertEquals(await besides(control, Promise.all([act(), agents()])), [503, 503]);
      Deno.kill(pid, "SIGCONT");
      await until(agents, (status) => status === 200);
      await Deno.writeTextFile(`${mount}/agents.json`, '{"default":"act"}');
      await until(act, (status) => status === 200);
    });
  },
);

Deno.test({ ...MOUNTS, name: "files of a hung share hold only the command that names them" }, async () => {
  const args = ["--agent-open", "notes", "--webdriver", "0", "--webdriver-open", "true"];
  await onMount(() => args, async (program, { mount, pid }) => {
    const control = await program.controlUrl(), lines = ["rec mouse", "m3-4", "stop", `save ${mount}/a.json`];
    for (const line of [...lines, `shot ${mount}/a.png`]) await program.write(line);
    await program.printed(/^saved 1 event$/m);
    await until(() => names(mount).includes("a.png"));
    await hang(pid);
    const refused = async (line: string, file: string) => {
      await program.write(line);
      const said = new RegExp(
        `^line \\d+: cannot \\w+ ${mount}/${file}: the disk of ${mount} has not answered .*`,
        "m",
      );
      await besides(control, program.printed(said));
      program.stderr = program.stderr.replace(said, "");
    };
    await refused(`save ${mount}/b.json`, "b.json");
    await refused(`save! ${mount}/b.json`, "b.json");
    await refused(`load ${mount}/a.json`, "a.json");
    await refused(`shot ${mount}/b.png`, "b.png");
    await refused(`shot! ${mount}/b.png`, "b.png");
    await refused(`find ${mount}/a.png`, "a.png");
    await refused(`expect looks ${mount}/a.png`, "a.png");
    assertEquals(await complete(`load ${mount}/`), [[], `${mount}/`]);
    const request = (_: string, path: string, body: unknown, { headers = {} } = {}) =>
      fetch(control + path, { method: "POST", headers, body: JSON.stringify(body) });
    const opened = call({ request }, "open", { program: "notes", file: `${mount}/a.json` });
    assertMatch(wordsOf(await besides(control, opened)), /the disk of .* has not answered/);
    const capabilities = { "appium:app": "true", "appium:appWorkingDir": mount };
    const started = new WebDriverClient(await program.webdriverUrl()).open(capabilities);
    assertMatch((await besides(control, started)).value.message, /the disk of .* has not answered/);
    await program.write("g");
    await program.printed(/^3 4$/m);
    Deno.kill(pid, "SIGCONT");
    await until(async () => {
      await program.write(`save! ${mount}/b.json`);
      return names(mount).includes("b.json");
    });
    await program.printed(/^saved 1 event\nsaved 1 event$/m);
    await until(() => !names(mount).some((name) => name.startsWith(".")));
  });
});
