/**
 * Calls of the file system that may never be answered: a share that is gone (NFS, sshfs) keeps each call waiting, and
 * Deno (2.9.6) makes the calls of the whole process on 32 threads. A call that is late fails for its caller alone, and
 * few calls at once wait for one part of the served folder.
 */

import { BusyError } from "../core/errors.ts";

interface ReachLimits {
  /** The longest time of a call in milliseconds, its turn included: disks that have to start turning take some seconds. */
  ms: number;
  /** The most calls at once for one area. */
  area: number;
  /** The most calls at once for all areas: fewer than Deno's threads. */
  all: number;
}

const LIMITS: ReachLimits = { ms: 8000, area: 6, all: 24 };

/** Calls of one area. */
interface Area {
  running: number;
  /** Calls that run although their callers have left. */
  late: number;
  waiting: (() => void)[];
}

/** Lets calls through, each to an area of the file system that may hang by itself. */
export class Reach {
  readonly #limits: ReachLimits;
  readonly #areas = new Map<string, Area>();
  #running = 0;

  constructor(limits: Partial<ReachLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /**
   * Makes a call.
   * @param name The area.
   * @param call Asks the file system.
   * @param discard Receives the result of a call that came too late, such as a file to close.
   * @returns The result of the call. Rejects with its error, or with a BusyError if it takes too long.
   */
  async call<T>(name: string, call: () => Promise<T>, discard?: (late: T) => void): Promise<T> {
    const area = this.#areaOf(name), { ms } = this.#limits;
    if (area.late >= this.#limits.area) throw silent(ms);
    const end = performance.now() + ms;
    if (area.running >= this.#limits.area || this.#running >= this.#limits.all) {
      await within(
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

  #areaOf(name: string): Area {
    const area = this.#areas.get(name) ?? { running: 0, late: 0, waiting: [] };
    this.#areas.set(name, area);
    return area;
  }

  #enter(area: Area): void {
    area.running++;
    this.#running++;
  }

  /** Ends a call, and passes its place to a waiting call, of the same area if there is one. */
  #leave(name: string, area: Area): void {
    area.running--;
    this.#running--;
    const next = area.waiting.length
      ? area
      : this.#areas.values().find(({ waiting, running }) =>
        waiting.length > 0 && running < this.#limits.area
      );
    const go = next?.waiting.shift();
    if (go) {
      this.#enter(next!);
      go();
    }
    if (!area.running && !area.waiting.length) this.#areas.delete(name);
  }
}

/** Waits until a function is called. @throws BusyError after some time, when the function is withdrawn. */
function within(
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
