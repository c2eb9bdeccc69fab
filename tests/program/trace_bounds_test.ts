/** Bounds of traces: a full disk, the quota, hidden windows, and wrong arguments. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { basename, fromFileUrl, join } from "@std/path";
import { BROWSER, opened, rows, withBrowser } from "../support/browser.ts";
import { need, needRoot, needTime } from "../support/need.ts";
import { Program, run } from "../support/program.ts";
import { temporary, until } from "../support/shell.ts";
import { call, entriesOf, fileIn, TOKEN } from "../support/recordings.ts";
import { hang, mounted, MOUNTS } from "../support/uploads.ts";
import { Xvfb } from "../support/xvfb.ts";

const VIRTUAL = ["--desktop", "virtual", "--http", "0", "--token", TOKEN];
const X11 = need("Xvfb", "openbox", "xterm", "xdotool", "xprop", "xev", "xsetroot");

Deno.test({
  name: "a full disk ends the trace with an entry, and not the program",
  ...needRoot("unshare", "-m", "true"),
}, async () => {
  await temporary(async (folder) => {
    const root = join(folder, "small");
    await Deno.mkdir(root);
    const mounted = join(folder, "mounted.sh");
    await Deno.writeTextFile(
      mounted,
      `#!/bin/sh\nmount -t tmpfs -o size=400k tmpfs ${root} && exec ${Deno.execPath()} run -A ${
        fromFileUrl(new URL("../../main.ts", import.meta.url))
      } "$@"\n`,
      { mode: 0o755 },
    );
    await using program = new Program(["-m", mounted, ...VIRTUAL, "--trace", root], {
      executable: "unshare",
    });
    const url = await program.controlUrl();
    const state = () => call(url, "trace/state");
    const ended = await until(async () => {
      await fill(url);
      return await state();
    }, ({ state }) => state === "off");
    assertMatch(String(ended.problem), /No space left on device/);
    await program.printed(/the trace has ended: No space left on device/);
    assertEquals((await call(url, "position")).x, 640);
    const text = await (await fetch(`${url}/api/trace`, { headers: { authorization: `Bearer ${TOKEN}` } }))
      .text();
    assertMatch(
      text,
      /<!--a\{"kind":"end","t":[\d.]+,"why":"it cannot be written: No space left on device[^"]*"\}-->\n$/,
    );
    assertMatch(
      String((await call(url, "trace/start", {})).error),
      /^cannot write a trace to .*: No space left/,
    );
  });
});

Deno.test(
  "files rotate at their maximum size and stay within the quota, oldest first",
  needTime("fills files of many megabytes"),
  async () => {
    await temporary(async (folder) => {
      const own = join(folder, "2020-01-01T00-00-00-x11.html");
      await Deno.writeTextFile(own, "a file of the user's that is no trace");
      await using program = new Program([...VIRTUAL, "--trace", folder, "--trace-limit", "1M"]);
      const url = await program.controlUrl();
      const names = () =>
        [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => !name.startsWith("2020"));
      const seen = new Set<string>();
      let most = 0;
      await until(async () => {
        await fill(url);
        const now = names();
        for (const name of now) seen.add(name);
        most = Math.max(most, now.reduce((sum, name) => sum + sizeOf(join(folder, name)), 0));
        return seen.size >= 6 && now.length < seen.size;
      });
      assert(most <= 1024 * 1024, `${most} bytes`);
      assert(!names().includes([...seen].find((name) => !/-\d\.html$/.test(name))!), "the oldest went");
      assertEquals(await Deno.readTextFile(own), "a file of the user's that is no trace");
      await call(url, "trace/stop", {});
      const parts = await Promise.all(names().map((name) => entriesOf(join(folder, name))));
      assert(parts.flat().some(({ kind }) => kind === "picture"));
      for (const entries of parts) {
        assertEquals(entries[0].kind, "trace");
        // A part that ends right after it begins may contain no screenshot.
        assertEquals(entries.find(({ kind }) => kind === "picture")?.key ?? true, true);
        assertEquals(entries.at(-1)!.kind, "end");
      }
    });
  },
);

/** Makes a trace 10 kB longer. */
async function fill(url: string): Promise<void> {
  await Promise.all(Array.from({ length: 20 }, () => call(url, "trace/mark", { text: "x".repeat(450) })));
}

function sizeOf(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch {
    return 0;
  }
}

