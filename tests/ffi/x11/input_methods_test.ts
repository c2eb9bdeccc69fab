/** Text while an input method engine is on that converts a user's keys, for example to Chinese. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { StateError } from "../../../core/errors.ts";
import { openX11 } from "../../../ffi/x11/desktop.ts";
import { need } from "../../support/need.ts";
import { SessionBus } from "../../support/session_bus.ts";
import { mustRun, until } from "../../support/shell.ts";
import { threadsOf } from "../../support/program.ts";
import { Client, Xvfb } from "../../support/xvfb.ts";

const TEXT = "hello world 1, Äpfel 漢字 nihao ";

/** An input method and one of its engines. */
interface Method {
  name: string;
  programs: string[];
  /** Command that starts the input method. */
  command: string[];
  /** Name of the input method's XIM server. */
  server: string;
  /** Prepares the input method's folder. */
  prepare(folder: string): Promise<void>;
  /** Switches the engine on; `engine` returns the active one. */
  on(run: (...command: string[]) => Promise<string>): Promise<void>;
  engine(run: (...command: string[]) => Promise<string>): Promise<string>;
}

const FCITX = ["gdbus", "call", "--session", "-d", "org.fcitx.Fcitx5", "-o", "/controller", "-m"];

const METHODS: Method[] = [
  {
    name: "IBus with libpinyin",
    programs: ["ibus-daemon", "ibus", "/usr/share/ibus/component/libpinyin.xml"],
    command: ["ibus-daemon", "--xim", "--panel", "disable"],
    server: "ibus",
    prepare: () => Promise.resolve(),
    on: async (run) => {
      // The engine may take longer to start than the command waits.
      await until(async () => {
        await run("ibus", "engine", "libpinyin").catch(() => {});
        return (await run("ibus", "engine").catch(() => "")).trim() === "libpinyin";
      });
    },
    engine: async (run) => (await run("ibus", "engine")).trim(),
  },
  {
    name: "Fcitx 5 with Hangul",
    programs: ["fcitx5", "fcitx5-remote", "/usr/share/fcitx5/inputmethod/hangul.conf"],
    command: ["fcitx5", "-D"],
    server: "fcitx",
    prepare: async (folder) => {
      await Deno.mkdir(`${folder}/config/fcitx5`, { recursive: true });
      const group = "[Groups/0]\nName=Default\nDefault Layout=us\nDefaultIM=hangul\n";
      const items = ["keyboard-us", "hangul"].map((name, i) =>
        `[Groups/0/Items/${i}]\nName=${name}\nLayout=\n`
      );
      await Deno.writeTextFile(
        `${folder}/config/fcitx5/profile`,
        [group, ...items, "[GroupOrder]\n0=Default\n"].join("\n"),
      );
    },
    on: async (run) => {
      await until(async () => {
        // It fails without a word while the engine starts.
        await run("fcitx5-remote", "-o").catch(() => {});
        return (await run(...FCITX, "org.fcitx.Fcitx.Controller1.State")).includes("2");
      });
    },
    engine: async (run) =>
      (await run(...FCITX, "org.fcitx.Fcitx.Controller1.State")).includes("2")
        ? (await run(...FCITX, "org.fcitx.Fcitx.Controller1.CurrentInputMethod")).split("'")[1]
        : "none",
  },
];

for (const method of METHODS) {
  Deno.test({
    name: `switches ${method.name} off for a text, which arrives as sent, and on again afterwards`,
    ...need(
      "Xvfb",
      "openbox",
      "xev",
      "xprop",
      "xterm",
      "xdotool",
      "dbus-daemon",
      "gdbus",
      ...method.programs,
    ),
  }, async () => {
    await using server = await Xvfb.start();
    await using bus = await SessionBus.start();
    await method.prepare(bus.folder);
    const env = bus.enterOn({ ...server.env, XMODIFIERS: `@im=${method.server}` });
    await Deno.mkdir(`${bus.folder}/state`);
    const run = ([program, ...args]: string[]) => mustRun(program, args, { env });
    await using _manager = await server.manager("openbox");
    const [program, ...args] = method.command;
    await using running = new Client(program, args, env);
    await until(async () =>
      (await run(["xprop", "-root", "XIM_SERVERS"])).includes(`@server=${method.server}`)
    );
    const file = `${bus.folder}/received`;
    const script = `stty raw -echo; exec dd bs=1 of=${file} 2>/dev/null`;
    await using _xterm = new Client("xterm", ["-u8", "-T", "Receiver", "-e", "sh", "-c", script], env);
    await server.run("xdotool", "windowactivate", "--sync", await server.window("--name", "Receiver"));
    await until(() => Deno.stat(file).then(() => true, () => false));
    await method.on((...command) => run(command));
    const before = await method.engine((...command) => run(command));
    const desktop = openX11(server.display);
    let all = "";
    for (let i = 0; i < 3; i++) {
      await desktop.keyboard.type(TEXT).catch((error) => {
        throw new Error(`${error.message}\n${method.name}:\n${threadsOf(running.pid)}`, { cause: error });
      });
      all += TEXT;
      assertEquals(await method.engine((...command) => run(command)), before);
    }
    await until(() => Deno.readTextFile(file), (received) => received === all);
    desktop.close();
  });
}

Deno.test({
  name: "an input method that hangs while no window has focus fails the text, not the queue",
  ...need("Xvfb", "dbus-daemon", "ibus-daemon", "ibus", "pgrep", "/usr/share/ibus/component/libpinyin.xml"),
}, async () => {
  const [{ command, on, engine: engineOf }] = METHODS;
  await using server = await Xvfb.start();
  await using bus = await SessionBus.start();
  const env = bus.enterOn({ ...server.env, XMODIFIERS: "@im=ibus" });
  await Deno.mkdir(`${bus.folder}/state`);
  const run = ([program, ...args]: string[]) => mustRun(program, args, { env });
  await using ibus = new Client(command[0], command.slice(1), env);
  await on((...command) => run(command));
  const desktop = openX11(server.display), type = () => desktop.keyboard.type(TEXT);
  await type();
  Deno.kill(ibus.pid, "SIGSTOP");
  let longest = 0, last = performance.now();
  const ticking = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 50);
  await assertRejects(type, StateError, "the input method IBus is running but not responding");
  clearInterval(ticking);
  Deno.kill(ibus.pid, "SIGCONT");
  assert(longest < 3000, `the thread stood still for ${Math.round(longest)} ms`);
  await type();
  const engines = (await run(["pgrep", "-P", String(ibus.pid), "-f", "ibus-engine-libpinyin"])).trim();
  Deno.kill(Number(engines), "SIGSTOP");
  await assertRejects(type, StateError, "libpinyin is not responding and is still off");
  Deno.kill(Number(engines), "SIGCONT");
  await until(async () => {
    await type().catch(() => {});
    return await engineOf((...command) => run(command)).catch(() => "") === "libpinyin";
  });
  desktop.close();
});
