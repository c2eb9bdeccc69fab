/** Traces as a user makes and opens them: a real program on a real X server, the file in real browsers. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Browser } from "playwright-core";
import type { Desktop } from "../../control/desktop/desktop.ts";
import { openX11 } from "../../ffi/x11/desktop.ts";
import { axeFindings, BROWSER, opened, rows, withBrowser } from "../support/browser.ts";
import { exactSince } from "../support/pictures.ts";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { temporary, until } from "../support/shell.ts";
import { call, entriesOf, fileIn, TOKEN } from "../support/recordings.ts";
import { Xvfb } from "../support/xvfb.ts";

/** A title that tries to be markup, end a comment, reverse the text direction, or end the page. */
const HOSTILE = `--><script>document.title="owned"</script><img src=x onerror=alert(1)>\u202e</title>`;
const SECRETS = ["hunter2-typed", "hunter2-copied", "hunter2-set", TOKEN];
const [TYPED, COPIED] = SECRETS;

const X11 = need("Xvfb", "openbox", "xterm", "xdotool", "xprop", "xev", "xsetroot", "xclip");

/** Acts over HTTP, at the prompt, as a model and over MCP. */
async function actByEveryInterface(url: string, program: Program): Promise<void> {
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

/** Checks the trace's actions, and that its file contains no secret. */
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
      `http Deno/${Deno.version.deno} activateWindow no window matches title "no such <b>window</b>"`,
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

/** Checks the trace in a browser: the list, the final screen, marks, links and accessibility. */
async function checkViewer(browser: Browser, file: string, desktop: Desktop): Promise<void> {
  const page = await opened(browser, file);
  const listed = await rows(page);
  assert(listed.some((row) => /^0:\d\d\.\d Window/.test(row)), listed.join("\n"));
  assert(
    listed.some((row) => row.includes(HOSTILE.replace("\u202e", "\\u{202e}").slice(0, 40))),
    listed.join("\n"),
  );
  assertMatch(await page.evaluate("document.title"), /^Trace x11, \d{4}-\d\d-\d\d \d\d:\d\d$/);
  // After the last action the screen matches the current one to the pixel.
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
    assertEquals(await axeFindings(shown), [], colorScheme);
    assertEquals(shown.errors, []);
  }
  // A phone shows it at its own width: anything wider would make the browser scale all of it down.
  const phone = { viewport: { width: 390, height: 844 }, isMobile: true };
  const small = await opened(browser, file, phone);
  assertEquals(await small.evaluate("[innerWidth, document.documentElement.scrollWidth]"), [390, 390]);
  assertEquals([page.errors, linked.errors], [[], []]);
}

Deno.test({
  name: "a trace has every interface's actions without secrets, and the screen before and after them",
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
      await program.printed(/recording a trace, with pictures of everything on the screen: \S+\.html/);
      assertEquals([Deno.statSync(file).mode! & 0o777, (await call(url, "trace/start", {})).error], [
        0o600,
        "a trace is already being recorded: stop it first",
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
