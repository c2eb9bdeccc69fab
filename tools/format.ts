/** Formats the files that tools write, like `deno fmt` in this project. */

import { fromFileUrl } from "@std/path";

/**
 * Formats a text.
 * @param extension The text's file extension, such as `md`.
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
