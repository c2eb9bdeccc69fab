/**
 * The pictures of a trace that leaves windows out. They are made separately from the viewers' pictures, which show
 * everything. The windows' places are read before and after each picture; a picture that does not fit both is
 * discarded.
 */

import { UnsupportedError } from "../../core/errors.ts";
import { isSameRegion, type Region, type WindowInfo } from "../desktop.ts";
import { LivePictures } from "../live/pictures.ts";
import { HIDDEN_REGIONS, type Viewers } from "../live/viewers.ts";
import type { Operator } from "../operator.ts";
import { listWindows } from "../windows/list.ts";
import { TraceSink } from "./sink.ts";
import type { ActiveWindow } from "./windows.ts";

/** The margin around a window that may still belong to it, in pixels. */
const MARGIN = 2;

/**
 * Checks that windows can be left out.
 * @throws UnsupportedError if the desktop does not tell its windows and their places.
 */
export async function checkHiding(operator: Operator): Promise<void> {
  const why = "so that --trace-hide cannot leave windows out";
  let windows: WindowInfo[];
  try {
    windows = await listWindows(operator);
  } catch (error) {
    throw new UnsupportedError(`${(error as Error).message}, ${why}`, { cause: error });
  }
  if (
    operator.desktop.windows?.isPartial || windows.some(({ width, state }) => !width && state !== "minimized")
  ) {
    throw new UnsupportedError(`this desktop does not tell where its windows are, ${why}`);
  }
}

/** A sink whose pictures do not show the windows that {@linkcode windows} leaves out. */
export class HidingSink extends TraceSink {
  /** Tells which windows are left out. */
  windows: ActiveWindow | undefined;
  #prepared: readonly Region[] | undefined;
  #told: Viewers | undefined;

  constructor(readonly operator: Operator) {
    super(new LivePictures(operator.desktop.live, true), {
      prepare: (viewers) => this.#prepare(viewers),
      isRight: async () => isSame(await this.#hidden(), this.#prepared),
    });
  }

  /** Hides the windows at their present places. @returns false if that is not possible. */
  async #prepare(viewers: Viewers): Promise<boolean> {
    const hidden = await this.#hidden();
    if (!hidden || hidden.length > HIDDEN_REGIONS) return false;
    if (this.#told !== viewers || !isSame(hidden, this.#prepared)) {
      viewers.hide(hidden.map(({ x, y, width, height }) => ({
        x: x - MARGIN,
        y: y - MARGIN,
        width: width + 2 * MARGIN,
        height: height + 2 * MARGIN,
      })));
    }
    this.#told = viewers;
    this.#prepared = hidden;
    return true;
  }

  /** The place of the hidden windows; undefined if the place cannot be known. */
  async #hidden(): Promise<readonly Region[] | undefined> {
    return this.windows?.hiddenRegions(await listWindows(this.operator));
  }
}

function isSame(a: readonly Region[] | undefined, b: readonly Region[] | undefined): boolean {
  if (!a || !b || a.length !== b.length) return false;
  return a.every((region, i) => isSameRegion(region, b[i]));
}
