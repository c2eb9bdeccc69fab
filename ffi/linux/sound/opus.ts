/** Opus (RFC 6716) by libopus, which is opened with the first listener. */

import { UnsupportedError } from "../../../core/errors.ts";
import { CHANNELS, FRAME, RATE } from "./mod.ts";

const FUNCTIONS = {
  opus_encoder_create: {
    parameters: ["i32", /* rate */ "i32", /* channels */ "i32", /* application */ "buffer" /* int *error */],
    result: "pointer",
  },
  // This C function is variadic; Linux's calling conventions pass such arguments like all others.
  opus_encoder_ctl: { parameters: ["pointer", "i32", /* request */ "i32"], result: "i32" },
  opus_encode_float: {
    parameters: [
      "pointer",
      "buffer", // const float *pcm
      "i32", // samples of a channel
      "buffer", // unsigned char *data
      "i32", // its size
    ],
    result: "i32",
  },
  opus_encoder_destroy: { parameters: ["pointer"], result: "void" },
} as const satisfies Deno.ForeignLibraryInterface;

const LIBRARY = "libopus.so.0";
const MISSING = `sound is sent as Opus, and ${LIBRARY} cannot be loaded: install it ` +
  "(Debian, Ubuntu: libopus0; Fedora, Arch: opus)";
/** OPUS_APPLICATION_RESTRICTED_LOWDELAY: 2.5 ms of look-ahead, where music and speech have 6.5 (opus_defines.h). */
const LOW_DELAY = 2051;
const SET_BITRATE = 4002, SET_COMPLEXITY = 4010;
/** Bits a second: music in stereo that few tell from the original. */
const BITRATE = 128_000;
/**
 * The encoder's complexity, of 0 to 10: half the processor time of the most, for a difference that is not heard at this
 * rate.
 */
const COMPLEXITY = 5;
/** The largest packet (RFC 6716 section 3.4). */
const PACKET_BYTES = 1275;

/**
 * Opens the library.
 * @throws UnsupportedError if this system lacks it, naming the package.
 */
function openOpus(): Deno.DynamicLibrary<typeof FUNCTIONS> {
  try {
    return Deno.dlopen(LIBRARY, FUNCTIONS);
  } catch {
    throw new UnsupportedError(MISSING);
  }
}

/** The reason why sound cannot be encoded here; undefined if it can. */
export function missingOpus(): string | undefined {
  try {
    openOpus().close();
    return undefined;
  } catch (error) {
    if (!(error instanceof UnsupportedError)) throw error;
    return error.message;
  }
}

/** An encoder of one stream. */
export class OpusEncoder {
  readonly #library = openOpus();
  readonly #encoder: Deno.PointerValue;
  readonly #packet = new Uint8Array(PACKET_BYTES);

  /** @throws UnsupportedError if this system lacks the library. */
  constructor() {
    const { symbols } = this.#library;
    this.#encoder = symbols.opus_encoder_create(RATE, CHANNELS, LOW_DELAY, new Int32Array(1));
    if (!this.#encoder) throw new UnsupportedError("libopus could not create an encoder");
    symbols.opus_encoder_ctl(this.#encoder, SET_BITRATE, BITRATE);
    symbols.opus_encoder_ctl(this.#encoder, SET_COMPLEXITY, COMPLEXITY);
  }

  /**
   * Encodes a frame.
   * @param samples {@linkcode FRAME} of each channel, left and right in turn.
   * @returns The packet, valid until the next call.
   */
  encode(samples: Float32Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    const { symbols } = this.#library;
    const bytes = symbols.opus_encode_float(this.#encoder, samples, FRAME, this.#packet, PACKET_BYTES);
    if (bytes < 0) throw new Error(`libopus could not encode a frame (error ${bytes})`);
    return this.#packet.subarray(0, bytes);
  }

  close(): void {
    this.#library.symbols.opus_encoder_destroy(this.#encoder);
    this.#library.close();
  }
}

// Frames of sound, with their times, from samples that come in pieces of any size. Pure.

/** The loudest sample that counts as silence: half a step of 16 bits. */
const SILENT = 1 / 65_536;
/** Silent frames that are handed on before the rest of the silence is left out: 200 ms, in which echoes end. */
const LAST_SILENT = 20;

/** Cuts frames. */
export class Framer {
  readonly #frame = new Float32Array(FRAME * CHANNELS);
  #filled = 0;
  #silent = LAST_SILENT;

  /**
   * @param frame Gets each frame that is to be heard, valid until it returns, and the time of its first sample in
   *   milliseconds.
   */
  constructor(readonly frame: (samples: Float32Array<ArrayBuffer>, at: number) => void) {}

  /**
   * Takes samples.
   * @param samples Left and right in turn.
   * @param until When the last of them was played, in milliseconds.
   */
  push(samples: Float32Array<ArrayBuffer>, until: number): void {
    for (let from = 0; from < samples.length;) {
      const part = samples.subarray(from, from + this.#frame.length - this.#filled);
      this.#frame.set(part, this.#filled);
      this.#filled += part.length;
      from += part.length;
      if (this.#filled < this.#frame.length) return;
      this.#filled = 0;
      const later = (samples.length - from + this.#frame.length) / CHANNELS;
      this.#silent = this.#frame.every((sample) => Math.abs(sample) < SILENT) ? this.#silent + 1 : 0;
      if (this.#silent <= LAST_SILENT) this.frame(this.#frame, until - 1000 * later / RATE);
    }
  }
}
