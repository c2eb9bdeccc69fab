/** The clipboard, on every desktop of the table; other programs copy and paste. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Clipboard, Selection } from "../../control/desktop/desktop.ts";
import { encodePng } from "../../control/image/png.ts";
import { InputError, TimeLimitError } from "../../core/errors.ts";
import { VirtualDesktop } from "../../ffi/virtual/mod.ts";
import { ClipboardPaster } from "../../ffi/wayland/layout/text_paster.ts";
import { WaylandClipboard } from "../../ffi/wayland/wire/clipboard.ts";
import { type ClipboardTool, keptFrame } from "../support/clipboard_tools.ts";
import { DESKTOPS } from "../support/desktops.ts";
import { SWAY, Sway } from "../support/sway.ts";
import { until } from "../support/shell.ts";

const TEXTS = ["plain", "héllo €5 漢字 😀 שלום", "a\r\nb\tc\n", "", "é", "\ufeffmark", "x".repeat(300_000)];
/** A text of 10 MB, larger than a pipe's buffer, so that it is sent in pieces both ways. */
const LARGE = "0123456789äöü漢".repeat(700_000);

/** The event loop ends after its test: it is woken to close the connection. */
const options = { sanitizeOps: false, sanitizeResources: false };

for (const { name, clipboardNeeds, start } of DESKTOPS) {
  Deno.test({ name: `${name}: the clipboard`, ...clipboardNeeds, ...options }, async (t) => {
    await using system = await start();
    const desktop = await system.open(), clipboard = desktop.clipboard!;
    const tools = system.clipboardTools, [tool] = tools;
    const reads = (text: string, selection?: Selection) => arrives(clipboard, text, selection);
    await t.step("is empty before anything is copied", async () => {
      assertEquals(await clipboard.kinds("clipboard"), []);
      assertEquals(await clipboard.read("text", "clipboard"), undefined);
      assertEquals(await clipboard.keep(), true);
    });
    await t.step("passes text to other programs unchanged", async () => {
      for (const text of [...TEXTS, LARGE]) await isPasted(clipboard, text, tools);
    });
    await t.step("is lost without a clipboard manager, unless another program owns it", async () => {
      assertEquals(await clipboard.keep(), false);
      await tool.copy("taken over");
      await until(() => clipboard.keep());
    });
    await t.step("receives other programs' text unchanged", async () => {
      for (const text of [...TEXTS.filter((text) => text !== ""), LARGE]) {
        for (const other of tools) {
          await other.copy(text);
          await reads(text);
        }
      }
    });
    await t.step("is separate from the primary selection", async () => {
      await clipboard.write({ text: "copied" }, "clipboard");
      await clipboard.write({ text: "selected" }, "primary");
      assertEquals([decode(await tool.paste()), decode(await tool.paste("primary"))], ["copied", "selected"]);
      await tool.copy("theirs", "primary");
      await reads("theirs", "primary");
      await reads("copied");
    });
    await t.step("passes pictures byte for byte, and not as text", () => pictures(clipboard, tool));
    await t.step("serves others after a program that stops reading", async () => {
      await clipboard.write({ text: LARGE }, "clipboard");
      await tool.pasteStart!();
      assert(decode(await tool.paste()) === LARGE);
    });
    await t.step("times out if its owner hangs", () => hanging(clipboard, tool));
    await t.step("is readable concurrently, and after an aborted read", async () => {
      await tool.copy(LARGE);
      await reads(LARGE);
      const abort = new AbortController(), given = clipboard.read("text", "clipboard", abort.signal);
      abort.abort(new Error("the client went away")); // the read has begun and has no answer yet
      await assertRejects(() => given, Error, "the client went away");
      for (const content of await Promise.all([1, 2, 3].map(() => clipboard.read("text", "clipboard")))) {
        assert(content && "text" in content && content.text === LARGE);
      }
      assert(decode(await tool.paste()) === LARGE);
    });
    await t.step("is refused above 64 MiB, and its owner keeps working", async () => {
      await clipboard.write({ png: new Uint8Array(1) }, "clipboard"); // a different kind from what follows
      await tool.copy("x".repeat(70 << 20));
      await until(() => clipboard.kinds("clipboard").catch(unlessLate), (kinds) => kinds?.[0] === "text");
      for (let time = 0; time < 2; time++) {
        await assertRejects(
          () => inTime(() => clipboard.read("text", "clipboard")),
          InputError,
          "more than 67108864 bytes",
        );
        assertEquals(await inTime(() => clipboard.kinds("clipboard")), ["text"]);
      }
    });
    desktop.close();
  });
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

Deno.test(
  { name: "after a paste, the clipboard is as before: empty, or with its text", ...SWAY, ...options },
  async () => {
    await using sway = await Sway.start();
    const clipboard = new WaylandClipboard(sway.socket), paster = new ClipboardPaster(clipboard);
    const paste = () => clipboard.write({ text: "pasted" }, "clipboard");
    await paster.during(paste);
    assertEquals(await clipboard.kinds("clipboard"), []);
    await clipboard.write({ text: "kept" }, "clipboard");
    await paster.during(paste);
    assertEquals(await clipboard.read("text", "clipboard"), { text: "kept" });
    clipboard.close();
  },
);

/** Waits for another program's text; the program may take the clipboard over late and answer slowly. */
async function arrives(clipboard: Clipboard, text: string, selection: Selection = "clipboard") {
  await until(
    () => clipboard.read("text", selection).catch(unlessLate),
    (read) => (read as { text: string } | undefined)?.text === text,
  );
}

/** Repeats a call that another program answers too late, as on a busy machine. */
async function inTime<T>(call: () => Promise<T>): Promise<T> {
  const answer = await until(() => call().then((result) => ({ result }), unlessLate));
  return answer!.result;
}

/** Rethrows every error except a timeout of another program. */
function unlessLate(error: unknown): undefined {
  if (!(error instanceof TimeLimitError)) throw error;
}

async function isPasted(clipboard: Clipboard, text: string, tools: readonly ClipboardTool[]) {
  await clipboard.write({ text }, "clipboard");
  for (const { name, paste } of tools) {
    const pasted = decode(await paste());
    assertEquals(pasted.length, text.length, name);
    assert(pasted === text, `${name} pastes something else for ${text.slice(0, 20)}`);
  }
  assertEquals(await clipboard.kinds("clipboard"), ["text"]);
  assert((await clipboard.read("text", "clipboard") as { text: string }).text === text);
}

async function pictures(clipboard: Clipboard, tool: ClipboardTool): Promise<void> {
  const png = new Uint8Array(
    await encodePng(
      await keptFrame(new VirtualDesktop().screen, { x: 0, y: 0, width: 1280, height: 720 }, true),
    ),
  );
  await clipboard.write({ png }, "clipboard");
  assertEquals(await tool.paste("clipboard", "image/png"), png);
  assertEquals(await clipboard.kinds("clipboard"), ["png"]);
  await tool.copy(png, "clipboard", "image/png");
  await until(() => clipboard.keep()); // the other program owns it now
  assertEquals(await inTime(() => clipboard.kinds("clipboard")), ["png"]);
  assertEquals(await inTime(() => clipboard.read("png", "clipboard")), { png });
  assertEquals(await inTime(() => clipboard.read("text", "clipboard")), undefined);
}

async function hanging(clipboard: Clipboard, tool: ClipboardTool): Promise<void> {
  const file = await Deno.makeTempFile();
  await Deno.writeTextFile(file, "of a program that hangs");
  await Deno.chmod(file, 0o644);
  try {
    await using owner = tool.own!(file);
    await arrives(clipboard, "of a program that hangs");
    Deno.kill(owner.pid, "SIGSTOP");
    await assertRejects(() => clipboard.read("text", "clipboard"), TimeLimitError, "did not answer within");
    const abort = new AbortController();
    const read = clipboard.read("text", "clipboard", abort.signal);
    abort.abort(new Error("the client went away"));
    await assertRejects(() => read, Error, "the client went away");
    Deno.kill(owner.pid, "SIGCONT");
  } finally {
    await Deno.remove(file);
  }
}
