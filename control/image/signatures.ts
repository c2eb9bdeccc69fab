/** The first bytes of picture files, which tell their formats apart. */

/** The first bytes of a PNG file (W3C "Portable Network Graphics", third edition, section 5.2). */
export const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** `BM`, the first bytes of a BMP file. */
const BMP = [0x42, 0x4d];

/** Tells whether bytes begin as a PNG file does. */
export function isPng(bytes: Uint8Array): boolean {
  return PNG_SIGNATURE.every((byte, i) => bytes[i] === byte);
}

/** Tells whether bytes begin as a BMP file does. */
export function isBmp(bytes: Uint8Array): boolean {
  return BMP.every((byte, i) => bytes[i] === byte);
}

/** Tells whether bytes begin as a PNG or BMP file does. */
export function isPicture(bytes: Uint8Array): boolean {
  return isPng(bytes) || isBmp(bytes);
}
