/** Traces as a user makes and opens them: a real program on a real X server, its file in real browsers. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import type { Desktop } from "../../control/desktop.ts";
import { openX11 } from "../../ffi/x11/mod.ts";
import { BROWSER, FIREFOX, openFirefox, withBrowser } from "../support/browser.ts";
import { exactSince } from "../support/exact.ts";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { temporary } from "../support/temporary.ts";
import { call, entriesOf, fileIn, opened, rows, TOKEN } from "../support/trace.ts";
import { until } from "../support/until.ts";
import { Xvfb } from "../support/xvfb.ts";
import { statusOf } from "../support/files.ts";

/** A title that would be markup, end a comment, turn the direction of text, or end the page. */
const HOSTILE = `--><script>document.title="owned"</script><img src=x onerror=alert(1)>\u202e</title>`;
const SECRETS = ["hunter2-typed", "hunter2-copied", "hunter2-set", TOKEN];
const [TYPED, COPIED] = SECRETS;

const X11 = need("Xvfb", "openbox", "xterm", "xdotool", "xprop", "xev", "xsetroot", "xclip");

/** Acts over HTTP, by the prompt, as a model and over MCP. */
async function actByEveryInterface(url: string, program: Program): Promise<void> {
  // A page that is open shows the screen as the trace's viewer must.
  await call(url, "trace/mark", { text: HOSTILE });
  await call(url, "click", { x: 200, y: 200, button: "left", observe: true });
  await call(url, "wait", { still: { ms: 1500 } });
  await call(url, "type", { text: TYPED });
  await call(url, "wait", { still: { ms: 1500 } });
  await call(url, "clipboard", { text: COPIED }, "PUT");
  await call(url, "window/activate", { title: "no such <b>window</b>" });
  await call(url, "click", { x: "wrong", y: 1, button: "left" });
  await call(url, "act", { dialect: "openai", action: { type: "move", x: 300, y: 300 } });
  await program.write("m310-320");
  await program.write("g");
  await program.printed(/^310 320$/m);
  const mcp = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${TOKEN}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "user-agent": "test-agent/1.0 (x)",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "type", arguments: { text: "hunter2-set", sensitive: true } },
    }),
  });
  assertEquals([(await mcp.text()).includes("isError"), mcp.status], [false, 200]);
  await call(url, "wait", { still: { ms: 1500 } });
}

/** Checks the actions of the trace, and that no secret is in its file. */
async function checkEntries(file: string): Promise<void> {
  const text = await Deno.readTextFile(file);
  for (const secret of SECRETS) assert(!text.includes(secret), secret);
  const entries = await entriesOf(file);
  const actions = entries.filter(({ kind }) => kind === "action");
  assertEquals(
    actions.map(({ by, client, name, error }) => [by, client, name, error].filter((part) => part).join(" ")),
    [
      `http Deno/${Deno.version.deno} click`,
      `http Deno/${Deno.version.deno} wait`,
      `http Deno/${Deno.version.deno} type`,
      `http Deno/${Deno.version.deno} wait`,
      `http Deno/${Deno.version.deno} setClipboard`,
      `http Deno/${Deno.version.deno} activateWindow no window has a title with "no such <b>window</b>"`,
      `http Deno/${Deno.version.deno} click x must be a whole number, not what was given`,
      `act Deno/${Deno.version.deno} move`,
      "prompt move",
      "mcp test-agent/1.0 (x) type",
      `http Deno/${Deno.version.deno} wait`,
    ],
  );
  const [click, , type] = actions;
  assertEquals([click.at, type.values], [{ x: 200, y: 200 }, { text: `${TYPED.length} characters` }]);
  assert((click.seen as { verdict?: string }).verdict);
  assertEquals(actions.at(-2)!.values, { text: "secret" });
}

