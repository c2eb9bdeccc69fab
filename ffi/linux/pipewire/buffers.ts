/**
 * Contents of a video stream's buffers (spa/buffer/buffer.h): pixels, their time, and the pointer's position.
 */

import type { PointerReport, StreamCursor } from "./frame_memory.ts";

// PipeWire values as bytes (SPA POD, docs.pipewire.org/page_spa_pod.html): 32 bits of size, 32 bits of type,
// the value, and zeros up to a multiple of 8. Pure.

/** Type numbers (spa/utils/type.h). */
const TYPE = { id: 3, int: 4, rectangle: 10, fraction: 11, object: 15, choice: 19 } as const;
const POD_HEADER_BYTES = 8;
/** Size of `struct spa_pod_object_body`, and of each property's key and flags. */
const OBJECT_BYTES = 8, PROPERTY_BYTES = 8;
/**
 * Size of `struct spa_pod_choice_body` up to its values: the kind, flags, and the values' own size and type.
 */
const CHOICE_BYTES = 16;
const CHOICE_RANGE = 1;

/** A value: an enumeration's number, an integer, a size, or a fraction. */
type PodValue =
  | { type: "id" | "int"; value: number }
  | { type: "rectangle" | "fraction"; value: readonly [number, number] };

/** An offered value: a fixed value, or a range with a default. */
export type PodOffer = PodValue | { default: PodValue; least: PodValue; most: PodValue };

/** An object: values by key. */
export interface PodObject<V> {
  /** The number of the object's type. */
  type: number;
  /** The parameter (enum spa_param_type). */
  id: number;
  properties: ReadonlyMap<number, V>;
}

/**
 * Writes an object.
 * @example
 * encodeObject({ type: 0x40004, id: 5, properties: new Map([[6, { type: "int", value: 4 }]]) }).length; // 40
 */
export function encodeObject({ type, id, properties }: PodObject<PodOffer>): Uint8Array<ArrayBuffer> {
  const body = [...properties].flatMap(([key, offer]) => [...words(key, 0), ...encoded(offer)]);
  return Uint8Array.from(pod(TYPE.object, [...words(type, id), ...body]));
}

/**
 * Reads an object.
 * @param bytes The object's bytes, possibly followed by others.
 * @returns The object's values: for a choice, the first value, which is the chosen one; properties of other
 * types are skipped. undefined if the bytes are not an object.
 */
export function decodeObject(bytes: Uint8Array): PodObject<PodValue> | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length < POD_HEADER_BYTES + OBJECT_BYTES || view.getUint32(4, true) !== TYPE.object) {
    return undefined;
  }
  const end = POD_HEADER_BYTES + view.getUint32(0, true);
  if (end > bytes.length) return undefined;
  const properties = new Map<number, PodValue>();
  for (let at = POD_HEADER_BYTES + OBJECT_BYTES; at + PROPERTY_BYTES + POD_HEADER_BYTES <= end;) {
    const value = at + PROPERTY_BYTES, size = view.getUint32(value, true);
    if (value + POD_HEADER_BYTES + size > end) return undefined;
    const decoded = decodeValue(view, value);
    if (decoded) properties.set(view.getUint32(at, true), decoded);
    at = value + POD_HEADER_BYTES + padded(size);
  }
  return { type: view.getUint32(8, true), id: view.getUint32(12, true), properties };
}

function encoded(offer: PodOffer): number[] {
  if ("type" in offer) return pod(TYPE[offer.type], bodyOf(offer));
  const { default: first, least, most } = offer, one = bodyOf(first);
  return pod(TYPE.choice, [
    ...words(CHOICE_RANGE, 0, one.length, TYPE[first.type]),
    ...[first, least, most].flatMap(bodyOf),
  ]);
}

function bodyOf({ value }: PodValue): number[] {
  return typeof value === "number" ? words(value) : words(...value);
}

