/** Runs the programs that build packages. */

/** A package cannot be built; the message says why. */
export class PackageError extends Error {
  override name = "PackageError";
}

/**
 * Runs a program until it exits.
 * @returns Its standard output.
 * @throws PackageError if it is missing, or fails, with all its output.
 */
export async function run(command: string, args: string[], cwd?: string): Promise<string> {
  try {
    const { success, stdout, stderr } = await new Deno.Command(command, { args, cwd, stdin: "null" })
      .output();
    const decoder = new TextDecoder(), text = decoder.decode(stdout);
    if (success) return text;
    throw new PackageError(`${command} ${args.join(" ")} failed:\n${text}${decoder.decode(stderr)}`);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new PackageError(`${command} is needed, and is not on the PATH`);
  }
}

/** Writes a file, creating its parent folders. */
export async function write(path: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  if (typeof content === "string") await Deno.writeTextFile(path, content);
  else await Deno.writeFile(path, content);
  await Deno.chmod(path, mode); // regardless of the umask
}
