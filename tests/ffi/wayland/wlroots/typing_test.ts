/** Text in any script, as real programs receive it: on Wayland and under XWayland. */

import { assertEquals, assertRejects } from "@std/assert";
import { delay } from "@std/async/delay";
import { combination } from "../../../../control/operator/gestures.ts";
import { Operator } from "../../../../control/operator/operator.ts";
import { StateError } from "../../../../core/errors.ts";
import { openWayland, type WaylandDesktop } from "../../../../ffi/wayland/mod.ts";
import { need } from "../../../support/need.ts";
import { needOwn, Sway } from "../../../support/sway.ts";
import { TYPED_TEXTS } from "../../../support/program.ts";
import { until } from "../../../support/shell.ts";
import { fromFileUrl } from "@std/path";

/** As many distinct characters as a page of Chinese. */
const THREE_HUNDRED = Array.from({ length: 300 }, (_, i) => String.fromCodePoint(0x5000 + i * 13)).join("");

const TEXTS: typeof TYPED_TEXTS = [...TYPED_TEXTS, ["a page of Chinese", THREE_HUNDRED]];

/** A terminal's command that writes received text to a file. */
function recording(file: string): string[] {
  return ["sh", "-c", `stty raw -echo; echo ready >${file}.ready; exec dd bs=1 of=${file} 2>/dev/null`];
}

/** Types into a program and waits until it has received everything so far. */
function typist(desktop: WaylandDesktop, file: string) {
  let all = "";
  const receives = async (text: string) => {
    all += text;
    // Compares the whole text: its last character may be half written.
    await until(() => Deno.readTextFile(file).catch(() => ""), (received) => received === all);
  };
  return {
    receives,
    type: async (text: string) => {
      await desktop.keyboard.type(text);
      await receives(text);
    },
    async press(...keys: string[]) {
      for (const key of keys) await desktop.keyboard.key(key, true);
      for (const key of keys.toReversed()) await desktop.keyboard.key(key, false);
    },
  };
}

async function ready(file: string, sway: Sway): Promise<void> {
  await until(() => Deno.stat(`${file}.ready`).then(() => true, () => false));
  await sway.windows(1);
}

Deno.test({ name: "a terminal receives any text", ...need("sway", "foot") }, async (t) => {
  await using sway = await Sway.start();
  const desktop = await openWayland(sway.socket), file = `${sway.folder}/received`;
  await using foot = sway.spawn("foot", ...recording(file));
  await ready(file, sway);
  const { type, press, receives } = typist(desktop, file);
  await t.step("in ASCII, in many scripts, and with more characters than a map has keys, twice", async () => {
    for (const [, text] of [...TEXTS, ...TEXTS]) await type(text);
  });
  await t.step("between keys that need another map", async () => {
    await press("é");
    await press("?");
    await press("漢");
    await receives("é?漢");
    await type("aB é");
  });
  await t.step("with modifiers held and with Caps Lock on, which stay so", async () => {
    for (const held of ["shift", "ctrl", "alt"]) {
      await desktop.keyboard.key(held, true);
      await type("aB é1!");
      await type("plain");
      if (held === "shift") {
        await press("a");
        await receives("A");
      }
      await desktop.keyboard.key(held, false);
    }
    await press("capslock");
    await type("aB é");
    await type("aB");
    await press("a");
    await receives("A");
    await press("capslock");
    await press("a");
    await receives("a");
  });
  await t.step("once for each key, however late its release may be", async () => {
    await sway.run("swaymsg", "input * repeat_delay 1; input * repeat_rate 200");
    const { keyboard } = desktop, key = keyboard.key.bind(keyboard);
    keyboard.key = async (...press) => {
      await key(...press);
      await delay(30);
    };
    for (const keys of [["a"], ["?"], ["shift", "b"]]) await combination(new Operator(desktop), keys);
    await receives("a?B");
    keyboard.key = key;
    await sway.run("swaymsg", "input * repeat_delay 600");
  });
  await t.step("of 10,000 characters, while other work continues", async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    // In parts, so that a terminal that is starved for seconds has only one part to catch up with.
    for (let part = 0; part < 5; part++) await type("The quick brown fox, 123. ".repeat(77));
    clearInterval(timer);
    assertEquals(turns > 100, true, `${turns} turns`);
  });
  await t.step("until it is aborted", async () => {
    const stop = new AbortController(), before = (await Deno.stat(file)).size;
    // At the pace of typing this takes more than a second.
    const typing = desktop.keyboard.type("x".repeat(3000), stop.signal);
    setTimeout(() => stop.abort(new Error("stopped by the test")), 20);
    await assertRejects(() => typing, Error, "stopped by the test");
    await desktop.keyboard.type("!");
    const received = await until(() => Deno.readTextFile(file), (text) => text.endsWith("!"));
    assertEquals(new TextEncoder().encode(received).length - before < 3000, true);
  });
  await t.step("until it hangs: sway would disconnect it", async () => {
    Deno.kill(foot.pid, "SIGSTOP");
    const typing = desktop.keyboard.type("y".repeat(5000));
    await assertRejects(() => typing, StateError, "the program has not read the last keys for 10 s");
    Deno.kill(foot.pid, "SIGCONT");
    await desktop.keyboard.type("?");
    await until(() => Deno.readTextFile(file), (text) => text.endsWith("y?"));
  });
  desktop.close();
});

