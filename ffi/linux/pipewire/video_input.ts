/** A video stream on the thread that runs PipeWire's loop: it hands on sizes, frames and the pointer's places. */

import { DesktopUnavailableError } from "../../../core/errors.ts";
import { cString } from "../libc.ts";
import { BufferOrder } from "./buffer_order.ts";
import { VideoBuffer } from "./buffers.ts";
import { Loop } from "./loop.ts";
import { PARAM, sizeOfFormat, WANTED_BUFFERS, WANTED_FORMAT } from "./params.ts";
import { openPipeWire, type PipeWire } from "./symbols.ts";

/** A stream: plain data. */
export interface StreamSource {
  /** The number of the stream's node. */
  node: number;
  /** A connection to PipeWire that the portal opened, taken over; without it the session's PipeWire is asked. */
  fd?: number;
  /** The path of PipeWire's socket; the environment's if left out. */
  remote?: string;
}

/** A listener to a stream, on the thread of the loop. */
export interface VideoListener {
  /** Pictures have this size from now on. */
  format(size: { width: number; height: number }): void;
  /** A buffer, valid until this returns. */
  buffer(buffer: VideoBuffer): void;
}

/** enum pw_stream_state. */
const STATE = { error: -1, unconnected: 0 } as const;
/** enum pw_stream_flags: it is linked to its node, its memory is mapped, and no other node takes that one's place. */
const AUTOCONNECT = 1, MAP_BUFFERS = 4, DONT_RECONNECT = 128;
const DIRECTION_INPUT = 0;
/** `struct pw_stream_events` as 64-bit words: a version and pointers to functions. */
const EVENTS = {
  words: 14,
  stateChanged: 2,
  paramChanged: 5,
  addBuffer: 6,
  removeBuffer: 7,
  process: 8,
} as const;
/** sizeof(struct spa_hook). */
const HOOK_BYTES = 48;
const POD_HEADER_BYTES = 8;
const CONFIG_MISSING =
  "pictures of this desktop come by PipeWire, whose configuration for programs (client.conf) cannot " +
  "be read: install it (Debian, Ubuntu: pipewire-bin; Fedora: pipewire)";

const STATE_CHANGED = { parameters: ["pointer", "i32", "i32", "pointer"], result: "void" } as const;
const PARAM_CHANGED = { parameters: ["pointer", "u32", "pointer"], result: "void" } as const;
const BUFFER_CHANGED = { parameters: ["pointer", "pointer"], result: "void" } as const;
const PROCESS = { parameters: ["pointer"], result: "void" } as const;

/** An open stream. */
export class VideoInput {
  readonly #pw: PipeWire;
  readonly #loop: Loop;
  #context: Deno.PointerValue = null;
  #core: Deno.PointerValue = null;
  #stream: Deno.PointerValue = null;
  // C keeps pointers to these.
  readonly #hook = new Uint8Array(HOOK_BYTES);
  readonly #events = new BigUint64Array(EVENTS.words);
  readonly #callbacks: Deno.UnsafeCallback[] = [];
  /** The stream's buffers, by the addresses of their `struct pw_buffer`. */
  readonly #buffers = new Map<bigint, VideoBuffer>();
  readonly #order = new BufferOrder<VideoBuffer>();
  #ended: string | undefined;

