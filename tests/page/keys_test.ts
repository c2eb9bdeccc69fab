/** Keys: combinations as typed, dead keys, input methods, the key bar, the text field. */

import { assertEquals } from "@std/assert";
import type { CDPSession, Page } from "playwright-core";
import { BROWSER, openWindow } from "../support/browser.ts";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { until } from "../support/shell.ts";
import { Xvfb } from "../support/xvfb.ts";
import { click, history, keysOf, opened, placeOf, shows, VIRTUAL, withKeys, withPage } from "./page.ts";

/** Enter, as an input method hides it from the page. */
const ENTER = { windowsVirtualKeyCode: 229, key: "Process", code: "Enter" };

/** Acts like an input method in the focused field. */
async function compose(session: CDPSession, steps: string[], result?: string): Promise<void> {
  for (const text of steps) {
    await session.send("Input.imeSetComposition", {
      text,
      selectionStart: text.length,
      selectionEnd: text.length,
    });
  }
  if (result) await session.send("Input.insertText", { text: result });
}

Deno.test({ name: "combinations arrive as typed", ...BROWSER }, async () => {
  await withKeys(async ({ page, told }) => {
    const CASES: [keys: string, told: string[]][] = [
      ["Control+a", ["+ctrl", "+a", "-a", "-ctrl"]],
      ["Control+c", ["+ctrl", "+c", "-c", "-ctrl"]],
      ["Control+z", ["+ctrl", "+z", "-z", "-ctrl"]],
      ["Alt+Tab", ["+alt", "+tab", "-tab", "-alt"]],
      ["Shift+ArrowRight", ["+shift", "+right", "-right", "-shift"]],
      ["Shift+Tab", ["+shift", "+tab", "-tab", "-shift"]],
      ["Control+Alt+Delete", ["+ctrl", "+alt", "+delete", "-delete", "-alt", "-ctrl"]],
    ];
    for (const [keys, expected] of CASES) {
      await page.keyboard.press(keys);
      assertEquals(await told(expected.length), expected, keys);
    }
    await page.keyboard.press("Control+Alt+Escape");
    assertEquals(await page.evaluate("document.activeElement === document.body"), true);
  });
});

