/**
 * IBus, the input method of GNOME and of many X11 desktops: the engine that gets a person's keys before programs do, and
 * whether a program's text field has the focus (`bus/ibusimpl.c` and `src/ibusxml.h` of IBus); and where its bus is.
 */

import { ExpectedError } from "../../../core/errors.ts";
import { join } from "../../../core/path.ts";
import { configFolder } from "../../../core/state_files.ts";
import { QUIRKS } from "../../quirks.ts";
import { Bus, parseAddresses } from "../dbus/bus.ts";
import { BusError, NoAnswerError } from "../dbus/channel.ts";
import { DAEMON, type RemoteObject } from "../dbus/message.ts";

/** The object that has engines and contexts. */
export const IBUS: RemoteObject = {
  destination: "org.freedesktop.IBus",
  path: "/org/freedesktop/IBus",
  interface: "org.freedesktop.IBus",
};
/** The daemon's own context, which has the focus while no program's has. */
const OWN_CONTEXT = "/org/freedesktop/IBus/InputContext_1";
/** The beginning of the names of keyboard layouts among IBus's engines: they pass every key on. */
const LAYOUT_PREFIX = "xkb:";

/** A connection to the IBus of a display. */
export class Ibus {
  /** The active engine by IBus's last report; undefined before {@linkcode presentEngine}. */
  #present: { name: string | undefined } | undefined;
  #unlisten = () => {};

  private constructor(readonly bus: Bus, readonly display: string) {}

  /**
   * Connects to the IBus of a display.
   * @param display As {@linkcode ibusSockets} has it.
   * @returns undefined if IBus does not run there, or does not let this user in.
   * @throws NoAnswerError if IBus runs and does not answer.
   */
  static async open(display: string): Promise<Ibus | undefined> {
    const sockets = ibusSockets(display);
    if (!sockets.length) return undefined;
    try {
      return new Ibus(await Bus.openAside(sockets, "bus of IBus"), display);
    } catch (error) {
      if (error instanceof NoAnswerError || !(error instanceof ExpectedError)) throw error;
      return undefined;
    }
  }

  /** Whether IBus has ended, as `ibus restart` does. */
  get isLost(): boolean {
    return this.bus.isLost;
  }

  /**
   * The engine that is active in all programs.
   * @returns Its name, such as `libpinyin` or `xkb:us::eng`; undefined if there is none.
   * @throws DesktopUnavailableError if IBus is gone.
   */
  async engine(): Promise<string | undefined> {
    try {
      return nameOf(await this.bus.propertyAsync(IBUS, "GlobalEngine"));
    } catch (error) {
      if (error instanceof BusError) return undefined;
      throw error;
    }
  }

  /** The active engine as far as IBus has reported it, which takes a call once: for checks before each text. */
  async presentEngine(): Promise<string | undefined> {
    this.bus.dispatch();
    if (this.#present) return this.#present.name;
    const { path, interface: name } = IBUS;
    this.#unlisten = this.bus.listen(
      { path, interface: name, member: "GlobalEngineChanged" },
      ({ values: [engine] }) => this.#present = { name: String(engine) || undefined },
    );
    const engine = await this.engine();
    return (this.#present ??= { name: engine }).name;
  }

  /** Reads the active engine as {@linkcode engine} does, before it returns. */
  engineNow(): string | undefined {
    try {
      return nameOf(this.bus.property(IBUS, "GlobalEngine"));
    } catch (error) {
      if (error instanceof BusError) return undefined;
      throw error;
    }
  }

  /**
   * Makes an engine the active one. Resolves when the engine gets the keys.
   * @param name The name of an engine that IBus knows.
   * @throws BusError if IBus does not know it or cannot start it; DesktopUnavailableError if IBus is gone.
   */
  async setEngine(name: string): Promise<void> {
    await this.bus.callAsync(IBUS, "SetGlobalEngine", "s", [name], "");
  }

  /** Does the same as {@linkcode setEngine} before it returns, for the end of the program. */
  setEngineNow(name: string): void {
    this.bus.call(IBUS, "SetGlobalEngine", "s", [name], "");
  }

  /**
   * Whether the focused text field gets its keys through IBus.
   * @throws DesktopUnavailableError if IBus is gone.
   */
  async hasFocus(): Promise<boolean> {
    try {
      return await this.bus.propertyAsync(IBUS, "CurrentInputContext") !== OWN_CONTEXT;
    } catch (error) {
      if (error instanceof BusError) return false;
      throw error;
    }
  }

  /**
   * Waits on this thread until IBus has sent all that it had for this connection, as `QUIRKS.ibusAbort` needs. Never
   * throws.
   */
  settle(): void {
    if (this.isLost) return;
    try {
      this.bus.call(DAEMON, "GetId", "", [], "", QUIRKS.ibusAbort.ms); // answered behind everything else
    } catch (error) {
      if (!(error instanceof ExpectedError)) throw error;
    }
  }

  close(): void {
    this.#unlisten();
    this.settle();
    this.bus.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** The name in an IBusEngineDesc as `ibusserializable.c` writes it: type, attachments, name, … */
function nameOf(engine: unknown): string {
  return String((engine as unknown[])[2]);
}

/** Whether an engine changes typed text, as engines for Chinese and Japanese do; layouts do not. */
export function changesText(engine: string | undefined): boolean {
  return engine !== undefined && !engine.startsWith(LAYOUT_PREFIX);
}

/**
 * The sockets of a display's IBus (`ibus_get_socket_path` of libibus): `IBUS_ADDRESS`, otherwise the address in
 * the file of `<config>/ibus/bus/` whose name ends with the display.
 * @param display The name of the Wayland socket (`wayland-0`), or the number of the X display (`0`).
 * @returns Empty if IBus has never run there. The sockets need not be open any more.
 */
export function ibusSockets(
  display: string,
  env: (name: string) => string | undefined = (name) => Deno.env.get(name),
): string[] {
  const address = env("IBUS_ADDRESS"), config = configFolder(env);
  if (address) return parseAddresses(address);
  return config === undefined ? [] : addressesIn(join(config, "ibus", "bus"), `-unix-${display}`);
}

/**
 * The addresses in the files of a folder. A home that several machines share has files of all machines, and files of
 * other machines name sockets that do not exist here.
 */
function addressesIn(folder: string, ending: string): string[] {
  try {
    return Array.from(Deno.readDirSync(folder))
      .filter(({ name }) => name.endsWith(ending))
      .flatMap(({ name }) => {
        const text = Deno.readTextFileSync(join(folder, name));
        return parseAddresses(/^IBUS_ADDRESS=(.*)$/m.exec(text)?.[1] ?? "");
      });
  } catch {
    return []; // IBus is missing, or belongs to another user
  }
}
