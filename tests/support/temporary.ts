/** Folders that are gone afterwards. */

import { until } from "./until.ts";

/**
 * Makes an empty folder and removes it, with its content, when its use has ended.
 * @param use Gets the folder's real path.
 * @param options Where it is made.
 */
export async function temporary<T>(
  use: (folder: string) => T | Promise<T>,
  options?: Deno.MakeTempOptions,
): Promise<T> {
  const folder = await Deno.realPath(await Deno.makeTempDir(options));
  try {
    return await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Removes a folder in which programs that are ending may still write. */
export async function removeBusy(folder: string): Promise<void> {
  await until(() =>
    Deno.remove(folder, { recursive: true }).then(() => true, (error) => {
      if (/not empty/i.test(error.message)) return false;
      throw error;
    })
  );
}
