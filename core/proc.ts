/** Files in /proc (proc(5)), read through the C library: Deno does not let compiled executables read them. */

import { cString, libcFunctions } from "./binding.ts";

const C = libcFunctions({
  open: "i32 (buffer char *path, i32 flags)",
  read: "isize (i32, buffer, usize)",
  close: "i32 (i32)",
  poll: "i32 (buffer struct pollfd *fds, usize nfds, i32 timeout)",
  readlink: "isize (buffer char *path, buffer, usize)",
}, ["open", "read", "close"]);
const FOLDERS = libcFunctions({
  opendir: "pointer (buffer char *name)",
  readdir: "pointer (pointer)",
  closedir: "i32 (pointer)",
}, ["opendir", "readdir", "closedir"]);

/** Offset of the name in struct dirent (<dirent.h>), in glibc and musl on x86_64 and aarch64, in bytes. */
const NAME_AT = 19;

/** Whether /proc exists; elsewhere, everything in it counts as missing. */
const HAS_PROC = Deno.build.os === "linux";

/** The buffer that each chunk of a file is read into. */
let piece: Uint8Array<ArrayBuffer> | undefined;

/** Maximum length read from a file, in characters. */
const LIMIT = 4 << 20;

/**
 * Reads a file in /proc.
 * @param path Relative to /proc, such as `12/maps`.
 * @returns "" if it does not exist, as on other systems, or belongs to another user's process.
 */
export function readProc(path: string): string {
  if (!HAS_PROC) return "";
  const fd = C.open(cString(`/proc/${path}`), 0), decoder = new TextDecoder();
  if (fd < 0) return "";
  const bytes = piece ??= new Uint8Array(65_536);
  let text = "";
  try {
    while (text.length < LIMIT) {
      const count = Number(C.read(fd, bytes, BigInt(bytes.length)));
      if (count <= 0) break;
      text += decoder.decode(bytes.subarray(0, count), { stream: true });
    }
    return text;
  } finally {
    C.close(fd);
  }
}

/** Maximum length of a program's path (PATH_MAX in <linux/limits.h>), in bytes. */
const PATH_LIMIT = 4096;

/**
 * Reads a link in /proc.
 * @param path Relative to /proc, such as `12/exe`.
 * @returns "" if it does not exist, or belongs to another user's process.
 */
export function linkIn(path: string): string {
  if (!HAS_PROC) return "";
  const target = new Uint8Array(PATH_LIMIT);
  const length = Number(C.readlink(cString(`/proc/${path}`), target, BigInt(target.length)));
  return length > 0 ? new TextDecoder().decode(target.subarray(0, length)) : "";
}

/** The folders below a folder at which other disks are mounted; none where the system does not report them. */
export function mountsBelow(folder: string): string[] {
  return mounts().map(({ place }) => place).filter((place) => isBelow(place, folder));
}

/**
 * The type of the file system that contains a real path, such as `ext4` (proc_pid_mountinfo(5)); "" where the
 * system does not report it.
 */
export function diskTypeOf(real: string): string {
  return typesAbove(real).sort(([one], [other]) => other.length - one.length)[0]?.[1] ?? "";
}

/** Types of file systems that need neither another machine nor another program (proc_pid_mountinfo(5)). */
const LOCAL =
  /^(?:ext[234]|xfs|btrfs|f2fs|zfs|bcachefs|vfat|exfat|ntfs3?|(?:dev)?tmpfs|ramfs|overlay|squashfs|erofs)$/;
/** Whether a real path, and each folder above it, is known to be on a local disk. */
export function isOnLocalDisk(real: string): boolean {
  const types = typesAbove(real);
  return types.length > 0 && types.every(([, type]) => LOCAL.test(type));
}

