/** Any text on GNOME, as real programs receive it, and what is left of the person's settings. */

import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { dirname, fromFileUrl } from "@std/path";
import { InputError } from "../../../../core/errors.ts";
import { KeymapView } from "../../../../ffi/wayland/layout/keymap_view.ts";
import { readLayout } from "../../../../ffi/wayland/layout/layout.ts";
import type { LayoutKeyboard } from "../../../../ffi/wayland/layout/layout_keyboard.ts";
import { GNOME, Gnome } from "../../../support/gnome.ts";
import { MutterKeys } from "../../../support/mutter_keys.ts";
import { need } from "../../../support/need.ts";
import { TYPED_TEXTS } from "../../../support/typed_texts.ts";
import { until } from "../../../support/until.ts";
import { exists } from "../../../support/user_session.ts";
import { Client } from "../../../support/xvfb.ts";
import { busOf, type ForeignDesktop, foreignKeyboard } from "./foreign_keyboard.ts";

const TYPIST = fromFileUrl(new URL("./foreign_keyboard.ts", import.meta.url));
const THEIR_RULES = "! include %S/evdev\n// mine";
const THEIR_OPTIONS = "['compose:ralt', 'ctrl:nocaps']";
/** More different characters than the option has keys, eight times over. */
const HAN = Array.from({ length: 300 }, (_, i) => String.fromCodePoint(0x4e00 + i * 7)).join("");

/** A desktop with the person's settings, and a terminal that has the keyboard. */
class Stage implements AsyncDisposable {
  readonly desktop: ForeignDesktop;
  readonly notices: string[] = [];
  readonly keyboard: LayoutKeyboard;
  readonly #keys: MutterKeys;
  /** The terminal's file, and all that it has to hold. */
  #file = "";
  #all = "";

