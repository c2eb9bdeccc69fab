/** Folders for archives in tests. */

/** The threads that plan and read stay for a while after the last archive. */
export const THREAD = { sanitizeOps: false, sanitizeResources: false };

export async function fill(folder: string) {
  await Deno.mkdir(`${folder}/sub/empty`, { recursive: true });
  await Deno.writeTextFile(`${folder}/a.txt`, "hello\n");
  await Deno.writeTextFile(`${folder}/héllo €.txt`, "unicode");
  await Deno.writeFile(`${folder}/sub/b.bin`, crypto.getRandomValues(new Uint8Array(50_000)));
  await Deno.writeTextFile(`${folder}/sub/nothing`, "");
}
