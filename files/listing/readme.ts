/** The description of a folder: its README.md. */

import { join } from "../../core/path.ts";
import type { Renderer } from "../render/renderer.ts";
import type { Root } from "../resolve.ts";
import type { Readme } from "./entry.ts";
import { shownFile, TEXT_LIMIT } from "./file_page.ts";

/** Names of a folder's readme; the first that is there counts. */
const NAMES = ["README.md", "readme.md", "Readme.md"];

/**
 * Reads and renders a folder's readme.
 * @returns undefined if there is none, or it cannot be shown.
 */
export async function readReadme(
  root: Root,
  folder: { lexicalPath: string },
  renderer: Renderer,
): Promise<Readme | undefined> {
  for (const name of NAMES) {
    const file = root.resolveOrNull(join(folder.lexicalPath, name));
    if (!file?.info.isFile) continue;
    if (file.info.size > TEXT_LIMIT) return undefined;
    // A listing is not refused because of a file that is gone, locked or written to.
    const shown = await shownFile(root, file, name, renderer).catch(() => undefined);
    return shown?.rendered ? { name, html: shown.rendered.html } : undefined;
  }
  return undefined;
}
