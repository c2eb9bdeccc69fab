/** The objects of a PipeWire, as its registry lists them (pipewire/core.h); used to list nodes. */

import { BufferOrder } from "./buffer_order.ts";
import { sizeOfFormat, VideoBuffer, WANTED_BUFFERS, WANTED_FORMAT } from "./buffers.ts";
import { Connection, OpenStream, type Remote } from "./open_stream.ts";

/**
 * A proxy begins with a `struct spa_interface`, whose callbacks are a table of functions and their first argument
 * (spa/utils/hook.h).
 */
const FUNCTIONS_AT = 16, OBJECT_AT = 24;
/** Functions of `struct pw_core_methods` and `struct pw_registry_methods`. */
const ADD_LISTENER_AT = 8, SYNC_AT = 24, GET_REGISTRY_AT = 48;
/** `struct pw_core_events` and `struct pw_registry_events` as 64-bit words, and where their `done` and `global` are. */
const CORE_EVENTS = { words: 10, at: 2 } as const, REGISTRY_EVENTS = { words: 3, at: 1 } as const;
const REGISTRY_VERSION = 3;
/** sizeof(struct spa_hook). */
const HOOK_BYTES = 48;
/** `struct spa_dict`: u32 flags, u32 n_items, items; each is a key and a value. */
const DICT = { count: 4, items: 8, item: 16, value: 8 } as const;
/** The time that PipeWire may take to tell its objects, in milliseconds. */
const ANSWER_MS = 2000;

const ADD_LISTENER = { parameters: ["pointer", "buffer", "buffer", "pointer"], result: "void" } as const;
const SYNC = { parameters: ["pointer", "u32", "i32"], result: "i32" } as const;
const GET_REGISTRY = { parameters: ["pointer", "u32", "usize"], result: "pointer" } as const;
const DONE = { parameters: ["pointer", "u32", "i32"], result: "void" } as const;
const GLOBAL = {
  parameters: ["pointer", "u32", "u32", /* char *type */ "pointer", "u32", /* struct spa_dict * */ "pointer"],
  result: "void",
} as const;

type Pointer = Deno.PointerObject;

/**
 * Asks PipeWire for the classes of its nodes, such as `Audio/Sink`, and waits for the answer.
 * @param connection Taken over: it is closed when this returns.
 * @returns undefined if no answer comes.
 */
export function nodeClasses(connection: Connection): Set<string> | undefined {
  const classes = new Set<string>();
  let isDone = false;
  const done = new Deno.UnsafeCallback(DONE, () => void (isDone = true));
  const global = new Deno.UnsafeCallback(GLOBAL, (_data, _id, _permissions, _type, _version, properties) => {
    const name = properties && valueOf(properties, "media.class");
    if (name) classes.add(name);
  });
  /** Objects to which C keeps pointers. */
  const kept: [hook: Uint8Array<ArrayBuffer>, events: BigUint64Array<ArrayBuffer>][] = [];
  const listen = (proxy: Pointer, events: BigUint64Array<ArrayBuffer>) => {
    const hook = new Uint8Array(HOOK_BYTES);
    kept.push([hook, events]);
    call(proxy, ADD_LISTENER_AT, ADD_LISTENER)(hook, events, null);
  };
  try {
    const registry: Deno.PointerValue = call(connection.core, GET_REGISTRY_AT, GET_REGISTRY)(
      REGISTRY_VERSION,
      0n,
    );
    if (!registry) return undefined;
    listen(connection.core, eventsWith(CORE_EVENTS, done.pointer));
    listen(registry, eventsWith(REGISTRY_EVENTS, global.pointer));
    call(connection.core, SYNC_AT, SYNC)(0, 0);
    const end = performance.now() + ANSWER_MS;
    while (!isDone && performance.now() < end) connection.loop.iterate(100);
    return isDone ? classes : undefined;
  } finally {
    connection.close();
    done.close();
    global.close();
    kept.length = 0;
  }
}

/** A function of a proxy, without its first argument. Its results other than pointers are not for use. */
function call<const D extends Deno.UnsafeCallbackDefinition>(proxy: Pointer, at: number, definition: D) {
  const view = new Deno.UnsafePointerView(proxy);
  const functions = new Deno.UnsafePointerView(view.getPointer(FUNCTIONS_AT)!);
  const pointer = functions.getPointer(at) as Deno.PointerObject<D>, object = view.getPointer(OBJECT_AT);
  const bound = new Deno.UnsafeFnPointer(pointer, definition);
  return (...args: unknown[]) => (bound.call as (...all: unknown[]) => Deno.PointerValue)(object, ...args);
}

