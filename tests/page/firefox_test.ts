/** The page in Firefox, on a real X server. */

import { assertEquals } from "@std/assert";
import { openX11 } from "../../ffi/x11/desktop.ts";
import { FIREFOX, openFirefox } from "../support/browser.ts";
import { exactSince } from "../support/pictures.ts";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { until } from "../support/shell.ts";
import { PATIENCE_MS } from "../support/waits.ts";
import { Xvfb } from "../support/xvfb.ts";
import { click, shows } from "./page.ts";

const TOKEN = "a-token-of-the-firefox-test";

Deno.test({
  name: "in Firefox the screen is right to the pixel; clicks, keys, reload and a lost server work",
  ...FIREFOX,
  ignore: FIREFOX.ignore || need("Xvfb", "xterm", "xdotool").ignore,
}, async () => {
  await using server = await Xvfb.start({ width: 800, height: 600 });
  const typed = await Deno.makeTempFile({ prefix: "deskhand-firefox-" });
  const commands = `ls -l --color /usr/bin | head -30; exec cat > ${typed}`;
  await using _terminal = server.spawn(
    "xterm",
    "-fa",
    "Monospace",
    "-geometry",
    "80x30+20+20",
    "-e",
    "sh",
    "-c",
    commands,
  );
  await server.window("--class", "xterm");
  let program = new Program(["--http", "0", "--token", TOKEN], { env: server.env });
  const url = await program.controlUrl(), desktop = openX11(server.display), browser = await openFirefox();
  const errors: string[] = [];
  try {
    const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
    page.setDefaultTimeout(PATIENCE_MS);
    // Firefox reports a failing connection as a page error.
    page.on(
      "pageerror",
      ({ message }) => /connection to|connection was/.test(message) || errors.push(message),
    );
    await page.goto(`${url}/#token=${TOKEN}`);
    await shows(page, "document.querySelector('#screen').width > 16");
    await exactSince(page, desktop, "a terminal");
    // Keys arrive once the screen was clicked.
    await click(page, 100, 100);
    await until(() => desktop.pointer.position(), ({ x, y }) => x === 100 && y === 100);
    await page.keyboard.type("Hello, 5+5");
    await page.keyboard.press("Enter");
    await until(() => Deno.readTextFile(typed), (text) => text === "Hello, 5+5\n");
    await exactSince(page, desktop, "what was typed");
    // The token stays for the tab.
    await page.reload();
    await shows(page, "document.querySelector('#screen').width > 16");
    await exactSince(page, desktop, "after a reload");
    // A lost server.
    await program[Symbol.asyncDispose]();
    await shows(page, "!document.querySelector('#lost').hidden");
    program = new Program(["--http", new URL(url).port, "--token", TOKEN], { env: server.env });
    await shows(page, "document.querySelector('#lost').hidden");
    await exactSince(page, desktop, "after the server's return");
    assertEquals([await page.textContent("#state"), errors], ["Connected", []]);
  } finally {
    await browser.close();
    desktop.close();
    await program[Symbol.asyncDispose]();
    await Deno.remove(typed);
  }
});
