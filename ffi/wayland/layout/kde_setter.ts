/** KDE's setting of XKB options: a file, and a signal on the bus that makes KWin read it again. */

import { join } from "../../../core/path.ts";
import { UnsupportedError } from "../../../core/errors.ts";
import { Bus } from "../../linux/dbus/bus.ts";
import { withKdeOption } from "./kxkbrc.ts";
import { readText, removeIfThere, replaceText } from "./option_folder.ts";
import { OPTION_NAMES, type OptionName } from "./option_files.ts";
import type { OptionSetter, Setting } from "./option_setter.ts";

const LAYOUTS = { path: "/Layouts", interface: "org.kde.keyboard" } as const;
/** Where KWin says which layout is active; it is there only with several. */
const KEYBOARD = {
  destination: "org.kde.keyboard",
  path: "/Layouts",
  interface: "org.kde.KeyboardLayouts",
} as const;

/** The setting of a session. */
export class KdeSetter implements OptionSetter {
  readonly name = "kde";
  /** KWin makes one context of libxkbcommon at its start, which has the folders that are there then. */
  readonly keepsFolder = true;
  readonly #path: string;

  /**
   * @param config The folder of the person's configuration.
   * @param buses Paths of sockets of the session's bus; the environment's if left out.
   */
  constructor(config: string, readonly buses?: readonly string[]) {
    this.#path = join(config, "kxkbrc");
  }

  // deno-lint-ignore require-await -- what is thrown is a rejection
  async read(): Promise<Setting> {
    const text = readText(this.#path);
    return text !== undefined && hasOption(text) ? withKdeOption(text, undefined) : text ?? null;
  }

  // deno-lint-ignore require-await -- what is thrown is a rejection
  async set(name: OptionName): Promise<void> {
    try {
      replaceText(this.#path, withKdeOption(readText(this.#path), name));
    } catch (error) {
      throw new UnsupportedError(`KDE's keyboard settings cannot be written: ${(error as Error).message}`);
    }
    this.#reload();
  }

  // deno-lint-ignore require-await -- what is thrown is a rejection
  async restore(before: Setting): Promise<void> {
    this.restoreNow(before);
  }

  restoreNow(before: Setting): void {
    const present = readText(this.#path);
    if (present === undefined || !hasOption(present)) return;
    const isUnchanged = OPTION_NAMES.some((name) => present === withKdeOption(before ?? undefined, name));
    if (!isUnchanged) replaceText(this.#path, withKdeOption(present, undefined));
    else if (before === null) removeIfThere(this.#path);
    else replaceText(this.#path, before);
    this.#reload();
  }

  async group(): Promise<number> {
    return await this.#onBus(async (bus) => {
      if (bus.owner(KEYBOARD.destination) === undefined) return 0;
      return (await bus.callAsync(KEYBOARD, "getLayout", "", [], "u"))[0];
    });
  }

  #reload(): void {
    this.#onBus((bus) => bus.emit(LAYOUTS, "reloadConfig"));
  }

  /** Connects for one purpose: the settings change rarely. */
  #onBus<T>(use: (bus: Bus) => T): T {
    const bus = Bus.open(this.buses);
    const result = use(bus);
    if (result instanceof Promise) return result.finally(() => bus.close()) as T;
    bus.close();
    return result;
  }
}

/** Whether the file has the option, which a killed deskhand may have left. */
function hasOption(text: string): boolean {
  return OPTION_NAMES.some((name) => text.includes(name));
}
