/**
 * File system calls that may never return: a network share that is gone (NFS, sshfs) blocks each call, and
 * Deno (2.9.6) runs the calls of the whole process on 32 threads. A call that takes too long fails only for
 * its caller, and only a few calls at the same time may wait for one disk.
 */

import { BusyError, isUnsupported } from "./errors.ts";
import { dirname, nodeModule } from "./path.ts";
import { printable } from "./printable.ts";
import { isOnLocalDisk } from "./proc.ts";
import { deadline, whileAnswering } from "./until.ts";

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

  /** @param silence The error message for an area that has not answered for this many seconds. */
  constructor(
    limits: Partial<ReachLimits> = {},
    readonly silence = (_area: string, seconds: number) =>
      `The disk or share of this file has not answered for ${seconds} seconds; try again later.`,
  ) {
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
    const silent = () => new BusyError(this.silence(name, ms / 1000));
    if (area.late >= this.limits.area) throw silent();
    const end = performance.now() + ms;
    if (area.running >= this.limits.area || this.#running >= this.limits.all) {
      const turn = Promise.withResolvers<void>();
      area.waiting.push(turn.resolve);
      const withdraw = deadline(ms, () => {
        area.waiting = area.waiting.filter((go) => go !== turn.resolve);
        turn.reject(silent());
      });
      await turn.promise.finally(withdraw);
    } else this.#enter(area);
    let isLate = false;
    const made = call();
    made.then((value) => isLate && discard?.(value), () => {}).finally(() => {
      if (isLate) area.late--;
      this.#leave(name, area);
    });
    return await new Promise<T>((resolve, reject) => {
      const withdraw = deadline(end - performance.now(), () => {
        isLate = true;
        area.late++;
        reject(silent());
      });
      made.then(resolve, reject).finally(withdraw);
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

/** The calls for deskhand's own files and for those that the user names, with the area as their owner. */
export const OWN_FILES: Reach = new Reach(
  { area: 1, all: 6 },
  (owner, seconds) => `the disk of ${owner} has not answered for ${seconds} s; try again later`,
);

/** The disk of a file that the user names. */
export function diskOf(path: string): Disk {
  return new Disk(OWN_FILES, printable(dirname(path), 80), path);
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
   * @returns Whether the disk is known to be local; only Linux reports this, and elsewhere all count as local.
   * @throws BusyError if it does not answer.
   */
  async answers(): Promise<boolean> {
    return await this.call(() => ask(this.path));
  }

  /**
   * Waits for work of any length that other threads do on the disk.
   * @throws The errors of the work; BusyError if the disk stops answering meanwhile.
   */
  async during<T>(work: Promise<T>): Promise<T> {
    return await whileAnswering(work, ASK_MS, async () => void await this.answers());
  }

  /** Does work of other threads, as {@linkcode during} does, if the disk answers. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.answers();
    return await this.during(work());
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
      if (file.syncData && !await this.answers()) {
        failure = await this.during(file.syncData()).catch((error) => error);
      }
      await this.call(async () => {
        isAsked = true;
        await ask(this.path);
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
}

/** Waits until all disks answer. @throws BusyError if one does not. */
export async function allAnswer(disks: readonly Disk[]): Promise<void> {
  await Promise.all(disks.map((disk) => disk.answers()));
}

/**
 * Waits for a Worker, in whose queue others wait, too, as long as all disks that it reads answer.
 * @param work Receives a signal that is aborted when one stops answering, so that its call leaves the queue.
 * @throws The errors of the work; BusyError if a disk stops answering.
 */
export async function whileAllAnswer<T>(
  disks: readonly Disk[],
  work: (gone: AbortSignal) => Promise<T>,
): Promise<T> {
  const gone = new AbortController();
  return await whileAnswering(work(gone.signal), ASK_MS, () => allAnswer(disks)).catch((error) => {
    gone.abort(error);
    throw error;
  });
}

/**
 * Asks a disk that is not local for its space, which no system answers from memory if the disk is a share. An
 * error is an answer, too.
 * @param path A file or folder; for one that does not exist, the folder that contains it is asked.
 * @returns As {@linkcode Disk.answers}.
 */
async function ask(path: string): Promise<boolean> {
  const isLinux = Deno.build.os === "linux";
  try {
    const real = await Deno.realPath(path).catch(() => Deno.realPath(dirname(path)));
    if (isLinux && isOnLocalDisk(real)) return true;
    await nodeModule("node:fs/promises").statfs(real);
  } catch {
    // There is no such folder, or this user may not see it.
  }
  return !isLinux;
}
