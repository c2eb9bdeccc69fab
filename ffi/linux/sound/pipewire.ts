/** The sound that a PipeWire plays, on the thread that runs its loop. */

import { DesktopUnavailableError } from "../../../core/errors.ts";
import { Connection, OpenStream } from "../pipewire/open_stream.ts";
import { encodeObject, OBJECT, PARAM } from "../pipewire/buffers.ts";
import { nodeClasses } from "../pipewire/registry.ts";
import { CHANNELS, RATE, type SoundInput, type TakeSamples } from "./mod.ts";

/** The use of PipeWire, for messages. */
const PURPOSE = "the desktop's sound";
/** Keys of a format (spa/param/format.h). */
const FORMAT = {
  mediaType: 1,
  mediaSubtype: 2,
  audioFormat: 0x10001,
  rate: 0x10003,
  channels: 0x10004,
} as const;
const MEDIA_AUDIO = 1, SUBTYPE_RAW = 1;
/** SPA_AUDIO_FORMAT_F32_LE: channels side by side. */
const FLOAT = 0x11b;
/** Interleaved samples of the format that all ways give; PipeWire converts. */
const WANTED_FORMAT = encodeObject({
  type: OBJECT.format,
  id: PARAM.enumFormat,
  properties: new Map([
    [FORMAT.mediaType, { type: "id", value: MEDIA_AUDIO }],
    [FORMAT.mediaSubtype, { type: "id", value: SUBTYPE_RAW }],
    [FORMAT.audioFormat, { type: "id", value: FLOAT }],
    [FORMAT.rate, { type: "int", value: RATE }],
    [FORMAT.channels, { type: "int", value: CHANNELS }],
  ]),
});
/**
 * Records the sound that the default sink plays (`stream.capture.sink`), and follows a change of the default. Without
 * the given latency PipeWire passes sound on in pieces of 21 ms.
 */
const PROPERTIES = "media.type=Audio media.category=Capture media.role=Music stream.capture.sink=true " +
  "node.name=deskhand node.latency=480/48000";
/** The time that the session manager may take to link the stream, in milliseconds. */
const LINK_MS = 5000;

/** `struct spa_buffer`: u32 n_metas, u32 n_datas, metas, datas; `struct spa_data`; `struct spa_chunk`. */
const DATAS = 4, DATA = 16, MAX_SIZE = 20, MEMORY = 24, CHUNK = 32, OFFSET = 0, SIZE = 4;

/** Sound from a stream of PipeWire. */
export class PipeWireInput implements SoundInput {
  readonly #stream: OpenStream;
  readonly #start = performance.now();

  /** @throws DesktopUnavailableError if PipeWire is not there, or refuses. */
  constructor(take: TakeSamples) {
    const wish = { properties: PROPERTIES, format: WANTED_FORMAT, name: "the stream of the desktop's sound" };
    this.#stream = new OpenStream(new Connection({}, PURPOSE), wish, {
      format: () => [],
      come(buffers) {
        for (const buffer of buffers) {
          const samples = samplesOf(buffer);
          if (samples) take(samples);
        }
      },
    });
  }

  iterate(ms: number): void {
    this.#stream.iterate(ms);
    if (this.#stream.hasRun || performance.now() - this.#start < LINK_MS) return;
    throw new DesktopUnavailableError(
      "PipeWire links nothing to the stream of the desktop's sound: its session manager (wireplumber) has to run",
    );
  }

  close(): void {
    this.#stream.close();
  }
}

/** Tells why PipeWire gives no sound now; undefined if it does. A PipeWire for pictures alone has no output. */
export function missingPipeWire(): string | undefined {
  try {
    return nodeClasses(new Connection({}, PURPOSE))?.has("Audio/Sink") ? undefined : "PipeWire has no output";
  } catch (error) {
    if (!(error instanceof DesktopUnavailableError)) throw error;
    return error.message;
  }
}

/**
 * The samples in a `struct pw_buffer`, which begins with a `struct spa_buffer *`; undefined if the buffer has no
 * samples.
 */
function samplesOf(pointer: Deno.PointerObject): Float32Array<ArrayBuffer> | undefined {
  const buffer = new Deno.UnsafePointerView(new Deno.UnsafePointerView(pointer).getPointer()!);
  if (!buffer.getUint32(DATAS)) return undefined;
  const data = new Deno.UnsafePointerView(buffer.getPointer(DATA)!);
  const memory = data.getPointer(MEMORY), chunkAt = data.getPointer(CHUNK), most = data.getUint32(MAX_SIZE);
  if (!memory || !chunkAt) return undefined;
  const chunk = new Deno.UnsafePointerView(chunkAt),
    offset = chunk.getUint32(OFFSET),
    size = chunk.getUint32(SIZE);
  if (!size || offset + size > most) return undefined;
  return new Float32Array(Deno.UnsafePointerView.getArrayBuffer(memory, size - size % 4, offset));
}
