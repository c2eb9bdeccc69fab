/** The page, which connects its parts. */

import { Agents } from "./agents.js";
import { Recorder, Trace } from "./recorder.js";
import { ApiError, ask, call, hasToken, noticed, saveAs, setToken, takeTokenFromAddress } from "./api.js";
import { Clipboard, ClipboardKeys } from "./clipboard_keys.js";
import { copyText, element, recall, remember, Status } from "./status.js";
import { chooseQuality, Displays, Filling, FullScreen } from "./displays.js";
import { Drop, Share } from "./share.js";
import { DirectFinger, LookingFinger, TrackpadFinger } from "./trackpad.js";
import { foldLog, foldMenu } from "./folding.js";
import { KeyBar } from "./key_bar.js";
import { Keyboard } from "./keyboard.js";
import { Live, Lost } from "./live.js";
import { Log } from "./log.js";
import { Pointer } from "./pointer.js";
import { Sound } from "./sound.js";
import { TextField } from "./text_field.js";
import { Touch } from "./touch.js";
import { View } from "./view.js";

const canvas = /** @type {HTMLCanvasElement} */ (element("screen"));
/** The field that receives the text of a phone's keyboard. */
const typing = /** @type {HTMLTextAreaElement} */ (element("typing"));
/** Receives the picture's keys: an input method works only in a text field. */
const sink = /** @type {HTMLTextAreaElement} */ (element("sink"));

const status = new Status(element("state"), element("notice"));
const notice = (/** @type {string} */ message) => status.notice(message);
const view = new View(element("stage"), element("frame"), canvas);
const log = new Log(element("log"), foldLog());
/** Tells a person where to find the token. */
const WHERE_TOKEN =
  'It is in the link that deskhand printed, behind #token=. Its prompt shows the link again after "status".';
/** How long the hint stays after the first picture, in milliseconds. */
const HINT = 8000;
/** Whether the person wants only to look. */
let isLooking = false;

/** Whether input on this page reaches the desktop. */
const acts = () => !live.readOnly && !isLooking;

function showState() {
  status.show(recorder.state, !acts());
  log.off = !acts() || !status.isConnected;
}

/** Shows the controls that are available; if input is not allowed, the picture takes no focus and no keys. */
function showWhatIsOpen() {
  document.body.classList.toggle("looking", !acts());
  document.body.classList.toggle("read-only", live.readOnly);
  document.body.classList.toggle("guest", live.isGuest);
  if (acts()) canvas.tabIndex = 0;
  else canvas.removeAttribute("tabindex");
  showState();
  view.layOut();
}

function showScale() {
  element("zoom-percent").textContent = `${Math.round(view.scale * 100)} %`;
  element("zoom-fit").setAttribute("aria-pressed", String(view.isFitted));
  element("zoom-actual").setAttribute("aria-pressed", String(!view.isFitted && view.scale === 1));
}

function releaseAll() {
  pointer.releaseAll();
  keyboard.releaseAll();
  keyBar.releaseAll();
}

/** @param {boolean} only */
function look(only) {
  if (only) releaseAll();
  isLooking = only;
  element("looking").setAttribute("aria-pressed", String(only));
  showWhatIsOpen();
}

/** Whether the API accepts this page; asks for the token if it does not. */
async function check() {
  try {
    await ask("/api/screen");
    element("ask").hidden = true;
    return true;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 503) return true; // unavailable now: tries again
    status.connection = "refused";
    lost.show(false);
    showState();
    const wrong = hasToken() ? `${error.message[0].toUpperCase()}${error.message.slice(1)}. ` : "";
    element("why").textContent = wrong + (!wrong || /token/.test(wrong) ? WHERE_TOKEN : "");
    /** @type {HTMLInputElement} */ (element("token")).value = "";
    element("ask").hidden = false;
    element("token").focus();
    return false;
  }
}

async function connect() {
  if (await check()) live.start();
}

new Agents(element("agents"), element("agents-state"), element("agents-stop"), element("question"), {
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
    if (state === "connected") trace.show("off"); // the server reports a running trace
    if (state === "connected") sound.look();
  },
  resized() {
    if (document.body.classList.contains("waiting")) setTimeout(knowHint, HINT);
    document.body.classList.remove("waiting");
    displays.look().catch(() => {}); // on failure, all displays are shown
    showWhatIsOpen();
  },
  viewers(count) {
    status.viewers = count;
    showState();
    share.look().catch(() => {}); // on failure, the list waits for the next change
  },
  trace: (state) => trace.show(state),
  error: notice,
  check,
});
const trace = new Trace(notice);
const sound = new Sound(element("sound"), notice);
const lost = new Lost(element("lost"), element("lost-since"), element("lost-now"), () => live.tryNow());

/** @param {{ type: string, key?: string, down?: boolean }} message */
function send(message) {
  if (!acts() || !live.send(message)) return false;
  if (message.type === "button") knowHint();
  keyBar.sent(message);
  clipboardKeys.sent(message);
  return true;
}

