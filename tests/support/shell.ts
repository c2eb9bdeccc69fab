/** Runs programs and commands of a shell to their end. */

/**
 * Runs a program that must succeed.
 * @returns Its standard output.
 * @throws Error with all it printed, if it fails.
 */
export async function mustRun(
  command: string,
  args: readonly string[],
  options: Deno.CommandOptions = {},
): Promise<string> {
  const program = new Deno.Command(command, { stdin: "null", ...options, args: [...args] });
  const { success, stdout, stderr } = await program.output(), decoder = new TextDecoder();
  const text = decoder.decode(stdout);
  if (success) return text;
  throw new Error(`${command} ${args.join(" ")} failed:\n${text}${decoder.decode(stderr)}`);
}

/** Runs a script of bash, as {@linkcode mustRun} says. */
export async function bash(script: string, options: Deno.CommandOptions = {}): Promise<string> {
  return await mustRun("bash", ["-c", `set -o pipefail; ${script}`], options);
}
