/** The clipboard on the page, both ways. */

import { assertEquals } from "@std/assert";
import { encodePng } from "../../control/image/png.ts";
import { VirtualDesktop } from "../../ffi/virtual/mod.ts";
import { BROWSER } from "../support/browser.ts";
import { until } from "../support/until.ts";
import { shows, withPage } from "./page.ts";

Deno.test({ name: "text goes to the desktop's clipboard and comes from it", ...BROWSER }, async () => {
  await withPage(async ({ page, url }) => {
    assertEquals(await page.isVisible("#clipboard-panel"), false);
    await page.click("#clipboard");
    await page.fill("#clipboard-text", "héllo 漢字 😀\nsecond line");
    await page.click("#clipboard-send");
    await shows(page, "/on the desktop's clipboard/.test(document.querySelector('#notice').textContent)");
    const { text } = await (await fetch(`${url}/api/clipboard`)).json();
    assertEquals(text, "héllo 漢字 😀\nsecond line");
    await fetch(`${url}/api/clipboard`, { method: "PUT", body: '{"text":"from there"}' });
    await page.click("#clipboard-fetch");
    await until(() => page.inputValue("#clipboard-text"), (value) => value === "from there");
    await page.click("#clipboard");
    assertEquals(await page.isVisible("#clipboard-panel"), false);
  });
});

Deno.test(
  { name: "a picture is shown, and one that is pasted goes to the desktop", ...BROWSER },
  async () => {
    await withPage(async ({ page, url }) => {
      const png = await encodePng(
        new VirtualDesktop().screen.capture({ x: 0, y: 0, width: 12, height: 9 }, false),
      );
      await fetch(`${url}/api/clipboard`, { method: "PUT", body: png });
      await page.click("#clipboard");
      await shows(page, "document.querySelector('#clipboard-picture').naturalWidth === 12");
      await fetch(`${url}/api/clipboard`, { method: "PUT", body: '{"text":"x"}' });
      await page.evaluate(`(() => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(${JSON.stringify([...png])})], "a.png", { type: "image/png" }));
      const event = new ClipboardEvent("paste", { clipboardData: data, cancelable: true, bubbles: true });
      document.querySelector("#clipboard-text").dispatchEvent(event);
    })()`);
      await until(
        async () => (await (await fetch(`${url}/api/clipboard`)).json()).types,
        ([type]) => type === "png",
      );
      assertEquals(await (await fetch(`${url}/api/clipboard?format=png`)).bytes(), png);
      await shows(
        page,
        "/picture is on the desktop's clipboard/.test(document.querySelector('#notice').textContent)",
      );
    });
  },
);
