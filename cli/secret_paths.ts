/** Files that the file server must never serve or overwrite. */

import { stateFolder } from "../core/state_files.ts";
import type { SecretPaths } from "../files/secrets.ts";
import { camelCase } from "./option.ts";
import { OPTIONS, type Settings } from "./option_table.ts";

/** The paths of deskhand's secrets with these settings: the files of all options except servable ones. */
export function secretPaths(settings: Settings): SecretPaths {
  const files = OPTIONS.filter(({ path, servable, secret }) =>
    path === "file" && servable === undefined || secret
  )
    .map(({ name }) => settings[camelCase(name) as keyof Settings])
    .filter((path) => typeof path === "string" && path !== "-") as string[];
  try {
    return { folder: stateFolder(), files };
  } catch {
    return { files }; // without a home folder, there is no state folder
  }
}
