/**
 * Which buttons each deskhand holds, in a file beside the compositor's socket. A compositor releases the keys of a program
 * that ends, and not the buttons of its virtual pointer: those of a killed deskhand are released by the next one.
 */

import type { Button } from "../../../control/desktop.ts";
import { cString, errno, type Libc } from "../../linux/libc.ts";
import { BUTTON_CODES } from "../wire/input_codes.ts";
import { peerProcess } from "../wire/compositor_name.ts";
import type { Connection } from "../wire/connection.ts";

const O_RDWR = 2, O_CREAT = 0o100, O_NOFOLLOW = 0o400000, O_CLOEXEC = 0o2000000;
const LOCK_EX = 2, LOCK_NB = 4, LOCK_UN = 8;
const ESRCH = 3;
/** Records of the file, one a connection, and their fields: 32-bit numbers. */
const RECORDS = 64, FIELDS = { process: 0, compositor: 1, buttons: 2, count: 3 } as const;
const RECORD_BYTES = 4 * FIELDS.count;
const BUTTONS = Object.keys(BUTTON_CODES) as Button[];

/** The record of one connection. */
export class HeldButtons {
  readonly #record: Int32Array<ArrayBuffer>;
  #isClosed = false;

  private constructor(readonly c: Libc, readonly fd: number, readonly at: number, compositor: number) {
    this.#record = Int32Array.of(Deno.pid, compositor, 0);
    this.#write();
  }

  /**
   * Takes a record.
   * @param release Gets the buttons that dead processes hold on the same compositor.
   * @returns undefined if the file cannot be used: then nothing is noted, and nothing released.
   */
  static open(
    { c, socket, path }: Connection,
    release: (buttons: Button[]) => void,
  ): HeldButtons | undefined {
    const compositor = peerProcess({ c, socket });
    const flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC;
    const fd = compositor ? c.open_mode(cString(`${path}.deskhand`), flags, 0o600) : -1;
    if (fd < 0) return undefined;
    if (c.flock(fd, LOCK_EX | LOCK_NB) === 0) {
      const all = new Int32Array(RECORDS * FIELDS.count);
      c.pread(fd, all, BigInt(all.byteLength), 0n);
      const free = takeOver(c, fd, all, compositor!, release);
      const held = free < 0 ? undefined : new HeldButtons(c, fd, free * RECORD_BYTES, compositor!);
      c.flock(fd, LOCK_UN);
      if (held) return held;
    }
    c.close(fd);
    return undefined;
  }

  /** Notes what is held. */
  set(held: ReadonlySet<Button>): void {
    this.#record[FIELDS.buttons] = BUTTONS.reduce(
      (bits, button, i) => held.has(button) ? bits | 1 << i : bits,
      0,
    );
    this.#write();
  }

  /** Gives the record back: the buttons of a connection that ends by itself are released before. Safe to call twice. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#record.fill(0);
    this.#write();
    this.c.close(this.fd);
  }

  #write(): void {
    this.c.pwrite(this.fd, this.#record, BigInt(RECORD_BYTES), BigInt(this.at));
  }
}

/** Clears the records of dead processes. @returns The index of a free one; -1 if there is none. */
function takeOver(
  c: Libc,
  fd: number,
  all: Int32Array<ArrayBuffer>,
  compositor: number,
  release: (buttons: Button[]) => void,
): number {
  let free = -1;
  for (let i = RECORDS - 1; i >= 0; i--) {
    const [process, on, bits] = all.subarray(i * FIELDS.count, (i + 1) * FIELDS.count);
    if (process !== 0 && !isDead(c, process)) continue;
    free = i;
    if (process !== 0) {
      c.pwrite(fd, new Int32Array(FIELDS.count), BigInt(RECORD_BYTES), BigInt(i * RECORD_BYTES));
    }
    if (bits && on === compositor) release(BUTTONS.filter((_, button) => bits & 1 << button));
  }
  return free;
}

function isDead(c: Libc, process: number): boolean {
  return c.kill(process, 0) !== 0 && errno(c) === ESRCH;
}