Deno.test({
  name: "dead keys, Windows' AltGr, macOS' Command, and Control held during a paste arrive",
  ...BROWSER,
}, async () => {
  await withKeys(async ({ page, url, told }) => {
    const session = await page.context().newCDPSession(page);
    /** All at the same moment, each as `+` or `-`, the key and its code. */
    const at = (...keys: string[]) =>
      page.evaluate(`{
        const timeStamp = performance.now();
        for (const [type, key, code] of ${JSON.stringify(keys.map((k) => k.split(" ")))}) {
          const event = new KeyboardEvent(type === "+" ? "keydown" : "keyup", { key, code, cancelable: true });
          Object.defineProperty(event, "timeStamp", { value: timeStamp });
          document.querySelector("#screen").dispatchEvent(event);
        }
      }`);

    // As Chromium reports them on Linux: no key is released before the character arrives.
    await at("+ AltGraph AltRight", "+ Dead BracketRight");
    assertEquals(await told(2), ["+altgr", "-altgr"]);
    await session.send("Input.dispatchKeyEvent", { type: "keyDown", key: "n", code: "KeyN", text: "ñ" });
    await session.send("Input.dispatchKeyEvent", { type: "keyUp", key: "n", code: "KeyN" });
    assertEquals(await told(1), ["ñ"]);
    await page.keyboard.press("n");
    assertEquals(await told(2), ["+n", "-n"]);

    await at("+ Control ControlLeft", "+ AltGraph AltRight", "+ @ KeyQ", "- @ KeyQ", "- Control ControlLeft");
    await at("- AltGraph AltRight");
    assertEquals(await told(6), ["+ctrl", "-ctrl", "+altgr", "+@", "-@", "-altgr"]);

    await at("+ Meta MetaLeft", "+ c KeyC", "- Meta MetaLeft");
    assertEquals(await told(4), ["+super", "+c", "-super", "-c"]);

    // A selection elsewhere on the page does not capture the paste, which uses the desktop's clipboard.
    await page.keyboard.down("Control");
    await page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text", "pasted");
      document.querySelector("#hint").dispatchEvent(
        new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    })()`);
    assertEquals(await told(3), ["+ctrl", "+v", "-v"]);
    assertEquals((await (await fetch(`${url}/api/clipboard`)).json()).text, "pasted");
    await page.keyboard.press("c");
    await page.keyboard.up("Control");
    assertEquals(await told(3), ["+c", "-c", "-ctrl"]);

    // A key that composes nothing is not lost.
    await at("+ Dead BracketRight", "+ ArrowLeft ArrowLeft", "- ArrowLeft ArrowLeft");
    assertEquals(await told(2), ["+left", "-left"]);
  });
});

Deno.test({ name: "an input method's text arrives whole, once it is composed", ...BROWSER }, async () => {
  await withKeys(async ({ page, told }) => {
    const session = await page.context().newCDPSession(page);
    await compose(session, ["n", "に", "にほ", "にほん"], "日本");
    await page.keyboard.press("x");
    assertEquals(await told(3), ["日本", "+x", "-x"]);
    // The key that accepts the composition belongs to the input method.
    await compose(session, ["に"]);
    await session.send("Input.dispatchKeyEvent", { ...ENTER, type: "rawKeyDown" });
    await session.send("Input.insertText", { text: "に" });
    await page.keyboard.press("y");
    assertEquals(await told(3), ["に", "+y", "-y"]);
    await page.click("#keyboard");
    await compose(session, ["k", "か"], "可");
    await page.keyboard.press("F2");
    assertEquals(await told(3), ["可", "+f2", "-f2"]);
    await page.keyboard.press("Control+Shift+A"); // the text field accepts combinations too
    assertEquals(await told(6), ["+ctrl", "+shift", "+A", "-A", "-shift", "-ctrl"]);
    assertEquals(await page.inputValue("#typing"), "");
  });
});

/** A key of the bar. */
const bar = (page: Page, label: string) =>
  page.locator("#keys button", { hasText: new RegExp(`^${label}$`) });

Deno.test(
  { name: "the bar's modifiers stay down for a key, or until they are tapped again", ...BROWSER },
  async () => {
    await withPage(async ({ page, url }) => {
      const told = keysOf(url);
      assertEquals(await page.isVisible("#keys"), false);
      await page.click("#keyboard");
      const ctrl = bar(page, "Ctrl"), pressed = () => ctrl.getAttribute("aria-pressed");
      // For one key, which goes through the text field.
      await ctrl.click();
      assertEquals([await pressed(), await page.evaluate("document.activeElement.id")], ["true", "typing"]);
      await page.keyboard.insertText("c");
      assertEquals(await told(4), ["+ctrl", "+c", "-c", "-ctrl"]);
      assertEquals(await pressed(), "false");
      // For all keys until it is tapped again.
      await ctrl.click();
      await ctrl.click();
      await bar(page, "Shift").click();
      await bar(page, "→").click();
      await bar(page, "Tab").click();
      assertEquals(await told(7), ["+ctrl", "+shift", "+right", "-right", "-shift", "+tab", "-tab"]);
      assertEquals(await pressed(), "true");
      await ctrl.click();
      assertEquals(await told(1), ["-ctrl"]);
      // For a click.
      await bar(page, "Alt").click();
      await click(page, 70, 80);
      assertEquals(await told(2), ["+alt", "-alt"]);
      const actions = (await history(url)).filter(({ type }) => type !== "move");
      const at = actions.findIndex(({ type }) => type === "button");
      assertEquals(actions.slice(at).map(({ key, type, down }) => `${key ?? type} ${down}`).slice(0, 3), [
        "button true",
        "button false",
        "alt false",
      ]);
      await page.click("#keyboard"); // the click went to the screen: the first one returns the keys
      await bar(page, "F1…").click();
      await bar(page, "F11").click();
      await bar(page, "Ctrl\\+Alt\\+Del").click();
      assertEquals(await told(8), ["+f11", "-f11", "+ctrl", "+alt", "+delete", "-delete", "-alt", "-ctrl"]);
      await bar(page, "Super").click();
      assertEquals(await told(1), ["+super"]);
      await page.click("#keyboard"); // held keys are released with the bar
      assertEquals(await told(1), ["-super"]);
      assertEquals(await page.isVisible("#keys"), false);
    });
  },
);

Deno.test({
  name: "keys alone leave the text field, which passes on the keys that it does not use",
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

// Dead keys that a person presses on a real X server, in a Chromium with a window: they come through GTK.

/** xdotool's words, and the input that arrives. */
const CASES: [typed: string[], arrives: string[]][] = [
  [["key", "dead_acute", "e"], ["é"]],
  [["key", "dead_acute", "x"], ["´x"]],
  [["key", "dead_acute", "dead_acute"], ["´"]],
  [["key", "dead_acute", "Return"], ["´", "+enter", "-enter"]],
  [["key", "dead_acute", "Left"], ["´", "+left", "-left"]],
  [["key", "dead_acute", "shift+Tab"], ["´", "+shift", "+tab", "-tab", "-shift"]],
  // Keys that were down before are released, though the browser does not report that.
  [["keydown", "Shift_L", "key", "dead_circumflex", "keyup", "Shift_L", "key", "Return"], [
    "+shift",
    "-shift",
    "^",
    "+enter",
    "-enter",
  ]],
  // GTK takes Ctrl+A, in its own programs too, and reports nothing; the accent waits for the letter.
  [["key", "dead_acute", "ctrl+a", "e"], ["é"]],
  [["key", "F2"], ["+f2", "-f2"]],
];

Deno.test({
  name: "a dead key swallows nothing: its accent arrives, and then the key that followed",
  ...need("chromium", "Xvfb", "xdotool", "setxkbmap", "openbox", "xev", "xprop"),
  sanitizeOps: false,
  sanitizeResources: false,
}, async () => {
  await using server = await Xvfb.start();
  await server.run("setxkbmap", "us", "-variant", "intl");
  await using _manager = await server.manager("openbox");
  await using program = new Program(VIRTUAL);
  const browser = await openWindow(server);
  try {
    const url = await program.controlUrl(), page = await opened(browser, url);
    const { x, y } = await placeOf(page, 30, 30);
    const [left, top] = await page.evaluate(
      "[screenX + (outerWidth - innerWidth) / 2, screenY + outerHeight - innerHeight]",
    ) as number[];
    await server.run(
      "xdotool",
      "mousemove",
      `${Math.round(left + x)}`,
      `${Math.round(top + y)}`,
      "click",
      "1",
    );
    await shows(page, "document.hasFocus() && document.activeElement.id === 'sink'");
    const keys = async () => (await history(url)).filter(({ type }) => type === "key" || type === "text");
    let seen = 0;
    for (const [typed, arrives] of CASES) {
      await server.run("xdotool", ...typed);
      const all = await until(keys, ({ length }) => length >= seen + arrives.length);
      const told = all.slice(seen).map(({ key, down, text }) => text ?? `${down ? "+" : "-"}${key}`);
      assertEquals(told, arrives, typed.join(" "));
      seen = all.length;
    }
  } finally {
    await browser.close();
  }
});
