/** The file in the state folder that keeps the shares of a served folder; the file server never serves this file. */

import { nodeModule } from "../core/path.ts";
import { replaceFile } from "../core/replace_file.ts";
import { stateFile } from "../core/state_dir.ts";
import type { Keeper } from "../files/share/book.ts";

/**
 * Makes a keeper.
 * @param root The served folder; each folder has shares of its own.
 */
export function shareKeeper(root: string): Keeper {
  const digest = nodeModule("node:crypto").createHash("sha256").update(Deno.realPathSync(root)).digest("hex");
  const name = `shares-${digest.slice(0, 16)}.json`;
  return {
    read() {
      try {
        return Deno.readTextFileSync(stateFile(name));
      } catch {
        return undefined; // no shares are stored yet
      }
    },
    write: (text) => replaceFile(stateFile(name), text, 0o600),
    tryLock() {
      const file = Deno.openSync(stateFile(`${name}.lock`), { write: true, create: true, mode: 0o600 });
      if (file.tryLockSync(true)) return file; // closing the file unlocks it
      file.close();
    },
  };
}
