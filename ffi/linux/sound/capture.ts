/** Captures the sound played by the session from PulseAudio, and encodes it as Opus. */

import { prototypes } from "../../../core/binding.ts";
import { DesktopUnavailableError, UnsupportedError } from "../../../core/errors.ts";
import { isThere } from "../../../core/path.ts";
import { closedOnFailure } from "../../reconnecting.ts";
import { cString } from "../libc.ts";
import { CHANNELS, FRAME, RATE } from "./mod.ts";

const PULSE_FUNCTIONS = prototypes({
  pa_mainloop_new: "pointer ()",
  pa_mainloop_free: "void (pointer)",
  pa_mainloop_get_api: "pointer (pointer)",
  pa_mainloop_prepare: "i32 (pointer, i32 microseconds)",
  pa_mainloop_poll: "i32 (pointer)",
  pa_mainloop_dispatch: "i32 (pointer)",
  pa_context_new: "pointer (pointer, buffer char *name)",
  pa_context_connect: "i32 (pointer, pointer char *server, u32 flags, pointer)",
  pa_context_get_state: "i32 (pointer)",
  pa_context_errno: "i32 (pointer)",
  pa_context_disconnect: "void (pointer)",
  pa_context_unref: "void (pointer)",
  pa_strerror: "pointer (i32)",
  pa_stream_new: "pointer (pointer, buffer char *name, buffer pa_sample_spec *, pointer)",
  pa_stream_connect_record: "i32 (pointer, buffer char *source, buffer pa_buffer_attr *, u32 flags)",
  pa_stream_get_state: "i32 (pointer)",
  pa_stream_readable_size: "usize (pointer)",
  pa_stream_peek: "i32 (pointer, buffer void **, buffer size_t *)",
  pa_stream_drop: "i32 (pointer)",
  pa_stream_disconnect: "i32 (pointer)",
  pa_stream_unref: "void (pointer)",
});

type Pulse = Deno.DynamicLibrary<typeof PULSE_FUNCTIONS>["symbols"];

const PULSE_LIBRARY = "libpulse.so.0";
/** Values of pa_context_state_t and pa_stream_state_t: ready, and the first value for failure or end. */
const CONTEXT = { ready: 4, over: 5 } as const, STREAM = { over: 3 } as const;
/** PA_CONTEXT_NOAUTOSPAWN: a server that is not running plays no sound, so it need not be started. */
const NO_AUTOSPAWN = 1;
/** PA_STREAM_ADJUST_LATENCY: the source delivers sound in pieces as small as the fragments. */
const ADJUST_LATENCY = 0x2000;
/** PA_SAMPLE_FLOAT32LE. */
const FLOAT = 5;
const SAMPLE_BYTES = 4;
/** Maximum time for the server to answer, in milliseconds. */
const ANSWER_MS = 5000;
/** The default sink's monitor; PulseAudio follows changes of the default. */
const SOURCE = "@DEFAULT_MONITOR@";
/** `(uint32_t) -1`: the server's choice. */
const ANY = 0xffffffff;

/** `pa_sample_spec`: u32 format, u32 rate, u8 channels. */
const SPEC = Uint8Array.from(new Uint8Array(Uint32Array.of(FLOAT, RATE, CHANNELS).buffer));
/** `pa_buffer_attr`: maxlength, tlength, prebuf, minreq, fragsize, in bytes. */
const ATTRIBUTES = new Uint8Array(
  Uint32Array.of(ANY, ANY, ANY, ANY, FRAME * CHANNELS * SAMPLE_BYTES).buffer,
);

/** The folder of a system-wide server. */
const SYSTEM_FOLDER = "/run/pulse";

/** A connection to a server. */
class Context {
  readonly #loop: Deno.PointerValue;
  readonly pointer: Deno.PointerObject;

