/** Runs deskhand: command line, then servers, then desktop, then prompt. */

import { NoDesktopError, UsageError } from "../core/errors.ts";
import { Lifetime } from "../core/lifetime.ts";
import { CONSOLE, lostResults, terminalColumns } from "../core/output.ts";
import type { Settings } from "./option_table.ts";
import { readOptions } from "./options.ts";
import { runSubcommand } from "./subcommands.ts";
import type { Shell } from "../control/prompt/shell.ts";
import { fillLines } from "../core/printable.ts";
import { VERSION } from "../core/version.ts";

/**
 * Runs deskhand until it exits. A signal exits the program from within.
 * @param args The command line without the program's name.
 * @returns The exit code, one of `EXIT_CODES`.
 */
export async function run(args: string[]): Promise<number> {
  const lifetime = new Lifetime();
  const code = await start(args, lifetime).catch(reportFailure);
  await lifetime.end("finished");
  const lost = lostResults();
  if (!lost || code !== 0) return code;
  CONSOLE.notice(`deskhand: standard output cannot be written: ${lost}`);
  return 1;
}

/**
 * The ports are bound before the desktop is opened, so that an invalid option exits with code 2 even without
 * a display: a service manager restarts a program that exits with code 3.
 */
async function start(args: string[], lifetime: Lifetime): Promise<number> {
  const { settings, words, notices } = readOptions(args, (name) => Deno.env.get(name));
  const runWords = (words: string[]) => runSubcommand(words, CONSOLE, { settings, lifetime });
  if (settings.help) return await runWords(["help", ...words.slice(0, 1)]);
  if (settings.version) return await runWords(["version"]);
  for (const notice of notices) CONSOLE.notice(notice);
  if (words.length) return await runWords(words);

  lifetime.watch(CONSOLE.report);
  lifetime.checkFirst(async () => await (await import("../core/state_files.ts")).askState());
  // A command that serves nothing does not load the servers.
  const serving = servesAnything(settings) ? await import("./serve.ts") : undefined;
  const servers = await serving?.bindServers(settings, CONSOLE, lifetime) ?? [];
  for (const server of servers) lifetime.atTerm(() => server.drain());
  serving?.queueOutputOf(lifetime);
  if (!settings.command.length) {
    await (await import("./setup.ts")).offerPermission(settings.desktop, CONSOLE);
  }
  const { openServices } = await import("./services.ts");
  const services = await openServices(settings, CONSOLE, lifetime, servers);
  const suggested = suggestion(settings);
  if (suggested) CONSOLE.notice(suggested);
  const texts = servers.find(({ folder }) => folder)?.folder?.texts;
  if (texts && settings.desktop === "virtual") services().runner.operator.desktop.programs?.use(texts);
  for (const server of servers) await server.start(services);
  serving?.announce(lifetime);
  const { Shell } = await import("../control/prompt/shell.ts");
  const shell = new Shell({ runner: () => services().runner, output: CONSOLE, servers });
  return await runPrompt(shell, settings.command, servers.length > 0);
}

function servesAnything({ http, webdriver, vnc, files }: Settings): boolean {
  return [http, webdriver, vnc, files].some((setting) => setting !== undefined);
}

/** @returns The exit code for an error that {@linkcode start} threw. */
function reportFailure(error: unknown): number {
  const code = error instanceof UsageError ? 2 : error instanceof NoDesktopError ? 3 : 1;
  if (code === 1) CONSOLE.report(error);
  else CONSOLE.notice(`deskhand: ${(error as Error).message}`);
  return code;
}

// Chooses the source of prompt commands: `-c`, a terminal or a pipe. Each source's reader is loaded on
// demand.

/**
 * Runs the commands of `-c`, or reads commands until the user quits or the input ends.
 * @param commands The commands of `-c`; if empty, standard input is read.
 * @param serving Whether a server is listening. If so, the end of a pipe does not exit the program.
 * @returns The exit code: 1 if a command failed that was not typed on a terminal.
 */
async function runPrompt(shell: Shell, commands: string[], serving: boolean): Promise<number> {
  if (commands.length) {
    const { splitCommands } = await import("../control/prompt/commands.ts");
    for (const line of commands.flatMap(splitCommands)) {
      if (await shell.run(line) === "quit") break;
    }
  } else if (Deno.stdin.isTerminal()) {
    const { openHistory } = await import("../control/prompt/history.ts");
    const { readTerminal } = await import("../control/prompt/terminal.ts");
    shell.options.output.notice(wrapped(greeting(serving)));
    await readTerminal(shell, openHistory(shell.options.output.notice));
    return 0;
  } else {
    const { readPipe } = await import("../control/prompt/shell.ts");
    if (await readPipe(shell) === "end of input" && serving) await new Promise(() => {});
  }
  return shell.failures ? 1 : 0;
}

/** Three things to try at the prompt, if the desktop is the virtual one and a user reads it. */
function suggestion({ desktop, command }: Settings): string | undefined {
  if (desktop !== "virtual" || command.length || !Deno.stdin.isTerminal()) return undefined;
  return wrapped('Try: t Hello (types into Notes), el (lists its controls), find "Orders" click.');
}

/** Wraps a line between words at the terminal's width. */
function wrapped(line: string): string {
  return fillLines(line.split(" "), terminalColumns() ?? Infinity).join("\n");
}

/** The text above the first prompt on a terminal. */
function greeting(serving: boolean): string {
  return serving
    ? "help lists commands, help api the calls; status says this again; quit stops."
    : `deskhand ${VERSION}: help lists the commands; with --http it serves the control API.`;
}
