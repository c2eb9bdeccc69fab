/** VNC desktops, with other projects' servers: what they show, and what arrives there. */

import { assertEquals, assertMatch, assertRejects, equal } from "@std/assert";
import { Operator } from "../../../control/operator/operator.ts";
import {
  attempt,
  DesktopUnavailableError,
  InputError,
  NoDesktopError,
  StateError,
  UnsupportedError,
} from "../../../core/errors.ts";
import type { VncOptions } from "../../../ffi/vnc/address.ts";
import { OwnActions } from "../../../ffi/watch.ts";
import { VncClipboard } from "../../../ffi/vnc/clipboard.ts";
import { openVnc, VncDesktop } from "../../../ffi/vnc/mod.ts";
import { VncKeyboard } from "../../../ffi/vnc/input.ts";
import type { Link } from "../../../ffi/vnc/link.ts";
import { uint32 } from "../../../rfb/protocol.ts";
import { keptFrame, x11ClipboardTools } from "../../support/clipboard_tools.ts";
import { need } from "../../support/need.ts";
import { rgbOf } from "../../support/pictures.ts";
import { receives } from "../../support/program.ts";
import { until } from "../../support/shell.ts";
import { pixelsOf, startXvnc, VNC_SERVERS } from "../../support/vnc_servers.ts";

/** Opens a desktop; `using` closes it. */
async function open(address: string, options: VncOptions = {}) {
  const desktop = await openVnc(address, options, () => {}) as VncDesktop;
  return Object.assign(desktop, { [Symbol.dispose]: () => desktop.close() });
}

/** Waits until the desktop's picture matches another program's. */
async function showsTheSame(desktop: VncDesktop, pixels: () => Promise<Uint8Array>): Promise<void> {
  await until(
    async () => {
      const seen = await pixels(), layout = desktop.screen.layout();
      const ours = rgbOf(await keptFrame(desktop.screen, layout, false));
      const isPlain = seen.every((value, i) => value === seen[i % 3]);
      return !isPlain && seen.length === ours.length ? seen.findIndex((value, i) => value !== ours[i]) : -2;
    },
    (place) => place === -1,
    (place) => `the pictures differ at byte ${place}`,
  );
}

/** 1,000 ASCII characters in an order without repeated patterns. */
const ASCII = Array.from({ length: 1000 }, (_, i) => String.fromCharCode(32 + i * 37 % 95)).join("");

for (const { name, needs, start } of VNC_SERVERS) {
  Deno.test(`${name}: pictures match the server's, pixel for pixel`, needs, async () => {
    await using server = await start();
    using desktop = await open(server.address);
    await using _drawn = await server.typewriter();
    await desktop.pointer.move({ x: 500, y: 400 }); // Xvnc draws the cursor if another program has moved it
    await showsTheSame(desktop, server.pixels);
  });

  Deno.test(
    `${name}: 1,000 ASCII characters arrive; others are refused before anything is typed`,
    needs,
    async () => {
      await using server = await start();
      using desktop = await open(server.address);
      await using typed = await server.typewriter();
      await desktop.pointer.move({ x: 200, y: 200 });
      assertEquals(await desktop.pointer.position(), { x: 200, y: 200 });
      await desktop.pointer.button("left", true);
      await desktop.pointer.button("left", false);
      await assertRejects(() => desktop.keyboard.type("abcж"), InputError, "U+0436 (ж)");
      await desktop.keyboard.type(ASCII);
      await receives(typed.received, ASCII);
      for (const keys of [["ctrl", "c"], ["enter"], ["shift", "1"], ["shift", "a"], ["?"]]) {
        for (const key of keys) await desktop.keyboard.key(key, true);
        for (const key of keys.toReversed()) await desktop.keyboard.key(key, false);
      }
      await receives(typed.received, `${ASCII}\x03\r!A?`);
    },
  );
}

/** Desktop names, and the keysyms pressed for the text `<>` and for the combination Shift+comma. */
const SHIFTS: [name: string, typed: number[], pressed: number[]][] = [
  ["QEMU (guest)", [0xffe1, 0x3c, 0xffe1, 0x3e], [0xffe1, 0x3c]],
  ["vm:1 (root)", [0xffe1, 0x3c, 0xffe1, 0x3e], [0xffe1, 0x3c]],
  ["root@vm (shared desktop)", [0x3c, 0xffe1, 0x3e], [0xffe1, 0x2c]],
  ["root@vm (freigegebene Arbeitsfläche)", [0x3c, 0xffe1, 0x3e], [0xffe1, 0x2c]],
];

