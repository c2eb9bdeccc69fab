/** What a person does on the page reaches the desktop: mouse, keys, touch. */

import { assert, assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { BROWSER, withBrowser } from "../support/browser.ts";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { until } from "../support/until.ts";
import { xevEvents } from "../support/x11.ts";
import { Xvfb } from "../support/xvfb.ts";
import { click, history, opened, placeOf, shows, VIRTUAL, withPage } from "./page.ts";

Deno.test(
  { name: "mouse, wheel, keys and text reach the desktop, and the log repeats them", ...BROWSER },
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
      // The log joins what is typed within a second or so; on a busy machine it may take longer.
      await page.evaluate("performance.now = () => 0");
      await page.keyboard.type("h!");
      await page.evaluate("delete performance.now"); // the prototype's is back
      await page.keyboard.press("Control+Shift+T");
      await page.keyboard.press("F5");
      await page.click("#keyboard"); // what a phone's keyboard types goes by a field of its own
      await page.keyboard.insertText("é漢");
      const told = await until(
        () => history(url),
        (actions) => actions.at(-1)?.type === "text",
      );
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
        await until(
          () => history(url),
          (actions) => actions.at(-1)?.key === "shift" && actions.at(-1)?.down === true,
        );
        await leave(page);
        await until(
          () => history(url),
          (actions) => actions.at(-1)?.key === "shift" && actions.at(-1)?.down === false,
        );
      }
      const page = await opened(browser, url);
      const place = await placeOf(page, 20, 20);
      await page.mouse.move(place.x, place.y);
      await page.mouse.down();
      await until(
        () => history(url),
        (actions) => actions.at(-1)?.type === "button" && actions.at(-1)?.down === true,
      );
      await page.close();
      await until(
        () => history(url),
        (actions) => actions.at(-1)?.type === "button" && actions.at(-1)?.down === false,
      );
    });
  },
);

