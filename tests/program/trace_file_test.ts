/** Trace files: of a killed deskhand, and while they grow. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import type { Page } from "playwright-core";
import { BROWSER, FIREFOX, opened, openFirefox, rows, withBrowser } from "../support/browser.ts";
import { Program } from "../support/program.ts";
import { temporary, until } from "../support/shell.ts";
import { call, entriesOf, fileIn, TOKEN } from "../support/recordings.ts";
import { statusOf } from "../support/uploads.ts";

const VIRTUAL = ["--desktop", "virtual", "--http", "0", "--token", TOKEN];

/**
 * Serves a file and sends its second part later.
 * @param use Receives the address, and returns what follows once the whole file is sent.
 */
async function readsSlowly(
  bytes: Uint8Array<ArrayBuffer>,
  cut: number,
  use: (address: string) => Promise<() => Promise<void>>,
) {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>(), writer = writable.getWriter();
  const headers = { "content-type": "text/html" };
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    ({ url }) =>
      new URL(url).pathname === "/"
        ? new Response(readable, { headers })
        : new Response(null, { status: 404 }),
  );
  writer.write(bytes.subarray(0, cut)).catch(() => {}); // the page may have gone
  const rest = await use(`http://127.0.0.1:${server.addr.port}/`);
  writer.write(bytes.subarray(cut)).then(() => writer.close()).catch(() => {});
  await rest();
}

/** The text of the selected row, as from `rows`. */
const selectedRow = (page: Page) =>
  page.evaluate<string>(
    "document.querySelector('.row[aria-selected=true]').innerText.replace(/\\s+/g, ' ')",
  );

Deno.test({
  name: "the file of a killed deskhand opens, truncated anywhere too, and in Firefox",
  ...BROWSER,
  ignore: BROWSER.ignore || FIREFOX.ignore,
}, async () => {
  await temporary((folder) =>
    withBrowser(async (browser) => {
      await using program = new Program([...VIRTUAL, "--trace", join(folder, "traces")]);
      const url = await program.controlUrl(), file = fileIn(join(folder, "traces"));
      assertEquals(Deno.statSync(join(folder, "traces")).mode! & 0o777, 0o700);
      // The page shows an entry once it has a picture, which must be in the first part of the file below.
      await until(async () => (await Deno.readTextFile(file)).includes("\n<!--k "));
      for (let i = 0; i < 5; i++) {
        if (i === 3) await call(url, "wait", { element: { role: "button", name: "Nowhere" }, timeout_ms: 1 });
        await call(url, "click", { x: 100 + 50 * i, y: 100, button: "left" });
      }
      await until(async () => (await entriesOf(file)).filter(({ name }) => name === "click").length === 5);
      program.kill("SIGKILL");
      await program.ended();
      const killed = await opened(browser, file);
      const clicks = (page: Page) =>
        rows(page).then((all) => all.filter((row) => / click /.test(row)).length);
      assertEquals(await clicks(killed), 5);
      const selected = async (page: Page) => (await page.textContent(".row[aria-selected=true]"))!;
      assertMatch(await selected(killed), /Nowhere.* did not appear/); // and not the first action
      assert((await killed.textContent("#curl"))!.includes(`{DESKHAND_URL:-${url}}/api/wait`));
      await killed.evaluate("location.hash = '#t=999'; location.reload()");
      await until(async () => /click/.test(await selected(killed)));
      const bytes = await Deno.readFile(file), text = new TextDecoder().decode(bytes);
      await readsSlowly(bytes, text.lastIndexOf('"name":"click"'), async (address) => {
        const page = await browser.newPage();
        await page.goto(`${address}#t=999`, { waitUntil: "commit" });
        await until(() =>
          page.evaluate("document.querySelectorAll('.row[aria-selected=true]').length === 1")
        );
        return async () => {
          await until(() => page.evaluate("performance.getEntriesByName('read').length > 0"));
          assertEquals(await selectedRow(page), (await rows(page)).at(-1));
        };
      });
      // Truncated within the last picture, and within the last entry.
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
  name: "GET /api/trace grows during actions, also in a browser; files are listed, sent and removed",
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
      // The search's screenshot outlines its matches.
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
        "no trace is being recorded: start one first",
      );
    })
  );
});

Deno.test("failing agent steps are in the trace, without the text that they type", async () => {
  await temporary(async (folder) => {
    await using program = new Program([...VIRTUAL, "--trace", folder]);
    const url = await program.controlUrl(), file = fileIn(folder);
    const lines = ["open form", 'fill "Name" = "hunter2-filled"', 'click button "Nope"'];
    for (const steps of [lines, [{ type: "hunter2-typed" }, { click: 'button "Nope"' }], ["see"]]) {
      await call(url, "steps", { steps });
    }
    await call(url, "trace/stop", {});
    assertEquals((await Deno.readTextFile(file)).includes("hunter2"), false);
    const failed = (await entriesOf(file)).filter(({ error }) => error !== undefined);
    const there = 'failed: there is no button "Nope" in "Form"';
    assertEquals(
      failed.map(({ name, error }) => [name, String(error).split(";")[0]]),
      [["act", `3. ${there}`], ["act", `2. ${there}`]],
    );
    assertEquals(failed.map(({ values }) => values), [
      { steps: [{ open: "form" }, { fill: { Name: "secret" } }, { click: 'button "Nope"' }] },
      { steps: [{ type: { characters: 13 } }, { click: 'button "Nope"' }] },
    ]);
  });
});