  private constructor(readonly pulse: Pulse) {
    this.#loop = pulse.pa_mainloop_new();
    this.pointer = pulse.pa_context_new(pulse.pa_mainloop_get_api(this.#loop), cString("deskhand"))!;
  }

  /** @throws DesktopUnavailableError if the library is missing, or no server accepts this user. */
  static open(): Context {
    checkServer();
    return closedOnFailure(new Context(openPulse()), (context) => {
      if (context.pulse.pa_context_connect(context.pointer, null, NO_AUTOSPAWN, null) < 0) {
        throw context.error("is not responding");
      }
      for (const end = performance.now() + ANSWER_MS; context.state !== CONTEXT.ready;) {
        if (performance.now() > end) throw new DesktopUnavailableError("the sound server is not responding");
        context.iterate(100);
      }
      return context;
    });
  }

  get state(): number {
    return this.pulse.pa_context_get_state(this.pointer);
  }

  /** @throws DesktopUnavailableError if the connection has ended. */
  iterate(ms: number): void {
    const { pulse } = this;
    if (pulse.pa_mainloop_prepare(this.#loop, ms * 1000) >= 0 && pulse.pa_mainloop_poll(this.#loop) >= 0) {
      pulse.pa_mainloop_dispatch(this.#loop);
    }
    if (this.state >= CONTEXT.over) throw this.error("is not responding");
  }

  /** The error of the last call. */
  error(what: string): DesktopUnavailableError {
    const words = this.pulse.pa_strerror(this.pulse.pa_context_errno(this.pointer));
    const reason = words ? new Deno.UnsafePointerView(words).getCString() : "no reason given";
    return new DesktopUnavailableError(`the sound server ${what} (${reason})`);
  }

  close(): void {
    this.pulse.pa_context_disconnect(this.pointer);
    this.pulse.pa_context_unref(this.pointer);
    this.pulse.pa_mainloop_free(this.#loop);
  }
}

/** Sound from the monitor, on the thread that opened it. */
export class PulseInput {
  readonly #context = Context.open();
  readonly #stream: Deno.PointerValue;
  readonly #data = new BigUint64Array(1);
  readonly #size = new BigUint64Array(1);

  /**
   * @param take Receives samples as they arrive: left and right alternating, from -1 to 1; valid during
   * the call.
   * @throws DesktopUnavailableError if there is no server, or it refuses.
   */
  constructor(readonly take: (samples: Float32Array<ArrayBuffer>) => void) {
    const context = this.#context, { pulse } = context;
    this.#stream = pulse.pa_stream_new(context.pointer, cString("the desktop's sound"), SPEC, null);
    const result = this.#stream &&
      pulse.pa_stream_connect_record(this.#stream, cString(SOURCE), ATTRIBUTES, ADJUST_LATENCY);
    if (result === 0) return;
    const error = context.error("refused to record the desktop's sound");
    this.close();
    throw error;
  }

  /**
   * Passes on the sound that has arrived.
   * @param ms Maximum wait for sound, in milliseconds.
   * @throws DesktopUnavailableError if the sound has ended.
   */
  iterate(ms: number): void {
    const { pulse } = this.#context;
    this.#context.iterate(ms);
    if (pulse.pa_stream_get_state(this.#stream) >= STREAM.over) {
      throw this.#context.error("ended the desktop's sound stream");
    }
    const readable = () => pulse.pa_stream_readable_size(this.#stream);
    for (let bytes = readable(); bytes > 0n && bytes < 1n << 32n; bytes = readable()) this.#read();
  }

  close(): void {
    const { pulse } = this.#context;
    if (this.#stream) {
      pulse.pa_stream_disconnect(this.#stream);
      pulse.pa_stream_unref(this.#stream);
    }
    this.#context.close();
  }

  #read(): void {
    const { pulse } = this.#context;
    if (pulse.pa_stream_peek(this.#stream, this.#data, this.#size) < 0) {
      throw this.#context.error("cannot be read");
    }
    const bytes = Number(this.#size[0]), pointer = Deno.UnsafePointer.create(this.#data[0]);
    if (bytes === 0) return;
    // A hole in the server's memory has a size but no samples.
    this.take(
      pointer
        ? new Float32Array(Deno.UnsafePointerView.getArrayBuffer(pointer, bytes))
        : new Float32Array(bytes / SAMPLE_BYTES),
    );
    pulse.pa_stream_drop(this.#stream);
  }
}

/**
 * Checks for a sound server by connecting to it. Captures nothing.
 * @throws DesktopUnavailableError if there is no server, or it refuses.
 */
export function checkPulse(): void {
  Context.open().close();
}

/**
 * Checks for a server without libpulse, which would create missing folders for its socket
 * (pa_make_secure_parent_dir).
 * @throws DesktopUnavailableError if no server is named, and the session's usual socket does not exist.
 */
function checkServer(): void {
  const { PULSE_SERVER, PULSE_RUNTIME_PATH, XDG_RUNTIME_DIR } = Deno.env.toObject();
  if (PULSE_SERVER) return;
  const folder = PULSE_RUNTIME_PATH || (XDG_RUNTIME_DIR ? `${XDG_RUNTIME_DIR}/pulse` : SYSTEM_FOLDER);
  if ([folder, SYSTEM_FOLDER].some((folder) => isThere(`${folder}/native`))) return;
  throw new DesktopUnavailableError(
    `no sound server is running: neither pipewire-pulse nor PulseAudio has a socket at ${folder}/native, and ` +
      "PULSE_SERVER names none",
  );
}

let opened: Pulse | undefined;

/** @throws DesktopUnavailableError if this system lacks the library. */
function openPulse(): Pulse {
  try {
    return opened ??= Deno.dlopen(PULSE_LIBRARY, PULSE_FUNCTIONS).symbols;
  } catch {
    throw new DesktopUnavailableError(
      `${PULSE_LIBRARY} cannot be loaded: install it (Debian, Ubuntu: libpulse0; Fedora: pulseaudio-libs)`,
    );
  }
}

// Opus (RFC 6716) with libopus, which is opened for the first listener.

const OPUS_FUNCTIONS = prototypes({
  opus_encoder_create: "pointer (i32 rate, i32 channels, i32 application, buffer int *error)",
  // This C function is variadic; Linux calling conventions pass such arguments like all others.
  opus_encoder_ctl: "i32 (pointer, i32 request, i32)",
  opus_encode_float: `i32 (pointer, buffer const float *pcm, i32 samples of a channel,
    buffer unsigned char *data, i32 its size)`,
  opus_encoder_destroy: "void (pointer)",
});

const OPUS_LIBRARY = "libopus.so.0";
const MISSING = `sound is sent as Opus, and ${OPUS_LIBRARY} cannot be loaded: install it ` +
  "(Debian, Ubuntu: libopus0; Fedora, Arch: opus)";
/** OPUS_APPLICATION_RESTRICTED_LOWDELAY: 2.5 ms of look-ahead instead of 6.5 ms (opus_defines.h). */
const LOW_DELAY = 2051;
const SET_BITRATE = 4002, SET_COMPLEXITY = 4010;
/** Bits per second: for stereo music, few can tell it from the original. */
const BITRATE = 128_000;
/**
 * The encoder's complexity, from 0 to 10: half the processor time of the maximum, without an audible
 * difference at this bit rate.
 */
const COMPLEXITY = 5;
/** Maximum packet size, in bytes (RFC 6716 section 3.4). */
const PACKET_BYTES = 1275;

/**
 * Opens the library.
 * @throws UnsupportedError naming the package if this system lacks it.
 */
function openOpus(): Deno.DynamicLibrary<typeof OPUS_FUNCTIONS> {
  try {
    return Deno.dlopen(OPUS_LIBRARY, OPUS_FUNCTIONS);
  } catch {
    throw new UnsupportedError(MISSING);
  }
}

/** Checks that sound can be encoded here. @throws UnsupportedError naming the package if it cannot. */
export function checkOpus(): void {
  openOpus().close();
}

/** An encoder for one stream. */
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
   * @param samples {@linkcode FRAME} samples per channel, left and right alternating.
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

// Sound frames with their times, from samples that come in pieces of any size. Pure.

/** The loudest sample that counts as silence: half a 16-bit step. */
const SILENT = 1 / 65_536;
/**
 * Number of silent frames passed on before the rest of the silence is skipped: 200 ms, in which echoes fade.
 */
const LAST_SILENT = 20;

/** Cuts samples into frames. */
export class Framer {
  readonly #frame = new Float32Array(FRAME * CHANNELS);
  #filled = 0;
  #silent = LAST_SILENT;

  /**
   * @param frame Receives each frame to be heard, valid until it returns, and the time of its first sample in
   * milliseconds.
   */
  constructor(readonly frame: (samples: Float32Array<ArrayBuffer>, at: number) => void) {}

  /**
   * Adds samples.
   * @param samples Left and right alternating.
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
