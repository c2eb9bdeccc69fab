/** Keys: combinations as typed, input methods, the bar of keys, and the clipboards that copying and pasting keep alike. */

import { assertEquals } from "@std/assert";
import type { CDPSession, Page } from "playwright-core";
import { encodePng } from "../../control/image/png.ts";
import { VirtualDesktop } from "../../ffi/virtual/mod.ts";
import { BROWSER } from "../support/browser.ts";
import { until } from "../support/until.ts";
import { click, history, type Opened, shows, withPage } from "./page.ts";

/** What the desktop was told of keys and text since the last call, once there is enough of it. */
function keysOf(url: string) {
  let seen = 0;
  return async (length: number): Promise<unknown[]> => {
    const all = async () => (await history(url)).filter(({ type }) => type === "key" || type === "text");
    const actions = (await until(all, (all) => all.length >= seen + length)).slice(seen);
    seen += actions.length;
    return actions.map(({ key, down, text }) => text ?? `${down ? "+" : "-"}${key}`);
  };
}

/** Enter, as an input method hides it from the page. */
const ENTER = { windowsVirtualKeyCode: 229, key: "Process", code: "Enter" };

/** What an input method does in the field that has the focus. */
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

/** Opens the page and clicks the picture, so that it gets the keys. */
function withKeys(
  use: (opened: Opened & { told: ReturnType<typeof keysOf> }) => Promise<void>,
): Promise<void> {
  return withPage(async (opened) => {
    await click(opened.page, 30, 30);
    await use({ ...opened, told: keysOf(opened.url) });
  });
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

Deno.test({ name: "an input method's text arrives whole, when it is made", ...BROWSER }, async () => {
  await withKeys(async ({ page, told }) => {
    const session = await page.context().newCDPSession(page);
    await compose(session, ["n", "に", "にほ", "にほん"], "日本");
    await page.keyboard.press("x");
    assertEquals(await told(3), ["日本", "+x", "-x"]);
    // The key that takes what was composed is the input method's.
    await compose(session, ["に"]);
    await session.send("Input.dispatchKeyEvent", { ...ENTER, type: "rawKeyDown" });
    await session.send("Input.insertText", { text: "に" });
    await page.keyboard.press("y");
    assertEquals(await told(3), ["に", "+y", "-y"]);
    await page.click("#keyboard");
    await compose(session, ["k", "か"], "可");
    await page.keyboard.press("F2");
    assertEquals(await told(3), ["可", "+f2", "-f2"]);
    await page.keyboard.press("Control+Shift+A"); // the field for text takes combinations too
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
      // For one key, which goes by the field for text.
      await ctrl.click();
      assertEquals([await pressed(), await page.evaluate("document.activeElement.id")], ["true", "typing"]);
      await page.keyboard.insertText("c");
      assertEquals(await told(4), ["+ctrl", "+c", "-c", "-ctrl"]);
      assertEquals(await pressed(), "false");
      // For all until it is tapped again.
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
      await page.click("#keyboard"); // the click went to the picture: the first one gives the keys back
      await bar(page, "F1…").click();
      await bar(page, "F11").click();
      await bar(page, "Ctrl\\+Alt\\+Del").click();
      assertEquals(await told(8), ["+f11", "-f11", "+ctrl", "+alt", "+delete", "-delete", "-alt", "-ctrl"]);
      await bar(page, "Super").click();
      assertEquals(await told(1), ["+super"]);
      await page.click("#keyboard"); // what is down is released with the bar
      assertEquals(await told(1), ["-super"]);
      assertEquals(await page.isVisible("#keys"), false);
    });
  },
);

/** Pastes, as a browser does after Ctrl+V. */
async function paste(page: Page, fill: string): Promise<void> {
  await page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    ${fill}
    document.activeElement.dispatchEvent(
      new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  })()`);
}

Deno.test({
  name: "Ctrl+V brings this device's text or picture to the desktop's clipboard before it arrives",
  ...BROWSER,
}, async () => {
  await withKeys(async ({ page, url, told }) => {
    const clipboard = async () => await (await fetch(`${url}/api/clipboard`)).json();
    await paste(page, "clipboardData.setData('text', 'héllo')");
    assertEquals(await told(4), ["+ctrl", "+v", "-v", "-ctrl"]);
    assertEquals((await clipboard()).text, "héllo");
    // What the desktop copied since stays, since this device has nothing new.
    await (await fetch(`${url}/api/clipboard`, { method: "PUT", body: '{"text":"from a menu"}' })).body
      ?.cancel();
    await paste(page, "clipboardData.setData('text', 'héllo')");
    assertEquals(await told(4), ["+ctrl", "+v", "-v", "-ctrl"]);
    assertEquals((await clipboard()).text, "from a menu");
    // A picture, here one that is no PNG.
    const place = { x: 0, y: 0, width: 12, height: 9 };
    const png = await encodePng(new VirtualDesktop().screen.capture(place, false));
    await page.evaluate(`(async () => {
      const bitmap = await createImageBitmap(new Blob([new Uint8Array(${JSON.stringify([...png])})]));
      const canvas = new OffscreenCanvas(12, 9);
      canvas.getContext("2d").drawImage(bitmap, 0, 0);
      window.photograph = await canvas.convertToBlob({ type: "image/jpeg" });
    })()`);
    await paste(page, "clipboardData.items.add(new File([photograph], 'a.jpg', { type: 'image/jpeg' }))");
    assertEquals(await told(4), ["+ctrl", "+v", "-v", "-ctrl"]);
    assertEquals((await clipboard()).types, ["png"]);
    // Nothing on this device: the key alone.
    await paste(page, "");
    assertEquals(await told(4), ["+ctrl", "+v", "-v", "-ctrl"]);
    assertEquals((await clipboard()).types, ["png"]);
    // A desktop without a clipboard gets the text typed.
    await page.route("**/api/clipboard", (route) => route.fulfill({ status: 501, json: { error: "none" } }));
    await paste(page, "clipboardData.setData('text', 'typed')");
    assertEquals(await told(1), ["typed"]);
  });
});

Deno.test({ name: "what Ctrl+C copies on the desktop comes to this device", ...BROWSER }, async () => {
  await withKeys(async ({ page }) => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const here = () => page.evaluate("navigator.clipboard.readText()") as Promise<string>;
    await page.evaluate("navigator.clipboard.writeText('mine')");
    // As a program that takes a moment to copy: what was there is there when Control goes down and once more.
    let asked = 0;
    await page.route("**/api/clipboard", async (route) => {
      const text = asked++ < 2 ? "before" : "copied there";
      await route.fulfill({ json: { text, types: ["text"] } });
    });
    await page.keyboard.press("Control+c");
    await until(here, (text) => text === "copied there");
    // A key that copies nothing, such as one that ends a program in a terminal, leaves this device's as it is.
    await page.evaluate("navigator.clipboard.writeText('mine')");
    const before = asked;
    await page.keyboard.press("Control+c");
    await until(() => asked, (now) => now >= before + 6);
    await shows(page, "document.querySelector('#notice').hidden");
    assertEquals(await here(), "mine");
  });
});
