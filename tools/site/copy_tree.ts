/** Copies a folder with everything in it. */

import { join } from "@std/path";

/** Copies a folder; existing files are replaced. */
export async function copyTree(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyTree(join(from, name), join(to, name));
    else await Deno.copyFile(join(from, name), join(to, name));
  }
}
