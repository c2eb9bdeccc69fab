/** Folders that are gone afterwards. */

/** Makes an empty folder and removes it, with all that came into it, when its use has ended. */
export async function temporary(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
