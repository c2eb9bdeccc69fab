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
      // The page loads again, so that its list is true, and says what was refused.
      const [refused] = await until(
        async () => await page.getByRole("link", { name: "dropped.txt", exact: true }).count() ? rows() : [],
        (texts) => texts.length === 1,
      );
      assertMatch(refused, /^there\.txt: There is a file of that name/);
      assertEquals(await Deno.readTextFile(`${root}/sub/dropped.txt`), "dropped");
      assertEquals(await Deno.readTextFile(`${root}/sub/there.txt`), "first");
      await page.goto(`${url}/?view=gallery`);
      await page.getByLabel("Upload files").waitFor();
      assertEquals(problems, []);
    });
  });
});

Deno.test(
  { ...BROWSER, name: "folders are uploaded whole, and an upload waits for the network" },
  async () => {
    await temporary(async (folder) => {
      const root = `${folder}/root`, album = `${folder}/album é`;
      await Deno.mkdir(`${album}/deep/deeper`, { recursive: true });
      await Deno.mkdir(root);
      const files = { "a.txt": "a", "deep/b #1.txt": "b", "deep/deeper/c.bin": "c".repeat(300_000) };
      for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${album}/${name}`, text);
      const args = ["--files", root, "--files-port", "0", "--allow-upload"];
      await using program = new Program(args, { env: { DISPLAY: "" } });
      const url = await program.filesUrl();
      await withBrowser(async (browser) => {
        const page = await browser.newPage();
        await page.goto(`${url}/`);
        await page.getByLabel("Upload a folder").setInputFiles(album);
        await page.getByRole("link", { name: "album é/", exact: true }).waitFor();
        for (const [name, text] of Object.entries(files)) {
          assertEquals(await Deno.readTextFile(`${root}/album é/${name}`), text, name);
        }
        // A dropped folder, as a browser gives it: its entries in pieces.
        await page.getByLabel("Upload files").waitFor();
        await page.evaluate(`{
        const file = (name) => ({ name, isFile: true, file: (got) => got(new File([name], name)) });
        const folder = (name, ...pieces) => ({ name, isFile: false, createReader: () => ({
          readEntries: (got) => got(pieces.shift() ?? []),
        }) });
        const entry = folder("dropped", [file("one")], [folder("in", [file("two")])]);
        const event = new Event("drop", { bubbles: true, cancelable: true });
        const item = { kind: "file", webkitGetAsEntry: () => entry, getAsFile: () => null };
        event.dataTransfer = { types: ["Files"], items: [item] };
        dispatchEvent(event);
      }`);
        await page.getByRole("link", { name: "dropped/", exact: true }).waitFor();
        assertEquals(await Deno.readTextFile(`${root}/dropped/one`), "one");
        assertEquals(await Deno.readTextFile(`${root}/dropped/in/two`), "two");

        await page.getByLabel("Upload files").waitFor();
        await page.context().setOffline(true);
        const large = `${folder}/large.bin`;
        await Deno.writeFile(large, new Uint8Array(2_000_000));
        await page.getByLabel("Upload files").setInputFiles(large);
        await page.getByText("waiting for the network").waitFor();
        await page.context().setOffline(false);
        await page.getByRole("link", { name: "large.bin", exact: true }).waitFor();
        assertEquals((await Deno.stat(`${root}/large.bin`)).size, 2_000_000);
      });
    });
  },
);