Deno.test("krfb, which leaves Shift down for <, receives < without Shift", async () => {
  for (const [name, typed, pressed] of SHIFTS) {
    const keysyms: number[] = [];
    const send = (bytes: Uint8Array) => {
      for (let at = 0; at < bytes.length; at += 8) if (bytes[at + 1]) keysyms.push(uint32(bytes, at + 4));
      return Promise.resolve();
    };
    const link = { name, facts: { hasFences: true }, send } as unknown as Link;
    const keyboard = new VncKeyboard(link, new OwnActions(), new VncClipboard(link), undefined);
    await keyboard.type("<>");
    assertEquals(keysyms.splice(0), typed, name);
    for (const key of ["shift", ","]) await keyboard.key(key, true);
    assertEquals(keysyms, pressed, name);
  }
});

Deno.test("a key that is released during a text is not pressed again after it", async () => {
  const sent: [down: number, keysym: number][] = [];
  const send = async (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length; at += 8) sent.push([bytes[at + 1], uint32(bytes, at + 4)]);
    if (sent.at(-1)![1] === 0x61) await keyboard.key("shift", false);
  };
  const link = { name: "vm", facts: { hasFences: true }, send } as unknown as Link;
  const keyboard = new VncKeyboard(link, new OwnActions(), new VncClipboard(link), undefined);
  for (const key of ["shift", "ctrl"]) await keyboard.key(key, true);
  sent.length = 0;
  await keyboard.type("a");
  const ends = new Map(sent.map(([down, keysym]) => [keysym, down]));
  assertEquals(Object.fromEntries(ends), { 0xffe1: 0, 0xffe3: 1, 0x61: 0 });
});

Deno.test("a button that was down when the connection was lost is not pressed again", async () => {
  const masks: number[] = [];
  const send = (bytes: Uint8Array) => Promise.resolve(void masks.push(bytes[1]));
  const link = { name: "vm", facts: { displays: [] }, picture: {}, send } as unknown as Link;
  const { pointer } = new VncDesktop(link);
  await pointer.move({ x: 1, y: 1 });
  await pointer.button("left", true);
  link.replaced(new DesktopUnavailableError("gone"));
  await pointer.move({ x: 2, y: 2 });
  assertEquals(masks, [0, 1, 0]);
});

const XVNC = need("Xvnc", "xterm", "xdotool", "xclip", "import", "xrandr");
/** Seven scripts, symbols, and an emoji of two UTF-16 code units. */
const SCRIPTS = "Héllo, Wörld! 日本 – Ж? [~{}|] €5 #1 @x 😀 한국어 שלום αβγ";

Deno.test("pastes text in any script if the server shows that a program has pasted it", XVNC, async () => {
  await using server = await startXvnc();
  using desktop = await open(server.address, { paste: "shift+insert" });
  const [xclip] = x11ClipboardTools(server.env);
  await xclip.copy("before Ж");
  await until(
    () => desktop.clipboard.read("text"),
    (content) => !!content && "text" in content && content.text === "before Ж",
  );
  await assertRejects(() => desktop.keyboard.type(SCRIPTS), StateError, "no program pasted the text");
  await using typed = await server.typewriter();
  await desktop.pointer.move({ x: 200, y: 200 });
  const whole = SCRIPTS.repeat(20);
  assertEquals(whole.length > 1000, true);
  await desktop.keyboard.type(whole);
  await receives(typed.received, whole);
  assertEquals(await desktop.clipboard.read("text"), { text: "before Ж" });
});

Deno.test("a pasted text does not stay on a clipboard that was empty", XVNC, async () => {
  await using server = await startXvnc();
  using desktop = await open(server.address, { paste: "shift+insert" });
  await using typed = await server.typewriter();
  await desktop.pointer.move({ x: 200, y: 200 });
  await desktop.keyboard.type("Ж");
  await receives(typed.received, "Ж");
  assertEquals(await desktop.clipboard.read("text"), undefined);
  await until(() =>
    server.display.run("xclip", "-o", "-selection", "clipboard").then(() => false, () => true)
  );
});

Deno.test("copies text in any script to the server; refuses pictures", XVNC, async () => {
  await using server = await startXvnc();
  using desktop = await open(server.address);
  const [xclip] = x11ClipboardTools(server.env);
  await desktop.clipboard.write({ text: SCRIPTS });
  await until(async () => {
    return new TextDecoder().decode(await xclip.paste());
  }, (text) => text === SCRIPTS);
  await assertRejects(
    () => desktop.clipboard.write({ png: new Uint8Array() }),
    UnsupportedError,
    "do not support pictures",
  );
});

Deno.test("follows a resized screen", XVNC, async () => {
  await using server = await startXvnc();
  using desktop = await open(server.address);
  await server.display.run("xrandr", "--fb", "800x500").catch(() =>
    server.display.run("xrandr", "-s", "800x600")
  );
  await until(() => desktop.screen.layout().width, (width) => width === 800);
  await using _drawn = await server.typewriter();
  await desktop.pointer.move({ x: 600, y: 400 });
  await showsTheSame(desktop, () => pixelsOf(server.display.env));
});

