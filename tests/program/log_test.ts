/** The log on standard output, beside a reader that stops. */

import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { temporary } from "../support/temporary.ts";

const MAIN = fromFileUrl(new URL("../../main.ts", import.meta.url));
/** What a pipe holds is less than their lines. */
const REQUESTS = 3000;

Deno.test("a reader of the log that stops holds nothing up, and finds all lines in order when it goes on", async () => {
  await temporary(async (state) => {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", MAIN, "--desktop", "virtual", "--http", "0", "--log", "-"],
      env: { XDG_STATE_HOME: state },
      stdin: "null",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    try {
      let text = "";
      const readUntil = async (pattern: RegExp) => {
        for (let match = pattern.exec(text);; match = pattern.exec(text)) {
          if (match) return match;
          const { done, value } = await reader.read();
          if (done) throw new Error(`${pattern} did not come: ${text.slice(-1000)}`);
          text += value;
        }
      };
      const [, port] = await readUntil(/port (\d+)\n/);
      const url = `http://127.0.0.1:${port}/api/`;
      const answered = [];
      for (let i = 0; i < REQUESTS; i++) {
        const response = await fetch(url + i, { signal: AbortSignal.timeout(60_000) });
        await response.body?.cancel();
        answered.push(response.status);
      }
      assertEquals(answered.every((status) => status === 404), true);
      await readUntil(new RegExp(`/api/${REQUESTS - 1} 404 .*\n`));
      const lines = text.split("\n").filter((line) => /Z control /.test(line));
      assertEquals(lines.length, REQUESTS);
      for (const [i, line] of lines.entries()) {
        assertMatch(line, new RegExp(`^\\S+Z control 127\\.0\\.0\\.1 GET /api/${i} 404 [\\d.]+ms$`));
      }
    } finally {
      child.kill("SIGKILL");
      await reader.cancel();
      await child.status;
    }
  });
});