  private constructor(readonly gnome: Gnome, readonly state: string) {
    this.desktop = { socket: gnome.socket, env: gnome.env };
    this.#keys = new MutterKeys(busOf(this.desktop));
    this.keyboard = foreignKeyboard(this.desktop, this.#keys, { notices: this.notices });
  }

  static async start(): Promise<Stage> {
    const state = await Deno.makeTempDir();
    Deno.env.set("XDG_STATE_HOME", state);
    return new Stage(await Gnome.start({ xwayland: true }), state);
  }

  /** The path of the person's rules. */
  get rules(): string {
    return `${this.gnome.env.HOME}/.config/xkb/rules/evdev`;
  }

  /** Starts a terminal that writes what it receives to a file. */
  async terminal(program: string): Promise<void> {
    const file = `${this.gnome.env.HOME}/${program}`;
    const shell = `stty raw -echo; echo >${file}.ready; exec dd bs=1 of=${file} 2>/dev/null`;
    const x11 = ["DISPLAY", "XAUTHORITY"].map((name) => `imports.gi.GLib.getenv("${name}")`).join();
    const [display, authority] = await this.gnome.evaluate<string[]>(`[${x11}]`);
    this.gnome.session.launch(
      "env",
      `DISPLAY=${display}`,
      `XAUTHORITY=${authority}`,
      program,
      "-e",
      "sh",
      "-c",
      shell,
    );
    await until(() => exists(`${file}.ready`));
    await until(() =>
      this.gnome.evaluate<boolean>(`global.display.focus_window?.wm_class?.toLowerCase() === "${program}"`)
    );
    this.#file = file;
    this.#all = "";
  }

  /** Types, and waits until the terminal has received everything so far. */
  async type(text: string): Promise<void> {
    await this.keyboard.type(text);
    await this.receives(text);
  }

  async receives(text: string): Promise<void> {
    this.#all += text;
    await until(() => Deno.readTextFile(this.#file).catch(() => ""), (received) => received === this.#all);
  }

  /** Whether the keyboard map that programs have now types a character. */
  async has(character: string): Promise<boolean> {
    const view = KeymapView.open(this.desktop.socket);
    const layout = readLayout(await view.first(() => {}), 0);
    view.close();
    return layout!.characters.has(character.codePointAt(0)!);
  }

  async set(key: string, value: string): Promise<void> {
    await this.gnome.run("gsettings", "set", "org.gnome.desktop.input-sources", key, value);
  }

  /** The person's XKB options, as they are printed. */
  async options(): Promise<string> {
    return (await this.gnome.run("gsettings", "get", "org.gnome.desktop.input-sources", "xkb-options"))
      .trim();
  }

  async [Symbol.asyncDispose]() {
    this.keyboard.close();
    this.#keys[Symbol.dispose]();
    await this.gnome[Symbol.asyncDispose]();
    await Deno.remove(this.state, { recursive: true });
  }
}

Deno.test({
  name: "any text reaches programs on GNOME, and the person's keyboard settings are as they were afterwards",
  ...need("gsettings", "foot", "xterm", "Xwayland"),
  ...GNOME,
}, async (t) => {
  await using stage = await Stage.start();
  const { keyboard, notices } = stage;

  await t.step("a terminal receives many scripts, and says once what is changed for them", async () => {
    await stage.terminal("foot");
    await stage.type("héllo €漢😀 Abc");
    assertMatch(await stage.options(), /^\['deskhand:[12]'\]$/);
    for (const [, text] of TYPED_TEXTS) await stage.type(text);
    assertEquals(notices.length, 1);
    assertMatch(notices[0], /\.config\/xkb.*--no-xkb-option/);
    await keyboard.restore();
    assertEquals(await stage.options(), "@as []");
    assertEquals(await exists(`${stage.gnome.env.HOME}/.config/xkb`), false);
  });

  await t.step("10,000 characters do not end the terminal", async () => {
    await stage.type("x".repeat(9000) + "é".repeat(1000));
  });

  await t.step("keys that the layout lacks are pressed one by one, and held modifiers stay", async () => {
    for (const down of [true, false]) await keyboard.key("漢", down);
    for (const down of [true, false]) await keyboard.key("?", down);
    await stage.receives("漢?");
    await keyboard.key("shift", true);
    await stage.type("aé");
    for (const down of [true, false]) await keyboard.key("b", down);
    await keyboard.key("shift", false);
    for (const down of [true, false]) await keyboard.key("b", down);
    await stage.receives("Bb");
  });

  await t.step("Caps Lock changes nothing, and stays on", async () => {
    for (const down of [true, false]) await keyboard.key("capslock", down);
    await stage.type("aBé");
    for (const down of [true, false]) await keyboard.key("a", down);
    await stage.receives("A");
    for (const down of [true, false]) await keyboard.key("capslock", down);
  });

  await t.step("it is put back by itself when nothing is typed", async () => {
    await keyboard.restore();
    using keys = new MutterKeys(busOf(stage.desktop));
    const usual = foreignKeyboard(stage.desktop, keys, { idleMs: 1500 });
    await usual.type("é");
    await stage.receives("é");
    await until(() => stage.options(), (options) => options === "@as []");
    usual.close();
  });

  await t.step("a German layout types what it has by itself", async () => {
    await stage.set("sources", "[('xkb', 'de')]");
    await until(() => stage.has("ä"));
    await stage.type("zyäöüß@€{}|?");
    assertEquals(await stage.options(), "@as []");
  });

  await t.step("options and rules of the person stay byte for byte, also after a kill", async () => {
    await stage.set("xkb-options", THEIR_OPTIONS);
    await Deno.mkdir(dirname(stage.rules), { recursive: true });
    await Deno.writeTextFile(stage.rules, THEIR_RULES);
    await stage.type("é漢");
    assertMatch(await stage.options(), /^\['compose:ralt', 'ctrl:nocaps', 'deskhand:[12]'\]$/);
    assertMatch(
      await Deno.readTextFile(stage.rules),
      /^! include %S\/evdev\n\/\/ mine\n\/\/ deskhand begins/,
    );
    await keyboard.restore();
    assertEquals(await stage.options(), THEIR_OPTIONS);
    assertEquals(await Deno.readTextFile(stage.rules), THEIR_RULES);

    const permissions = ["run", "-A", "--no-check", TYPIST, JSON.stringify(stage.desktop)];
    await using killed = new Client(Deno.execPath(), permissions, { XDG_STATE_HOME: stage.state });
    await killed.printing((printed) => printed.includes("typed"));
    await killed[Symbol.asyncDispose]();
    assertMatch(await stage.options(), /deskhand/);
    assertMatch(await Deno.readTextFile(stage.rules), /deskhand begins/);
    using keys = new MutterKeys(busOf(stage.desktop));
    const next = foreignKeyboard(stage.desktop, keys);
    await until(() => stage.options(), (options) => options === THEIR_OPTIONS);
    await until(() => Deno.readTextFile(stage.rules), (rules) => rules === THEIR_RULES);
    assertEquals(await exists(`${stage.gnome.env.HOME}/.config/xkb/symbols`), false);
    next.close();
  });

  await t.step(
    "where the option may not be used, the character is named before anything is typed",
    async () => {
      using keys = new MutterKeys(busOf(stage.desktop));
      const careful = foreignKeyboard(stage.desktop, keys, { refusal: "--no-xkb-option says so" });
      const expected = "text has U+6F22 (漢), which cannot be typed: --no-xkb-option says so";
      await assertRejects(() => careful.type("ab漢"), InputError, expected);
      await assertRejects(
        async () => await careful.key("漢", true),
        InputError,
        "this keyboard has no key 漢: --no",
      );
      assertEquals(await stage.options(), THEIR_OPTIONS);
      careful.close();
    },
  );

  await t.step("a program under XWayland receives 300 different characters", async () => {
    await stage.terminal("xterm");
    await stage.type(HAN);
    await keyboard.restore();
  });
});
