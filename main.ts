/**
 * Puts the parts together: options, then the desktop, then the doors, then the prompt.
 */

import { helpText } from "./cli/help.ts";
import { readOptions } from "./cli/options.ts";
import type { Settings } from "./cli/option_table.ts";
import { runSubcommand } from "./cli/subcommands.ts";
import type { Services } from "./control/http/endpoint.ts";
import { LiveView } from "./control/live/live.ts";
import { Operator } from "./control/operator.ts";
import { splitCommands } from "./control/prompt/commands.ts";
import { EventStream } from "./control/http/event_stream.ts";
import { Journal, leftJournals } from "./control/recording/journal.ts";
import { Recorder } from "./control/recording/recorder.ts";
import { readPipe, readTerminal } from "./control/prompt/reader.ts";
import { Shell } from "./control/prompt/shell.ts";
import { openDoors } from "./cli/serve.ts";
import { NoDesktopError, UsageError } from "./core/errors.ts";
import { openDesktop } from "./ffi/open.ts";
import { playerFor } from "./ffi/playback.ts";
import { Lifetime } from "./core/lifetime.ts";
import { CONSOLE, lostResults } from "./core/output.ts";
import { stateFile } from "./core/state_dir.ts";
import { VERSION } from "./core/version.ts";

/** Runs the program; gives its exit code. */
async function main(args: string[], lifetime: Lifetime): Promise<number> {
  const { settings, words, notices } = readOptions(args, (name) => Deno.env.get(name));
  if (settings.help) return CONSOLE.result(helpText()), 0;
  if (settings.version) return CONSOLE.result(`deskhand ${VERSION}`), 0;
  for (const notice of notices) CONSOLE.notice(notice);
  if (words.length) return await runSubcommand(words, CONSOLE);

  lifetime.watch(CONSOLE.report);
  const services = await openServices(settings, lifetime);
  const serving = await openDoors(settings, services, CONSOLE, lifetime);
  return await prompt(
    new Shell({ services, readOnly: settings.readOnly, output: CONSOLE }),
    settings,
    serving,
  );
}

/** Runs `-c`, or reads commands until the person leaves; a program that serves outlives the end of a pipe. */
async function prompt(shell: Shell, { command: commands }: Settings, serving: boolean): Promise<number> {
  const terminal = Deno.stdin.isTerminal() && !commands.length;
  if (commands.length) {
    for (const line of commands.flatMap(splitCommands)) {
      if (await shell.run(line) === "quit") break;
    }
  } else if (terminal) {
    await readTerminal(shell);
  } else if (await readPipe(shell) === "end of input" && serving) {
    await new Promise(() => {});
  }
  return shell.failures && !terminal ? 1 : 0;
}

/**
 * Opens the desktop and what works on it. Where only files are served a missing desktop is no reason to stop:
 * the prompt then tells of it when it is asked for one.
 */
async function openServices(settings: Settings, lifetime: Lifetime): Promise<() => Services> {
  const filesOnly = settings.files !== undefined && settings.http === undefined && !settings.command.length;
  try {
    const desktop = await openDesktop(settings.desktop);
    const operator = new Operator(desktop);
    const recorder = new Recorder(
      operator,
      playerFor(desktop),
      openJournal(lifetime, !settings.command.length),
    );
    const services = {
      operator,
      recorder,
      events: new EventStream(desktop),
      live: new LiveView(operator, settings.readOnly),
    };
    lifetime.atEnd(() => desktop.close());
    lifetime.atEnd(() => operator.releaseAll());
    lifetime.atEnd(() => recorder.abort());
    return () => services;
  } catch (error) {
    if (!(error instanceof NoDesktopError) || !filesOnly) throw error;
    return () => {
      throw error;
    };
  }
}

/**
 * Opens the journal of recordings.
 * @param offers Whether what a crash left of one is offered to somebody.
 */
function openJournal(lifetime: Lifetime, offers: boolean): Journal | undefined {
  try {
    const folder = stateFile(".");
    const [left] = offers ? leftJournals(folder) : [];
    if (left) {
      CONSOLE.notice(
        `a recording that ended at ${left.modified.toISOString()} was left behind unsaved: load --recover`,
      );
    }
    const journal = new Journal(folder, CONSOLE.notice);
    lifetime.atEnd((how) => how === "finished" ? journal.discard() : journal.flush());
    return journal;
  } catch (error) {
    CONSOLE.notice(`recordings are not kept against a crash: ${(error as Error).message}`);
    return undefined;
  }
}

if (import.meta.main) {
  const lifetime = new Lifetime();
  let code = 1;
  try {
    code = await main(Deno.args, lifetime);
  } catch (error) {
    if (error instanceof UsageError) code = 2;
    else if (error instanceof NoDesktopError) code = 3;
    if (code === 1) CONSOLE.report(error);
    else CONSOLE.notice(`deskhand: ${(error as Error).message}`);
  }
  await lifetime.end("finished");
  const lost = lostResults();
  if (lost && code === 0) {
    CONSOLE.notice(`deskhand: standard output cannot be written: ${lost}`);
    code = 1;
  }
  Deno.exit(code);
}
