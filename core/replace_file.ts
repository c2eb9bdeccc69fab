/** Writes files whole or not at all. */

import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";

/**
 * Makes a file or replaces it: writes into a new one beside it, which then takes its name. A link of that name is
 * replaced by the file, and what it points to stays as it is.
 * @param mode Permissions of the file, such as 0o600.
 * @throws What Deno throws if it cannot be written; then what was there is unchanged.
 */
export function replaceFile(path: string, content: string | Uint8Array, mode: number): void {
  const draft = join(dirname(path), `.deskhand-${crypto.randomUUID()}`);
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  Deno.writeFileSync(draft, bytes, { createNew: true, mode });
  try {
    Deno.renameSync(draft, path);
  } catch (error) {
    Deno.removeSync(draft);
    throw error;
  }
}
