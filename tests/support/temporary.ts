/** Folders that are gone afterwards. */

import { until } from "./until.ts";

/** Makes an empty folder and removes it, with all that came into it, when its use has ended. */
export async function temporary<T>(use: (folder: string) => T | Promise<T>): Promise<T> {
  const folder = await Deno.makeTempDir();
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
