/** The page on a phone: orientation, the menu, a keyboard that composes each word. */

import { assertEquals } from "@std/assert";
import { BROWSER } from "../support/browser.ts";
import { until } from "../support/shell.ts";
import { boxes, LYING, UPRIGHT, withPhone } from "./phone.ts";
import { history } from "./page.ts";

Deno.test({
  name: "a phone fills its screen with the desktop, upright and on its side; a button opens the rest",
  ...BROWSER,
}, async () => {
  await withPhone(async ({ page }) => {
    const upright = await until(() => boxes(page), ({ width }) => width > 380);
    assertEquals([upright.width, upright.content], [390, 390]);
    await page.setViewportSize(LYING);
    const lying = await until(() => boxes(page), ({ height, width }) => height === 390 && width > 690);
    assertEquals([lying.content, lying.top], [844, 0]);
    for (const viewport of [UPRIGHT, LYING]) {
      await page.setViewportSize(viewport);
      for (const id of ["#record", "#share", "#looking", "#trackpad", "#show-log", "#zoom-fit"]) {
        assertEquals(await page.isVisible(id), false, id);
        await page.tap("#more");
        await page.locator(id).scrollIntoViewIfNeeded();
        assertEquals(await page.isVisible(id), true, id);
        await page.tap("#more");
      }
    }
    await page.setViewportSize({ width: 360, height: 740 });
    const narrow = await until(() => boxes(page), ({ width }) => width === 360);
    assertEquals(narrow.content, 360);
    // A choice closes the menu.
    await page.tap("#more");
    await page.tap("#show-log");
    assertEquals([await page.isVisible("#tools"), await page.isVisible("#log")], [false, true]);
    // The bar's buttons are large enough for a finger, and on the screen.
    const buttons = await page.evaluate(
      `[...document.querySelectorAll("header > .tools button")].map((it) => {
      const { width, height, left, right } = it.getBoundingClientRect();
      return width >= 44 && height >= 44 && left >= 0 && right <= innerWidth;
    }).join()`,
    );
    assertEquals(buttons, "true,true,true,true,true");
    // On the smallest phone the state is a dot in the middle of the bar, whatever it says.
    await page.setViewportSize({ width: 320, height: 568 });
    for (const words of ["Connected", "Connection lost, trying again"]) {
      const dot = await page.evaluate(`(() => {
        const state = document.getElementById("state"), bar = document.querySelector("header");
        state.textContent = ${JSON.stringify(words)};
        const { top, bottom, width } = state.getBoundingClientRect();
        return [width, Math.abs(top + bottom - bar.offsetHeight) <= 2, bar.offsetHeight < 60];
      })()`);
      assertEquals(dot, [8, true, true], words);
    }
  });
});

Deno.test({
  name:
    "upright, the first tap or a double tap off the desktop offers to fill the height, which is remembered",
  ...BROWSER,
}, async () => {
  await withPhone(async ({ page, url, tap }) => {
    const heightOf = () => boxes(page).then(({ height }) => height);
    const isFilled = (height: number) => height > 700, isFitted = (height: number) => height < 230;
    assertEquals(await page.isVisible("#offer"), false);
    await until(heightOf, isFitted);
    await tap({ x: 195, y: 440 });
    await page.waitForSelector("#offer:not([hidden])");
    await page.tap("#offer-fill");
    await until(heightOf, isFilled);
    assertEquals(await page.isVisible("#offer"), false);
    assertEquals(await page.getAttribute("#fill", "aria-pressed"), "true");
    // A tap reaches the pixel under it.
    const clicks = async () => (await history(url)).filter(({ type, down }) => type === "button" && down);
    const before = (await clicks()).length, { left, top, width, height } = await boxes(page);
    await tap({ x: 100, y: 300 });
    const [last] = (await until(clicks, ({ length }) => length > before)).slice(-1);
    assertEquals([last.x, last.y], [
      Math.floor((100 - left) * 1280 / width),
      Math.floor((300 - top) * 720 / height),
    ]);
    await page.reload();
    await until(heightOf, isFilled);
    await page.tap("#fill");
    await until(heightOf, isFitted);
    // Outside the desktop, where a double tap is not a double click.
    await tap({ x: 195, y: 120 });
    await tap({ x: 195, y: 122 });
    await until(heightOf, isFilled);
    await page.setViewportSize(LYING);
    await until(() => page.isVisible("#fill"), (isVisible) => !isVisible);
  });
});

