/** Rows of a listing's page. */

import type { Entry, View } from "./entry.ts";
import { kindOf } from "./kind.ts";
import { hiddenFields } from "./fields.ts";
import { linkTo, shown, shownSize } from "./shown.ts";

/** Names that need no escape, in HTML or in a URL. */
const PLAIN = /^[\w./-]+$/;
const DAY_MS = 24 * 3600_000;

/**
 * Makes a writer of rows. It tests each name for being plain, and remembers the days that it wrote, because most times
 * of a folder are of few days: to escape each name and to call toISOString for each time takes 1 s more for 1,000,000
 * entries.
 *
 * A file's buttons are a form and no links, because `wget -r` would fetch each file three times.
 * @param view Its order is the one of the file's neighbours in the page that shows it.
 */
export function rowWriter(view: View): (entry: Entry) => string {
  const days = new Map<number, string>();
  const order = hiddenFields(view, ["view", "q", "deep"]);
  const look = `<button name="view">View</button>`, save = `<button name="download">Download</button>`;

  /** A time as `YYYY-MM-DD HH:MM UTC`. */
  function minute(time: number): string {
    const day = Math.floor(time / DAY_MS), minutes = Math.floor((time - day * DAY_MS) / 60_000);
    let date = days.get(day);
    if (date === undefined) days.set(day, date = new Date(day * DAY_MS).toISOString().split("T")[0]);
    return `${date} ${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)} UTC`;
  }

  return ({ name, size, modified }) => {
    const [href, text] = PLAIN.test(name) ? [`./${name}`, name] : [linkTo(name), shown(name)];
    const time = modified === null ? "" : minute(modified);
    if (size === undefined) {
      return `<tr class="folder"><td><a href="${href}/">${text}/</a></td><td></td><td>${time}</td><td></td></tr>\n`;
    }
    const buttons = kindOf(name) ? look + order + save : save;
    return `<tr><td><a href="${href}">${text}</a></td><td>${shownSize(size)}</td><td>${time}</td>` +
      `<td><form action="${href}">${buttons}</form></td></tr>\n`;
  };
}

function twoDigits(number: number): string {
  return number < 10 ? `0${number}` : `${number}`;
}
