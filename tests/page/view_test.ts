/** The page's display: the live view, the recording, a lost connection. */

import { assertEquals, assertMatch } from "@std/assert";
import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import { BROWSER, withBrowser } from "../support/browser.ts";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { until } from "../support/shell.ts";
import { Sway } from "../support/sway.ts";
import { statusOf } from "../support/uploads.ts";
import { choose, click, history, lastAction, opened, shows, VIRTUAL, withPage } from "./page.ts";

Deno.test({ name: "the live view is the desktop's, and follows it", ...BROWSER }, async () => {
  await withPage(async ({ page, url }) => {
    const pixel = (x: number, y: number) =>
      page.evaluate(
        `[...document.querySelector('#screen').getContext('2d').getImageData(${x}, ${y}, 1, 1).data]`,
      );
    await until(() => pixel(5, 5), (rgba) => String(rgba) === "40,72,95,255");
    await fetch(`${url}/api/click`, { method: "POST", body: '{"x":300,"y":200,"button":"left"}' });
    await fetch(`${url}/api/move`, { method: "POST", body: '{"x":900,"y":600}' });
    await until(() => pixel(308, 200), (rgba) => String(rgba) === "79,195,247,255");
    await shows(page, "document.querySelector('#state').textContent === 'Connected'");
  });
});

