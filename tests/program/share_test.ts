/** `deskhand share` against a running file server, the owner's button in a real Chromium, and the log. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { axeFindings } from "../support/axe.ts";
import { BROWSER, withBrowser } from "../support/browser.ts";
import { Program, run } from "../support/program.ts";
import { temporary } from "../support/temporary.ts";

Deno.test({
  ...BROWSER,
  name: "a file is shared by the command and by the button, revoked, and no token is in the log",
}, async () => {
  await temporary(async (folder) => {
    const root = `${folder}/root`, env = { DISPLAY: "", XDG_STATE_HOME: `${folder}/state` };
    await Deno.mkdir(`${root}/sub`, { recursive: true });
    await Deno.writeTextFile(`${root}/sub/a b.txt`, "shared");
    const args = ["--files", root, "--files-port", "0", "--allow-share", "--log", `${folder}/log`];
    let link = "";
    {
      await using program = new Program(args, { env });
      const url = await program.filesUrl(), port = new URL(url).port;
      const share = (...words: string[]) => run(["share", ...words, "--files-port", port], "", { env });
      const made = await share(`${root}/sub/a b.txt`, "--hours", "2");
      assertEquals(made.code, 0, made.stderr);
      link = made.stdout.split("\n")[0];
      assertEquals(await (await fetch(link)).text(), "shared");
      assertMatch((await share("--list")).stdout, /^[0-9a-f]{8} {2}\/sub\/a b\.txt {2}ends .*1 so far\n$/);
      assertEquals((await share(`${folder}/gone`)).code, 2);
      const outside = await share(folder);
      assertEquals([outside.code, outside.stdout], [1, ""]);
      assertMatch(outside.stderr, /not in the folder that is served/);

      await withBrowser(async (browser) => {
        const page = await browser.newPage({ colorScheme: "dark", viewport: { width: 390, height: 844 } });
        await page.goto(`${url}/sub/a%20b.txt?view`);
        await page.getByRole("button", { name: "Share" }).click();
        await page.getByLabel("Hours").fill("1");
        await page.getByLabel("Downloads").fill("3");
        await page.getByLabel("Password").fill("word");
        await page.getByRole("button", { name: "Make a link" }).click();
        const second = await page.locator(".links a").first().innerText();
        assertEquals(await axeFindings(page), []);
        assertEquals((await fetch(second)).status, 401);
        const headers = { authorization: `Basic ${btoa("x:word")}` };
        assertEquals(await (await fetch(second, { headers })).text(), "shared");
        await page.locator(".shares li", { hasText: "3 downloads" }).getByRole("button").click();
        await page.locator(".links").waitFor({ state: "detached" });
        assertEquals(await page.locator(".shares li").count(), 1);
        assertEquals((await fetch(second, { headers })).status, 404);
      });
    }
    await using again = new Program(args, { env });
    const url = await again.filesUrl();
    const path = new URL(link).pathname;
    assertEquals(await (await fetch(url + path)).text(), "shared"); // it outlives a new start
    const id = /^[0-9a-f]{8}/.exec(
      (await run(["share", "--list", "--files-port", new URL(url).port], "", { env })).stdout,
    )![0];
    const revoked = await run(["share", "--revoke", id, "--files-port", new URL(url).port], "", { env });
    assertEquals(revoked.code, 0, revoked.stderr);
    assertEquals((await fetch(url + path)).status, 404);
    const log = await Deno.readTextFile(`${folder}/log`);
    assertMatch(log, /GET \/\.share\/…\/a%20b\.txt 200/);
    assert(!log.includes(path.split("/")[2]));
  });
});