function decodeValue(view: DataView, at: number): PodValue | undefined {
  const size = view.getUint32(at, true), type = view.getUint32(at + 4, true), body = at + POD_HEADER_BYTES;
  if (type !== TYPE.choice) return bare(view, type, body, size);
  if (size < CHOICE_BYTES) return undefined;
  const childSize = view.getUint32(body + 8, true), childType = view.getUint32(body + 12, true);
  return bare(view, childType, body + CHOICE_BYTES, Math.min(childSize, size - CHOICE_BYTES));
}

/** A value without its header. */
function bare(view: DataView, type: number, at: number, size: number): PodValue | undefined {
  if ((type === TYPE.id || type === TYPE.int) && size >= 4) {
    return { type: type === TYPE.id ? "id" : "int", value: view.getUint32(at, true) };
  }
  if ((type === TYPE.rectangle || type === TYPE.fraction) && size >= 8) {
    const value = [view.getUint32(at, true), view.getUint32(at + 4, true)] as const;
    return { type: type === TYPE.rectangle ? "rectangle" : "fraction", value };
  }
  return undefined;
}

function pod(type: number, body: readonly number[]): number[] {
  const padding = new Array<number>(padded(body.length) - body.length).fill(0);
  return [...words(body.length, type), ...body, ...padding];
}

/** Encodes 32-bit numbers as little-endian bytes. */
function words(...numbers: number[]): number[] {
  return numbers.flatMap((n) => [n & 0xff, (n >>> 8) & 0xff, (n >>> 16) & 0xff, n >>> 24]);
}

function padded(size: number): number {
  return (size + 7) & ~7;
}

// Video stream parameters: those requested by deskhand, and those that the stream answers with. Pure.

/** enum spa_param_type. */
export const PARAM = { enumFormat: 3, format: 4, buffers: 5, meta: 6 } as const;
/** Object types (spa/utils/type.h). */
const OBJECT = { format: 0x40003, buffers: 0x40004, meta: 0x40005 } as const;
/** Format keys (spa/param/format.h). */
const FORMAT = {
  mediaType: 1,
  mediaSubtype: 2,
  videoFormat: 0x20001,
  size: 0x20003,
  framerate: 0x20004,
} as const;
const MEDIA_VIDEO = 2, SUBTYPE_RAW = 1;
/** enum spa_video_format. BGRx has the pixel format of `Frame`. */
export const VIDEO_FORMAT = { BGRx: 8, RGBA: 11, BGRA: 12 } as const;
/** Parameter keys for buffers and metadata (spa/param/buffers.h). */
const BUFFERS_DATA_TYPE = 6, META_TYPE = 1, META_SIZE = 2;
/** Bits for kinds of memory (enum spa_data_type): this process's memory, and a mapped file. */
const MEM_PTR = 1 << 1, MEM_FD = 1 << 2;
/** enum spa_meta_type. */
export const META_HEADER = 1, META_CURSOR = 5;
/** sizeof(struct spa_meta_header). */
const HEADER_BYTES = 32;
/** Size of struct spa_meta_cursor (28 bytes, padded) and of struct spa_meta_bitmap, which follows. */
const CURSOR_BYTES = 48;
/** Maximum width and height of a requested pointer picture. */
export const CURSOR_SIDE_LIMIT = 384;

const id = (value: number): PodValue => ({ type: "id", value });
const int = (value: number): PodValue => ({ type: "int", value });
const rectangle = (...value: [number, number]): PodValue => ({ type: "rectangle", value });
const fraction = (...value: [number, number]): PodValue => ({ type: "fraction", value });

/** Pictures of any size, at the compositor's frame rate. */
export const WANTED_FORMAT: Uint8Array<ArrayBuffer> = object(OBJECT.format, PARAM.enumFormat, [
  [FORMAT.mediaType, id(MEDIA_VIDEO)],
  [FORMAT.mediaSubtype, id(SUBTYPE_RAW)],
  [FORMAT.videoFormat, id(VIDEO_FORMAT.BGRx)],
  [FORMAT.size, {
    default: rectangle(1920, 1080),
    least: rectangle(1, 1),
    most: rectangle(16384, 16384),
  }],
  [FORMAT.framerate, { default: fraction(0, 1), least: fraction(0, 1), most: fraction(1000, 1) }],
]);

