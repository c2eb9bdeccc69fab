/** Runs the script that tests a release before publishing. */

import { fromFileUrl } from "@std/path";

const SCRIPT = fromFileUrl(new URL("../../tools/smoke.ts", import.meta.url));

/** The script's result. */
interface Smoked {
  code: number;
  /** The passed steps, one per line. */
  lines: string[];
  /** The script's whole output. */
  printed: string;
}

/**
 * Runs the smoke script to its end.
 * @param args Its arguments: the command that starts deskhand.
 * @param env Added to the test's environment.
 */
export async function smoked(args: readonly string[], env: Record<string, string> = {}): Promise<Smoked> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-config", SCRIPT, ...args],
    env: { ...env, NO_COLOR: "1" },
    stdin: "null",
  });
  const { code, stdout, stderr } = await command.output(), decoder = new TextDecoder();
  const printed = (decoder.decode(stdout) + decoder.decode(stderr)).replaceAll("\r", "");
  return { code, lines: printed.match(/^ok {2}.*$/gm) ?? [], printed };
}
