/**
 * File system calls that may never return: a network share that is gone (NFS, sshfs) blocks each call, and
 * Deno (2.9.6) runs the calls of the whole process on 32 threads. A call that takes too long fails only for
 * its caller, and only a few calls at the same time may wait for one part of the served folder.
 */

import { BusyError } from "../core/errors.ts";
import { dirname, nodeModule } from "../core/path.ts";
import { whileAnswering } from "../core/until.ts";
import { isUnsupported } from "./file_errors.ts";

interface ReachLimits {
  /**
   * Maximum time for a call, including its time in the queue, in milliseconds: disks take seconds to spin up.
   */
  ms: number;
  /** Maximum number of concurrent calls per area. */
  area: number;
  /** Maximum number of concurrent calls for all areas: fewer than Deno's threads. */
  all: number;
  /** Interval between two attempts at work that waits for a disk to answer, in milliseconds. */
  laterMs: number;
}

const LIMITS: ReachLimits = { ms: 8000, area: 6, all: 24, laterMs: 30_000 };

/** Calls of one area. */
interface Area {
  running: number;
  /** Calls still running although their callers have given up. */
  late: number;
  waiting: (() => void)[];
}

/** Limits file system calls by area, each of which may hang independently. */
export class Reach {
  readonly limits: ReachLimits;
  readonly #areas = new Map<string, Area>();
  #running = 0;

  constructor(limits: Partial<ReachLimits> = {}) {
    this.limits = { ...LIMITS, ...limits };
  }

  /**
   * Makes a call.
   * @param name The area.
   * @param call Queries the file system.
   * @param discard Receives the result of a call that returned too late, such as a file to close.
   * @returns The call's result. Rejects with its error, or with a BusyError if it takes too long.
   */
  async call<T>(name: string, call: () => Promise<T>, discard?: (late: T) => void): Promise<T> {
    const area = this.#areaOf(name), { ms } = this.limits;
    if (area.late >= this.limits.area) throw silent(ms);
    const end = performance.now() + ms;
    if (area.running >= this.limits.area || this.#running >= this.limits.all) {
      await turn(
        ms,
        (go) => area.waiting.push(go),
        (go) => area.waiting = area.waiting.filter((w) => w !== go),
      );
    } else this.#enter(area);
    let isLate = false;
    const made = call();
    made.then((value) => isLate && discard?.(value), () => {}).finally(() => {
      if (isLate) area.late--;
      this.#leave(name, area);
    });
    return await new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => {
        isLate = true;
        area.late++;
        reject(silent(ms));
      }, Math.max(end - performance.now(), 0));
      made.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  /** Whether a call of an area has not returned although its caller has given up. */
  isLate(name: string): boolean {
    return (this.#areas.get(name)?.late ?? 0) > 0;
  }

  #areaOf(name: string): Area {
    const area = this.#areas.get(name) ?? { running: 0, late: 0, waiting: [] };
    this.#areas.set(name, area);
    return area;
  }

  #enter(area: Area): void {
    area.running++;
    this.#running++;
  }

  /** Ends a call, and passes its slot to a queued call, preferably of the same area. */
  #leave(name: string, area: Area): void {
    area.running--;
    this.#running--;
    const next = area.waiting.length
      ? area
      : this.#areas.values().find(({ waiting, running }) => waiting.length > 0 && running < this.limits.area);
    const go = next?.waiting.shift();
    if (go) {
      this.#enter(next!);
      go();
    }
    if (!area.running && !area.waiting.length) this.#areas.delete(name);
  }
}

/** Waits until a function is called. @throws BusyError on timeout, after withdrawing the function. */
function turn(
  ms: number,
  add: (go: () => void) => void,
  withdraw: (go: () => void) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      withdraw(go);
      reject(silent(ms));
    }, ms);
    const go = () => {
      clearTimeout(timer);
      resolve();
    };
    add(go);
  });
}

function silent(ms: number): BusyError {
  return new BusyError(
    `The disk or share of this file has not answered for ${ms / 1000} seconds; try again later.`,
  );
}

