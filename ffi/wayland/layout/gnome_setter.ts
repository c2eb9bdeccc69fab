/** GNOME's setting of XKB options, by the `gsettings` program, which comes with GLib. */

import { UnsupportedError } from "../../../core/errors.ts";
import { activeGroup, printedList, textsOf } from "./gvariant.ts";
import { type OptionName, withOption } from "./option_files.ts";
import type { OptionSetter, Setting } from "./option_setter.ts";

const PROGRAM = "gsettings";
const SCHEMA = "org.gnome.desktop.input-sources", KEY = "xkb-options";
/** How long the program may take, in milliseconds: it waits for the service that writes settings. */
const ANSWER_MS = 10_000;

/** The setting of a session. */
export class GnomeSetter implements OptionSetter {
  readonly name = "gnome";

  /**
   * @param env What the environment lacks to be the session's.
   * @param ms How long the program may take, in milliseconds.
   */
  constructor(readonly env: Record<string, string> = {}, readonly ms = ANSWER_MS) {}

  async read(): Promise<Setting> {
    const options = textsOf(await this.#run("get", KEY));
    const isWritable = (await this.#run("writable", KEY)) === "true";
    if (!isWritable) throw new UnsupportedError(`${SCHEMA} ${KEY} may not be written here`);
    return printedList(withOption(options, undefined)); // without what a killed deskhand may have left
  }

  async set(name: OptionName): Promise<void> {
    const options = textsOf(await this.#run("get", KEY));
    await this.#run("set", KEY, printedList(withOption(options, name)));
  }

  async restore(): Promise<void> {
    const change = withoutOption(await this.#run("get", KEY));
    if (change) await this.#run(...change);
  }

  restoreNow(): void {
    const change = withoutOption(this.#runNow("get", KEY));
    if (change) this.#runNow(...change);
  }

  async group(): Promise<number> {
    const [sources, recent] = await Promise.all([
      this.#run("get", "sources"),
      this.#run("get", "mru-sources"),
    ]);
    return activeGroup(sources, recent);
  }

  /**
   * Runs the program beside this thread.
   * @returns What it printed.
   * @throws UnsupportedError if it is missing, fails, or takes too long.
   */
  async #run(command: string, key: string, ...value: string[]): Promise<string> {
    try {
      return printedBy(await this.#program(command, key, ...value).output());
    } catch (error) {
      throw refused(error);
    }
  }

  /** Runs the program before it returns. */
  #runNow(command: string, key: string, ...value: string[]): string {
    try {
      return printedBy(this.#program(command, key, ...value).outputSync());
    } catch (error) {
      throw refused(error);
    }
  }

  #program(command: string, key: string, ...value: string[]): Deno.Command {
    const args = [command, SCHEMA, key, ...value];
    return new Deno.Command(PROGRAM, {
      args,
      env: this.env,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      signal: AbortSignal.timeout(this.ms),
    });
  }
}

/**
 * What takes deskhand's option out of the setting. Without other options it is reset: a person who never set it has no
 * entry in their database then, as before.
 * @returns undefined if there is nothing to take out.
 */
function withoutOption(printed: string): [command: string, key: string, ...value: string[]] | undefined {
  const options = textsOf(printed), theirs = withOption(options, undefined);
  if (theirs.length === options.length) return undefined;
  return theirs.length ? ["set", KEY, printedList(theirs)] : ["reset", KEY];
}

function printedBy({ success, stdout, stderr }: Deno.CommandOutput): string {
  if (success) return new TextDecoder().decode(stdout).trim();
  throw new Error(new TextDecoder().decode(stderr).trim() || `${PROGRAM} gave no answer`);
}

function refused(error: unknown): UnsupportedError {
  return new UnsupportedError(`GNOME's keyboard settings cannot be used: ${(error as Error).message}`);
}
