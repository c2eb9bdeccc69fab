/** Text typed with the user's layout on GNOME, as real programs receive it. */

import { assertEquals, assertRejects } from "@std/assert";
import { delay } from "@std/async/delay";
import { InputError } from "../../../../core/errors.ts";
import { KeymapView } from "../../../../ffi/wayland/layout/layout.ts";
import { gnomeGroup } from "../../../../ffi/wayland/layout/settings.ts";
import { LayoutKeyboard } from "../../../../ffi/wayland/layout/layout_keyboard.ts";
import type { KeyPresser } from "../../../../ffi/wayland/layout/text_typer.ts";
import { OnDemand } from "../../../../ffi/wayland/wire/background_connection.ts";
import { Connection, Registry } from "../../../../ffi/wayland/wire/connection.ts";
import { TypingPace } from "../../../../ffi/wayland/wire/keymaps.ts";
import { Seat } from "../../../../ffi/wayland/wire/seat.ts";
import { GNOME, Gnome } from "../../../support/gnome.ts";
import { MutterKeys } from "../../../support/held_keys.ts";
import { need } from "../../../support/need.ts";
import { until } from "../../../support/shell.ts";
import { exists } from "../../../support/user_session.ts";

/** A desktop, a keyboard in this process, and a terminal that has focus. */
class Stage implements AsyncDisposable {
  readonly keyboard: LayoutKeyboard;
  #keys: MutterKeys | undefined;
  /** The terminal's file, and its expected contents. */
  #file = "";
  #all = "";

  private constructor(readonly gnome: Gnome) {
    const { DBUS_SESSION_BUS_ADDRESS, HOME, XDG_RUNTIME_DIR } = gnome.env;
    const settings = { DBUS_SESSION_BUS_ADDRESS, HOME, XDG_RUNTIME_DIR };
    const session = () => this.#keys ??= new MutterKeys(DBUS_SESSION_BUS_ADDRESS.replace("unix:path=", ""));
    const keys: KeyPresser = {
      get sent() {
        return session().sent;
      },
      press: (code, down) => session().press(code, down),
      flush: () => session().flush(),
      isCapsLocked: () => session().isCapsLocked(),
    };
    this.keyboard = new LayoutKeyboard({
      pace: new TypingPace(() => undefined),
      keys,
      maps: new OnDemand(gnome.socket, KeymapView.open),
      settings: { group: () => gnomeGroup(settings) },
    });
  }

  static async start(): Promise<Stage> {
    return new Stage(await Gnome.start());
  }

  /** Starts a terminal that writes received text to a file. */
  async terminal(): Promise<void> {
    const file = `${this.gnome.env.HOME}/received`;
    const shell = `stty raw -echo; echo >${file}.ready; exec dd bs=1 of=${file} 2>/dev/null`;
    this.gnome.session.launch("foot", "-e", "sh", "-c", shell);
    await until(() => exists(`${file}.ready`));
    await until(() => this.gnome.evaluate<boolean>("global.display.focus_window?.wm_class === 'foot'"));
    this.#file = file;
  }

  /** Types and waits until the terminal has received everything so far. */
  async type(text: string): Promise<void> {
    await this.keyboard.type(text);
    await this.receives(text);
  }

  async receives(text: string): Promise<void> {
    this.#all += text;
    await until(() => Deno.readTextFile(this.#file).catch(() => ""), (received) => received === this.#all);
  }

  /** Ends the session that presses the keys, so that the seat has no keyboard. */
  async rest(): Promise<void> {
    this.#keys?.[Symbol.dispose]();
    this.#keys = undefined;
    const connection = Connection.open(this.gnome.socket)!,
      seat = new Seat(connection, await Registry.open(connection));
    await connection.untilAsync(() => !seat.hasKeyboard, "the end of the seat's keyboard", 90_000);
    connection.close();
  }

  async set(key: string, value: string): Promise<void> {
    await this.gnome.run("gsettings", "set", "org.gnome.desktop.input-sources", key, value);
  }

  async [Symbol.asyncDispose]() {
    this.keyboard.close();
    this.#keys?.[Symbol.dispose]();
    await this.gnome[Symbol.asyncDispose]();
  }
}

Deno.test({
  name: "text in the user's layout reaches programs on GNOME",
  ...need("gsettings", "foot"),
  ...GNOME,
}, async (t) => {
  await using stage = await Stage.start();
  const { keyboard } = stage;

  await t.step("a terminal receives it, even 10,000 characters", async () => {
    await stage.terminal();
    await stage.type("Hello, World! 1+1=2?");
    await stage.type("x".repeat(10_000));
  });

  await t.step("held modifiers stay held", async () => {
    await keyboard.key("shift", true);
    await stage.type("aB");
    for (const down of [true, false]) await keyboard.key("b", down);
    await keyboard.key("shift", false);
    for (const down of [true, false]) await keyboard.key("b", down);
    await stage.receives("Bb");
  });

  await t.step("Caps Lock changes nothing and stays on", async () => {
    for (const down of [true, false]) await keyboard.key("capslock", down);
    await stage.type("aB");
    for (const down of [true, false]) await keyboard.key("a", down);
    await stage.receives("A");
    for (const down of [true, false]) await keyboard.key("capslock", down);
  });

  await t.step("keys that are not awaited keep their order while the layout is read", async () => {
    const pressed: string[] = [], waits = [300, 0, 0, 0];
    const keys = {
      sent: 0,
      press: (code: number, down: boolean) => void pressed.push(`${code} ${down}`),
      flush: () => Promise.resolve(),
    };
    const group = async () => {
      await delay(waits.shift()!);
      return 0;
    };
    const fresh = new LayoutKeyboard({
      pace: new TypingPace(() => undefined),
      keys,
      maps: new OnDemand(stage.gnome.socket, KeymapView.open),
      settings: { group },
    });
    const events = [["ctrl", true], ["c", true], ["c", false], ["ctrl", false]] as const;
    await Promise.all(events.map(([key, down]) => fresh.key(key, down)));
    assertEquals(pressed, ["29 true", "46 true", "46 false", "29 false"]);
    fresh.close();
  });

  await t.step("notices a layout that a user chose while the seat had no keyboard", async () => {
    await stage.rest();
    await stage.set("sources", "[('xkb', 'de')]");
    await stage.type("zyäöüß@€{}|?");
  });

  await t.step("refuses a character without a key by name before typing anything", async () => {
    const expected = "text contains U+6F22 (漢), which cannot be typed: no key of the layout types it";
    await assertRejects(() => keyboard.type("ab漢"), InputError, expected);
    await assertRejects(async () => await keyboard.key("漢", true), InputError, "no key of the layout");
    await stage.type("c");
  });
});