Deno.test({
  name: "dead keys, AltGr as on Windows, Command as on macOS, and Control that stays down for a paste",
  ...BROWSER,
}, async () => {
  await withPage(async ({ page, url }) => {
    const session = await page.context().newCDPSession(page);
    let seen = 0;
    const told = async (length: number) => {
      const all = async () => (await history(url)).filter(({ type }) => type === "key" || type === "text");
      const actions = (await until(all, (all) => all.length >= seen + length)).slice(seen);
      seen += actions.length;
      return actions.map(({ key, down, text }) => text ?? `${key} ${down ? "down" : "up"}`);
    };
    /** All at one moment, each as `+` or `-`, the key and its code. */
    const at = (...keys: string[]) =>
      page.evaluate(`{
        const timeStamp = performance.now();
        for (const [type, key, code] of ${JSON.stringify(keys.map((k) => k.split(" ")))}) {
          const event = new KeyboardEvent(type === "+" ? "keydown" : "keyup", { key, code, cancelable: true });
          Object.defineProperty(event, "timeStamp", { value: timeStamp });
          document.querySelector("#screen").dispatchEvent(event);
        }
      }`);
    await click(page, 30, 30);

    // As Chromium tells of them on Linux: no key comes up before the character is there.
    await at("+ AltGraph AltRight", "+ Dead BracketRight");
    assertEquals(await told(2), ["altgr down", "altgr up"]);
    await session.send("Input.dispatchKeyEvent", { type: "keyDown", key: "n", code: "KeyN", text: "ñ" });
    await session.send("Input.dispatchKeyEvent", { type: "keyUp", key: "n", code: "KeyN" });
    assertEquals(await told(1), ["ñ"]);
    await page.keyboard.press("n");
    assertEquals(await told(2), ["n down", "n up"]);

    await at("+ Control ControlLeft", "+ AltGraph AltRight", "+ @ KeyQ", "- @ KeyQ", "- Control ControlLeft");
    await at("- AltGraph AltRight");
    assertEquals(await told(6), ["ctrl down", "ctrl up", "altgr down", "@ down", "@ up", "altgr up"]);

    await at("+ Meta MetaLeft", "+ c KeyC", "- Meta MetaLeft");
    assertEquals(await told(4), ["super down", "c down", "super up", "c up"]);

    // What is selected elsewhere on the page does not take the paste. It comes by the desktop's clipboard.
    await page.keyboard.down("Control");
    await page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text", "pasted");
      document.querySelector("#hint").dispatchEvent(
        new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    })()`);
    assertEquals(await told(3), ["ctrl down", "v down", "v up"]);
    assertEquals((await (await fetch(`${url}/api/clipboard`)).json()).text, "pasted");
    await page.keyboard.press("c");
    await page.keyboard.up("Control");
    assertEquals(await told(3), ["c down", "c up", "ctrl up"]);

    // A key that composes nothing is not lost.
    await at("+ Dead BracketRight", "+ ArrowLeft ArrowLeft", "- ArrowLeft ArrowLeft");
    assertEquals(await told(2), ["left down", "left up"]);
  });
});

Deno.test({
  name: "the field for text has a way out by keys alone, and passes on what it has no use for",
  ...BROWSER,
}, async () => {
  await withPage(async ({ page, url }) => {
    const focus = () => page.evaluate("document.activeElement.id");
    await page.focus("#keyboard");
    await page.keyboard.press("Enter");
    assertEquals(await focus(), "typing");
    for (const key of ["Delete", "Backspace", "End", "Tab", "F2"]) await page.keyboard.press(key);
    const keys = async () => (await history(url)).filter(({ down }) => down).map(({ key }) => key);
    assertEquals(await until(keys, ({ length }) => length === 5), [
      "delete",
      "backspace",
      "end",
      "tab",
      "f2",
    ]);
    await page.keyboard.press("Shift+Tab");
    assertEquals(await focus(), "screen");
    await page.focus("#typing");
    await page.keyboard.press("Control+Alt+Escape");
    assertEquals(await focus(), "");
    assertEquals((await keys()).includes("escape"), false);
  });
});

Deno.test(
  { name: "buttons that are down at once, and back, which stays on the page", ...BROWSER },
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

Deno.test(
  { name: "a tap clicks, a long one means the right button, a finger drags", ...BROWSER },
  async () => {
    await withBrowser(async (browser) => {
      await using program = new Program(VIRTUAL);
      const url = await program.controlUrl();
      const context = await browser.newContext({
        viewport: { width: 360, height: 740 },
        hasTouch: true,
        isMobile: true,
      });
      const page = await context.newPage();
      await page.goto(url);
      await shows(page, "document.querySelector('#screen').width > 16");
      const width = await page.evaluate("document.documentElement.scrollWidth") as number;
      assert(width <= 360, `the page is ${width} wide`);
      const place = await placeOf(page, 640, 360);
      await page.touchscreen.tap(place.x, place.y);
      const session = await context.newCDPSession(page);
      const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...points: { x: number; y: number }[]) =>
        session.send("Input.dispatchTouchEvent", { type, touchPoints: points });
      await touch("touchStart", place);
      await until(() => history(url), (actions) => actions.some(({ button }) => button === "right"));
      await touch("touchEnd");
      // All sent at once: a finger that rests for half a second means the right button.
      await Promise.all([
        touch("touchStart", place),
        touch("touchMove", { x: place.x + 60, y: place.y }),
        touch("touchMove", { x: place.x + 90, y: place.y }),
        touch("touchEnd"),
      ]);
      const told = await until(
        () => history(url),
        (actions) => actions.filter(({ type }) => type === "button").length === 6,
      );
      const buttons = told.filter(({ type }) => type === "button").map(({ button, down }) => [button, down]);
      assertEquals(buttons, [["left", true], ["left", false], ["right", true], ["right", false], [
        "left",
        true,
      ], ["left", false]]);
      const scale = 1280 /
        (await page.evaluate("document.querySelector('#screen').getBoundingClientRect().width") as number);
      const [down, up] = told.filter(({ type }) => type === "button").slice(-2) as { x: number }[];
      assert(Math.abs((up.x - down.x) - 90 * scale) <= scale * 2, `${down.x} to ${up.x}`);
      // Two fingers down the glass: back up.
      const two = (y: number) => [{ x: place.x - 40, y }, { x: place.x + 40, y }];
      await touch("touchStart", ...two(place.y));
      for (let i = 1; i <= 4; i++) await touch("touchMove", ...two(place.y + i * 20));
      await touch("touchEnd");
      await until(
        () => history(url),
        (actions) => actions.some(({ type, direction }) => type === "scroll" && direction === "up"),
      );
      // A second finger ends a drag where the first one is.
      await Promise.all([
        touch("touchStart", place),
        touch("touchMove", { x: place.x + 30, y: place.y }),
      ]);
      await touch("touchStart", { x: place.x + 30, y: place.y }, { x: place.x + 120, y: place.y + 50 });
      await touch("touchEnd");
      const ended = await until(
        () => history(url),
        (actions) => actions.filter(({ type }) => type === "button").length === 8,
      );
      const drop = ended.findLast(({ type }) => type === "button") as { x: number; y: number };
      const dropped = await placeOf(page, drop.x, drop.y);
      assert(Math.hypot(dropped.x - place.x - 30, dropped.y - place.y) < 2, `dropped at ${drop.x},${drop.y}`);
      // Fingers that part enlarge what is between them, and then move the view before they turn the wheel.
      const across = async () => await page.evaluate("document.querySelector('#stage').scrollLeft") as number;
      const right = { x: place.x + 100, y: place.y };
      const around = (by: number, dx = 0) => [{ x: right.x - by + dx, y: right.y }, {
        x: right.x + by + dx,
        y: right.y,
      }];
      assertEquals(await across(), 0);
      const turns = async () => (await history(url)).filter(({ type }) => type === "scroll").length;
      const before = await turns();
      await touch("touchStart", ...around(20));
      for (const by of [30, 40, 50, 60]) await touch("touchMove", ...around(by));
      const enlarged = `document.querySelector("#screen").getBoundingClientRect().width / ${1280 / scale}`;
      await until(() => page.evaluate(enlarged) as Promise<number>, (by) => Math.abs(by - 3) < 0.01);
      const first = await across();
      assert(first > 100, `${first}`);
      for (const dx of [15, 30, 45]) await touch("touchMove", ...around(60, dx));
      await until(across, (left) => left < first - 30);
      assertEquals(await turns(), before);
      await touch("touchEnd");
      await context.close();
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
  await server.run("xdotool", "search", "--sync", "--onlyvisible", "--name", "Event Tester");
  await withBrowser(async (browser) => {
    await using program = new Program(["--http", "0"], { env: server.env });
    const page = await opened(browser, await program.controlUrl(), { width: 2100, height: 1500 });
    const expected: string[] = [];
    for (const [steps, button] of [[0, ""], [2, "#zoom-in"], [5, "#zoom-out"]] as const) {
      for (let i = 0; i < steps; i++) await page.click(button);
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
