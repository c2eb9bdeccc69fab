/** File pages in Chromium: source code, and a README.md that tries to run scripts. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { basename } from "@std/path";
import { axeFindings, BROWSER, withBrowser } from "../support/browser.ts";
import { need } from "../support/need.ts";
import { Program, run } from "../support/program.ts";
import { temporary, until } from "../support/shell.ts";

const README = `# Demo

<script>window.ran = 1</script><img src="gone.png" onerror="window.ran = 1"><a href="javascript:window.ran=1">a</a>

| a | b |
| - | - |
| 1234 | \`c\` |

\`\`\`ts
const a: number = 1; // comment
\`\`\`

> quoted [text](list.md), ![remote](https://example.com/x.png)
`;

Deno.test({
  ...BROWSER,
  name: "a README runs nothing and loads nothing from elsewhere, and axe finds nothing",
}, async () => {
  await temporary(async (folder) => {
    await Deno.writeTextFile(`${folder}/README.md`, README);
    await Deno.writeTextFile(`${folder}/code.py`, "def f(a):\n    return 'b'  # comment\n");
    const args = ["--files", folder, "--files-port", "0", "--allow-upload"];
    await using program = new Program(args, { env: { DISPLAY: "" } });
    const url = await program.filesUrl();
    await withBrowser(async (browser) => {
      for (const [colorScheme, width] of [["light", 1200], ["dark", 390]] as const) {
        const context = await browser.newContext({ colorScheme, viewport: { width, height: 844 } });
        const page = await context.newPage(), elsewhere: string[] = [];
        page.on("request", (request) => {
          if (!request.url().startsWith(`${url}/`)) elsewhere.push(request.url());
        });
        for (const path of ["", "README.md?view", "code.py?view"]) {
          await page.goto(`${url}/${path}`, { waitUntil: "load" });
          assertEquals(await axeFindings(page), [], `${colorScheme} /${path}`);
          assert(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path);
        }
        await page.goto(`${url}/`);
        assertEquals(await page.locator(".prose h1").innerText(), "Demo");
        // Its table is not a file list: no numbers are rewritten, and no rows are laid out or filtered as
        // files.
        assertEquals(await page.locator(".prose td").allInnerTexts(), ["1234", "c"]);
        assert(await page.evaluate("document.querySelector('.prose table').clientHeight < 200"));
        await page.fill("input[type=search]", "code");
        assert(await page.isVisible(".prose td"));
        await page.fill("input[type=search]", "");
        await page.locator(".prose a", { hasText: /^a$/ }).click();
        assertEquals(await page.evaluate("window.ran"), undefined);
        assertEquals(elsewhere, []);
      }
    });
  });
});

/** One file of each kind that has its own icon. */
const KINDS = ["a.png", "b.mp4", "c.mp3", "d.zip", "e.bin", "f.pdf", "g.csv", "h.txt"];

Deno.test({
  ...BROWSER,
  name: "with all options on, the tools are one row at any width, kinds have icons, and axe finds nothing",
}, async () => {
  await temporary(async (folder) => {
    await Deno.mkdir(`${folder}/photos/2026`, { recursive: true });
    for (const name of KINDS) await Deno.writeTextFile(`${folder}/${name}`, "");
    await Deno.writeTextFile(`${folder}/g.csv`, 'Name;Total\r\n"Müller; <b>";12\r\n');
    const args = ["--files", folder, "--files-port", "0", "--allow-upload", "--allow-share"];
    await using program = new Program(args, { env: { DISPLAY: "" } });
    const url = await program.filesUrl();
    await withBrowser(async (browser) => {
      for (const colorScheme of ["light", "dark"] as const) {
        const page = await browser.newPage({ colorScheme });
        await page.goto(`${url}/`);
        await page.locator("summary", { hasText: "Upload" }).waitFor(); // the upload script shows it
        for (const width of [390, 820, 1024, 1440, 1920]) {
          await page.setViewportSize({ width, height: 900 });
          const [row, tools, isWhole] = await page.evaluate(`(() => {
            const boxes = [...document.querySelectorAll(".tools > *")].map((it) => it.getBoundingClientRect());
            const row = Math.max(...boxes.map((it) => it.bottom)) - Math.min(...boxes.map((it) => it.top));
            return [row, boxes.length, document.documentElement.scrollWidth <= innerWidth];
          })()`) as [number, number, boolean];
          assertEquals([row < 48, tools, isWhole], [true, 5, true], `${colorScheme}, ${width}: ${row}`);
          if (width === 390 || width === 1440) {
            assertEquals(await axeFindings(page), [], `${colorScheme}, ${width}`);
          }
        }
        const shapes = await page.evaluate(`[...document.querySelectorAll("td:first-child a")].map((it) =>
          getComputedStyle(it, "::before").clipPath)`) as string[];
        assertEquals([shapes.length, new Set(shapes).size], [KINDS.length + 1, KINDS.length + 1]);
        const menu = page.locator("details", { hasText: "Download zip" });
        await menu.locator("summary").click();
        assertEquals(await axeFindings(page), [], `${colorScheme}, a menu`);
        await page.keyboard.press("Escape");
        assertEquals(await menu.getAttribute("open"), null);
        assertEquals(await page.evaluate("document.activeElement.title"), "Download");
        await menu.locator("summary").click();
        await page.locator("h1").click();
        assertEquals(await menu.getAttribute("open"), null);
        for (const path of ["f.pdf?view", "g.csv?view", "photos/2026/"]) {
          await page.goto(`${url}/${path}`);
          if (colorScheme === "light") assertEquals(await axeFindings(page), [], `${colorScheme}, ${path}`);
        }
        assertEquals(
          await page.locator("nav[aria-label=Path]").innerText(),
          `${basename(folder)} / photos / 2026`,
        );
        assertEquals(await page.locator("h1").innerText(), "Directory listing: /photos/2026/");
        await page.goto(`${url}/g.csv?view`);
        assertEquals(await page.locator("th").allInnerTexts(), ["Name", "Total"]);
        assertEquals(await page.locator("td").allInnerTexts(), ["Müller; <b>", "12"]);
        await page.goto(`${url}/f.pdf?view`);
        assertEquals(await page.locator("object").getAttribute("data"), "f.pdf");
      }
    });
  });
});

