/** Files that are dropped on the picture. */

import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import type { Browser, Page } from "playwright-core";
import { BROWSER, withBrowser } from "../support/browser.ts";
import { Program } from "../support/program.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";
import { opened, shows, VIRTUAL } from "./page.ts";

/** Gives a browser and a folder of its own. */
const withFolder = (use: (browser: Browser, folder: string) => Promise<void>) =>
  temporary((folder) => withBrowser((browser) => use(browser, folder)));

/** Drops files on the picture, each of so many bytes of its own. */
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
  name: "a file that is dropped on the picture arrives in the served folder, and the page says where",
  ...BROWSER,
}, async () => {
  await withFolder(async (browser, folder) => {
    // The folder's password is for its own pages; the control API decides on its callers itself.
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
    assertMatch(refused[2], /^b\.txt: There is a file of that name/);
    assertEquals((await Deno.readFile(join(folder, "b.txt"))).length, 3);
  });
});

Deno.test({ name: "an upload to the picture goes on where the network left it", ...BROWSER }, async () => {
  await withFolder(async (browser, folder) => {
    await using program = new Program([
      ...VIRTUAL,
      ...["--files", folder, "--files-port", "0", "--allow-upload"],
    ]);
    const page = await opened(browser, await program.controlUrl());
    let broken = 0;
    await page.route("**/api/file*", (route) => broken++ ? route.continue() : route.abort());
    await drop(page, ["a.bin", 100_000]);
    await until(() => lines(page), ([line]) => /is at/.test(line ?? ""));
    assertEquals((await Deno.readFile(join(folder, "a.bin"))).length, 100_000);
  });
});

Deno.test({
  name: "where no folder takes files a drop says so, and a page that only looks takes none",
  ...BROWSER,
}, async () => {
  await withBrowser(async (browser) => {
    await using program = new Program(VIRTUAL);
    const url = await program.controlUrl(), page = await opened(browser, url);
    await drop(page, ["a.txt", 3]);
    const [line] = await until(() => lines(page), ([line]) => /:/.test(line ?? ""));
    assertEquals(line, "a.txt: no folder takes files: start deskhand with --files FOLDER --allow-upload");
    await page.click("#looking");
    await drop(page, ["b.txt", 3]);
    await shows(page, "document.querySelector('#state').textContent === 'Connected, only looking'");
    assertEquals((await lines(page)).filter((line) => line.startsWith("b.txt")), []);
  });
});
