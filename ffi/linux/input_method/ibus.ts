/**
 * IBus, the input method of GNOME and many X11 desktops: the engine that receives a person's keys before
 * programs do, whether a program's text field is focused (`bus/ibusimpl.c` and `src/ibusxml.h` of IBus), and
 * the location of its bus.
 */

import { attempt, ExpectedError, on } from "../../../core/errors.ts";
import { join } from "../../../core/path.ts";
import { configFolder } from "../../../core/state_files.ts";
import { QUIRKS } from "../../quirks.ts";
import { Bus, parseAddresses } from "../dbus/bus.ts";
import { BusError, NoAnswerError } from "../dbus/channel.ts";
import { DAEMON, type RemoteObject } from "../dbus/message.ts";

/** The object with engines and contexts. */
export const IBUS: RemoteObject = {
  destination: "org.freedesktop.IBus",
  path: "/org/freedesktop/IBus",
  interface: "org.freedesktop.IBus",
};
/** The daemon's own context, which has the focus while no program's has. */
const OWN_CONTEXT = "/org/freedesktop/IBus/InputContext_1";
/** The prefix of keyboard layouts' names among IBus's engines; layouts pass on every key. */
const LAYOUT_PREFIX = "xkb:";

/** A connection to a display's IBus. */
export class Ibus {
  /** The active engine as last reported by IBus; undefined before {@linkcode presentEngine}. */
  #present: { name: string | undefined } | undefined;
  #unlisten = () => {};

  private constructor(readonly bus: Bus, readonly display: string) {}

  /**
   * Connects to a display's IBus.
   * @param display As for {@linkcode ibusSockets}.
   * @returns undefined if IBus is not running there, or refuses this user.
   * @throws NoAnswerError if IBus is running but does not answer.
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
    return await this.bus.propertyAsync(IBUS, "GlobalEngine").then(nameOf).catch(on(BusError));
  }

  /** The active engine as reported by IBus, which takes only one call ever: for checks before each text. */
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

  /** Reads the active engine as {@linkcode engine} does, synchronously. */
  engineNow(): string | undefined {
    return attempt(() => nameOf(this.bus.property(IBUS, "GlobalEngine")), undefined, BusError);
  }

  /**
   * Activates an engine. Resolves when the engine receives keys.
   * @param name The name of an engine known to IBus.
   * @throws BusError if IBus does not know it or cannot start it; DesktopUnavailableError if IBus is gone.
   */
  async setEngine(name: string): Promise<void> {
    await this.bus.callAsync(IBUS, "SetGlobalEngine", "s", [name], "");
  }

  /** Does the same as {@linkcode setEngine} synchronously, for the end of the program. */
  setEngineNow(name: string): void {
    this.bus.call(IBUS, "SetGlobalEngine", "s", [name], "");
  }

  /**
   * Whether the focused text field receives its keys through IBus.
   * @throws DesktopUnavailableError if IBus is gone.
   */
  async hasFocus(): Promise<boolean> {
    const context = this.bus.propertyAsync(IBUS, "CurrentInputContext");
    return await context.catch(on(BusError, OWN_CONTEXT)) !== OWN_CONTEXT;
  }

  /**
   * Blocks this thread until IBus has sent everything that it had for this connection, as required by
   * `QUIRKS.ibusAbort`. Never throws.
   */
  settle(): void {
    const { ms } = QUIRKS.ibusAbort; // GetId is answered after everything else
    if (!this.isLost) attempt(() => this.bus.call(DAEMON, "GetId", "", [], "", ms), undefined, ExpectedError);
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

/** The name in an IBusEngineDesc as written by `ibusserializable.c`: type, attachments, name, … */
function nameOf(engine: unknown): string {
  return String((engine as unknown[])[2]);
}

/** Whether an engine alters typed text, as engines for Chinese and Japanese do; layouts do not. */
export function changesText(engine: string | undefined): boolean {
  return engine !== undefined && !engine.startsWith(LAYOUT_PREFIX);
}

/**
 * The sockets of a display's IBus (`ibus_get_socket_path` of libibus): `IBUS_ADDRESS`, otherwise the address
 * in the file in `<config>/ibus/bus/` whose name ends with the display.
 * @param display The Wayland socket's name (`wayland-0`), or the X display's number (`0`).
 * @returns Empty if IBus has never run there. The sockets may no longer be open.
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
 * The addresses in a folder's files. A home shared by several machines has files from all of them, and other
 * machines' files name sockets that do not exist here.
 */
function addressesIn(folder: string, ending: string): string[] {
  const read = () =>
    Array.from(Deno.readDirSync(folder))
      .filter(({ name }) => name.endsWith(ending))
      .flatMap(({ name }) => {
        const text = Deno.readTextFileSync(join(folder, name));
        return parseAddresses(/^IBUS_ADDRESS=(.*)$/m.exec(text)?.[1] ?? "");
      });
  return attempt(read, []); // IBus is missing, or belongs to another user
}
