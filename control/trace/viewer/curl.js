/** Actions as calls of the control API. */

/** @type {Record<string, [method: string, path: string]>} By the action's name; a test holds it against the endpoints. */
export const CALLS = {
  move: ["POST", "/api/move"],
  click: ["POST", "/api/click"],
  scroll: ["POST", "/api/scroll"],
  press: ["POST", "/api/press"],
  release: ["POST", "/api/release"],
  drag: ["POST", "/api/drag"],
  key: ["POST", "/api/key"],
  type: ["POST", "/api/type"],
  wait: ["POST", "/api/wait"],
  position: ["GET", "/api/position"],
  screen: ["GET", "/api/screen"],
  screenshot: ["GET", "/api/screenshot"],
  pixel: ["GET", "/api/pixel"],
  windows: ["GET", "/api/windows"],
  activateWindow: ["POST", "/api/window/activate"],
  minimizeWindow: ["POST", "/api/window/minimize"],
  maximizeWindow: ["POST", "/api/window/maximize"],
  restoreWindow: ["POST", "/api/window/restore"],
  fullscreenWindow: ["POST", "/api/window/fullscreen"],
  placeWindow: ["POST", "/api/window/place"],
  closeWindow: ["POST", "/api/window/close"],
  elements: ["GET", "/api/elements"],
  clickOnElement: ["POST", "/api/element/click"],
  setElement: ["POST", "/api/element/set"],
  focusElement: ["POST", "/api/element/focus"],
  clipboard: ["GET", "/api/clipboard"],
  startRecording: ["POST", "/api/recording/start"],
  stopRecording: ["POST", "/api/recording/stop"],
  playRecording: ["POST", "/api/recording/play"],
};

const ADDRESS = "${DESKHAND_URL:-http://localhost:4000}";
const TOKEN = '${DESKHAND_TOKEN:+-H "Authorization: Bearer $DESKHAND_TOKEN"}';

/**
 * The line of curl that does the same.
 * @param {import("./store.js").Entry} entry
 * @returns {string | undefined} undefined if no API call does the same; for a value that was not kept, the line has
 * its length.
 */
export function curlOf({ kind, name, values = {}, error }) {
  const call = kind === "action" && Object.hasOwn(CALLS, name) ? CALLS[name] : undefined;
  if (!call || error && !Object.keys(values).length) return undefined;
  const [method, path] = call;
  if (method === "GET") {
    const query = new URLSearchParams(Object.entries(values).map(([key, value]) => [key, String(value)]))
      .toString();
    return `curl ${TOKEN} "${ADDRESS}${path}${query ? `?${query}` : ""}"`;
  }
  return `curl ${TOKEN} "${ADDRESS}${path}" -d '${JSON.stringify(values).replaceAll("'", "'\\''")}'`;
}
