/** The screen of a KDE desktop: displays by Wayland, pictures by KWin's screenshots. */

import { type Frame, intersection, type Region, type ScreenLayout } from "../../../control/desktop.ts";
import type { Bus } from "../../linux/dbus/bus.ts";
import { cutOut, joined } from "../wire/compose.ts";
import { type Arrangement, layoutOf, type PlacedOutput, turnedSize } from "../wire/geometry.ts";
import type { Outputs } from "../wire/outputs.ts";
import { WholeScreen } from "../wire/whole_screen.ts";
import { type Subject, takeScreenshot } from "./screenshot.ts";

/** A part of the desktop that is captured at once. */
interface Shot {
  subject: Subject;
  /** The place of the shot's picture. */
  placed: PlacedOutput;
}

/** Pictures over the bus. */
export class KwinScreen extends WholeScreen {
  constructor(readonly outputs: Outputs, readonly bus: Bus) {
    super();
  }

  layout(): ScreenLayout {
    return layoutOf(this.outputs.arrangement());
  }

  protected async take(region: Region, cursor: boolean): Promise<Frame> {
    const shots = planShots(this.outputs.arrangement(), region);
    const pictures = await Promise.all(shots.map(({ subject }) => takeScreenshot(this.bus, subject, cursor)));
    const placed = shots.map(({ placed }) => placed);
    const only = shots.length === 1 ? cutOut(pictures[0], placed[0], region) : undefined;
    return only ?? joined(pictures, placed, region);
  }
}

/**
 * Plans the pictures that a region is made of: one of each display that it touches. Where a pixel of the picture is a
 * whole number of the compositor's, only the region itself is captured; elsewhere pixels might be cut through.
 */
function planShots({ outputs, scale }: Arrangement, region: Region): Shot[] {
  return outputs.flatMap((placed): Shot[] => {
    const part = intersection(placed.region, region);
    if (!part) return [];
    const isWhole = part.width === placed.region.width && part.height === placed.region.height;
    const upright = { ...placed.output, mode: turnedSize(placed.output), transform: 0 };
    if (isWhole || placed.scale !== scale || !Number.isInteger(scale)) {
      return [{ subject: { display: placed.output.name }, placed: { ...placed, output: upright } }];
    }
    const x = Math.floor(part.x / scale), y = Math.floor(part.y / scale);
    const area: Region = {
      x,
      y,
      width: Math.ceil((part.x + part.width) / scale) - x,
      height: Math.ceil((part.y + part.height) / scale) - y,
    };
    const covered = { x: x * scale, y: y * scale, width: area.width * scale, height: area.height * scale };
    return [{ subject: { area }, placed: { output: upright, scale, region: covered } }];
  });
}
