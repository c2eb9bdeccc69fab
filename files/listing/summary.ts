/** How many entries a page shows, and what is missing of them. */

import type { Contents } from "./entry.ts";
import { BOUNDS } from "./deep.ts";
import { shown, shownCount, shownSize } from "./shown.ts";

/** The number of entries and their size, and a sentence for each reason why entries are missing. */
export function summary({ totals, view: { search }, cut }: Contents): string {
  const { folders, files, bytes } = totals;
  const counts = [
    ...(folders ? [shownCount(folders, "folder")] : []),
    ...(files || !folders ? [shownCount(files, "file")] : []),
    ...(files ? [shownSize(bytes)] : []),
  ];
  const where = search?.deep ? " in this folder and below" : "";
  const what = search?.text ? ` found for “${shown(search.text)}”${where}` : where;
  const all = folders + files;
  const cuts = [
    ...(cut === "time"
      ? [`The search ended after ${BOUNDS.time / 1000} seconds, before all folders were read.`]
      : []),
    ...(all > BOUNDS.entries && search?.deep
      ? [`Only the first ${BOUNDS.entries.toLocaleString("en")} of ${all.toLocaleString("en")} are shown.`]
      : []),
  ];
  return `<p class="summary" role="status"><span class="counts">${counts.join(", ")}</span>${what}</p>` +
    cuts.map((sentence) => `\n<p class="cut">${sentence} To see others, search for more of the name.</p>`)
      .join("");
}
