/** The clipboard, both ways: in its panel, and with the copy and paste keys. */

import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import type { Browser, Page } from "playwright-core";
import { encodePng } from "../../control/image/png.ts";
import { VirtualDesktop } from "../../ffi/virtual/mod.ts";
import { BROWSER, withBrowser } from "../support/browser.ts";
import { keptFrame } from "../support/clipboard_tools.ts";
import { Program } from "../support/program.ts";
import { temporary, until } from "../support/shell.ts";
import { choose, opened, route, shows, VIRTUAL, withKeys, withPage } from "./page.ts";

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
  { name: "an image is shown, and a pasted image goes to the desktop", ...BROWSER },
  async () => {
    await withPage(async ({ page, url }) => {
      const png = await encodePng(
        await keptFrame(new VirtualDesktop().screen, { x: 0, y: 0, width: 12, height: 9 }, false),
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
  name: "Ctrl+V brings this device's text or image to the desktop's clipboard before it arrives",
  ...BROWSER,
}, async () => {
  await withKeys(async ({ page, url, told }) => {
    const clipboard = async () => await (await fetch(`${url}/api/clipboard`)).json();
    await paste(page, "clipboardData.setData('text', 'héllo')");
    assertEquals(await told(4), ["+ctrl", "+v", "-v", "-ctrl"]);
    assertEquals((await clipboard()).text, "héllo");
    // The text that the desktop has copied since then stays, since this device has nothing new.
    await (await fetch(`${url}/api/clipboard`, { method: "PUT", body: '{"text":"from a menu"}' })).body
      ?.cancel();
    await paste(page, "clipboardData.setData('text', 'héllo')");
    assertEquals(await told(4), ["+ctrl", "+v", "-v", "-ctrl"]);
    assertEquals((await clipboard()).text, "from a menu");
    // An image, here one that is not a PNG.
    const place = { x: 0, y: 0, width: 12, height: 9 };
    const png = await encodePng(await keptFrame(new VirtualDesktop().screen, place, false));
    await page.evaluate(`(async () => {
      const bitmap = await createImageBitmap(new Blob([new Uint8Array(${JSON.stringify([...png])})]));
      const canvas = new OffscreenCanvas(12, 9);
      canvas.getContext("2d").drawImage(bitmap, 0, 0);
      window.photograph = await canvas.convertToBlob({ type: "image/jpeg" });
    })()`);
    await paste(page, "clipboardData.items.add(new File([photograph], 'a.jpg', { type: 'image/jpeg' }))");
    assertEquals(await told(4), ["+ctrl", "+v", "-v", "-ctrl"]);
    assertEquals((await clipboard()).types, ["png"]);
    // Nothing on this device: only the key.
    await paste(page, "");
    assertEquals(await told(4), ["+ctrl", "+v", "-v", "-ctrl"]);
    assertEquals((await clipboard()).types, ["png"]);
    // A desktop without a clipboard gets the text typed.
    await route(page, "**/api/clipboard", (route) => route.fulfill({ status: 501, json: { error: "none" } }));
    await paste(page, "clipboardData.setData('text', 'typed')");
    assertEquals(await told(1), ["typed"]);
  });
});

Deno.test({ name: "what Ctrl+C copies on the desktop comes to this device", ...BROWSER }, async () => {
  await withKeys(async ({ page }) => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const here = () => page.evaluate("navigator.clipboard.readText()") as Promise<string>;
    await page.evaluate("navigator.clipboard.writeText('mine')");
    // Like a program that takes a moment to copy: the old content is there when Control goes down and once
    // more.
    let asked = 0;
    await route(page, "**/api/clipboard", async (route) => {
      const text = asked++ < 2 ? "before" : "copied there";
      await route.fulfill({ json: { text, types: ["text"] } });
    });
    await page.keyboard.press("Control+c");
    await until(here, (text) => text === "copied there");
    // A key that copies nothing, such as one that ends a program in a terminal, leaves this device's
    // clipboard unchanged.
    await page.evaluate("navigator.clipboard.writeText('mine')");
    const before = asked;
    await page.keyboard.press("Control+c");
    await until(() => asked, (now) => now >= before + 6);
    await shows(page, "document.querySelector('#notice').hidden");
    assertEquals(await here(), "mine");
  });
});

// Files that are dropped on the screen.

/** Provides a browser and its own folder. */
const withFolder = (use: (browser: Browser, folder: string) => Promise<void>) =>
  temporary((folder) => withBrowser((browser) => use(browser, folder)));

/** Drops files on the screen, each with its own number of bytes. */
async function drop(page: Page, ...files: [name: string, size: number][]): Promise<void> {
  await page.evaluate(`(() => {
    const dataTransfer = new DataTransfer();
    for (const [name, size] of ${JSON.stringify(files)}) {
      dataTransfer.items.add(new File([new Uint8Array(size).fill(name.length)], name));
    }
    for (const type of ["dragover", "drop"]) {
      document.querySelector("#screen").dispatchEvent(
        new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    }
  })()`);
}

const lines = (page: Page) => page.locator("#drops li").allTextContents();

Deno.test({
  name: "a file dropped on the screen arrives in the served folder, and the page says where",
  ...BROWSER,
}, async () => {
  await withFolder(async (browser, folder) => {
    // The folder's password is for its own pages; the control API checks its callers itself.
    const files = [
      "--files",
      folder,
      "--files-port",
      "0",
      "--allow-upload",
      "--files-auth",
      "me:secret",
    ];
    await using program = new Program([...VIRTUAL, ...files]);
    const page = await opened(browser, await program.controlUrl());
    await drop(page, ["söng 1.ogg", 3_000_000], ["b.txt", 3]);
    const said = await until(() => lines(page), (lines) => lines.length === 2 && /is at/.test(lines[1]));
    assertEquals(said, ["söng 1.ogg", "b.txt"].map((name) => `${name} is at ${join(folder, name)}`));
    assertEquals((await Deno.readFile(join(folder, "söng 1.ogg"))).length, 3_000_000);
    assertEquals(await Deno.readFile(join(folder, "b.txt")), new Uint8Array(3).fill(5));
    await drop(page, ["b.txt", 4]);
    const refused = await until(() => lines(page), (lines) => lines.length === 3 && /:/.test(lines[2]));
    assertMatch(refused[2], /^b\.txt: A file with that name exists/);
    assertEquals((await Deno.readFile(join(folder, "b.txt"))).length, 3);
  });
});

Deno.test({ name: "an upload by drop resumes where the network interrupted it", ...BROWSER }, async () => {
  await withFolder(async (browser, folder) => {
    await using program = new Program([
      ...VIRTUAL,
      ...["--files", folder, "--files-port", "0", "--allow-upload"],
    ]);
    const page = await opened(browser, await program.controlUrl());
    let broken = 0;
    await route(page, "**/api/file*", (route) => broken++ ? route.continue() : route.abort());
    await drop(page, ["a.bin", 100_000]);
    await until(() => lines(page), ([line]) => /is at/.test(line ?? ""));
    assertEquals((await Deno.readFile(join(folder, "a.bin"))).length, 100_000);
  });
});

Deno.test({
  name: "if no folder accepts files a drop says so, and a page that only looks accepts none",
  ...BROWSER,
}, async () => {
  await withBrowser(async (browser) => {
    await using program = new Program(VIRTUAL);
    const url = await program.controlUrl(), page = await opened(browser, url);
    await drop(page, ["a.txt", 3]);
    const [line] = await until(() => lines(page), ([line]) => /:/.test(line ?? ""));
    assertEquals(line, "a.txt: uploads are off: start deskhand with --files FOLDER --allow-upload");
    await choose(page, "#looking");
    await drop(page, ["b.txt", 3]);
    await shows(page, "document.querySelector('#state').textContent === 'Connected, view only'");
    assertEquals((await lines(page)).filter((line) => line.startsWith("b.txt")), []);
  });
});