// Listings over a socket: memory, and programs that follow every link.

/**
 * Serves the test's own folder.
 * @param dir Where to create the folder; with other temporary folders if left out.
 */
async function serving(use: (root: string, url: string, program: Program) => Promise<void>, dir?: string) {
  await temporary(async (root) => {
    await using program = new Program(["--files", root, "--files-port", "0", "--log", "-"], {
      env: { DISPLAY: "" },
    });
    await use(root, await program.filesUrl(), program);
  }, { dir });
}

/** The process's peak resident memory, in bytes. */
function peakOf(pid: number): number {
  return 1024 * Number(/^VmHWM:\s+(\d+)/m.exec(Deno.readTextFileSync(`/proc/${pid}/status`))![1]);
}

Deno.test(
  {
    name: "a folder of 200,000 entries uses 1,200 bytes of memory per entry, even for two concurrent clients",
    // /proc reports a process's peak, and only a memory file system creates that many files in a second.
    ignore: Deno.build.os !== "linux",
  },
  async () => {
    await serving(async (root, url, program) => {
      const count = 200_000, script = `seq -f 'photo_%06.0f.jpg' 1 ${count} | xargs touch`;
      assert((await new Deno.Command("sh", { args: ["-c", script], cwd: root }).output()).success);
      Deno.mkdirSync(`${root}/small`);
      await fetch(`${url}/small/`).then((answer) => answer.text());
      const before = peakOf(program.pid);
      const lengths = ["", "?sort=size"].map(async (query) => {
        const answer = await fetch(`${url}/${query}`, { headers: { "accept-encoding": "identity" } });
        const told = Number(answer.headers.get("content-length"));
        const decoder = new TextDecoder();
        let length = 0, rows = 0;
        for await (const chunk of answer.body!) {
          length += chunk.length;
          rows += decoder.decode(chunk, { stream: true }).split("<tr").length - 1;
        }
        assertEquals(length, told);
        return rows;
      });
      // Chunks split some rows.
      for (const rows of await Promise.all(lengths)) assert(Math.abs(rows - count) < count / 100, `${rows}`);
      const grown = peakOf(program.pid) - before;
      // Two pages of 236 bytes per entry: 230 for its name, properties and key, the rest garbage that V8 has
      // not yet collected. A thread has a runtime of 35 MB.
      const allowed = 1200 * count + 80 * 1024 * 1024;
      assert(grown < allowed, `${grown} bytes, ${Math.round(grown / count)} an entry`);
    }, "/dev/shm");
  },
);

Deno.test({ name: "wget -r fetches each folder in one order", ...need("wget") }, async () => {
  await serving(async (root, url, program) => {
    for (const path of ["a.txt", "sub/b #1.txt", "sub/deep/c.txt"]) {
      await Deno.mkdir(`${root}/sub/deep`, { recursive: true });
      await Deno.writeTextFile(`${root}/${path}`, path);
    }
    await temporary(async (copy) => {
      const { success } = await new Deno.Command("wget", { args: ["-q", "-r", "-nH", `${url}/`], cwd: copy })
        .output();
      for (const path of ["a.txt", "sub/b #1.txt", "sub/deep/c.txt"]) {
        assertEquals(await Deno.readTextFile(`${copy}/${path}`), path);
      }
      // The last log line may arrive after the last answer.
      const asked = () => [...program.stdout.matchAll(/ GET (\S+) \d+ /g)].map(([, path]) => path).sort();
      assertEquals(await until(asked, ({ length }) => length >= 7), [
        "/",
        "/a.txt",
        "/robots.txt",
        "/sub/",
        "/sub/b%20%231.txt",
        "/sub/deep/",
        "/sub/deep/c.txt",
      ]);
      assert(success);
    });
  });
});

// `deskhand share` against a running file server, the owner's button in Chromium, and the log.

Deno.test({
  ...BROWSER,
  name: "the command and the button share and revoke a file, and no token is in the log",
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
      assertMatch(outside.stderr, /not in the served folder/);

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
    assertEquals(await (await fetch(url + path)).text(), "shared"); // it outlives a restart
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
