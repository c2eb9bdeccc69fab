/** Formats of pictures as Qt counts them (enum QImage::Format), of those that KWin gives. Pure. */

import { PIXEL_FORMATS, type PixelFormat } from "../wire/pixel_formats.ts";

/** wl_shm.format XRGB8888, and the fourcc of XBGR8888 ("XB24"), whose first byte is red, and of XBGR2101010 ("XB30"). */
const XRGB = 1, XBGR = 0x34324258, XRGB30 = 0x30335258, XBGR30 = 0x30334258;

/** Formats by QImage's number. */
export const QIMAGE_FORMATS: ReadonlyMap<number, PixelFormat> = new Map([
  [4, XRGB], // RGB32
  [5, XRGB], // ARGB32
  [6, XRGB], // ARGB32_Premultiplied
  [16, XBGR], // RGBX8888
  [17, XBGR], // RGBA8888
  [18, XBGR], // RGBA8888_Premultiplied
  [19, XBGR30], // BGR30
  [20, XBGR30], // A2BGR30_Premultiplied
  [21, XRGB30], // RGB30
  [22, XRGB30], // A2RGB30_Premultiplied
].map(([format, name]) => [format, PIXEL_FORMATS.get(name)!]));