/**
 * The requested parts of buffers: memory that this process can read, the picture's time, and the pointer's
 * data of any size.
 */
export const WANTED_BUFFERS: readonly Uint8Array<ArrayBuffer>[] = [
  object(OBJECT.buffers, PARAM.buffers, [[BUFFERS_DATA_TYPE, int(MEM_FD | MEM_PTR)]]),
  object(OBJECT.meta, PARAM.meta, [
    [META_TYPE, id(META_HEADER)],
    [META_SIZE, int(HEADER_BYTES)],
  ]),
  object(OBJECT.meta, PARAM.meta, [
    [META_TYPE, id(META_CURSOR)],
    [META_SIZE, { default: int(cursorBytes(64)), least: int(cursorBytes(1)), most: int(cursorBytes(1024)) }],
  ]),
];

/**
 * The size of a stream's pictures.
 * @param bytes The parameter that the stream sends after a format has been agreed.
 * @returns undefined if the parameter is not a picture format.
 */
export function sizeOfFormat(bytes: Uint8Array): { width: number; height: number } | undefined {
  const size = decodeObject(bytes)?.properties.get(FORMAT.size);
  if (size?.type !== "rectangle") return undefined;
  const [width, height] = size.value;
  return width > 0 && height > 0 ? { width, height } : undefined;
}

function cursorBytes(side: number): number {
  return CURSOR_BYTES + side * side * 4;
}

function object(type: number, id: number, properties: [number, PodOffer][]): Uint8Array<ArrayBuffer> {
  return encodeObject({ type, id, properties: new Map(properties) });
}

/** `struct spa_buffer`: u32 n_metas, u32 n_datas, metas, datas. */
const BUFFER = { metas: 0, datas: 4, meta: 8, data: 16 } as const;
/** `struct spa_meta`: u32 type, u32 size, pointer. */
const META = { size: 16, type: 0, bytes: 4, at: 8 } as const;
/** `struct spa_data`: u32 type, u32 flags, i64 fd, u32 mapoffset, u32 maxsize, pointer, chunk. */
const DATA = { maxSize: 20, at: 24, chunk: 32 } as const;
/** `struct spa_chunk`: u32 offset, u32 size, i32 stride, i32 flags; a corrupted chunk has no picture. */
const CHUNK = { offset: 0, size: 4, stride: 8, flags: 12, corrupted: 1 } as const;
/** `struct spa_meta_header`: u32 flags, u32 offset, i64 presentation time, i64 dts offset, u64 sequence. */
const HEADER = { time: 8 } as const;
/** `struct spa_meta_cursor`: u32 id, u32 flags, i32 x, y, hot x, hot y, u32 offset of a `struct spa_meta_bitmap`. */
const CURSOR = { id: 0, x: 8, y: 12, hotX: 16, hotY: 20, bitmap: 24 } as const;
/** `struct spa_meta_bitmap`: u32 format, width, height, i32 stride, u32 offset of the pixels. */
const BITMAP = { format: 0, width: 4, height: 8, stride: 12, pixels: 16, size: 20 } as const;

/** Pixels in PipeWire's memory, valid until the buffer is returned. */
interface BufferPixels {
  /** Rows from the top. */
  bytes: Uint8Array;
  /** Bytes from one row to the next. */
  stride: number;
}

/** Reads a buffer. */
export class VideoBuffer {
  readonly #view: Deno.UnsafePointerView;

  /** @param pointer A `struct pw_buffer *`, which begins with a `struct spa_buffer *`. */
  constructor(pointer: Deno.PointerObject) {
    this.#view = new Deno.UnsafePointerView(new Deno.UnsafePointerView(pointer).getPointer()!);
  }

