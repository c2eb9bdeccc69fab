/** Uploads from a folder's page in a real Chromium. */

import { assertEquals, assertMatch } from "@std/assert";
import { BROWSER, withBrowser } from "../support/browser.ts";
import { Program } from "../support/program.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";

Deno.test({ ...BROWSER, name: "files are uploaded from a folder's page: chosen, and dropped" }, async () => {
  await temporary(async (folder) => {
    const root = `${folder}/root`, film = `${folder}/film é#.bin`;
    await Deno.mkdir(`${root}/sub`, { recursive: true });
    await Deno.writeTextFile(`${root}/sub/there.txt`, "first");
    const args = ["--files", root, "--files-port", "0", "--allow-upload"];
    await using program = new Program(args, { env: { DISPLAY: "" } });
    const url = await program.filesUrl();
    await withBrowser(async (browser) => {
      const page = await browser.newPage(), problems: string[] = [];
      page.on("console", (message) => {
        // The answer 409 to a file that is there already is one such line.
        if (message.type() === "error" && !message.text().includes("409")) problems.push(message.text());
      });
      page.on("pageerror", ({ message }) => problems.push(message));
      await page.goto(`${url}/sub/`);
      const content = new Uint8Array(3_000_000).map((_, i) => i);
      await Deno.writeFile(film, content);
      await page.getByLabel("Upload files").setInputFiles(film);
      await page.getByRole("link", { name: "film é#.bin", exact: true }).waitFor(); // the page loaded again
      await page.getByLabel("Upload files").waitFor(); // its script shows it
      assertEquals(await Deno.readFile(`${root}/sub/film é#.bin`), content);

      await page.evaluate(`{
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(["dropped"], "dropped.txt"));
        dataTransfer.items.add(new File(["second"], "there.txt"));
        document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
      }`);
      const rows = () => page.locator(".uploads li").allTextContents();
      const [done, refused] = await until(rows, (texts) => texts.length === 2 && texts[1].includes(":"));
      assertEquals(done, "dropped.txt: done");
      assertMatch(refused, /^there\.txt: There is a file of that name/);
      assertEquals(await Deno.readTextFile(`${root}/sub/dropped.txt`), "dropped");
      assertEquals(await Deno.readTextFile(`${root}/sub/there.txt`), "first");
      await page.goto(`${url}/?view=gallery`);
      await page.getByLabel("Upload files").waitFor();
      assertEquals(problems, []);
    });
  });
});
