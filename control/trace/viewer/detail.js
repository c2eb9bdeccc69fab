/** Shows the details of one entry, and outlines it on the screen. */

import { callerOf, callName, CALLS, clock, duration, textsOf } from "./list.js";

// Actions as control API calls.

/** Actions on a picture, which a trace does not store. */
const WITH_PICTURE = ["find", "compare"];
const USUAL_URL = "http://localhost:4000";
/** Addresses in which a shell expands nothing, since a trace may come from anyone. */
const ADDRESS = /^https?:\/\/[\w.:[\]-]+(\/[\w./-]*)?$/;
const TOKEN = '${DESKHAND_TOKEN:+-H "Authorization: Bearer $DESKHAND_TOKEN"}';

/**
 * The curl command that repeats an entry.
 * @param {import("./screen.js").Entry} entry
 * @param {string} [url] Address of the control API in the trace.
 * @returns {string | undefined} undefined if no API call does the same; a value that was not stored is
 * replaced by its length.
 */
export function curlOf({ kind, name, values = {}, error }, url = USUAL_URL) {
  const call = kind === "action" && Object.hasOwn(CALLS, name) ? CALLS[name] : undefined;
  if (!call || WITH_PICTURE.includes(name) || error && !Object.keys(values).length) return undefined;
  const [method, path] = call, address = `\${DESKHAND_URL:-${ADDRESS.test(url) ? url : USUAL_URL}}`;
  if (method === "GET") {
    const query = new URLSearchParams(Object.entries(values).map(([key, value]) => [key, String(value)]))
      .toString();
    return `curl ${TOKEN} "${address}${path}${query ? `?${query}` : ""}"`;
  }
  return `curl ${TOKEN} ${method === "PUT" ? "-X PUT " : ""}"${address}${path}" -d '${
    JSON.stringify(values).replaceAll("'", "'\\''")
  }'`;
}

/** @typedef {import("./screen.js").Entry} Entry */
/** @typedef {import("./screen.js").Box} Box */

const element = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** Shows all details of an entry. @param {Entry} entry @param {string} [url] Address of the control API. */
export function showDetail(entry, url) {
  const { seen } = entry, [what, more] = textsOf(entry);
  const windows = seen && [
    ...(seen.opened ?? []).map((/** @type {string} */ title) => `opened ${title}`),
    ...(seen.closed ?? []).map((/** @type {string} */ title) => `closed ${title}`),
    ...(seen.active === undefined ? [] : [`active ${seen.active}`]),
  ].join("; ");
  const rows = /** @type {[string, string | undefined][]} */ ([
    ["What", entry.kind === "action" ? callName(entry.name) : `${what}${more ? `: ${more}` : ""}`],
    ["Failed", entry.error],
    ["By", callerOf(entry) || undefined],
    ["At", `${clock(entry.t)}${entry.kind === "action" ? `, took ${duration(entry.ms)}` : ""}`],
    [
      "Values",
      entry.kind === "action" && Object.keys(entry.values).length ? JSON.stringify(entry.values) : undefined,
    ],
    ["Found", entry.found && `${entry.found.length} place${entry.found.length === 1 ? "" : "s"}`],
    [
      "Saw",
      seen &&
      `${seen.verdict}: ${seen.reason}${
        seen.settled_ms === undefined ? "" : `, settled after ${duration(seen.settled_ms)}`
      }`,
    ],
    ["Windows", windows || undefined],
  ]);
  element("detail").replaceChildren(
    ...rows.filter(([, value]) => value).flatMap(([name, value]) => [
      Object.assign(document.createElement("dt"), { textContent: name }),
      Object.assign(document.createElement("dd"), {
        textContent: value,
        className: name === "Failed" ? "bad" : "",
      }),
    ]),
  );
  const curl = curlOf(entry, url);
  element("copying").hidden = false;
  element("copy").hidden = curl === undefined;
  element("curl").textContent = curl ?? "";
  element("partial").hidden = curl === undefined || !entry.partial;
}

/**
 * Outlines an entry's target, its matches, the observed changes, and the differences between before and
 * after.
 * @param {HTMLCanvasElement} canvas
 * @param {Entry | undefined} screen
 * @param {Entry | undefined} entry
 * @param {Box[]} changed
 */
export function showMarks(canvas, screen, entry, changed) {
  const marks = element("marks"), scale = canvas.clientWidth / canvas.width;
  Object.assign(marks.style, { left: canvas.style.left, top: canvas.style.top });
  if (!screen || !entry) return marks.replaceChildren();
  const { x: left, y: top } = screen;
  const box = (/** @type {string} */ name, /** @type {Box} */ { x, y, width, height }) => {
    const div = Object.assign(document.createElement("div"), { className: name });
    Object.assign(div.style, {
      left: `${x * scale}px`,
      top: `${y * scale}px`,
      width: `${width * scale}px`,
      height: `${height * scale}px`,
    });
    return div;
  };
  const moved = (/** @type {Box} */ region) => ({ ...region, x: region.x - left, y: region.y - top });
  const aims = [entry.at, entry.to].filter((point) => point).map(({ x, y }) => {
    const div = Object.assign(document.createElement("div"), { className: "aim" });
    Object.assign(div.style, { left: `${(x - left + 0.5) * scale}px`, top: `${(y - top + 0.5) * scale}px` });
    return div;
  });
  marks.replaceChildren(
    ...changed.map((region) => box("changed", region)),
    ...(entry.seen?.regions ?? []).map((/** @type {Box} */ region) => box("seen", moved(region))),
    ...(entry.found ?? []).map((/** @type {Box} */ region) => box("found", moved(region))),
    ...aims,
  );
}
