/** Sizes as people write them. */

import { UsageError } from "../../core/errors.ts";

/** Units of sizes; each is 1024 times the unit before. */
const UNITS = ["", "K", "M", "G", "T"];

/**
 * Reads a size.
 * @param text Such as `500M`, `1.5G`, `1048576`; `GB` and `GiB` are `G`.
 * @param option The option that it belongs to, for messages.
 * @returns Bytes.
 * @throws UsageError for any other text.
 */
export function parseSize(text: string, option: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?$/i.exec(text.trim()) ?? [];
  if (number === undefined) {
    throw new UsageError(
      `${option} ${text}: a size must be a number of bytes, optionally followed by K, M, G or T`,
    );
  }
  return Math.floor(Number(number) * 1024 ** UNITS.indexOf(unit.toUpperCase()));
}
