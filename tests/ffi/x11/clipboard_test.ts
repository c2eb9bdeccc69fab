/** What is X11's own about the clipboard, on a real X server; desktops_clipboard_test.ts has the rest. */

import { X11Clipboard } from "../../../ffi/x11/clipboard.ts";
import { x11ClipboardTools } from "../../support/clipboard_tools.ts";
import { need } from "../../support/need.ts";
import { until } from "../../support/until.ts";
import { Xvfb } from "../../support/xvfb.ts";

Deno.test({
  name: "a clipboard manager keeps what was copied when deskhand ends",
  ...need("Xvfb", "xclip", "xfce4-clipman"),
  // The loop ends after its test: it is woken to close the connection.
  sanitizeOps: false,
  sanitizeResources: false,
}, async () => {
  await using xvfb = await Xvfb.start();
  const clipboard = new X11Clipboard(xvfb.display), [xclip] = x11ClipboardTools(xvfb.env);
  await using _manager = xvfb.spawn("xfce4-clipman");
  await until(async () => {
    await clipboard.write({ text: "kept – 漢字" }, "clipboard");
    return await clipboard.keep(); // false until the manager is there
  });
  clipboard.close();
  await until(
    async () => new TextDecoder().decode(await xclip.paste()),
    (text) => text === "kept – 漢字",
  );
});
