/** Common parts of the forms of archives. */

import type { Bytes } from "../../core/bytes.ts";
import type { Member } from "./members.ts";

/**
 * A form of archive that stores contents unchanged, so that its length and the place of each byte are known before
 * any content is read: for each member a head, the content and a tail; then a table with a record for each member; then
 * an end. The length of a part does not depend on the checksum.
 */
export interface Format {
  /** Media type. */
  type: string;
  /** Tells whether parts hold checksums of contents (CRC-32). */
  hasChecksums: boolean;
  head(member: Member): Bytes;
  /** @param crc Checksum of the content. */
  tail(member: Member, crc: number): Bytes;
  /** @param start Where the member's head begins. */
  record(member: Member, crc: number, start: number): Bytes;
  end(table: Table): Bytes;
}

/** The table of an archive. */
export interface Table {
  /** The number of the format's records. */
  count: number;
  /** The table's first byte. */
  start: number;
  /** The table's bytes. */
  length: number;
}

/** No bytes. */
export const NOTHING: Bytes = new Uint8Array(0);