Deno.test({
  name: "above the phone's keyboard the keys are one scrolling line, and leave the desktop 200 pixels",
  ...BROWSER,
}, async () => {
  await withPhone(async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 844 - 330 }); // what a keyboard of 330 pixels leaves
    await page.tap("#keyboard");
    await page.tap("#keys button:text-is('F1…')");
    const [seen, line, all] = await page.evaluate(`(() => {
      const { top } = document.querySelector("#stage").getBoundingClientRect();
      const keys = document.querySelector("#keys");
      return [keys.getBoundingClientRect().top - top, keys.clientHeight, keys.scrollWidth > keys.clientWidth];
    })()`) as [number, number, boolean];
    assertEquals([seen >= 200, line < 60, all], [true, true, true], `${seen} ${line}`);
    const { x, width } = (await page.locator("#keys button:text-is('F1')").boundingBox())!;
    assertEquals([x >= 0, x + width <= 390], [true, true], `F1 is at ${x}`);
    await page.locator("#keys button:text-is('Print')").scrollIntoViewIfNeeded();
    await page.tap("#keys button:text-is('Print')");
  });
});

Deno.test({
  name: "a phone keyboard's text arrives letter by letter, with corrections, and with Ctrl from the bar",
  ...BROWSER,
}, async () => {
  await withPhone(async ({ page, url, session }) => {
    const compose = (text: string) =>
      session.send("Input.imeSetComposition", {
        text,
        selectionStart: text.length,
        selectionEnd: text.length,
      });
    const told = async (length: number) => {
      const all = (await history(url)).filter(({ type, down }) => type === "text" || type === "key" && down);
      return all.length >= length ? all.map(({ text, key }) => text ?? `[${key}]`) : undefined;
    };
    await page.tap("#keyboard");
    assertEquals(await page.evaluate("document.activeElement.id"), "typing");
    for (const text of ["t", "te", "teh"]) await compose(text);
    await session.send("Input.insertText", { text: "the" });
    const words = await until(() => told(6), (told) => told !== undefined);
    assertEquals(words, ["t", "e", "h", "[backspace]", "[backspace]", "he"]);
    await page.tap("#keys button:text-is('Ctrl')");
    assertEquals(await page.evaluate("document.activeElement.id"), "typing"); // the phone's keyboard stays
    await compose("c");
    await session.send("Input.insertText", { text: "c" });
    const all = await until(() => told(8), (told) => told !== undefined);
    assertEquals(all?.slice(6), ["[ctrl]", "[c]"]);
    assertEquals(await page.getAttribute("#keys button:text-is('Ctrl')", "aria-pressed"), "false");
  });
});

Deno.test({
  name: "on its side in full screen the bar appears at the right edge, and its menu fits the screen",
  ...BROWSER,
}, async () => {
  await withPhone(async ({ page }) => {
    await page.setViewportSize(LYING);
    await page.tap("#full");
    await until(() => page.isVisible("header"), (isVisible) => !isVisible);
    await page.tap("#handle");
    await until(() => page.isVisible("header"));
    await page.tap("#more");
    const bar = (await page.locator("header").boundingBox())!,
      menu = (await page.locator("#tools").boundingBox())!;
    assertEquals([bar.x + bar.width, bar.height], [LYING.width, LYING.height]);
    assertEquals([menu.x >= 0, Math.abs(menu.x + menu.width - bar.x) < 2], [true, true]);
  });
});
