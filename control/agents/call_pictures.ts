/** Pictures for an agent's call: in the size of its view, within a limit of bytes. */

import { StateError } from "../../core/errors.ts";
import type { Waiter } from "../../core/mutex.ts";
import type { ActionRunner } from "../actions/runner.ts";
import { intersection, type Point, type Region } from "../desktop/desktop.ts";
import type { Size } from "../image/bitmap.ts";
import { makePicture } from "../image/picture_maker.ts";
import type { PictureFile } from "../image/shrink.ts";
import type { Operator } from "../operator/operator.ts";
import { waitForStillness } from "../operator/wait.ts";
import { fit, type View, viewPlace, type ViewSetting } from "../view/view.ts";
import { listWindows } from "../windows/list.ts";
import { type Answer, type PartShape, zoomOf } from "./tool.ts";

/** The size limit of a picture, in bytes. */
export interface PictureLimit {
  bytes: number;
  /** Whether a larger picture is an error; otherwise it is shrunk, and the accompanying text says so. */
  isExact: boolean;
}

/** MCP pictures: clients accept 1 MB per result, a quarter of which base64 uses. */
export const MCP_PICTURES: PictureLimit = { bytes: 700_000, isExact: false };

/**
 * Pictures of `/api/act`: the models' services accept 5 MB in base64. Programs pass the picture on without
 * the text, and the model's coordinates refer to the picture that it sees, so a shrunk one would lead to
 * wrong places.
 */
export const ACT_PICTURES: PictureLimit = { bytes: 3_700_000, isExact: true };

/**
 * Captures a region as a PNG file within a limit.
 * @param cursor Whether to draw the pointer into the picture.
 * @param size Size of the picture, not larger than the region. A file above the limit is halved until it
 * fits.
 * @param waiter Leaves the queue when its signal is aborted.
 * @param shape With `zoom`, `size` is ignored; the places of marks refer to the picture.
 * @throws StateError if the file is above the limit and must not be shrunk.
 */
async function boundedPicture(
  operator: Operator,
  region: Region,
  cursor: boolean,
  size: Size,
  { bytes, isExact }: PictureLimit,
  waiter: Waiter,
  { zoom = 1, marks = [], window }: PartShape = {},
): Promise<PictureFile> {
  const picture = await makePicture(
    (memory) => operator.share(region, cursor, memory, window),
    () => zoom > 1 ? { zoom, budget: bytes } : { size, marks, budget: bytes },
    waiter,
  );
  if (!isExact || picture.width === (zoom > 1 ? zoom * region.width : size.width)) return picture;
  throw new StateError(
    `the picture is larger than ${
      bytes / 1e6
    } MB at ${size.width}x${size.height}: use a smaller view or a region`,
  );
}

/**
 * How long the screen must be still before `look` takes its picture, and the maximum wait for that, in
 * milliseconds.
 */
export const STILL = { ms: 150, most: 2000 };

interface PicturedCall extends Waiter {
  readonly operator: Operator;
  readonly setting: ViewSetting;
  readonly view: View;
  readonly space: View;
  readonly signal: AbortSignal;
  readonly options: { readonly runner: ActionRunner; readonly pictures: PictureLimit };
  /** The part of the desktop that a part of the picture shows. */
  region(region: Region, prefix?: string): Region;
  /** The place in the picture that shows a place on the desktop. */
  shown(point: Point): Point;
}

/** Takes the pictures of one call. */
export class CallPictures {
  /** @param name Key under which the caller's last picture is stored. */
  constructor(readonly call: PicturedCall, readonly name: string) {}

  /** Crops the caller's last picture to a region of the desktop, as a PNG file. */
  async cut(region: Region): Promise<Uint8Array<ArrayBuffer>> {
    return (await this.call.options.runner.seen()).cut(this.name, region);
  }

  /** Takes a picture of the view, or of a region of it, like `ToolContext.picture`. */
  async ofView(region?: Region, cursor = true): Promise<Answer> {
    const { call, call: { operator, view, setting, options: { pictures, runner } } } = this;
    await (await runner.seen()).keep(this.name, view.area);
    const area = region ? call.region(region, "region.") : view.area;
    const size = region ? fit(area, setting) : view;
    const shape = region ? { zoom: zoomOf(area) } : {};
    const { file, width, height } = await boundedPicture(operator, area, cursor, size, pictures, call, shape);
    return {
      text: `${this.#pictureText(region, { width, height })}; pointer at ${await this.#pointerText()}. ` +
        `Coordinates of all tools are pixels of ${this.#coordinatesText(region, width)}.`,
      pictures: [file],
    };
  }

  /** Takes a picture of a part of the desktop, like `ToolContext.pictureOf`. */
  async ofPart(area: Region, shape: PartShape = {}): Promise<Answer> {
    const { call, call: { operator, setting, options: { pictures, runner } } } = this,
      size = fit(area, setting);
    await (await runner.seen()).keep(this.name, area, shape.window);
    const marks = shape.marks?.map(({ x, y, number }) => ({
      number,
      ...viewPlace({ ...size, area: atOrigin(area) }, { x, y }),
    }));
    const { file, width, height } = await boundedPicture(operator, area, true, size, pictures, call, {
      ...shape,
      ...(marks ? { marks } : {}),
    });
    return { text: `${width}x${height}`, pictures: [file] };
  }

  /** Takes a picture once the screen is still or the wait for that is over. */
  async still(ofWindow: boolean): Promise<Answer> {
    const { operator, view, signal } = this.call;
    await waitForStillness(operator, view.area, STILL.ms, STILL.most, signal);
    const window = ofWindow ? await this.#activeWindow() : undefined, picture = await this.ofView(window);
    return ofWindow && !window ? { ...picture, text: `no window is active: ${picture.text}` } : picture;
  }

  /** The active window's part of the view; undefined if no window is active or no part of it is shown. */
  async #activeWindow(): Promise<Region | undefined> {
    const active = (await listWindows(this.call.operator)).find(({ active }) => active);
    const part = active?.width ? intersection(active, this.call.view.area) : undefined;
    if (!part) return undefined;
    const from = this.call.shown(part),
      to = this.call.shown({ x: part.x + part.width - 1, y: part.y + part.height - 1 });
    return { ...from, width: to.x - from.x + 1, height: to.y - from.y + 1 };
  }

  #pictureText(region: Region | undefined, { width, height }: { width: number; height: number }): string {
    if (!region) return `${width}x${height}`;
    return `${region.width}x${region.height} at ${region.x},${region.y}, shown as ${width}x${height}`;
  }

  async #pointerText(): Promise<string> {
    const place = await this.call.operator.knownPosition();
    if (!place) return "a place that is known once it has moved";
    const { x, y } = this.call.shown(place);
    return `${x},${y}`;
  }

  #coordinatesText(region: Region | undefined, width: number): string {
    const { space, view } = this.call, whole = `${space.width}x${space.height}`;
    if (region) return `the whole screenshot, ${whole}`;
    if (space.width !== view.width) return `a picture of ${whole}`;
    return width === view.width
      ? "this picture"
      : `${whole}: this picture was too large and is shrunk further`;
  }
}

/** A region of the same size at 0,0. */
const atOrigin = ({ width, height }: Region): Region => ({ x: 0, y: 0, width, height });
