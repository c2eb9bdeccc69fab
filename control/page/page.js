/** The page: its parts joined. */

import { Agents } from "./agents.js";
import { ApiError, call, hasToken, saveAs, setToken, takeTokenFromAddress } from "./api.js";
import { Clipboard } from "./clipboard.js";
import { foldLog, foldTools } from "./folding.js";
import { FullScreen } from "./fullscreen.js";
import { Keyboard } from "./keyboard.js";
import { Live } from "./live.js";
import { copyText, Log } from "./log.js";
import { Lost } from "./lost.js";
import { Pointer } from "./pointer.js";
import { Recorder } from "./recorder.js";
import { Status } from "./status.js";
import { View } from "./view.js";

/** How long an answer may take that tells whether the server is there, in milliseconds. */
const PATIENCE = 8000;

/** @template {HTMLElement} T @param {string} id @returns {T} */
const element = (id) => /** @type {T} */ (document.getElementById(id));
const canvas = /** @type {HTMLCanvasElement} */ (element("screen"));
const typing = /** @type {HTMLTextAreaElement} */ (element("typing"));

const status = new Status(element("state"), element("notice"));
const notice = (/** @type {string} */ message) => status.notice(message);
const view = new View(element("stage"), canvas);
const log = new Log(element("log"));
/** Whether the person wants to look only. */
let isLooking = false;

/** Whether what is done here reaches the desktop. */
const acts = () => !live.readOnly && !isLooking;

function showState() {
  status.show(recorder.state, !acts());
  log.off = !acts() || !status.isConnected;
}

/** Where nothing reaches the desktop the page offers nothing that acts; keys stay here, since the picture takes no focus. */
function showWhatIsOpen() {
  document.body.classList.toggle("looking", !acts());
  document.body.classList.toggle("read-only", live.readOnly);
  if (acts()) canvas.tabIndex = 0;
  else canvas.removeAttribute("tabindex");
  showState();
  view.layOut();
}

function releaseAll() {
  pointer.releaseAll();
  keyboard.releaseAll();
}

/** @param {boolean} only */
function look(only) {
  if (only) releaseAll();
  isLooking = only;
  element("looking").setAttribute("aria-pressed", String(only));
  showWhatIsOpen();
}

/** Whether the API lets this page in; asks for the token if it does not. */
async function check() {
  try {
    await call("GET", "/api/screen", undefined, AbortSignal.timeout(PATIENCE));
    element("ask").hidden = true;
    return true;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 503) return true; // not there just now: try on
    status.connection = "refused";
    lost.show(false);
    showState();
    element("why").textContent = hasToken()
      ? error.message
      : "It is in the link that deskhand printed, behind #token=.";
    element("ask").hidden = false;
    element("token").focus();
    return false;
  }
}

async function connect() {
  if (await check()) live.start();
}

new Agents(element("agents"), element("agents-state"), element("agents-stop"), {
  isConnected: () => status.isConnected,
  notice,
  silent: () => live.restart(),
});

const live = new Live(canvas, {
  state(state) {
    status.connection = state;
    lost.show(state === "reconnecting");
    showState();
    if (state === "connected") recorder.look();
  },
  resized: showWhatIsOpen,
  viewers(count) {
    status.viewers = count;
    showState();
  },
  error: notice,
  check,
});
const lost = new Lost(element("lost"), element("lost-since"), element("lost-now"), () => live.tryNow());
const send = (/** @type {{ type: string }} */ message) => {
  if (!acts() || !live.send(message)) return false;
  if (message.type === "button") element("hint").classList.add("known");
  return true;
};
const keyboard = new Keyboard(canvas, typing, { send, log });
const pointer = new Pointer(canvas, {
  send,
  zoom: (factor, at) => view.zoomBy(factor, at),
  pan: (by) => view.pan(by),
  region: () => live.region,
  log,
});
new Clipboard({ notice });
new FullScreen(/** @type {HTMLButtonElement} */ (element("full")), element("handle"), {
  notice,
  acts,
  changed: () => view.layOut(),
});
const recorder = new Recorder({ changed: showState, notice, wanted: () => live.open && !live.readOnly });
foldLog();
foldTools();

element("zoom-in").addEventListener("click", () => view.zoomBy(1.25));
element("zoom-out").addEventListener("click", () => view.zoomBy(0.8));
element("zoom-fit").addEventListener("click", () => view.fit());
element("looking").addEventListener("click", () => look(!isLooking));
element("keyboard").addEventListener("click", () => typing.focus());
element("shot").addEventListener("click", async () => {
  try {
    await saveAs(await call("GET", "/api/screenshot?format=png&cursor=true"), "screen.png");
  } catch (error) {
    notice(/** @type {Error} */ (error).message);
  }
});
element("copy-all").addEventListener("click", () => copyText(String(log)));
element("clear").addEventListener("click", () => log.clear());
element("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  setToken(/** @type {HTMLInputElement} */ (element("token")).value);
  connect();
});
// A link with a token that is opened where the page is already.
addEventListener("hashchange", () => {
  if (takeTokenFromAddress() && !live.open) connect();
});
addEventListener("blur", releaseAll);

takeTokenFromAddress();
await connect();