  /** @throws DesktopUnavailableError if PipeWire is not there, or refuses. */
  constructor(source: StreamSource, readonly listener: VideoListener) {
    const pw = this.#pw = openPipeWire();
    this.#loop = Loop.open(pw);
    try {
      this.#context = pw.pw_context_new(this.#loop.pointer, null, 0n);
      if (!this.#context) throw new DesktopUnavailableError(CONFIG_MISSING);
      this.#core = this.#connect(source);
      this.#stream = this.#open(source.node);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /**
   * Handles what has arrived, and calls the listener with it.
   * @param ms How long to wait for something, in milliseconds.
   * @throws DesktopUnavailableError if the stream has ended.
   */
  iterate(ms: number): void {
    const hasHandled = this.#loop.iterate(ms);
    if (this.#ended !== undefined) throw new DesktopUnavailableError(this.#ended);
    if (!hasHandled) this.#read(this.#order.rest([...this.#buffers.values()]));
  }

  /**
   * Has the compositor begin anew, which gives a frame though nothing changes. A compositor that is busy while a stream
   * begins may draw the first frame before there is a buffer for it.
   */
  beginAgain(): void {
    for (const isActive of [false, true]) this.#pw.pw_stream_set_active(this.#stream, isActive);
  }

  /** Frees everything. */
  close(): void {
    if (this.#stream) this.#pw.pw_stream_destroy(this.#stream);
    if (this.#core) this.#pw.pw_core_disconnect(this.#core);
    if (this.#context) this.#pw.pw_context_destroy(this.#context);
    this.#loop.close();
    for (const callback of this.#callbacks) callback.close();
  }

  #connect({ fd, remote }: StreamSource): Deno.PointerObject {
    const properties = remote === undefined
      ? null
      : this.#pw.pw_properties_new_string(cString(`remote.name="${remote}"`));
    const core = fd === undefined
      ? this.#pw.pw_context_connect(this.#context, properties, 0n)
      : this.#pw.pw_context_connect_fd(this.#context, fd, null, 0n);
    if (core) return core;
    throw new DesktopUnavailableError(
      "PipeWire does not answer, and pictures of this desktop come by it: its services (pipewire, wireplumber) " +
        "have to run in the session",
    );
  }

  #open(node: number): Deno.PointerObject {
    const pw = this.#pw;
    const properties = pw.pw_properties_new_string(
      cString("media.type=Video media.category=Capture media.role=Screen"),
    );
    const stream = pw.pw_stream_new(this.#core, cString("deskhand"), properties);
    if (!stream) throw new DesktopUnavailableError("PipeWire makes no stream");
    this.#stream = stream;
    this.#listen(stream);
    const flags = AUTOCONNECT | MAP_BUFFERS | DONT_RECONNECT;
    const result = pw.pw_stream_connect(stream, DIRECTION_INPUT, node, flags, addresses([WANTED_FORMAT]), 1);
    if (result < 0) throw new DesktopUnavailableError(`PipeWire refuses the stream (error ${-result})`);
    return stream;
  }

  #listen(stream: Deno.PointerObject): void {
    const set = <D extends Deno.UnsafeCallbackDefinition>(at: number, callback: Deno.UnsafeCallback<D>) => {
      this.#events[at] = Deno.UnsafePointer.value(callback.pointer);
      this.#callbacks.push(callback as unknown as Deno.UnsafeCallback);
    };
    set(
      EVENTS.stateChanged,
      new Deno.UnsafeCallback(STATE_CHANGED, (_data, _before, state, error) => this.#onState(state, error)),
    );
    set(
      EVENTS.paramChanged,
      new Deno.UnsafeCallback(PARAM_CHANGED, (_data, id, pod) => {
        if (id === PARAM.format && pod) this.#onFormat(pod);
      }),
    );
    set(
      EVENTS.addBuffer,
      new Deno.UnsafeCallback(BUFFER_CHANGED, (_data, pointer) => {
        this.#buffers.set(Deno.UnsafePointer.value(pointer), new VideoBuffer(pointer!));
      }),
    );
    set(
      EVENTS.removeBuffer,
      new Deno.UnsafeCallback(BUFFER_CHANGED, (_data, pointer) => {
        this.#buffers.delete(Deno.UnsafePointer.value(pointer));
      }),
    );
    set(EVENTS.process, new Deno.UnsafeCallback(PROCESS, () => this.#onProcess()));
    this.#pw.pw_stream_add_listener(stream, this.#hook, this.#events, null);
  }

  #onState(state: number, error: Deno.PointerValue): void {
    if (state === STATE.error) {
      const reason = error ? new Deno.UnsafePointerView(error).getCString() : "no reason given";
      this.#ended ??= `the picture's stream failed: ${reason}`;
    } else if (state === STATE.unconnected) this.#ended ??= "the compositor has ended the picture's stream";
  }

  #onFormat(pod: Deno.PointerObject): void {
    const length = POD_HEADER_BYTES + new Deno.UnsafePointerView(pod).getUint32();
    const size = sizeOfFormat(new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(pod, length)));
    if (!size) return;
    this.listener.format(size);
    this.#pw.pw_stream_update_params(this.#stream, addresses(WANTED_BUFFERS), WANTED_BUFFERS.length);
  }

  #onProcess(): void {
    const come: Deno.PointerObject[] = [];
    for (let pointer; (pointer = this.#pw.pw_stream_dequeue_buffer(this.#stream));) come.push(pointer);
    const buffers = come.map((pointer) => this.#buffers.get(Deno.UnsafePointer.value(pointer))!);
    this.#read(this.#order.next(buffers, [...this.#buffers.values()]));
    for (const pointer of come) this.#pw.pw_stream_queue_buffer(this.#stream, pointer);
  }

  #read(buffers: readonly VideoBuffer[]): void {
    for (const buffer of buffers) this.listener.buffer(buffer);
  }
}

/** An array of pointers to values, which stay where they are: modules hold them. */
function addresses(pods: readonly Uint8Array<ArrayBuffer>[]): BigUint64Array<ArrayBuffer> {
  return BigUint64Array.from(pods, (pod) => Deno.UnsafePointer.value(Deno.UnsafePointer.of(pod)));
}
