/**
 * Puts the parts together: options, then the desktop, then the doors, then the prompt.
 */

import process from "node:process";
import { startMessage } from "./control/banner.ts";
import type { Services } from "./control/endpoint.ts";
import { ENDPOINTS } from "./control/endpoints.ts";
import { createControlHandler } from "./control/handler.ts";
import { Operator } from "./control/operator.ts";
import { splitCommands } from "./control/prompt/commands.ts";
import { readPipe, readTerminal } from "./control/prompt/reader.ts";
import { Shell } from "./control/prompt/shell.ts";
import { NoDesktopError, UsageError } from "./errors.ts";
import { openDesktop } from "./ffi/open.ts";
import { listen } from "./http/listener.ts";
import { logged, openLog } from "./http/log.ts";
import { Lifetime } from "./lifetime.ts";
import { helpText, readOptions, type Settings } from "./options.ts";
import { VERSION } from "./version.ts";

const report = (error: unknown) => console.error("deskhand: internal error:", error);
const print = (text: string) => Deno.stdout.writeSync(new TextEncoder().encode(text + "\n"));

/** Runs the program; gives its exit code. */
async function main(args: string[], lifetime: Lifetime): Promise<number> {
  const settings = readOptions(args, (name) => Deno.env.get(name));
  if (settings.help) return print(helpText()), 0;
  if (settings.version) return print(`deskhand ${VERSION}`), 0;
  if (settings.words.length) {
    throw new UsageError(`unknown word ${JSON.stringify(settings.words[0])}; see --help`);
  }

  lifetime.watch(report);
  const services = openServices(settings, lifetime);
  const serving = openDoors(settings, services, lifetime);
  const shell = new Shell({
    services,
    readOnly: settings.readOnly,
    output: { result: print, notice: (text) => console.error(text) },
    report,
  });
  if (settings.commands.length) {
    for (const line of settings.commands.flatMap(splitCommands)) {
      if (await shell.run(line) === "quit") break;
    }
  } else {
    const ending = await (process.stdin.isTTY ? readTerminal(shell) : readPipe(shell));
    if (ending === "end of input" && serving && !process.stdin.isTTY) await new Promise(() => {});
  }
  return shell.failures && !process.stdin.isTTY ? 1 : 0;
}

/**
 * Opens the desktop and what works on it. Where only files are served a missing desktop is no reason to stop:
 * the prompt then tells of it when it is asked for one.
 */
function openServices(settings: Settings, lifetime: Lifetime): () => Services {
  const filesOnly = settings.files !== undefined && settings.http === undefined && !settings.commands.length;
  try {
    const desktop = openDesktop(settings.desktop);
    const operator = new Operator(desktop);
    lifetime.atEnd(() => desktop.close());
    lifetime.atEnd(() => operator.releaseAll());
    return () => ({ operator });
  } catch (error) {
    if (!(error instanceof NoDesktopError) || !filesOnly) throw error;
    return () => {
      throw error;
    };
  }
}

/** Opens the doors that were asked for; tells whether there are any. */
function openDoors(settings: Settings, services: () => Services, _lifetime: Lifetime): boolean {
  const log = settings.log === undefined ? undefined : openLog(settings.log);
  if (settings.http !== undefined) {
    const handler = createControlHandler({
      endpoints: ENDPOINTS,
      services: services(),
      readOnly: settings.readOnly,
      guard: () => undefined,
      report,
    });
    const { port } = listen({
      name: "HTTP server",
      host: settings.host,
      port: settings.http,
      handler: log ? logged("control", handler, log) : handler,
      report,
    });
    print(startMessage(port, ENDPOINTS, settings.readOnly));
  }
  return settings.http !== undefined || settings.files !== undefined;
}

if (import.meta.main) {
  const lifetime = new Lifetime();
  let code = 1;
  try {
    code = await main(Deno.args, lifetime);
  } catch (error) {
    if (error instanceof UsageError) code = 2;
    else if (error instanceof NoDesktopError) code = 3;
    else report(error);
    if (code !== 1) console.error(`deskhand: ${(error as Error).message}`);
  }
  lifetime.end();
  Deno.exit(code);
}
