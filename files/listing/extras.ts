/** Optional parts of a page, in addition to those of its kind. */

import type { Extra } from "./assets.ts";
import type { Contents } from "./entry.ts";

/** The extras of a folder's or a file's page. */
export function extrasOf(
  { file, takesFiles, readme }: Pick<Contents, "file" | "takesFiles" | "readme">,
): Extra[] {
  if (file) {
    return file.kind === "sound" ? ["player"] : file.rendered ? ["rendered"] : [];
  }
  return [...takesFiles ? ["upload" as const] : [], ...readme ? ["rendered" as const] : []];
}
