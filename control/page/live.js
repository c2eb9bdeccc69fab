/** The live picture: a WebSocket that delivers pictures and accepts input, and reconnects after a failure. */

import { protocols } from "./api.js";
import { Picture } from "./picture.js";

/** Minimum and maximum delay between connection attempts, in milliseconds: it doubles each time. */
const RETRY = { first: 500, last: 8000 };

/** @typedef {{ x: number, y: number, width: number, height: number }} Region */

export class Live {
  /** @type {WebSocket | undefined} */ #socket;
  #retry = RETRY.first;
  #stopped = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;
  #quality = "automatic";
  /** @type {Region} The desktop's position and size. */ region = { x: 0, y: 0, width: 16, height: 9 };
  /** Whether only looking is allowed. */ readOnly = false;
  /** Whether this page was opened through a link, which grants only some rights. */ isGuest = false;

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {{ state: (state: string) => void, resized: () => void, viewers: (count: number) => void,
   *   trace: (state: string) => void, error: (message: string) => void,
   *   check: () => Promise<boolean> }} to `check` says whether another attempt makes sense.
   */
  constructor(canvas, to) {
    this.picture = new Picture(canvas);
    this.to = to;
  }

  get open() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** @param {string} quality One of the qualities in the server's control/http/live/protocol.ts. */
  set quality(quality) {
    this.#quality = quality;
    this.send({ type: "quality", quality });
  }

  start() {
    this.#socket?.close();
    this.#stopped = false;
    const url = new URL(`api/live?quality=${this.#quality}`, location.href);
    url.protocol = url.protocol.replace("http", "ws");
    const socket = this.#socket = new WebSocket(url, protocols());
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.#retry = RETRY.first;
      this.to.state("connected");
    };
    socket.onmessage = ({ data }) => {
      if (socket !== this.#socket) return; // an older socket continues a picture no longer shown
      if (typeof data === "string") this.#receive(JSON.parse(data));
      else this.#draw(data, socket);
    };
    socket.onclose = () => this.#again(socket);
  }

  stop() {
    this.#stopped = true;
    this.#socket?.close();
  }

  /** @param {object} message @returns {boolean} Whether it was sent. */
  send(message) {
    if (!this.open) return false;
    this.#socket?.send(JSON.stringify(message));
    return true;
  }

  /** Reconnects even if the socket looks open: a lost network does not close it. */
  restart() {
    const socket = this.#socket;
    if (!socket || !this.open) return;
    this.#socket = undefined; // later messages of this socket, and its end, are ignored
    socket.close();
    this.#again(undefined);
  }

  /** Tries to connect immediately if the connection is lost. */
  tryNow() {
    if (this.#timer === undefined) return;
    this.#retry = RETRY.first;
    this.#tryAgain(this.#socket);
  }

  /** @param {WebSocket | undefined} socket The lost one. */
  #again(socket) {
    if (socket !== this.#socket || this.#stopped) return;
    this.to.state("reconnecting");
    this.#timer = setTimeout(() => this.#tryAgain(socket), this.#retry);
  }

  /** @param {WebSocket | undefined} socket */
  async #tryAgain(socket) {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#retry = Math.min(RETRY.last, this.#retry * 2);
    if (!this.#stopped && socket === this.#socket && await this.to.check()) this.start();
  }

  /**
   * @param {{ type: string, message: string, count: number, state: string, readOnly: boolean,
   *   isGuest: boolean } & Region} message
   */
  #receive(message) {
    if (message.type === "ping") return void this.send({ type: "pong" });
    if (message.type === "error") return this.to.error(message.message);
    if (message.type === "viewers") return this.to.viewers(message.count);
    if (message.type === "trace") return this.to.trace(message.state);
    if (message.type !== "screen") return;
    const { x, y, width, height } = message;
    this.region = { x, y, width, height };
    this.readOnly = message.readOnly;
    this.isGuest = message.isGuest;
    this.picture.resize(message).then(() => this.to.resized());
  }

  /** @param {ArrayBuffer} data A picture. @param {WebSocket} socket Its source. */
  #draw(data, socket) {
    // Acknowledges a picture when the browser shows it, so that a slow or hidden page receives fewer
    // pictures. The page reports its own time, so that the server measures only the network.
    const received = performance.now();
    const acknowledge = () => {
      const held = Math.round(performance.now() - received);
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type: "ack", held }));
    };
    this.picture.draw(data).then(() => requestAnimationFrame(acknowledge)).catch(() => socket.close());
  }
}

// The view of a lost connection: the last picture, dimmed, and its age.

/** @param {number} seconds */
function spoken(seconds) {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export class Lost {
  /** Time of the loss, by `Date.now()`; undefined while connected. @type {number | undefined} */ #since;
  /** @type {ReturnType<typeof setInterval> | undefined} */ #timer;

  /**
   * @param {HTMLElement} veil Covers the picture.
   * @param {HTMLElement} words Receives the time.
   * @param {HTMLElement} button
   * @param {() => void} tryNow
   */
  constructor(veil, words, button, tryNow) {
    this.veil = veil;
    this.words = words;
    button.addEventListener("click", tryNow);
    addEventListener("online", tryNow);
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && this.#since !== undefined) tryNow();
    });
  }

  /** @param {boolean} isLost */
  show(isLost) {
    if (isLost === (this.#since !== undefined)) return;
    this.veil.hidden = !isLost;
    document.body.classList.toggle("lost", isLost);
    this.#since = isLost ? Date.now() : undefined;
    clearInterval(this.#timer);
    if (!isLost) return;
    this.#tell();
    this.#timer = setInterval(() => this.#tell(), 1000);
  }

  #tell() {
    const since = this.#since ?? Date.now(), time = new Date(since).toLocaleTimeString();
    const ago = spoken(Math.round((Date.now() - since) / 1000));
    this.words.textContent = `The picture is from ${time}, ${ago} ago. Trying again.`;
  }
}
