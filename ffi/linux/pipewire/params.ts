/** Parameters of a video stream: those that deskhand asks for, and those that the stream answers. Pure. */

import { decodeObject, encodeObject, type PodOffer, type PodValue } from "./pods.ts";

/** enum spa_param_type. */
export const PARAM = { enumFormat: 3, format: 4, buffers: 5, meta: 6 } as const;
/** Types of objects (spa/utils/type.h). */
export const OBJECT = { format: 0x40003, buffers: 0x40004, meta: 0x40005 } as const;
/** Keys of a format (spa/param/format.h). */
const FORMAT = {
  mediaType: 1,
  mediaSubtype: 2,
  videoFormat: 0x20001,
  size: 0x20003,
  framerate: 0x20004,
} as const;
const MEDIA_VIDEO = 2, SUBTYPE_RAW = 1;
/** enum spa_video_format. BGRx has its pixels as `Frame` has them. */
export const VIDEO_FORMAT = { BGRx: 8, RGBA: 11, BGRA: 12 } as const;
/** Keys of the parameters of buffers and of metadata (spa/param/buffers.h). */
const BUFFERS_DATA_TYPE = 6, META_TYPE = 1, META_SIZE = 2;
/** Bits of kinds of memory (enum spa_data_type): memory of this process, and a file that is mapped. */
const MEM_PTR = 1 << 1, MEM_FD = 1 << 2;
/** enum spa_meta_type. */
export const META_HEADER = 1, META_CURSOR = 5;
/** sizeof(struct spa_meta_header). */
const HEADER_BYTES = 32;
/** struct spa_meta_cursor (28 bytes, padded) and struct spa_meta_bitmap, which follows. */
const CURSOR_BYTES = 48;
/** The largest side of a pointer's picture that is asked for. */
export const CURSOR_SIDE_LIMIT = 384;

const id = (value: number): PodValue => ({ type: "id", value });
const int = (value: number): PodValue => ({ type: "int", value });
const rectangle = (...value: [number, number]): PodValue => ({ type: "rectangle", value });
const fraction = (...value: [number, number]): PodValue => ({ type: "fraction", value });

/** Pictures of any size, as often as the compositor makes them. */
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
 * The requested parts of buffers: memory that this process can read, the time of the picture, and the pointer's data,
 * of any size.
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
 * @param bytes The parameter that the stream gives when a format is agreed on.
 * @returns undefined if the parameter is no format of pictures.
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
