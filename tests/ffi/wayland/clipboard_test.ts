/** The clipboard of a real compositor; wl-copy and wl-paste are the other programs. */

import { assert, assertEquals } from "@std/assert";
import { encodePng } from "../../../control/image/png.ts";
import { TimeLimitError } from "../../../core/errors.ts";
import { WaylandClipboard } from "../../../ffi/wayland/clipboard.ts";
import { need } from "../../support/need.ts";
import { Sway } from "../../support/sway.ts";
import { until } from "../../support/until.ts";

const TEXTS = ["plain", "héllo €5 漢字 😀 שלום", "a\r\nb\tc\n", "é", "\ufeffmark", "x".repeat(300_000)];
/** 5 MB: more than a pipe holds. */
const LARGE = "0123456789äöü漢".repeat(280_000);

async function pasted(sway: Sway, ...args: string[]): Promise<Uint8Array> {
  const command = new Deno.Command("wl-paste", { args: ["-n", ...args], env: sway.env, stderr: "null" });
  return (await command.output()).stdout;
}

/** Copies by wl-copy, which goes on in the background. */
async function copy(sway: Sway, content: string | Uint8Array<ArrayBuffer>, ...args: string[]): Promise<void> {
  const child = new Deno.Command("wl-copy", {
    args,
    env: sway.env,
    stdin: "piped",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const input = child.stdin.getWriter();
  await input.write(typeof content === "string" ? new TextEncoder().encode(content) : content);
  await input.close();
  await child.status;
}

/** Passes on every error but that of a program that does not answer in time. */
function unlessLate(error: unknown): undefined {
  if (!(error instanceof TimeLimitError)) throw error;
}

/** The loop ends after its test: it is woken to close the connection. */
const options = { ...need("sway", "wl-copy", "wl-paste"), sanitizeOps: false, sanitizeResources: false };

Deno.test(
  { name: "what is copied here is pasted by other programs, and the other way round", ...options },
  async (t) => {
    await using sway = await Sway.start();
    const clipboard = new WaylandClipboard(sway.socket);
    const decode = (bytes: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    const reads = (text: string, selection: "clipboard" | "primary" = "clipboard") =>
      until(
        () => clipboard.read("text", selection).catch(unlessLate),
        (read) => (read as { text: string } | undefined)?.text === text,
      );
    await t.step("nothing, before anything is copied", async () => {
      assertEquals(await clipboard.kinds("clipboard"), []);
      assertEquals(await clipboard.read("text", "clipboard"), undefined);
      assertEquals(await clipboard.keep(), true);
    });
    await t.step("texts", async () => {
      for (const text of [...TEXTS, LARGE]) {
        await clipboard.write({ text }, "clipboard");
        assert(
          decode(await pasted(sway)) === text,
          `wl-paste pastes something else for ${text.slice(0, 20)}`,
        );
        assertEquals(await clipboard.kinds("clipboard"), ["text"]);
        assert((await clipboard.read("text", "clipboard") as { text: string }).text === text);
      }
      assertEquals(await clipboard.keep(), false);
      for (const text of [...TEXTS, LARGE]) {
        await copy(sway, text, "-t", "text/plain;charset=utf-8");
        await reads(text);
      }
      assertEquals(await clipboard.keep(), true);
    });
    await t.step("the primary selection, which is another one", async () => {
      await clipboard.write({ text: "copied" }, "clipboard");
      await clipboard.write({ text: "selected" }, "primary");
      assertEquals([decode(await pasted(sway)), decode(await pasted(sway, "-p"))], ["copied", "selected"]);
      await copy(sway, "theirs", "-p");
      await reads("theirs", "primary");
      await reads("copied");
    });
    await t.step("pictures, byte for byte", async () => {
      const pixels = new Uint8Array(40 * 30 * 4).map((_, i) => i * 7);
      const png = new Uint8Array(await encodePng({ width: 40, height: 30, stride: 160, pixels }));
      await clipboard.write({ png }, "clipboard");
      assertEquals(await pasted(sway, "-t", "image/png"), png);
      assertEquals(await clipboard.kinds("clipboard"), ["png"]);
      await copy(sway, png, "-t", "image/png");
      const read = await until(
        () => clipboard.read("png", "clipboard").catch(unlessLate),
        (read) => read !== undefined,
      );
      assertEquals((read as { png: Uint8Array }).png, png);
    });
    await t.step("to a program that stops reading, which does no harm", async () => {
      await clipboard.write({ text: LARGE }, "clipboard");
      await sway.run("sh", "-c", "wl-paste -n | head -c 10");
      assert(decode(await pasted(sway)) === LARGE);
    });
    clipboard.close();
  },
);