Deno.test(
  {
    name: "a program under XWayland receives the same, even if it lags behind",
    ...need("sway", "Xwayland", "xterm"),
  },
  async () => {
    await using sway = await Sway.start({ xwayland: true });
    const desktop = await openWayland(sway.socket), file = `${sway.folder}/received`;
    await using xterm = await sway.spawnX11("xterm", "-u8", "-e", ...recording(file));
    await ready(file, sway);
    const { type, press, receives } = typist(desktop, file);
    for (const [, text] of [...TEXTS, ...TEXTS]) await type(text);
    await press("é");
    await press("?");
    await receives("é?");
    // It then looks up all keys in the newest map.
    Deno.kill(xterm.pid, "SIGSTOP");
    const late = ["ščř", THREE_HUNDRED, "plain", "Ελληνικά"];
    for (const text of late) await desktop.keyboard.type(text);
    await press("ő");
    Deno.kill(xterm.pid, "SIGCONT");
    await receives(`${late.join("")}ő`);
    desktop.close();
  },
);

Deno.test({ name: "a GTK text field receives the same", ...need("sway", "zenity") }, async () => {
  await using sway = await Sway.start();
  const desktop = await openWayland(sway.socket);
  await using zenity = sway.spawn("zenity", "--entry", "--title", "field");
  await sway.focused("field");
  for (const [, text] of TEXTS) await desktop.keyboard.type(text);
  for (const down of [true, false]) await desktop.keyboard.key("enter", down);
  assertEquals(
    await zenity.printing((text) => text.endsWith("\n")),
    `${TEXTS.map(([, text]) => text).join("")}\n`,
  );
  desktop.close();
});

/** A text field that sends its text to the address in the page's fragment. */
const FIELD = `<!doctype html><meta charset=utf-8><title>field</title><textarea autofocus></textarea><script>
  const field = document.querySelector("textarea");
  const send = () => fetch(location.hash.slice(1), { method: "POST", body: field.value, mode: "no-cors" });
  field.oninput = send;
  send();
</script>`;

Deno.test(
  { name: "a field in Chromium receives the same", ...needOwn("sway", "chromium") },
  async () => {
    await using sway = await Sway.start();
    await Deno.writeTextFile(`${sway.folder}/field.html`, FIELD, { mode: 0o644 });
    // Requests may overtake each other: the text only grows.
    let received: string | undefined;
    await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
      const text = await request.text();
      if (text.length >= (received ?? "").length) received = text;
      return new Response();
    });
    const page = `file://${sway.folder}/field.html#http://127.0.0.1:${server.addr.port}/`;
    const profile = `--user-data-dir=${sway.folder}/profile`;
    await using _chromium = sway.spawn(
      "chromium",
      ...[
        "--ozone-platform=wayland",
        "--no-sandbox",
        "--no-first-run",
        "--password-store=basic",
        "--disable-gpu",
        profile,
      ],
      `--app=${page}`,
    );
    await until(() => received === "");
    await sway.focused("field");
    const desktop = await openWayland(sway.socket);
    let all = "";
    // Chromium keeps only 16 bits of a key's character.
    await assertRejects(() => desktop.keyboard.type("a😀"), StateError, "characters above U+FFFF");
    for (const [, text] of TEXTS) {
      const known = text.replace(/[^\0-\uffff]/gu, "");
      await desktop.keyboard.type(known);
      all += known;
      await until(() => received, (received) => received === all);
    }
    desktop.close();
  },
);

// Programs that run a shortcut only after the keys that arrived meanwhile.

const PROGRAM = fromFileUrl(new URL("../../../support/soffice.bin", import.meta.url));
const GTK = "/usr/lib/x86_64-linux-gnu/girepository-1.0/Gtk-3.0.typelib";
const NEEDED = { ignore: need("sway", "/usr/bin/python3", GTK).ignore || needOwn("sway").ignore };

Deno.test(
  { name: "text after Ctrl+A replaces LibreOffice's, whose commands run late", ...NEEDED },
  async () => {
    await using sway = await Sway.start();
    const program = `${sway.folder}/soffice.bin`, file = `${sway.folder}/received`;
    await Deno.copyFile(PROGRAM, program);
    await Deno.chmod(program, 0o755);
    const desktop = await openWayland(sway.socket), { keyboard } = desktop;
    await using _program = sway.spawn(program, file);
    await sway.focused("late");
    const received = () => Deno.readTextFile(file).catch(() => "");
    await keyboard.type("first");
    await until(received, (text) => text === "first");
    for (const text of ["second", "third", "é漢"]) {
      for (const [key, down] of [["ctrl", true], ["a", true], ["a", false], ["ctrl", false]] as const) {
        await keyboard.key(key, down);
      }
      await keyboard.ready!();
      await keyboard.type(text);
      await until(received, (all) => all.includes(text));
      assertEquals(await received(), text);
    }
    desktop.close();
  },
);
