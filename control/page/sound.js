/** The desktop's sound: off until the person turns it on, as browsers require for playback. */

import { ask, protocols } from "./api.js";

/** Samples per second, as sent by the server. */
const RATE = 48_000;
const NOT_SECURE = "Browsers play the desktop's sound only over TLS (--cert, --key) or from localhost.";
const TOO_OLD = "This browser cannot decode the desktop's sound (it lacks WebCodecs for sound).";

/** @typedef {{ context: AudioContext, worker: Worker, node: AudioWorkletNode }} Playing */

export class Sound {
  /** @type {Playing | undefined} */ #playing;
  /** Whether sound is being turned on or off, which takes a moment. */ #isTurning = false;

  /** @param {HTMLElement} button @param {(message: string) => void} notice */
  constructor(button, notice) {
    this.button = button;
    this.notice = notice;
    button.addEventListener("click", () => this.#turn());
  }

  /**
   * Checks whether the desktop's sound is available; sound that was on before the connection was lost is
   * turned on again.
   */
  async look() {
    this.#playing?.worker.postMessage("connect");
    const { offered } = await ask("/api/sound").catch(() => ({ offered: false }));
    this.button.hidden = !offered && !this.#playing;
  }

  async #turn() {
    if (this.#isTurning) return;
    this.#isTurning = true;
    try {
      if (this.#playing) await this.#end();
      else await this.#begin();
    } catch (error) {
      this.notice(`Sound: ${/** @type {Error} */ (error).message}`);
    }
    this.button.setAttribute("aria-pressed", String(this.#playing !== undefined));
    this.button.title = this.#playing ? "Silence" : "Hear the desktop";
    this.#isTurning = false;
  }

  async #begin() {
    if (!isSecureContext) return this.notice(NOT_SECURE);
    if (!("AudioDecoder" in globalThis && "AudioWorkletNode" in globalThis)) return this.notice(TOO_OLD);
    const context = new AudioContext({ latencyHint: "interactive", sampleRate: RATE });
    try {
      await context.audioWorklet.addModule("sound_worklet.js");
      const node = new AudioWorkletNode(context, "sound-player", {
        outputChannelCount: [2],
        numberOfInputs: 0,
      });
      node.connect(context.destination);
      const { port1, port2 } = new MessageChannel(), url = new URL("api/listen", location.href);
      url.protocol = url.protocol.replace("http", "ws");
      const worker = new Worker("sound_worker.js", { type: "module" });
      worker.onmessage = ({ data }) => this.notice(`Sound: ${data}`);
      node.port.postMessage("begin", [port1]);
      worker.postMessage({ url: url.href, protocols: protocols(), sound: port2 }, [port2]);
      await context.resume();
      this.#playing = { context, worker, node };
    } catch (error) {
      await context.close();
      throw error;
    }
  }

  async #end() {
    const { context, worker, node } = /** @type {Playing} */ (this.#playing);
    this.#playing = undefined;
    worker.terminate();
    node.port.postMessage("end");
    await context.close();
  }
}
