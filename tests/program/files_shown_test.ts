/** Pages of files in a real Chromium: a README.md that would like to run scripts, code in colours, a folder of music. */

import { assert, assertEquals } from "@std/assert";
import { axeFindings } from "../support/axe.ts";
import { BROWSER, withBrowser } from "../support/browser.ts";
import { Program } from "../support/program.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";

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

/** Half a second of silence, as WAV with 8000 samples of 8 bits a second. */
function silence(): Uint8Array<ArrayBuffer> {
  const samples = 4000, bytes = new Uint8Array(44 + samples).fill(128, 44), view = new DataView(bytes.buffer);
  const put = (at: number, text: string) => bytes.set(new TextEncoder().encode(text), at);
  put(0, "RIFF");
  view.setUint32(4, 36 + samples, true);
  put(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, 8000, true);
  view.setUint32(28, 8000, true);
  view.setUint16(32, 1, true);
  view.setUint16(34, 8, true);
  put(36, "data");
  view.setUint32(40, samples, true);
  return bytes;
}

Deno.test({
  ...BROWSER,
  name: "a README runs nothing and loads nothing from elsewhere, music plays on, and axe finds nothing",
}, async () => {
  await temporary(async (folder) => {
    await Deno.mkdir(`${folder}/music`);
    await Deno.writeTextFile(`${folder}/README.md`, README);
    await Deno.writeTextFile(`${folder}/code.py`, "def f(a):\n    return 'b'  # comment\n");
    const songs = ["1 first.wav", "2 second é#.wav", "10 third.wav"];
    for (const song of songs) await Deno.writeFile(`${folder}/music/${song}`, silence());
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
        for (const path of ["", "README.md?view", "code.py?view", "music/1%20first.wav?view"]) {
          await page.goto(`${url}/${path}`, { waitUntil: "load" });
          assertEquals(await axeFindings(page), [], `${colorScheme} /${path}`);
          assert(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path);
        }
        await page.goto(`${url}/`);
        assertEquals(await page.locator(".prose h1").innerText(), "Demo");
        // Its table is no list of files: no numbers are rewritten, nothing is laid out or narrowed as rows of files.
        assertEquals(await page.locator(".prose td").allInnerTexts(), ["1234", "c"]);
        assert(await page.evaluate("document.querySelector('.prose table').clientHeight < 200"));
        await page.fill("input[type=search]", "code");
        assert(await page.isVisible(".prose td"));
        await page.fill("input[type=search]", "");
        await page.locator(".prose a", { hasText: /^a$/ }).click();
        assertEquals(await page.evaluate("window.ran"), undefined);
        assertEquals(elsewhere, []);
      }
      const page = await browser.newPage();
      await page.goto(`${url}/music/1%20first.wav?view`);
      assertEquals(await page.locator(".tracks a").allInnerTexts(), songs);
      await page.locator(".tracks a").first().click(); // a person's click lets it play
      await until(
        () => page.evaluate("[document.title, document.querySelector('audio').ended]"),
        (now) => JSON.stringify(now) === JSON.stringify([songs[2], true]),
        (now) => `it plays ${JSON.stringify(now)}`,
      );
      assertEquals(await page.locator(".tracks [aria-current]").innerText(), songs[2]);
      assert(page.url().endsWith("/music/10%20third.wav?view"), page.url());
    });
  });
});
