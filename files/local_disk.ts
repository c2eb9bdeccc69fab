/** Disks of this machine, whose calls end by themselves, beside shares, whose calls may never end. */

import { dirname, nodeModule } from "../core/path.ts";

/** Types of file systems on disks of this machine and in its memory (statfs(2)). */
const LOCAL = new Map([
  [0xef53, "ext4"],
  [0x58465342, "XFS"],
  [0x9123683e, "Btrfs"],
  [0xf2f52010, "F2FS"],
  [0x2fc12fc1, "ZFS"],
  [0xca451a4e, "bcachefs"],
  [0x01021994, "tmpfs"],
  [0x794c7630, "overlayfs"],
]);

/**
 * Whether a file, and each folder above it, is on a disk of this machine. Only Linux says so.
 * @param real The file's real path.
 * @returns A promise that rejects with the errors of statfs(2).
 */
export async function isOnLocalDisk(real: string): Promise<boolean> {
  if (Deno.build.os !== "linux") return false;
  for (let path = real;; path = dirname(path)) {
    const { type } = await nodeModule("node:fs/promises").statfs(path);
    if (!LOCAL.has(type >>> 0)) return false;
    if (path === "/") return true;
  }
}