Deno.test({
  name: "--trace-hide omits windows from screenshots and titles, wherever they are moved",
  ...BROWSER,
  ignore: BROWSER.ignore || X11.ignore,
}, async () => {
  await using server = await Xvfb.start({ width: 800, height: 600 });
  await using _manager = await server.manager("openbox");
  await server.run("xsetroot", "-solid", "#204060");
  await using _vault = server.spawn(
    "xterm",
    "-bg",
    "#ff0000",
    "-T",
    "KeePass - secret.kdbx",
    "-geometry",
    "30x10+40+60",
    "-e",
    "cat",
  );
  await server.window("--name", "KeePass");
  await temporary((folder) =>
    withBrowser(async (browser) => {
      await using program = new Program(
        ["--http", "0", "--token", TOKEN, "--trace", folder, "--trace-hide", "keepass*"],
        { env: server.env },
      );
      const url = await program.controlUrl(), file = fileIn(folder);
      const pictures = async () => Number((await call(url, "trace/state")).pictures);
      await until(async () => await pictures() > 0);
      const place = async (x: number) => {
        const title = "KeePass - secret", before = await pictures();
        assertEquals((await call(url, "window/place", { title, x, y: 80 })).title, "KeePass - secret.kdbx");
        await until(async () => await pictures() > before);
        await call(url, "wait", { still: { ms: 1200 } });
      };
      for (const x of [100, 300, 500]) await place(x);
      await call(url, "trace/stop", {});
      const text = await Deno.readTextFile(file);
      assert(!text.includes("secret.kdbx"));
      assertStringIncludes(text, '"title":"(hidden)"');
      const page = await opened(browser, file);
      const count = (await rows(page)).length;
      for (let i = 0; i < count; i++) {
        for (const side of ["b", "a"]) {
          await page.keyboard.press(side);
          const red = await page.evaluate(RED_PIXELS);
          assertEquals(red, 0, `row ${i}, ${side}`);
        }
        await page.keyboard.press("j");
      }
      assertEquals(page.errors, []);
    })
  );
});

/** Pixels of the hidden window's colour in the displayed screenshot, once it is drawn. */
const RED_PIXELS = `new Promise((resolve) => setTimeout(() => {
  const canvas = document.querySelector("#screen");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let i = 0; i < data.length; i += 4) if (data[i] > 200 && data[i + 1] < 40 && data[i + 2] < 40) count++;
  resolve(count);
}, 30))`;

Deno.test("wrong arguments are reported", async () => {
  await temporary(async (folder) => {
    const file = join(folder, "not.html");
    await Deno.writeTextFile(file, "<!doctype html>");
    for (
      const [args, code, stderr] of [
        [["trace"], 2, /trace takes one FILE/],
        [["trace", file], 2, /is not a deskhand trace/],
        [["trace", join(folder, "none.html")], 2, /cannot read .*none\.html/],
        [["--desktop", "virtual", "--trace", file, "-c", "g"], 2, /cannot write a trace to/],
        [["--desktop", "virtual", "--json", "-c", "g"], 0, /--json does nothing without trace FILE/],
      ] as [string[], number, RegExp][]
    ) {
      const ended = await run(args);
      assertEquals(ended.code, code, args.join(" "));
      assertMatch(ended.stderr, stderr);
    }
  });
});

Deno.test(
  { ...MOUNTS, name: "a disk that hangs delays only the calls for traces, which go on after it" },
  async () => {
    await temporary(async (folder) => {
      const far = join(folder, "far"), state = join(folder, "state");
      for (const path of [far, state]) await Deno.mkdir(path, { mode: 0o700 });
      await Deno.mkdir(join(far, "deskhand"), { mode: 0o700 });
      await mounted(far, state, ["--vfs-cache-mode", "writes"], async ({ pid }) => {
        await using program = new Program(VIRTUAL, { env: { XDG_STATE_HOME: state } });
        const url = await program.controlUrl();
        await call(url, "trace/start", {});
        const { file } = await call(url, "trace/stop", {}), name = basename(String(file));
        const calls = () => [
          call(url, "trace/start", {}),
          call(url, "traces"),
          call(url, `traces?name=${name}`, undefined, "DELETE"),
          fetch(`${url}/api/trace`, { headers: { authorization: `Bearer ${TOKEN}` } }).then((it) =>
            it.json()
          ),
        ];
        await hang(pid);
        const stuck = Promise.all(calls()), start = performance.now();
        assertEquals((await call(url, "position")).x, 640);
        assert(performance.now() - start < 5000, "another call waited for the disk");
        const error = "the disk of the traces has not answered for 8 s; try again later";
        assertEquals(await stuck, Array(4).fill({ error }));
        Deno.kill(pid, "SIGCONT");
        await until(async () => (await call(url, "trace/start", {})).state === "running");
        await hang(pid);
        assertMatch(String((await call(url, "trace/stop", {})).problem), /does not answer/);
        Deno.kill(pid, "SIGCONT");
        await until(async () => (await call(url, "trace/start", {})).state === "running");
        assertEquals((await call(url, "trace/stop", {})).problem, undefined);
        assertEquals((await call(url, "traces")).folder, join(state, "deskhand", "traces"));
      });
    });
  },
);