function knowHint() {
  element("hint").classList.add("known");
}

/** @param {string} text */
function type(text) {
  send({ type: "text", text });
  log.text(text);
}

const held = () => keyBar.held;
const combine = (/** @type {string[]} */ names) => keyboard.combine(names);
const clipboardKeys = new ClipboardKeys({ notice, type });
const keyboard = new Keyboard([canvas, sink], {
  send,
  log,
  held,
  paste: (data, press) => clipboardKeys.paste(data, press),
});
const keyBar = new KeyBar(element("keys"), { send, combine });
new TextField(sink, { send, log, combine, held }, { letters: false });
new TextField(typing, { send, log, combine, held }, { letters: matchMedia("(pointer: coarse)").matches })
  .takeKeys();

/** A tap on the picture neither opens nor closes a phone's keyboard. @param {string} device */
function focusPicture(device) {
  if (!acts()) return;
  if (device !== "touch") sink.focus({ preventScroll: true });
  else if (document.activeElement !== typing) canvas.focus({ preventScroll: true });
}

let isTrackpad = recall("trackpad") === "on";
const pan = (/** @type {{ x: number, y: number }} */ by) => view.pan(by);
const zoom = (/** @type {number} */ factor, /** @type {{ x: number, y: number }} */ at) =>
  view.zoomBy(factor, at);
const pointer = new Pointer(
  canvas,
  { send, zoom, region: () => live.region, log, focus: focusPicture },
  (hand) => {
    const looking = new LookingFinger(pan), direct = new DirectFinger(hand);
    const trackpad = new TrackpadFinger(hand, {
      position: () => ask("/api/position"),
      bounds: () => live.region,
      reveal: (place) => view.reveal(place),
    });
    const choose = () => !acts() ? looking : isTrackpad ? trackpad : direct;
    return new Touch(choose, { turn: (x, y, place) => hand.turn(x, y, place), zoom, pan });
  },
);
/** @type {HTMLSelectElement} */ const displayChoice = element("display");
const displays = new Displays(displayChoice, (display) => {
  const { x, y } = live.region;
  view.part = display && { ...display, x: display.x - x, y: display.y - y };
});
chooseQuality(/** @type {HTMLSelectElement} */ (element("quality")), (quality) => live.quality = quality);
new Clipboard({ notice, type });
const share = new Share(notice);
new Drop(element("stage"), element("drops"), acts);
new FullScreen(/** @type {HTMLButtonElement} */ (element("full")), element("handle"), {
  notice,
  acts,
  changed: () => view.layOut(),
});
const recorder = new Recorder({ changed: showState, notice, wanted: () => live.open && !live.readOnly });
const filling = new Filling(view, acts);
view.changed = () => {
  showScale();
  filling.show();
};
view.layOut();
// The menu stays open for picture size entries, which are often chosen several times.
foldMenu(({ id }) => id.startsWith("zoom-"));

element("zoom-in").addEventListener("click", () => view.zoomBy(1.25));
element("zoom-out").addEventListener("click", () => view.zoomBy(0.8));
element("zoom-fit").addEventListener("click", () => view.fit());
element("zoom-actual").addEventListener("click", () => view.zoomTo(1));
element("looking").addEventListener("click", () => look(!isLooking));
element("trackpad").setAttribute("aria-pressed", String(isTrackpad));
element("trackpad").addEventListener("click", () => {
  isTrackpad = !isTrackpad;
  element("trackpad").setAttribute("aria-pressed", String(isTrackpad));
  remember("trackpad", isTrackpad ? "on" : "off");
});
element("keyboard").addEventListener("mousedown", (event) => event.preventDefault()); // otherwise the button takes the focus
element("keyboard").addEventListener("click", () => {
  // The first time, and if the person closed only the keyboard.
  const opens = element("keys").hidden || document.activeElement !== typing;
  element("keys").hidden = !opens;
  element("keyboard").setAttribute("aria-expanded", String(opens));
  if (opens) return typing.focus();
  keyBar.releaseAll();
  typing.blur();
});
element("shot").addEventListener("click", () =>
  noticed(notice, async () => {
    await saveAs(await call("GET", "/api/screenshot?format=png&cursor=true"), "screen.png");
  }));
element("copy-all").addEventListener("click", () => copyText(String(log)));
element("clear").addEventListener("click", () => log.clear());
element("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  setToken(/** @type {HTMLInputElement} */ (element("token")).value);
  connect();
});
// Handles a link with a token opened in a tab that already shows the page.
addEventListener("hashchange", () => {
  if (takeTokenFromAddress() && !live.open) connect();
});
addEventListener("blur", releaseAll);
// Makes room where a phone's keyboard covers the page.
visualViewport?.addEventListener("resize", () => {
  const { height, scale } = /** @type {VisualViewport} */ (visualViewport);
  document.body.style.height = scale === 1 && height < innerHeight ? `${height}px` : "";
});

takeTokenFromAddress();
await connect();
