/** The page: its parts joined. */

import { Agents } from "./agents.js";
import { ApiError, call, hasToken, saveAs, setToken, takeTokenFromAddress } from "./api.js";
import { Clipboard } from "./clipboard.js";
import { Keyboard } from "./keyboard.js";
import { Live } from "./live.js";
import { copyText, Log } from "./log.js";
import { Pointer } from "./pointer.js";
import { Recorder } from "./recorder.js";

const WORDS = /** @type {Record<string, string>} */ ({
  connecting: "Connecting",
  connected: "Connected",
  looking: "Connected, only looking",
  reconnecting: "Connection lost, trying again",
  refused: "Refused",
  recording: "Recording",
  playing: "Playing",
});
/** How long a notice stays, in milliseconds. */
const NOTICE = 6000;

/** @template {HTMLElement} T @param {string} id @returns {T} */
const element = (id) => /** @type {T} */ (document.getElementById(id));
const canvas = /** @type {HTMLCanvasElement} */ (element("screen"));
const stage = element("stage"), typing = /** @type {HTMLTextAreaElement} */ (element("typing"));

let connection = "connecting";
/** How many look at the desktop, this page included. */
let viewers = 1;
/** 0 fits the picture to the window. */
let zoom = 0;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let noticeTimer;

function showState() {
  const busy = connection === "connected" && recorder.state !== "idle" ? recorder.state : connection;
  element("state").dataset.state = busy;
  const others = connection === "connected" && viewers > 1 ? `, ${viewers} viewers` : "";
  element("state").textContent = WORDS[busy === "connected" && live.readOnly ? "looking" : busy] + others;
  log.off = live.readOnly || connection !== "connected";
}

/** @param {string} message */
function notice(message) {
  // The same again is not read out again.
  if (element("notice").hidden || element("notice").textContent !== message) {
    element("notice").textContent = message;
  }
  element("notice").hidden = false;
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => element("notice").hidden = true, NOTICE);
}

/** The scale at which all of the picture is seen. */
function fittingScale() {
  const style = getComputedStyle(stage);
  const room = (/** @type {number} */ size, /** @type {string} */ a, /** @type {string} */ b) =>
    size - parseFloat(a) - parseFloat(b);
  const width = room(stage.clientWidth, style.paddingLeft, style.paddingRight);
  const height = room(stage.clientHeight, style.paddingTop, style.paddingBottom);
  return Math.min(width / canvas.width, height / canvas.height, 1);
}

/** The scale of the picture as it is shown: pixels of the page for one of the desktop. */
const scale = () => zoom || fittingScale();

/** Under --read-only the page offers nothing that acts; the picture takes no focus, so that keys stay here. */
function showWhatIsOpen() {
  document.body.classList.toggle("looking", live.readOnly);
  if (live.readOnly) canvas.removeAttribute("tabindex");
  else canvas.tabIndex = 0;
}

function layOut() {
  canvas.style.width = `${canvas.width * scale()}px`;
  canvas.style.height = `${canvas.height * scale()}px`;
}

/** The middle of what is seen of the picture. */
function middle() {
  const { left, top, width, height } = stage.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
}

/**
 * @param {number} factor
 * @param {{ x: number, y: number }} at The place of the page whose pixel stays where it is.
 */
function zoomBy(factor, at = middle()) {
  const before = canvas.getBoundingClientRect();
  zoom = Math.max(Math.min(0.1, fittingScale()), Math.min(8, scale() * factor));
  layOut();
  const after = canvas.getBoundingClientRect(), grown = after.width / before.width;
  stage.scrollLeft += after.left + (at.x - before.left) * grown - at.x;
  stage.scrollTop += after.top + (at.y - before.top) * grown - at.y;
}

/**
 * Moves the picture in its window, as far as there is more of it.
 * @param {{ x: number, y: number }} by
 */
function pan({ x, y }) {
  /** @param {number} by @param {number} before @param {number} behind */
  const taken = (by, before, behind) => Math.max(-behind, Math.min(before, by));
  const { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight } = stage;
  const right = taken(x, scrollLeft, scrollWidth - clientWidth - scrollLeft);
  const down = taken(y, scrollTop, scrollHeight - clientHeight - scrollTop);
  stage.scrollBy(-right, -down);
  return { x: x - right, y: y - down };
}

/** Whether the API lets this page in; asks for the token if it does not. */
async function check() {
  try {
    await call("GET", "/api/screen");
    element("ask").hidden = true;
    return true;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 503) return true; // not there just now: try on
    connection = "refused";
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

new Agents(
  element("agents"),
  element("agents-state"),
  element("agents-stop"),
  () => connection === "connected",
  notice,
);

const live = new Live(canvas, {
  state(state) {
    connection = state;
    showState();
    if (state === "connected") recorder.look();
  },
  resized() {
    showWhatIsOpen();
    showState();
    layOut();
  },
  viewers(count) {
    viewers = count;
    showState();
  },
  error: notice,
  check,
});
const log = new Log(element("log"));
const send = (/** @type {{ type: string }} */ message) => !live.readOnly && live.send(message);
const keyboard = new Keyboard(canvas, typing, { send, log });
const pointer = new Pointer(canvas, { send, zoom: zoomBy, pan, region: () => live.region, log });
new Clipboard({ notice });
const recorder = new Recorder({ changed: showState, notice, wanted: () => live.open && !live.readOnly });

element("zoom-in").addEventListener("click", () => zoomBy(1.25));
element("zoom-out").addEventListener("click", () => zoomBy(0.8));
element("zoom-fit").addEventListener("click", () => {
  zoom = 0;
  layOut();
});
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
addEventListener("resize", layOut);
new ResizeObserver(layOut).observe(stage);
addEventListener("blur", () => {
  pointer.releaseAll();
  keyboard.releaseAll();
});

takeTokenFromAddress();
await connect();
