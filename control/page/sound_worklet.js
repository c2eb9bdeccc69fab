/** Plays the waiting sound on the browser's audio thread. */

import { SoundBuffer } from "./sound_buffer.js";

/** The scope of audio worklets, which lib.dom does not describe. @type {any} */
const scope = globalThis;

class SoundPlayer extends scope.AudioWorkletProcessor {
  #buffer = new SoundBuffer(scope.sampleRate);
  #isOver = false;

  constructor() {
    super();
    this.port.onmessage = (/** @type {MessageEvent} */ { data, ports: [sound] }) => {
      if (data === "end") return this.#isOver = true;
      // Receives samples from the decoding thread.
      sound.onmessage = ({ data }) => this.#buffer.push(data);
    };
  }

  /** @param {Float32Array[][]} _inputs @param {Float32Array[][]} outputs */
  process(_inputs, [output]) {
    this.#buffer.pull(output);
    return !this.#isOver;
  }
}

scope.registerProcessor("sound-player", SoundPlayer);
