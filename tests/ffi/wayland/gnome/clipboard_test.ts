/** A real GNOME Shell's clipboard; the shell itself copies and pastes. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { DesktopUnavailableError, InputError } from "../../../../core/errors.ts";
import { GnomeClipboard } from "../../../../ffi/wayland/gnome/clipboard.ts";
import { GNOME, Gnome, whenAvailable } from "../../../support/gnome.ts";
import { until } from "../../../support/shell.ts";

const ST = "imports.gi.St", SHELL = `${ST}.Clipboard.get_default()`, KIND = `${ST}.ClipboardType.CLIPBOARD`;
const TEXT = "héllo €漢😀";

/** Pastes through the shell. */
async function pasted(gnome: Gnome): Promise<string | null> {
  await gnome.evaluate(`(global.pasted = 0, ${SHELL}.get_text(${KIND}, (_, t) => global.pasted = [t]), 0)`);
  return (await until(() => gnome.evaluate<[string | null] | 0>("global.pasted"))) as unknown as string;
}

Deno.test({ name: "reads and writes GNOME's clipboard", ...GNOME }, async (t) => {
  await using gnome = await Gnome.start();
  const buses = [`${gnome.env.XDG_RUNTIME_DIR}/bus`];
  const copy = (text: string) => gnome.evaluate(`(${SHELL}.set_text(${KIND}, ${JSON.stringify(text)}), 0)`);
  const clipboard = new GnomeClipboard(buses);

  await t.step("an empty clipboard has no kinds", async () => {
    assertEquals(await clipboard.kinds("clipboard"), []);
    assertEquals(await clipboard.read("text", "clipboard"), undefined);
  });
  await t.step("reads what another program copies", async () => {
    await copy(TEXT);
    await until(async () => (await clipboard.kinds("clipboard")).length > 0);
    assertEquals(await clipboard.kinds("clipboard"), ["text"]);
    assertEquals(await clipboard.read("text", "clipboard"), { text: TEXT });
    assertEquals(await clipboard.read("png", "clipboard"), undefined);
  });
  await t.step("reads what was copied before deskhand started", async () => {
    const late = new GnomeClipboard(buses);
    assertEquals(await late.kinds("clipboard"), ["text"]);
    assertEquals(await late.read("text", "clipboard"), { text: TEXT });
    late.close();
  });
  await t.step("others paste written text, and it is read back", async () => {
    await clipboard.write({ text: "from deskhand €" }, "clipboard");
    assertEquals(await pasted(gnome), ["from deskhand €"] as unknown as string);
    assertEquals(await clipboard.read("text", "clipboard"), { text: "from deskhand €" });
    await copy("theirs");
    await until(
      async () => await clipboard.read("text", "clipboard"),
      (content) => content !== undefined && "text" in content && content.text === "theirs",
    );
  });
  await t.step("another connection reads a written picture", async () => {
    const png = Uint8Array.from({ length: 300_000 }, (_, i) => i % 251);
    await clipboard.write({ png }, "clipboard");
    const other = new GnomeClipboard(buses);
    assertEquals(await other.read("png", "clipboard"), { png });
    assertEquals(await clipboard.kinds("clipboard"), ["png"]);
    other.close();
  });
  await t.step("an emptied clipboard stays empty", async () => {
    for (const kept of ["ours", "theirs"]) {
      if (kept === "ours") await clipboard.write({ text: kept }, "clipboard");
      else await copy(kept);
      await until(() => pasted(gnome), (text) => String(text) === kept);
      await clipboard.clear();
      await until(() => pasted(gnome), (text) => String(text) === "");
      assertEquals(await clipboard.kinds("clipboard"), []);
      const other = new GnomeClipboard(buses);
      assertEquals(await other.kinds("clipboard"), []);
      other.close();
    }
  });
  await t.step("content outlives deskhand", async () => {
    await clipboard.write({ text: "still there" }, "clipboard");
    assert(await clipboard.keep());
    clipboard.close();
    await until(() => pasted(gnome), (text) => String(text) === "still there");
  });
  await t.step("refuses the primary selection", async () => {
    await assertRejects(
      () => clipboard.read("text", "primary"),
      InputError,
      "GNOME has no primary selection, only the clipboard",
    );
  });
  await t.step("reports a shell that is gone, and finds its successor", async () => {
    await clipboard.write({ text: "x" }, "clipboard");
    await gnome.kill();
    await until(() => clipboard.kinds("clipboard").then(() => false, (error) => error), (error) => {
      return error instanceof DesktopUnavailableError;
    });
    await gnome.restart();
    await whenAvailable(() => clipboard.write({ text: "again" }, "clipboard"));
    await until(() => pasted(gnome), (text) => String(text) === "again");
  });
  clipboard.close();
});
