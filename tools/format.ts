/** Formats the files that tools write, as `deno fmt` does in this project. */

import { fromFileUrl } from "@std/path";

/**
 * Formats a text.
 * @param extension The kind of the text, such as `md`.
 */
export async function formatted(text: string, extension: string): Promise<string> {
  const fmt = new Deno.Command(Deno.execPath(), {
    args: ["fmt", "--ext", extension, "-"],
    cwd: fromFileUrl(new URL("..", import.meta.url)),
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const input = fmt.stdin.getWriter();
  await input.write(new TextEncoder().encode(text));
  await input.close();
  return new TextDecoder().decode((await fmt.output()).stdout);
}
