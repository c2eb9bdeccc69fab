/** A class of thirty hands in its work through a drop box and an upload link, by curl and Chromium. */

import { assertEquals, assertMatch } from "@std/assert";
import { BROWSER, withBrowser } from "../support/browser.ts";
import { need } from "../support/need.ts";
import { Program, run } from "../support/program.ts";
import { mustRun, temporary, until } from "../support/shell.ts";

const CLASS = Array.from({ length: 30 }, (_, i) => `work of student ${i}\n`);
const OWNER = "teacher:secret";

/** The status that curl receives. */
function status(...args: string[]): Promise<string> {
  return mustRun("curl", ["-s", "-o", "/dev/null", "-w", "%{http_code}", ...args]);
}

Deno.test({
  ...need("curl", "unzip"),
  name: "thirty students hand in files of the same name, and the teacher gets all of them as a zip",
}, async () => {
  await temporary(async (folder) => {
    const root = `${folder}/root`, env = { DISPLAY: "", XDG_STATE_HOME: `${folder}/state` };
    await Deno.mkdir(`${root}/late`, { recursive: true });
    const rights = ["--allow-upload", "--allow-share", "--drop-box", "--upload-auth", OWNER];
    await using program = new Program(["--files", root, "--files-port", "0", ...rights], { env });
    const url = await program.filesUrl();
    const handIn = async (work: string, i: number) => {
      await Deno.mkdir(`${folder}/${i}`);
      await Deno.writeTextFile(`${folder}/${i}/essay.txt`, work);
      return await status("-T", `${folder}/${i}/essay.txt`, `${url}/`);
    };
    assertEquals(new Set(await Promise.all(CLASS.map(handIn))), new Set(["201"]));
    for (const path of ["essay.txt", "?format=json", "?archive=zip", "late/", ".share"]) {
      assertEquals(await status(`${url}/${path}`), "401", path);
    }
    await mustRun("curl", ["-sf", "-u", OWNER, "-o", `${folder}/all.zip`, `${url}/?archive=zip`]);
    const all = await mustRun("unzip", ["-p", `${folder}/all.zip`]);
    assertEquals(all.trimEnd().split("\n").sort(), CLASS.map((work) => work.trimEnd()).sort());

    // The latecomer gets a link.
    const port = ["--files-port", new URL(url).port];
    const refused = await run(["share", `${root}/late`, "--collect", ...port], "", { env });
    assertEquals(refused.code, 1, refused.stderr);
    const words = ["share", `${root}/late`, "--collect", "--count", "1", "--upload-auth", OWNER, ...port];
    const made = await run(words, "", { env });
    assertEquals(made.code, 0, made.stderr);
    assertMatch(made.stdout, / or after 1 upload/);
    const link = made.stdout.split("\n")[0];
    assertEquals(await status("-T", `${folder}/0/essay.txt`, link), "201");
    assertEquals(await status("-T", `${folder}/1/essay.txt`, link), "404");
    assertEquals(await Deno.readTextFile(`${root}/late/essay.txt`), CLASS[0]);
  });
});

Deno.test({
  ...BROWSER,
  name: "in a browser a student hands in twice and sees no file; the teacher enters the password",
}, async () => {
  await temporary(async (folder) => {
    const root = `${folder}/root`;
    await Deno.mkdir(root);
    const rights = ["--allow-upload", "--drop-box", "--upload-auth", OWNER, "--upload-limit", "100"];
    await using program = new Program(["--files", root, "--files-port", "0", ...rights], {
      env: { DISPLAY: "" },
    });
    const url = await program.filesUrl();
    await withBrowser(async (browser) => {
      const page = await browser.newPage();
      for (const [i, name] of ["essay.txt", "essay (2).txt"].entries()) {
        await page.goto(`${url}/`);
        const file = { name: "essay.txt", mimeType: "text/plain", buffer: Buffer.from(CLASS[i]) };
        await page.locator("input[type=file]").first().setInputFiles(file);
        await until(() => Array.from(Deno.readDirSync(root), ({ name }) => name).includes(name));
        assertEquals(await Deno.readTextFile(`${root}/${name}`), CLASS[i]);
      }
      assertEquals(await page.getByRole("link", { name: "essay" }).count(), 0);
      const files = ["small.txt", "large.txt"].map((name, i) => ({
        name,
        mimeType: "text/plain",
        buffer: Buffer.from("a".repeat(1 + 100 * i)),
      }));
      await page.locator("input[type=file]").first().setInputFiles(files);
      await page.getByText("2 of 3 files, 100 %, 1 refused", { exact: true }).waitFor();
      const [username, password] = OWNER.split(":");
      const owner = await browser.newPage({ httpCredentials: { username, password } });
      await owner.goto(`${url}/?owner`);
      await owner.getByRole("link", { name: "essay (2).txt" }).waitFor();
    });
  });
});
