/** Text on the virtual desktop, where a script is tried that is to run on a real one. */

import { assertEquals, assertRejects } from "@std/assert";
import { InputError } from "../../../core/errors.ts";
import { VirtualDesktop } from "../../../ffi/virtual/mod.ts";

for (const code of ["0000", "0007", "D800", "DFFF", "FFFF", "10FFFE"]) {
  Deno.test(`U+${code} is refused before anything is typed, as a real desktop refuses it`, async () => {
    const desktop = new VirtualDesktop();
    const text = "ok" + String.fromCodePoint(parseInt(code, 16));
    await assertRejects(() => desktop.keyboard.type(text), InputError, `U+${code}, which cannot be typed`);
    assertEquals(desktop.log, []);
  });
}

Deno.test("control characters that are keys are typed as keys", async () => {
  const desktop = new VirtualDesktop();
  const keys: string[] = [];
  await desktop.observer.watch({
    actions: (batch) =>
      batch.forEach(({ action }) => action.type === "key" && action.down && keys.push(action.key)),
    problem() {},
  });
  await desktop.keyboard.type("é \t\r\n\n\r\b\x1b漢");
  assertEquals(keys, ["é", "space", "tab", "enter", "enter", "enter", "backspace", "escape", "漢"]);
  assertEquals(desktop.log, [{ type: "text", text: "é \t\n\n\r\b\x1b漢" }]);
});