/** Checks the trace in a browser: the list, the screen at its end, marks, links and accessibility. */
async function checkViewer(browser: Browser, file: string, desktop: Desktop): Promise<void> {
  const page = await opened(browser, file);
  const listed = await rows(page);
  assert(listed.some((row) => /^0:\d\d\.\d Window/.test(row)), listed.join("\n"));
  assert(
    listed.some((row) => row.includes(HOSTILE.replace("\u202e", "\\u{202e}").slice(0, 40))),
    listed.join("\n"),
  );
  assertMatch(await page.evaluate("document.title"), /^Trace x11, \d{4}-\d\d-\d\d \d\d:\d\d$/);
  // After the last action the screen is as it is now, to the pixel.
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowUp");
  await exactSince(page, desktop, "the end of the trace");
  await page.fill("#search", "failed-nothing");
  assertEquals(await rows(page), []);
  await page.fill("#search", "");
  await page.click("#errors");
  assertEquals((await rows(page)).length, 2);
  await page.click("#errors");
  await page.click(".row:has-text('type')");
  await until(() => page.evaluate("document.querySelectorAll('#marks .changed').length > 0"));
  const changed = await page.evaluate(`(() => {
    const { top, left } = document.querySelector("#marks .changed").style;
    return [parseFloat(top) > 0, parseFloat(left) > 0];
  })()`);
  assertEquals(changed, [true, true]);
  await page.keyboard.press("b");
  assertEquals(await page.getAttribute("#before", "aria-pressed"), "true");
  assertStringIncludes(await page.evaluate("document.querySelector('#curl').textContent"), "/api/type");
  assertMatch(await page.evaluate("location.hash"), /^#t=\d+(?:\.\d+)?$/);
  // A link to a moment.
  const address = page.url();
  const linked = await opened(browser, `${file}${new URL(address).hash}`);
  await until(() =>
    linked.evaluate("document.querySelector('.row[aria-selected=true]')?.innerText.includes('type')")
  );
  for (const colorScheme of ["light", "dark"]) {
    const shown = await opened(browser, file, { colorScheme });
    await shown.keyboard.press("j");
    await shown.evaluate(axe.source);
    const found = await shown.evaluate(
      "axe.run().then(({ violations }) => violations.map(({ id }) => id))",
    );
    assertEquals(found, [], colorScheme);
    assertEquals(shown.errors, []);
  }
  assertEquals([page.errors, linked.errors], [[], []]);
}

Deno.test({
  name: "a trace has every interface's actions without secrets, and shows the screen before and after them",
  ...BROWSER,
  ignore: BROWSER.ignore || X11.ignore,
}, async () => {
  await using server = await Xvfb.start({ width: 800, height: 600 });
  await using _manager = await server.manager("openbox");
  await using _terminal = server.spawn("xterm", "-title", HOSTILE, "-geometry", "60x20+40+60", "-e", "cat");
  await server.window("--class", "xterm");
  await temporary((folder) =>
    withBrowser(async (browser) => {
      const desktop = openX11(server.display);
      await using program = new Program(["--http", "0", "--token", TOKEN, "--trace", folder], {
        env: server.env,
      });
      const url = await program.controlUrl(), file = fileIn(folder);
      assertMatch(
        program.stderr,
        /a trace is recorded, with pictures of all that the screen shows: \S+\.html/,
      );
      assertEquals([Deno.statSync(file).mode! & 0o777, (await call(url, "trace/start", {})).error], [
        0o600,
        "a trace is recorded already: stop it first",
      ]);
      await actByEveryInterface(url, program);
      const stopped = await call(url, "trace/stop", {});
      assertEquals([stopped.state, stopped.file], ["off", file]);
      await checkEntries(file);
      await checkViewer(browser, file, desktop);
      desktop.close();
    })
  );
});

const VIRTUAL = ["--desktop", "virtual", "--http", "0", "--token", TOKEN];

Deno.test({
  name:
    "a file whose deskhand was killed opens, cut anywhere it shows all before; Firefox opens it too; a film is made",
  ...BROWSER,
  ignore: BROWSER.ignore || FIREFOX.ignore,
}, async () => {
  await temporary((folder) =>
    withBrowser(async (browser) => {
      await using program = new Program([...VIRTUAL, "--trace", join(folder, "traces")]);
      const url = await program.controlUrl(), file = fileIn(join(folder, "traces"));
      assertEquals(Deno.statSync(join(folder, "traces")).mode! & 0o777, 0o700);
      for (let i = 0; i < 5; i++) await call(url, "click", { x: 100 + 50 * i, y: 100, button: "left" });
      await until(async () => (await entriesOf(file)).filter(({ name }) => name === "click").length === 5);
      program.kill("SIGKILL");
      await program.ended();
      const killed = await opened(browser, file);
      const clicks = (page: Page) =>
        rows(page).then((all) => all.filter((row) => / click /.test(row)).length);
      assertEquals(await clicks(killed), 5);
      // Cut within the last picture, and within the last entry.
      const bytes = await Deno.readFile(file), text = new TextDecoder().decode(bytes);
      for (const at of [text.lastIndexOf("<!--p") + 40, text.lastIndexOf('"name":"click"')]) {
        const cut = join(folder, `cut-${at}.html`);
        await Deno.writeFile(cut, bytes.subarray(0, at));
        const page = await opened(browser, cut);
        assert(await clicks(page) >= 4, `${at}`);
        assertEquals([page.errors, await page.evaluate("document.querySelector('#empty').hidden")], [
          [],
          true,
        ]);
      }
      const film = killed.waitForEvent("download");
      await killed.click("#film");
      const saved = join(folder, "film.webm");
      await (await film).saveAs(saved);
      if (!need("ffprobe").ignore) {
        const probe = await new Deno.Command("ffprobe", {
          args: [
            "-v",
            "error",
            "-count_frames",
            "-show_entries",
            "stream=codec_name,width,nb_read_frames",
            "-of",
            "csv=p=0",
            saved,
          ],
        }).output();
        assertMatch(new TextDecoder().decode(probe.stdout), /^vp8,1280,[1-9]\d*\n/);
        assertEquals(new TextDecoder().decode(probe.stderr), "");
      }
      const firefox = await openFirefox();
      try {
        const page = await opened(firefox, file);
        assertEquals([await clicks(page), page.errors], [5, []]);
        await page.keyboard.press("j");
        await until(() => page.evaluate("document.querySelector('#screen').width === 1280"));
      } finally {
        await firefox.close();
      }
    })
  );
});

Deno.test({
  name: "GET /api/trace grows while actions go on, also in a browser; files are listed, sent and removed",
  ...BROWSER,
}, async () => {
  await temporary((folder) =>
    withBrowser(async (browser) => {
      await using program = new Program(["--desktop", "virtual", "--http", "0", "--trace", folder]);
      const url = await program.controlUrl();
      const ask = (path: string, body?: unknown, method?: string) => call(url, path, body, method, "");
      const page = await browser.newPage();
      const errors: string[] = [];
      page.on("pageerror", ({ message }) => errors.push(message));
      page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
      await page.goto(`${url}/api/trace`, { waitUntil: "commit" });
      for (let i = 1; i <= 3; i++) {
        await ask("click", { x: 10 * i, y: 10, button: "left" });
        await until(async () => (await rows(page)).filter((row) => / click /.test(row)).length === i);
      }
      assertEquals(await page.evaluate("document.querySelector('#summary').className"), "live");
      // What a search finds is outlined.
      const shot = await fetch(`${url}/api/screenshot?format=png&x=200&y=100&width=60&height=40`);
      const found = await fetch(`${url}/api/find`, { method: "POST", body: await shot.bytes() });
      assertEquals((await found.json()).matches.length, 1);
      await until(async () => (await rows(page)).some((row) => / find /.test(row)));
      await page.click(".row:has-text('find')");
      await until(() => page.evaluate("document.querySelectorAll('#marks .found').length === 1"));
      assertMatch((await page.textContent("#detail"))!, /Found1 place/);
      const events = await fetch(`${url}/api/events`), reader = events.body!.getReader();
      assertEquals((await ask("trace/pause", {})).ok, true);
      let told = "";
      await until(async () => {
        told += new TextDecoder().decode((await reader.read()).value);
        return told.includes('event: trace\ndata: {"state":"paused"}');
      });
      await reader.cancel();
      await ask("click", { x: 1, y: 1, button: "left" });
      assertEquals((await ask("trace/state")).state, "paused");
      assertEquals((await ask("trace/resume", {})).ok, true);
      const { file, actions } = await ask("trace/stop", {}) as { file: string; actions: number };
      assertEquals(actions, 4);
      await until(() => page.evaluate("document.querySelector('#summary').className === ''"));
      assertEquals(errors, []);
      const { traces } = await ask("traces") as { traces: { name: string; running: boolean }[] };
      assertEquals(traces.map(({ running }) => running), [false]);
      const sent = await fetch(`${url}/api/trace?name=${traces[0].name}`);
      assertEquals(await sent.text(), await Deno.readTextFile(file));
      assertMatch(sent.headers.get("content-security-policy")!, /^sandbox allow-scripts/);
      for (
        const [path, status] of [
          ["trace?name=../../etc/passwd", 400],
          ["trace?name=2026-01-01T00-00-00-x11.html", 404],
        ] as const
      ) {
        assertEquals(await statusOf(fetch(`${url}/api/${path}`)), status, path);
      }
      assertEquals((await ask(`traces?name=${traces[0].name}`, undefined, "DELETE")).ok, true);
      assertEquals([...Deno.readDirSync(folder)], []);
      assertEquals(
        (await ask("trace/mark", { text: "x" })).error,
        "no trace is recorded: start one first",
      );
    })
  );
});
