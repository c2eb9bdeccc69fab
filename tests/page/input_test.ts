/** Mouse and keyboard input on the page reaches the desktop. */

import { assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { BROWSER, withBrowser } from "../support/browser.ts";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { until } from "../support/shell.ts";
import { xevEvents } from "../support/window_desktops.ts";
import { Xvfb } from "../support/xvfb.ts";
import { choose, click, history, lastAction, opened, placeOf, VIRTUAL, withPage } from "./page.ts";

Deno.test(
  { name: "mouse, wheel, keys and text reach the desktop, and the log's lines repeat them", ...BROWSER },
  async () => {
    await withPage(async ({ page, url }) => {
      await click(page, 100, 50);
      await click(page, 1279, 719, "right");
      const from = await placeOf(page, 200, 200), to = await placeOf(page, 400, 300);
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      await page.mouse.move(to.x, to.y);
      await page.mouse.up();
      await page.mouse.wheel(0, 300);
      // The log joins what is typed within about a second; on a busy machine it may take longer.
      await page.evaluate("performance.now = () => 0");
      await page.keyboard.type("h!");
      await page.evaluate("delete performance.now"); // restores the prototype's method
      await page.keyboard.press("Control+Shift+T");
      await page.keyboard.press("F5");
      await page.click("#keyboard"); // a phone keyboard's text goes through its own field
      await page.keyboard.insertText("é漢");
      await lastAction(url, { type: "text" });
      const told = await history(url);
      const buttons = told.filter(({ type }) => type === "button").map((
        { button, down, x, y },
      ) => [button, down, x, y]);
      assertEquals(buttons, [
        ["left", true, 100, 50],
        ["left", false, 100, 50],
        ["right", true, 1279, 719],
        ["right", false, 1279, 719],
        ["left", true, 200, 200],
        ["left", false, 400, 300],
      ]);
      assertEquals(
        told.filter(({ type }) => type === "scroll").map(({ direction, amount }) => [direction, amount]),
        [["down", 3]],
      );
      const keys = told.filter(({ type, down }) => type === "key" && down).map(({ key }) => key);
      assertEquals(keys.filter((key) => !["shift"].includes(String(key))), ["h", "!", "ctrl", "T", "f5"]);
      assertEquals(told.filter(({ type }) => type === "text").map(({ text }) => text), ["é漢"]);
      const log = await page.locator("#log code").allTextContents();
      assertEquals(log.map((line) => line.replace(url, "").replace(/"y":299}/, '"y":300}')), [
        `curl /api/click -d '{"x":100,"y":50,"button":"left"}'`,
        `curl /api/click -d '{"x":1279,"y":719,"button":"right"}'`,
        `curl /api/drag -d '{"from":{"x":200,"y":200},"to":{"x":400,"y":300}}'`,
        `curl /api/scroll -d '{"direction":"down","amount":3,"x":400,"y":300}'`,
        `curl /api/type -d '{"text":"h!"}'`,
        `curl /api/key -d '{"keys":"ctrl+shift+T"}'`,
        `curl /api/key -d '{"keys":"f5"}'`,
        `curl /api/type -d '{"text":"é漢"}'`,
      ]);
      // Each line does what it says.
      const { success } = await new Deno.Command("sh", {
        args: ["-ec", log.map((line) => line.replace("curl", "curl -sSf -o /dev/null")).join("\n")],
      }).output();
      assertEquals(success, true);
    });
  },
);

Deno.test(
  { name: "held buttons and keys are released when the page loses the focus or goes away", ...BROWSER },
  async () => {
    await withBrowser(async (browser) => {
      await using program = new Program(VIRTUAL);
      const url = await program.controlUrl();
      for (
        const leave of [
          (page: Page) => page.evaluate("document.activeElement.blur()"),
          (page: Page) => page.close(),
        ]
      ) {
        const page = await opened(browser, url);
        await click(page, 10, 10);
        await page.keyboard.down("Shift");
        await lastAction(url, { key: "shift", down: true });
        await leave(page);
        await lastAction(url, { key: "shift", down: false });
      }
      const page = await opened(browser, url);
      const place = await placeOf(page, 20, 20);
      await page.mouse.move(place.x, place.y);
      await page.mouse.down();
      await lastAction(url, { type: "button", down: true });
      await page.close();
      await lastAction(url, { type: "button", down: false });
    });
  },
);

Deno.test(
  { name: "several buttons are held at a time, and the back button stays on the page", ...BROWSER },
  async () => {
    await withPage(async ({ page, url }) => {
      const session = await page.context().newCDPSession(page);
      const place = await placeOf(page, 200, 200);
      const mouse = (
        type: "mousePressed" | "mouseReleased",
        button: "left" | "right" | "back",
        buttons: number,
      ) => session.send("Input.dispatchMouseEvent", { type, button, buttons, clickCount: 1, ...place });
      await mouse("mousePressed", "left", 1);
      await mouse("mousePressed", "right", 3);
      await mouse("mouseReleased", "left", 2);
      await mouse("mouseReleased", "right", 0);
      await mouse("mousePressed", "back", 8);
      await mouse("mouseReleased", "back", 0);
      const buttons = async () =>
        (await history(url)).filter(({ type }) => type === "button").map((
          { button, down },
        ) => [button, down]);
      await until(buttons, ({ length }) => length === 6);
      await page.evaluate(
        `document.querySelector("#screen").addEventListener("pointerup", (e) => window.stays = e.defaultPrevented)`,
      );
      await page.mouse.move(place.x, place.y);
      await page.mouse.down();
      await until(buttons, ({ length }) => length === 7);
      await page.evaluate("dispatchEvent(new Event('blur'))"); // the window's
      assertEquals(await until(buttons, ({ length }) => length === 8), [
        ["left", true],
        ["right", true],
        ["left", false],
        ["right", false],
        ["back", true],
        ["back", false],
        ["left", true],
        ["left", false],
      ]);
      await page.mouse.up();
      assertEquals(await page.evaluate("window.stays"), true);
    });
  },
);

Deno.test({
  name: "clicks arrive at the right pixel of a real desktop at any zoom",
  ...BROWSER,
  ignore: BROWSER.ignore || need("Xvfb", "xev", "xdotool").ignore,
}, async () => {
  await using server = await Xvfb.start({ width: 1920, height: 1080 });
  await using xev = server.spawn(
    "xev",
    "-geometry",
    "1920x1080+0+0",
    "-event",
    "button",
    "-event",
    "keyboard",
  );
  await server.window("--name", "Event Tester");
  await withBrowser(async (browser) => {
    await using program = new Program(["--http", "0"], { env: server.env });
    const page = await opened(browser, await program.controlUrl(), { width: 2100, height: 1500 });
    const expected: string[] = [];
    for (const [steps, button] of [[0, ""], [2, "#zoom-in"], [5, "#zoom-out"]] as const) {
      for (let i = 0; i < steps; i++) await choose(page, button);
      for (const [x, y] of [[100, 100], [501, 333], [7, 5]]) {
        const { x: left, y: top } = await placeOf(page, x, y);
        await page.evaluate(
          `(() => { const s = document.querySelector('#stage'); const b = s.getBoundingClientRect();
          s.scrollLeft += ${left} - b.x - b.width / 2; s.scrollTop += ${top} - b.y - b.height / 2; })()`,
        );
        await click(page, x, y);
        expected.push(`ButtonPress 1 ${x},${y}`, `ButtonRelease 1 ${x},${y}`);
      }
    }
    await until(() => xevEvents(xev.printed), (events) => events.length >= expected.length);
    assertEquals(xevEvents(xev.printed), expected);
  });
});