Deno.test({ name: "record, stop, play, and the state in plain sight", ...BROWSER }, async () => {
  await withPage(async ({ page, url }) => {
    const state = (text: string) =>
      shows(page, `document.querySelector('#state').textContent === ${JSON.stringify(text)}`);
    await choose(page, "#record");
    await state("Recording");
    await click(page, 30, 40);
    await lastAction(url, { type: "button", down: false }); // it used another connection
    await page.click("#stop");
    await state("Connected");
    const before = (await history(url)).length;
    await choose(page, "#play");
    const told = await until(
      () => history(url),
      (actions) => actions.filter(({ down }) => down === false).length === 2,
    );
    assertEquals(told.slice(before).filter(({ type }) => type === "button").map(({ x, y }) => [x, y]), [[
      30,
      40,
    ], [30, 40]]);
    const [download] = await Promise.all([page.waitForEvent("download"), choose(page, "#download")]);
    assertEquals(JSON.parse(await Deno.readTextFile(await download.path())).format, "deskhand-recording");
    const [script] = await Promise.all([page.waitForEvent("download"), choose(page, "#script")]);
    assertEquals(script.suggestedFilename(), "recording.sh");
    assertMatch(
      await Deno.readTextFile(await script.path()),
      /\/api\/click" -d '\{"x":30,"y":40,"button":"left"/,
    );
    for (const [id, name] of [["playwright", "recorded.spec.ts"], ["pytest", "test_recorded.py"]]) {
      const [test] = await Promise.all([page.waitForEvent("download"), choose(page, `#test-${id}`)]);
      assertEquals(test.suggestedFilename(), name);
      assertMatch(await Deno.readTextFile(await test.path()), /desk\.click\(.*30.*40/);
    }
    await page.setInputFiles("#file", {
      name: "x.json",
      mimeType: "application/json",
      buffer: Buffer.from("{}"),
    });
    await page.waitForSelector("#notice:not([hidden])");
    assertMatch(await page.textContent("#notice") ?? "", /format must be "deskhand-recording"/);
    assertEquals(await page.inputValue("#file"), ""); // so that it can be chosen again
    const [picture] = await Promise.all([page.waitForEvent("download"), choose(page, "#shot")]);
    assertEquals((await Deno.readFile(await picture.path())).subarray(1, 4), new TextEncoder().encode("PNG"));
  });
});

Deno.test({ name: "a lost connection is shown, and restored", ...BROWSER }, async () => {
  await withBrowser(async (browser) => {
    const first = new Program(VIRTUAL);
    const url = await first.controlUrl();
    const page = await opened(browser, url);
    await first[Symbol.asyncDispose]();
    await shows(page, "/trying again/.test(document.querySelector('#state').textContent)");
    await click(page, 1, 1); // has no effect, and is not logged
    assertEquals(await page.locator("#log code").count(), 0);
    await using _second = new Program(["--desktop", "virtual", "--http", new URL(url).port]);
    await shows(page, "document.querySelector('#state').textContent === 'Connected'");
    await click(page, 77, 88);
    await until(
      () => history(url),
      (actions) => actions.some(({ x, y, down }) => x === 77 && y === 88 && down === false),
    );
  });
});

Deno.test({ name: "several viewers see how many they are", ...BROWSER }, async () => {
  await withPage(async ({ page, url }) => {
    const says = (one: Page, text: string) =>
      shows(one, `document.querySelector('#state').textContent === ${JSON.stringify(text)}`);
    await says(page, "Connected");
    const other = await page.context().browser()!.newPage();
    await other.goto(url);
    await says(other, "Connected, 2 viewers");
    await says(page, "Connected, 2 viewers");
    // A window of any width shows all of it, also in the widest common font.
    await page.evaluate("document.body.style.fontFamily = 'DejaVu Sans'");
    for (const width of [360, 640, 900, 1024, 1152, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      await shows(
        page,
        "(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.querySelector('#state'))",
      );
    }
    await other.close();
    await says(page, "Connected");
  });
});

Deno.test({ name: "a phone on its side shows mostly the desktop", ...BROWSER }, async () => {
  await withBrowser(async (browser) => {
    await using program = new Program(VIRTUAL);
    const page = await opened(browser, await program.controlUrl(), { width: 740, height: 340 });
    await shows(page, "document.querySelector('#screen').getBoundingClientRect().height > 200");
    assertEquals(await page.evaluate("document.documentElement.scrollWidth"), 740);
  });
});

Deno.test(
  { name: "the page shows that an agent is at work, and stops and allows it", ...BROWSER },
  async () => {
    await withPage(async ({ page, url }) => {
      const act = async (client = "node") => {
        const body = JSON.stringify({ dialect: "openai", action: { type: "move", x: 5, y: 5 } });
        return await statusOf(fetch(`${url}/api/act`, {
          method: "POST",
          body,
          headers: { "user-agent": client },
        }));
      };
      const says = (words: string) =>
        shows(
          page,
          `!document.querySelector('#agents').hidden && ` +
            `document.querySelector('#agents-state').textContent === ${JSON.stringify(words)}`,
        );
      assertEquals(await page.isHidden("#agents"), true);
      assertEquals(await act("<b>Ada's agent</b>"), 200);
      await says("<b>Ada's agent</b> is at work: move");
      await page.click("#agents-stop");
      await says("AI agents are stopped");
      assertEquals(await act(), 409);
      await page.click("#agents-stop");
      await until(() => act(), (status) => status === 200);
    });
  },
);

Deno.test(
  { name: "an agent's question is a card, whose answer lets the agent act", ...BROWSER },
  async () => {
    const policy = `/tmp/deskhand-policy-${crypto.randomUUID()}.json`;
    await withBrowser(async (browser) => {
      await using program = new Program([...VIRTUAL, "--agent-allow", policy]);
      const url = await program.controlUrl(), page = await opened(browser, url);
      const act = () =>
        statusOf(fetch(`${url}/api/act`, {
          method: "POST",
          body: '{"dialect":"openai","action":{"type":"click","button":"left","x":1000,"y":100}}',
          headers: { "user-agent": "node" },
        }));
      const acting = act();
      await shows(page, "!document.querySelector('#question').hidden");
      const words = await page.textContent("#question-text");
      assertEquals(words, "node wants to act in clock: click in “Clock”");
      assertMatch(await page.title(), /^\(\?\) /);
      await page.click("[data-answer=session]");
      assertEquals(await acting, 200);
      await shows(page, "document.querySelector('#question').hidden");
      assertEquals(await act(), 200);
    });
  },
);

// The page shows one display at a time on a compositor with two displays.

/** The displays; one is left of the first, so that desktop coordinates begin below zero. */
const OUTPUTS = [
  "output HEADLESS-1 resolution 800x600 position 0 0",
  "output HEADLESS-2 resolution 400x300 position -400 100",
];

/** The live view's box, in CSS pixels. */
async function shown(page: Page) {
  return await page.evaluate(`(() => {
    const { x, y, width, height } = document.querySelector("#frame").getBoundingClientRect();
    return { x, y, width, height };
  })()`) as Record<"x" | "y" | "width" | "height", number>;
}

Deno.test({
  name: "one display at a time or all, a click reaches what is shown, and the choice is remembered",
  ignore: BROWSER.ignore || need("sway", "swaymsg").ignore,
}, async () => {
  await using sway = await Sway.start({ outputs: OUTPUTS });
  await withBrowser(async (browser) => {
    await using program = new Program(["--http", "0"], { env: sway.env });
    const url = await program.controlUrl();
    const page = await browser.newPage({ viewport: { width: 1300, height: 800 } });
    await page.goto(url);
    await shows(page, "document.querySelector('#screen').width === 1200");
    await page.click("#more");
    await until(() => page.isVisible("#display"));
    const choices = await page.locator("#display option").allTextContents();
    assertEquals(choices.toSorted(), ["All displays", "HEADLESS-1", "HEADLESS-2"]);
    const ratioOf = async () => {
      const { width, height } = await shown(page);
      return Math.round(100 * width / height) / 100;
    };
    assertEquals(await ratioOf(), 2); // 1200x600
    const position = async () => {
      const { x, y } = await (await fetch(`${url}/api/position`)).json();
      return [x, y];
    };
    for (
      const [name, ratio, middle] of [
        ["HEADLESS-2", 1.33, [-200, 250]],
        ["HEADLESS-1", 1.33, [400, 300]],
        ["", 2, [200, 300]],
        ["HEADLESS-2", 1.33, [-200, 250]],
      ] as const
    ) {
      if (!await page.isVisible("#tools")) await page.click("#more"); // a click on the screen closes the menu
      await page.selectOption("#display", name);
      await until(ratioOf, (now) => now === ratio);
      const { x, y, width, height } = await shown(page);
      await page.mouse.click(x + width / 2 + 0.5, y + height / 2 + 0.5);
      await until(position, ([x, y]) => Math.abs(x - middle[0]) <= 1 && Math.abs(y - middle[1]) <= 1);
    }
    const { width } = await shown(page);
    assertEquals(width > 800, true, `${width}: a small display is as large as the window lets it`);
    await page.reload();
    await shows(page, "document.querySelector('#display').value === 'HEADLESS-2'");
    await until(ratioOf, (now) => now === 1.33);
    if (Deno.env.get("DESKHAND_LOOK")) await page.screenshot({ path: Deno.env.get("DESKHAND_LOOK") });
  });
});
