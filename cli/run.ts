/** Runs deskhand: command line, then servers, then desktop, then prompt. */

import { Shell } from "../control/prompt/shell.ts";
import { NoDesktopError, UsageError } from "../core/errors.ts";
import { Lifetime } from "../core/lifetime.ts";
import { CONSOLE, lostResults, queueOutput } from "../core/output.ts";
import { notifyServiceManager } from "../core/service_manager.ts";
import { LineQueue } from "../http/log.ts";
import { readOptions } from "./options.ts";
import { runPrompt, suggestion } from "./prompt.ts";
import { bindServers } from "./serve.ts";
import { openServices } from "./services.ts";
import { offerPermission } from "./setup.ts";
import { runSubcommand } from "./subcommands.ts";

/**
 * Runs deskhand to its end. A signal ends the program from within.
 * @param args The command line without the program's name.
 * @returns The exit code, as `EXIT_CODES` lists them.
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
 * The ports are bound before the desktop is opened, so that a wrong option ends with exit code 2 even without a
 * display: a service manager restarts a program that ended with exit code 3.
 */
async function start(args: string[], lifetime: Lifetime): Promise<number> {
  const { settings, words, notices } = readOptions(args, (name) => Deno.env.get(name));
  const runWords = (words: string[]) => runSubcommand(words, CONSOLE, { settings, lifetime });
  if (settings.help) return await runWords(["help", ...words.slice(0, 1)]);
  if (settings.version) return await runWords(["version"]);
  for (const notice of notices) CONSOLE.notice(notice);
  if (words.length) return await runWords(words);

  lifetime.watch(CONSOLE.report);
  const servers = await bindServers(settings, CONSOLE, lifetime);
  for (const server of servers) lifetime.atTerm(() => server.drain());
  if (servers.length) queueOutputOf(lifetime);
  if (!settings.command.length) await offerPermission(settings.desktop, CONSOLE);
  const services = await openServices(settings, CONSOLE, lifetime);
  const suggested = suggestion(settings);
  if (suggested) CONSOLE.notice(suggested);
  for (const server of servers) await server.start(services);
  if (servers.length) announce(lifetime);
  const shell = new Shell({ runner: () => services().runner, output: CONSOLE, servers });
  return await runPrompt(shell, settings.command, servers.length > 0);
}

/**
 * Queues the output: from now on the program serves. On a terminal results and notices share a queue, which keeps their
 * order.
 */
function queueOutputOf(lifetime: Lifetime): void {
  const queueOf = (stream: typeof Deno.stdout | typeof Deno.stderr) =>
    new LineQueue(
      (bytes) => stream.write(bytes),
      undefined,
      (count) => `deskhand: ${count} lines were left out: nothing read them`,
    );
  const stdout = queueOf(Deno.stdout);
  const isShared = Deno.stdout.isTerminal() && Deno.stderr.isTerminal();
  const stderr = isShared ? stdout : queueOf(Deno.stderr);
  queueOutput({ stdout: (text) => stdout.addText(text), stderr: (text) => stderr.addText(text) });
  for (const queue of new Set([stdout, stderr])) {
    lifetime.lastly(() => queue.isEmpty ? undefined : queue.flushed());
  }
}

/** Tells a service manager that the servers answer, and later that they stop. */
function announce(lifetime: Lifetime) {
  notifyServiceManager("READY=1");
  lifetime.atTerm(() => {
    notifyServiceManager("STOPPING=1");
    return Promise.resolve();
  });
}

/** @returns The exit code for an error of {@linkcode start} threw. */
function reportFailure(error: unknown): number {
  const code = error instanceof UsageError ? 2 : error instanceof NoDesktopError ? 3 : 1;
  if (code === 1) CONSOLE.report(error);
  else CONSOLE.notice(`deskhand: ${(error as Error).message}`);
  return code;
}