  /**
   * The buffer's pixels.
   * @param height The number of rows, according to the stream's format.
   * @returns undefined if the buffer only reports the pointer, or has too few bytes.
   */
  pixels(height: number): BufferPixels | undefined {
    if (!this.#view.getUint32(BUFFER.datas)) return undefined;
    const data = new Deno.UnsafePointerView(this.#view.getPointer(BUFFER.data)!);
    const memory = data.getPointer(DATA.at), chunkAt = data.getPointer(DATA.chunk);
    if (!memory || !chunkAt) return undefined;
    const chunk = new Deno.UnsafePointerView(chunkAt);
    const offset = chunk.getUint32(CHUNK.offset), size = chunk.getUint32(CHUNK.size);
    const stride = chunk.getInt32(CHUNK.stride), isCorrupted = chunk.getInt32(CHUNK.flags) & CHUNK.corrupted;
    const isWhole = stride > 0 && offset + stride * height <= data.getUint32(DATA.maxSize);
    if (size === 0 || isCorrupted || !isWhole) return undefined;
    const bytes = new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(memory, stride * height, offset));
    return { bytes, stride };
  }

  /**
   * When the compositor filled the buffer, in nanoseconds; undefined if the compositor does not report it.
   */
  get time(): number | undefined {
    const time = Number(this.#meta(META_HEADER)?.view.getBigInt64(HEADER.time) ?? 0);
    return time > 0 ? time : undefined;
  }

  /** The pointer report: null if the buffer has none, undefined if the pointer is elsewhere. */
  pointer(): PointerReport | null {
    const meta = this.#meta(META_CURSOR);
    return meta ? pointerOf(meta.view, meta.size) : null;
  }

  /** Metadata of the given type, and its size in bytes. */
  #meta(type: number): { view: Deno.UnsafePointerView; size: number } | undefined {
    const metas = this.#view.getPointer(BUFFER.meta);
    for (let i = 0; metas && i < this.#view.getUint32(BUFFER.metas); i++) {
      const view = new Deno.UnsafePointerView(metas), at = i * META.size;
      if (view.getUint32(at + META.type) !== type) continue;
      const memory = view.getPointer(at + META.at);
      return memory
        ? { view: new Deno.UnsafePointerView(memory), size: view.getUint32(at + META.bytes) }
        : undefined;
    }
    return undefined;
  }
}

function pointerOf(cursor: Deno.UnsafePointerView, size: number): PointerReport {
  if (cursor.getUint32(CURSOR.id) === 0) return undefined;
  return {
    x: cursor.getInt32(CURSOR.x),
    y: cursor.getInt32(CURSOR.y),
    image: imageOf(cursor, cursor.getUint32(CURSOR.bitmap), size),
  };
}

/**
 * The pointer's picture.
 * @param at The offset of the picture's description in the metadata, in bytes; 0 if there is none.
 * @param size The metadata's size, in bytes.
 * @returns undefined if the metadata has no picture, or one that cannot be read.
 */
function imageOf(cursor: Deno.UnsafePointerView, at: number, size: number): StreamCursor | undefined {
  if (!at || at + BITMAP.size > size) return undefined;
  const width = cursor.getUint32(at + BITMAP.width), height = cursor.getUint32(at + BITMAP.height);
  // If the compositor sends no picture, it sends no hot spot either.
  const hotX = cursor.getInt32(CURSOR.hotX), hotY = cursor.getInt32(CURSOR.hotY);
  if (!width || !height) return { hotX, hotY, width: 0, height: 0, rgba: new Uint8Array() };
  const format = cursor.getUint32(at + BITMAP.format), stride = cursor.getInt32(at + BITMAP.stride);
  const from = at + cursor.getUint32(at + BITMAP.pixels), isBgr = format === VIDEO_FORMAT.BGRA;
  const isKnown = isBgr || format === VIDEO_FORMAT.RGBA;
  const isSmall = Math.max(width, height) <= CURSOR_SIDE_LIMIT;
  if (!isKnown || !isSmall || stride < 4 * width || from + stride * height > size) return undefined;
  const pixels = new Uint8Array(cursor.getArrayBuffer(stride * height, from));
  const rgba = new Uint8Array(4 * width * height);
  for (let row = 0; row < height; row++) {
    rgba.set(pixels.subarray(row * stride, row * stride + 4 * width), row * 4 * width);
  }
  if (isBgr) { for (let i = 0; i < rgba.length; i += 4) [rgba[i], rgba[i + 2]] = [rgba[i + 2], rgba[i]]; }
  return { hotX, hotY, width, height, rgba };
}
