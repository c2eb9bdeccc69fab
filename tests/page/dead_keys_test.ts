/** Dead keys that a person presses on a real X server, in a Chromium with a window: they come through GTK. */

import { assertEquals } from "@std/assert";
import { openWindow } from "../support/browser.ts";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { until } from "../support/until.ts";
import { Xvfb } from "../support/xvfb.ts";
import { history, opened, placeOf, shows, VIRTUAL } from "./page.ts";

/** xdotool's words, and the input that arrives. */
const CASES: [typed: string[], arrives: string[]][] = [
  [["key", "dead_acute", "e"], ["é"]],
  [["key", "dead_acute", "x"], ["´x"]],
  [["key", "dead_acute", "dead_acute"], ["´"]],
  [["key", "dead_acute", "Return"], ["´", "+enter", "-enter"]],
  [["key", "dead_acute", "Left"], ["´", "+left", "-left"]],
  [["key", "dead_acute", "shift+Tab"], ["´", "+shift", "+tab", "-tab", "-shift"]],
  // Keys that were down before are released, though the browser does not report that.
  [["keydown", "Shift_L", "key", "dead_circumflex", "keyup", "Shift_L", "key", "Return"], [
    "+shift",
    "-shift",
    "^",
    "+enter",
    "-enter",
  ]],
  // GTK takes Ctrl+A, in its own programs too, and reports nothing; the accent waits for the letter.
  [["key", "dead_acute", "ctrl+a", "e"], ["é"]],
  [["key", "F2"], ["+f2", "-f2"]],
];

Deno.test({
  name: "a dead key swallows nothing: its accent arrives, and then the key that followed",
  ...need("chromium", "Xvfb", "xdotool", "setxkbmap", "openbox", "xev", "xprop"),
  sanitizeOps: false,
  sanitizeResources: false,
}, async () => {
  await using server = await Xvfb.start();
  await server.run("setxkbmap", "us", "-variant", "intl");
  await using _manager = await server.manager("openbox");
  await using program = new Program(VIRTUAL);
  const browser = await openWindow(server);
  try {
    const url = await program.controlUrl(), page = await opened(browser, url);
    const { x, y } = await placeOf(page, 30, 30);
    const [left, top] = await page.evaluate(
      "[screenX + (outerWidth - innerWidth) / 2, screenY + outerHeight - innerHeight]",
    ) as number[];
    await server.run(
      "xdotool",
      "mousemove",
      `${Math.round(left + x)}`,
      `${Math.round(top + y)}`,
      "click",
      "1",
    );
    await shows(page, "document.hasFocus() && document.activeElement.id === 'sink'");
    const keys = async () => (await history(url)).filter(({ type }) => type === "key" || type === "text");
    let seen = 0;
    for (const [typed, arrives] of CASES) {
      await server.run("xdotool", ...typed);
      const all = await until(keys, ({ length }) => length >= seen + arrives.length);
      const told = all.slice(seen).map(({ key, down, text }) => text ?? `${down ? "+" : "-"}${key}`);
      assertEquals(told, arrives, typed.join(" "));
      seen = all.length;
    }
  } finally {
    await browser.close();
  }
});
