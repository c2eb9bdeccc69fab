/**
 * The page starts, pauses, lists and removes traces; the traces have the page's actions, without the typed
 * texts.
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { parseLine } from "../../control/trace/entry.ts";
import { BROWSER, withBrowser } from "../support/browser.ts";
import { Program } from "../support/program.ts";
import { temporary, until } from "../support/shell.ts";
import { choose, click, lastAction, opened, shows, VIRTUAL } from "./page.ts";

/** The entries of a file. */
async function entriesOf(file: string): Promise<Record<string, unknown>[]> {
  const lines = (await Deno.readTextFile(file)).split("\n");
  return lines.map(parseLine).filter((entry) => entry !== undefined) as unknown as Record<string, unknown>[];
}

/**
 * Checks that a move that follows another move has ended 250 ms after it began, since both would otherwise be
 * one entry.
 */
function assertTogether(entries: Record<string, unknown>[]): void {
  const listed = entries.filter(({ kind }) => ["action", "pause", "resume"].includes(String(kind)));
  const isMove = (entry?: Record<string, unknown>) => entry?.name === "move";
  const pairs = listed.map((entry, i) => [listed[i - 1], entry]).filter((pair) => pair.every(isMove));
  assert(listed.some(isMove));
  for (const [before, { t, ms }] of pairs) assert(Number(t) + Number(ms) - Number(before.t) >= 250, `${t}`);
}

const TRACING = "!document.querySelector('#traced').hidden";

Deno.test({
  name: "the page starts and stops a trace, which everyone sees; it lacks typed text",
  ...BROWSER,
}, () =>
  temporary((state) =>
    withBrowser(async (browser) => {
      await using program = new Program(VIRTUAL, { env: { XDG_STATE_HOME: state } });
      const url = await program.controlUrl(),
        page = await opened(browser, url),
        other = await opened(browser, url);
      assertEquals(await page.evaluate(TRACING), false);
      await choose(page, "#trace");
      await page.fill("#trace-name", "log in <b>");
      await page.click("#trace-start");
      await shows(page, TRACING);
      await shows(other, TRACING);
      const folder = join(state, "deskhand", "traces"), [{ name }] = Deno.readDirSync(folder);
      assertMatch(name, /-virtual-log-in-b\.html$/);
      await shows(page, "document.querySelector('#trace-list').textContent.includes('recorded now')");
      // A client that joins later is told, too.
      await other.reload();
      await shows(other, TRACING);
      await click(page, 300, 300);
      await page.keyboard.type("hunter2");
      await page.keyboard.press("Enter");
      await lastAction(url, { type: "key", key: "enter", down: false });
      for (let x = 100; x < 160; x++) await page.mouse.move(x, 400);
      await choose(page, "#trace"); // the click on the screen closed the panel
      await page.click("#trace-pause");
      await shows(page, `!(${TRACING}) && document.querySelector("#trace-pause").textContent === "Resume"`);
      await click(page, 310, 310);
      await lastAction(url, { type: "button", x: 310, down: false }); // it used another connection
      await choose(page, "#trace");
      await page.click("#trace-pause");
      await shows(page, TRACING);
      await page.click("#trace-start");
      await shows(page, `!(${TRACING})`);
      await shows(other, `!(${TRACING})`);

      const entries = await entriesOf(join(folder, name)),
        actions = entries.filter(({ kind }) => kind === "action");
      assertEquals([...new Set(actions.map(({ by }) => by))], ["page"]);
      const presses = actions.filter(({ name }) => name === "press").map(({ values }) => values);
      assertEquals(presses, [
        { button: "left", x: 300, y: 300 },
        ...Array.from("hunter2", () => ({ key: "1 character" })),
        { key: "enter" },
      ]);
      assertTogether(entries);
      assertEquals(entries.filter(({ kind }) => kind === "pause" || kind === "resume").length, 2);
      assert(!actions.some(({ at }) => (at as { x?: number })?.x === 310), "what was done in the pause");

      await shows(page, "document.querySelectorAll('#trace-list button').length === 3");
      const saved = page.waitForEvent("download");
      await page.click("#trace-list button:text-is('Save')");
      assertEquals(
        await Deno.readTextFile(await (await saved).path()),
        await Deno.readTextFile(join(folder, name)),
      );
      const popup = page.waitForEvent("popup");
      await page.click("#trace-list button:text-is('Open')");
      await shows(await popup, "document.querySelector('#title')?.textContent === 'log in <b>'");
      await page.click("#trace-list button:text-is('Remove')");
      await until(() => [...Deno.readDirSync(folder)].length === 0);
    })
  ));

Deno.test(
  { name: "under --read-only the page shows that a trace is recorded, and starts none", ...BROWSER },
  () =>
    temporary((folder) =>
      withBrowser(async (browser) => {
        await using program = new Program([...VIRTUAL, "--read-only", "--trace", folder]);
        const url = await program.controlUrl(), page = await opened(browser, url);
        await shows(page, TRACING);
        assertEquals(await page.isVisible("#traced"), true);
        await page.click("#more");
        assertEquals(await page.isVisible("#trace"), false);
        const refused = await fetch(`${url}/api/trace/stop`, { method: "POST", body: "{}" });
        assertEquals([refused.status, Object.keys(await refused.json())], [403, ["error"]]);
        assertEquals((await (await fetch(`${url}/api/trace/state`)).json()).state, "running");
      })
    ),
);
