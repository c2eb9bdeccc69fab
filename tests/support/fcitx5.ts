/** Fcitx 5 with Hangul, which converts a user's keys to other text, in a test session. */

import { giveToUser, ORDINARY_USER } from "./ordinary_user.ts";
import { mustRun, until } from "./shell.ts";
import { Client } from "./xvfb.ts";

/** The needs of every Fcitx 5 test. */
export const FCITX_PROGRAMS = [
  ...["fcitx5", "fcitx5-remote", "gdbus", "dbus-daemon"],
  "/usr/share/fcitx5/inputmethod/hangul.conf",
];

const CALL = ["call", "--session", "-d", "org.fcitx.Fcitx5", "-o", "/controller", "-m"];
const BUS = ["call", "--session", "-d", "org.freedesktop.DBus", "-o", "/"];
const OWNED = [...BUS, "-m", "org.freedesktop.DBus.NameHasOwner", "org.fcitx.Fcitx5"];
/** The state of an active engine. */
const ACTIVE = "(2,)";

const items = ["keyboard-us", "hangul"].map((name, i) => `[Groups/0/Items/${i}]\nName=${name}\nLayout=\n`);
const PROFILE = [
  "[Groups/0]\nName=Default\nDefault Layout=us\nDefaultIM=hangul\n",
  ...items,
  "[GroupOrder]\n0=Default\n",
].join("\n");

/** Writes the list of engines into a folder for `XDG_CONFIG_HOME`. */
export async function configureFcitx(folder: string): Promise<void> {
  await Deno.mkdir(`${folder}/fcitx5`, { recursive: true });
  await Deno.writeTextFile(`${folder}/fcitx5/profile`, PROFILE);
  await giveToUser(folder);
}

/** A running Fcitx 5. `await using` ends it. */
export class Fcitx {
  private constructor(readonly env: Record<string, string>, readonly client: Client | undefined) {}

  /**
   * Starts Fcitx 5 as the ordinary user.
   * @param env The session's environment, with `XDG_CONFIG_HOME`.
   */
  static async start(env: Record<string, string>): Promise<Fcitx> {
    await configureFcitx(env.XDG_CONFIG_HOME);
    return await new Fcitx(env, new Client("fcitx5", ["-D"], env, ORDINARY_USER)).#ready();
  }

  /** Waits for a session's Fcitx 5, which the compositor has started and will end. */
  static async of(env: Record<string, string>): Promise<Fcitx> {
    return await new Fcitx(env, undefined).#ready();
  }

  /**
   * Waits until Fcitx 5 is connected to the compositor: sway does not report fields that were focused before.
   */
  async #ready(): Promise<Fcitx> {
    // An earlier call would make the bus start another instance, without the compositor's socket.
    await until(() => this.#run("gdbus", ...OWNED), (text) => text.includes("true"));
    await until(() => this.#call("DebugInfo").catch(() => ""), (text) => text.includes("frontend:wayland"));
    return this;
  }

  /** Switches Hangul on or off in the focused field. */
  async switch(isOn: boolean): Promise<void> {
    await until(async () => {
      await this.#run("fcitx5-remote", isOn ? "-o" : "-c");
      return await this.isOn() === isOn;
    });
  }

  /** Whether Hangul is on in the focused field. */
  async isOn(): Promise<boolean> {
    return (await this.#call("State")).trim() === ACTIVE;
  }

  async #call(method: string): Promise<string> {
    return await this.#run("gdbus", ...CALL, `org.fcitx.Fcitx.Controller1.${method}`);
  }

  async #run(program: string, ...args: string[]): Promise<string> {
    return await mustRun(program, args, { env: this.env, ...ORDINARY_USER });
  }

  async [Symbol.asyncDispose]() {
    await this.client?.[Symbol.asyncDispose]();
  }
}
