/** Folders that are gone afterwards. */

/** Makes an empty folder and removes it, with all that came into it, when its use has ended. */
export async function temporary<T>(use: (folder: string) => T | Promise<T>): Promise<T> {
  const folder = await Deno.makeTempDir();
  try {
    return await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