Deno.test(
  "every call says in one sentence that the server is gone, and works again when it is back",
  XVNC,
  async () => {
    const first = await startXvnc(), { port, address } = first;
    using desktop = await open(address);
    await first[Symbol.asyncDispose]();
    await until(() => {
      try {
        desktop.screen.layout();
        return false;
      } catch (error) {
        assertEquals(error instanceof DesktopUnavailableError, true);
        assertMatch(
          (error as Error).message,
          /^the VNC server 127\.0\.0\.1:\d+ is gone \(.+\); waiting for it to return$/,
        );
        return true;
      }
    });
    for (
      const part of [
        () => desktop.pointer.move({ x: 1, y: 1 }),
        () => desktop.keyboard.type("a"),
        () => desktop.clipboard.read("text"),
        () => desktop.screen.picture({ x: 0, y: 0, width: 1, height: 1 }, true),
      ]
    ) await assertRejects(part, DesktopUnavailableError);
    await using again = await startXvnc(undefined, port);
    await using typed = await again.typewriter();
    await until(() => desktop.pointer.move({ x: 200, y: 200 }).then(() => true, () => false));
    await desktop.keyboard.type("back");
    await receives(typed.received, "back");
  },
);

Deno.test("passwords: right, wrong, none", need("Xvnc", "tigervncpasswd"), async () => {
  const folder = await Deno.makeTempDir();
  try {
    const child = new Deno.Command("tigervncpasswd", { args: ["-f"], stdin: "piped", stdout: "piped" })
      .spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode("letmein1\n"));
    await writer.close();
    await Deno.writeFile(`${folder}/passwd`, (await child.output()).stdout);
    await using server = await startXvnc([
      "-SecurityTypes",
      "TLSVnc,VncAuth",
      "-rfbauth",
      `${folder}/passwd`,
    ]);
    await assertRejects(() => open(server.address), NoDesktopError, "requires a password");
    await assertRejects(
      () => open(server.address, { password: "wrong" }),
      NoDesktopError,
      "refused the connection",
    );
    using desktop = await open(server.address, { password: "letmein1" });
    assertEquals(desktop.screen.layout().width, 640);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/** A listener that passes connections on to a port, and can cut them. */
function passing(port: number) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 }), open = new Set<Deno.Conn>();
  const pass = async (from: Deno.Conn) => {
    const to = await Deno.connect({ hostname: "127.0.0.1", port });
    for (const one of [from, to]) open.add(one);
    const ends = [from.readable.pipeTo(to.writable), to.readable.pipeTo(from.writable)];
    await Promise.allSettled(ends);
  };
  const run = async () => {
    for await (const connection of listener) pass(connection);
  };
  const running = run().catch(() => {});
  const cut = () => {
    for (const one of open) attempt(() => one.close());
    open.clear();
  };
  return {
    address: `vnc://127.0.0.1:${listener.addr.port}`,
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      listener.close();
      await running;
    },
  };
}

// x11vnc keeps a button until its next press.
const LEFT = [[VNC_SERVERS[0], []], [VNC_SERVERS[1], ["button[1]"]]] as const;
for (const [{ name, needs, start }, left] of LEFT) {
  Deno.test(
    `${name}: no key of a lost connection stays down or counts as held`,
    needs,
    async () => {
      await using server = await start();
      await using way = passing(server.port);
      using desktop = await open(way.address);
      const operator = new Operator(desktop), { env } = server;
      const down = async () => {
        const script = "for id in $(xinput list --id-only); do xinput query-state $id; done";
        const { stdout } = await new Deno.Command("sh", { args: ["-c", script], env, stderr: "null" })
          .output();
        const states = new TextDecoder().decode(stdout);
        return Array.from(states.matchAll(/\w+\[\d+\](?==down)/g), ([what]) => what);
      };
      for (const key of ["shift", "A"]) await operator.press(["key", key]);
      await operator.press(["button", "left"], { x: 9, y: 9 });
      await until(down, ({ length }) => length === 3);
      assertEquals(operator.held().length, 3);
      way.cut();
      await until(() => desktop.link.connections === 2);
      await until(down, (now) => `${now}` === `${left}`);
      assertEquals(operator.held(), []);
      // Without fences, the server handles a key at some time after it was sent.
      const are = async (...keys: string[]) =>
        void await until(down, (now) => equal(now, [...left, ...keys]));
      await operator.gesture(({ whileDown }) => whileDown([["key", "shift"]], () => are("key[50]")));
      await are();
      operator.close();
    },
  );
}