/** The places of the mounts that contain a real path, and their types. */
function typesAbove(real: string): [place: string, type: string][] {
  const above = mounts().filter(({ place }) => place === real || isBelow(real, place));
  return [...new Map(above.map(({ place, type }) => [place, type]))]; // the later one at a place covers the earlier
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

/** A disk's place in the folder tree, and the type of its file system. */
interface Mount {
  place: string;
  type: string;
}

/** O_CLOEXEC (<fcntl.h>) and POLLPRI (<poll.h>), the same on x86_64 and aarch64. */
const O_CLOEXEC = 0o2000000, POLLPRI = 2;
/** The mounts, and the `struct pollfd` of their file. */
let known: { mounts: Mount[]; poll: Int32Array<ArrayBuffer> } | undefined;

/**
 * The mounts, later ones last; none where the system does not report them. They are read only after a change, which
 * poll(2) reports (proc_pid_mounts(5)): 1 us instead of 100.
 */
function mounts(): readonly Mount[] {
  if (!HAS_PROC) return [];
  const isKnown = known && C.poll(known.poll, 1n, 0) === 0;
  const poll = known?.poll ?? Int32Array.of(C.open(cString("/proc/self/mountinfo"), O_CLOEXEC), POLLPRI);
  if (!isKnown) known = { mounts: readMounts(), poll };
  return known!.mounts;
}

/** Reads the mounts (proc_pid_mountinfo(5)). */
function readMounts(): Mount[] {
  const unescaped = (place: string) =>
    place.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(parseInt(octal, 8)));
  return readProc("self/mountinfo").split("\n").filter(Boolean).map((line) => {
    const fields = line.split(" ");
    return { place: unescaped(fields[4]), type: fields[fields.indexOf("-", 6) + 1] };
  });
}

/**
 * Lists the numbers of the processes or threads in a folder of /proc.
 * @param path Relative to /proc, such as `self/task`; "" is /proc itself.
 * @returns An empty list if the folder does not exist.
 */
export function numbersIn(path: string): number[] {
  if (!HAS_PROC) return [];
  const folder = FOLDERS.opendir(cString(`/proc/${path}`)), numbers: number[] = [];
  if (!folder) return numbers;
  try {
    for (let entry = FOLDERS.readdir(folder); entry; entry = FOLDERS.readdir(folder)) {
      const number = Number(Deno.UnsafePointerView.getCString(entry, NAME_AT));
      if (number) numbers.push(number);
    }
    return numbers;
  } finally {
    FOLDERS.closedir(folder);
  }
}

/** Windows' processor times at the last sample, and the load since the sample before. */
let looked = { at: -Infinity, idle: NaN, all: NaN, load: 0 };
let systemTimes: ((...times: BigUint64Array<ArrayBuffer>[]) => number) | undefined;

/**
 * The load on Windows, estimated because Windows does not count runnable programs: if programs arrive at
 * random, that many want to run at this share of idle time (M/M/1). Sampled at least a second apart.
 */
function loadOnWindows(): number {
  const at = performance.now(), times = new BigUint64Array(3);
  if (at - looked.at < 1000) return looked.load;
  const GetSystemTimes = { parameters: ["buffer", "buffer", "buffer"], result: "i32" } as const;
  systemTimes ??= Deno.dlopen("kernel32.dll", { GetSystemTimes }).symbols.GetSystemTimes;
  systemTimes(times, times.subarray(1), times.subarray(2));
  const [idle, kernel, user] = Array.from(times, Number), all = kernel + user; // idle is part of kernel
  const free = (idle - looked.idle) / (all - looked.all);
  looked = { at, idle, all, load: (1 - free) / Math.max(free, 0.01) || 0 };
  return looked.load;
}

/**
 * Runnable programs per processor over the last minute (proc_loadavg(5)), recently on Windows; 0 if unknown.
 */
export function loadPerProcessor(): number {
  if (Deno.build.os === "windows") return loadOnWindows();
  return (Number(readProc("loadavg").split(" ")[0]) || 0) / navigator.hardwareConcurrency;
}

/**
 * A time to wait for another program, which is longer on a busy machine, in whole milliseconds.
 * @param idleMs The time on a machine with a free processor, in milliseconds.
 * @param mostMs Maximum time, in milliseconds; defaults to four times as long.
 */
export function timeByLoad(idleMs: number, mostMs = 4 * idleMs): number {
  return Math.min(mostMs, Math.round(idleMs * Math.max(1, loadPerProcessor())));
}