/** Interval between two questions whether a disk still answers during long work, in milliseconds. */
const ASK_MS = 1000;

/** The disk or share of a folder. Calls on this thread would block it if the share hangs. */
export class Disk {
  /**
   * @param area The name under which the disk's calls are limited.
   * @param path A file or folder on the disk.
   */
  constructor(readonly reach: Reach, readonly area: string, readonly path: string) {}

  /** Whether the disk leaves an earlier call unanswered. */
  get isLate(): boolean {
    return this.reach.isLate(this.area);
  }

  /** Makes a call, as {@linkcode Reach.call} does. */
  async call<T>(call: () => Promise<T>, discard?: (late: T) => void): Promise<T> {
    return await this.reach.call(this.area, call, discard);
  }

  /**
   * Waits until the disk answers, so that calls on this thread that follow immediately do not block it.
   * @throws BusyError if it does not.
   */
  async answers(): Promise<void> {
    await this.call(() => this.#ask());
  }

  /**
   * Waits for work of any length that other threads do on the disk.
   * @throws The errors of the work; BusyError if the disk stops answering meanwhile.
   */
  async during<T>(work: Promise<T>): Promise<T> {
    return await whileAnswering(work, ASK_MS, () => this.answers());
  }

  /**
   * Closes a file as soon as the disk answers. close(2) writes the rest of a file to a share, which would block
   * this thread, and Deno (2.9.6) drops its errors, so another thread writes it before.
   * @throws The errors of writing the rest; BusyError if the disk does not answer in time; the file is closed
   * later.
   */
  async close(file: { close(): void; syncData?(): Promise<void> }): Promise<void> {
    let isAsked = false, failure: unknown;
    try {
      if (file.syncData && !isLocal(await this.call(() => this.#ask()))) {
        failure = await this.during(file.syncData()).catch((error) => error);
      }
      await this.call(async () => {
        isAsked = true;
        await this.#ask();
        file.close();
      });
    } catch (error) {
      if (!isAsked) this.later(() => this.close(file).catch(() => {}));
      throw error;
    }
    if (failure !== undefined && !isUnsupported(failure)) throw failure;
  }

  /** Does work a while later, once the disk answers. Its errors are ignored, except that it stopped answering. */
  later(work: () => void | Promise<void>): void {
    const tried = () =>
      this.answers().then(work).catch((error) => {
        if (error instanceof BusyError) this.later(work);
      });
    Deno.unrefTimer(setTimeout(tried, this.reach.limits.laterMs));
  }

  /**
   * Asks for the disk's space, which no system answers from memory if the disk is a share.
   * @returns The type of its file system; undefined if unknown.
   */
  #ask(): Promise<number | undefined> {
    return new Promise((resolve) =>
      nodeModule("node:fs").statfs(this.path, (_error, stats) => resolve(stats?.type))
    );
  }
}

/** File system types on local disks and in memory (statfs(2)). */
const LOCAL = new Map([
  [0xef53, "ext4"],
  [0x58465342, "XFS"],
  [0x9123683e, "Btrfs"],
  [0xf2f52010, "F2FS"],
  [0x2fc12fc1, "ZFS"],
  [0xca451a4e, "bcachefs"],
  [0x4d44, "FAT"],
  [0x2011bab0, "exFAT"],
  [0x7366746e, "NTFS"],
  [0x01021994, "tmpfs"],
  [0x794c7630, "overlayfs"],
]);

/** Whether a file system is on a local disk. Only Linux reports this; elsewhere, all count as local. */
function isLocal(type: number | undefined): boolean {
  return Deno.build.os !== "linux" || type !== undefined && LOCAL.has(type >>> 0);
}

/**
 * Whether a file, and each folder above it, is known to be on a local disk.
 * @param real The file's real path.
 * @returns A promise that rejects with the errors of statfs(2).
 */
export async function isOnLocalDisk(real: string): Promise<boolean> {
  if (Deno.build.os !== "linux") return false;
  for (let path = real;; path = dirname(path)) {
    if (!isLocal((await nodeModule("node:fs/promises").statfs(path)).type)) return false;
    if (path === "/") return true;
  }
}