function eventsWith(
  { words, at }: { words: number; at: number },
  callback: Pointer,
): BigUint64Array<ArrayBuffer> {
  const events = new BigUint64Array(words);
  events[at] = Deno.UnsafePointer.value(callback);
  return events;
}

/** The value of a property; undefined if the dictionary lacks it. */
function valueOf(dictionary: Pointer, key: string): string | undefined {
  const view = new Deno.UnsafePointerView(dictionary), count = view.getUint32(DICT.count);
  const first = view.getPointer(DICT.items);
  if (!first) return undefined;
  const items = new Deno.UnsafePointerView(first);
  for (let i = 0; i < count; i++) {
    const name = items.getPointer(i * DICT.item), value = items.getPointer(i * DICT.item + DICT.value);
    if (name && value && new Deno.UnsafePointerView(name).getCString() === key) {
      return new Deno.UnsafePointerView(value).getCString();
    }
  }
  return undefined;
}

// A video stream on the thread that runs PipeWire's loop: it hands on sizes, frames and the pointer's places.

/** A stream: plain data. */
export interface StreamSource extends Remote {
  /** The number of the stream's node. */
  node: number;
}

/** A listener to a stream, on the thread of the loop. */
interface VideoListener {
  /** Pictures have this size from now on. */
  format(size: { width: number; height: number }): void;
  /** A buffer, valid until this returns. */
  buffer(buffer: VideoBuffer): void;
}

/** enum pw_stream_flags: no other node takes the place of the stream's. */
const DONT_RECONNECT = 128;

/** An open stream. */
export class VideoInput {
  readonly #stream: OpenStream;
  /** The stream's buffers, by the addresses of their `struct pw_buffer`. */
  readonly #buffers = new Map<bigint, VideoBuffer>();
  readonly #order = new BufferOrder<VideoBuffer>();

  /** @throws DesktopUnavailableError if PipeWire is not there, or refuses. */
  constructor(source: StreamSource, readonly listener: VideoListener) {
    const connection = new Connection(source, "the picture of this desktop");
    const wish = {
      node: source.node,
      properties: "media.type=Video media.category=Capture media.role=Screen",
      flags: DONT_RECONNECT,
      format: WANTED_FORMAT,
      name: "the picture's stream",
    };
    this.#stream = new OpenStream(connection, wish, {
      format: (bytes) => this.#onFormat(bytes),
      added: (pointer) => this.#buffers.set(Deno.UnsafePointer.value(pointer), new VideoBuffer(pointer)),
      removed: (pointer) => this.#buffers.delete(Deno.UnsafePointer.value(pointer)),
      come: (pointers) => this.#onBuffers(pointers),
    });
  }

  /**
   * Handles events that have arrived, and calls the listener.
   * @param ms How long to wait for an event, in milliseconds.
   * @throws DesktopUnavailableError if the stream has ended.
   */
  iterate(ms: number): void {
    if (!this.#stream.iterate(ms)) this.#read(this.#order.rest([...this.#buffers.values()]));
  }

  /**
   * Restarts the stream at the compositor, which then sends a frame even if nothing changes. A busy compositor may
   * draw the first frame before there is a buffer for it.
   */
  beginAgain(): void {
    for (const isActive of [false, true]) this.#stream.setActive(isActive);
  }

  /** Frees everything. */
  close(): void {
    this.#stream.close();
  }

  #onFormat(bytes: Uint8Array): readonly Uint8Array<ArrayBuffer>[] {
    const size = sizeOfFormat(bytes);
    if (!size) return [];
    this.listener.format(size);
    return WANTED_BUFFERS;
  }

  #onBuffers(pointers: readonly Deno.PointerObject[]): void {
    const buffers = pointers.map((pointer) => this.#buffers.get(Deno.UnsafePointer.value(pointer))!);
    this.#read(this.#order.next(buffers, [...this.#buffers.values()]));
  }

  #read(buffers: readonly VideoBuffer[]): void {
    for (const buffer of buffers) this.listener.buffer(buffer);
  }
}
