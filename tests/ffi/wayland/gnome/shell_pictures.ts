/** Pictures of a GNOME Shell, taken by the shell itself, beside deskhand's. */

import type { Region } from "../../../../control/desktop/desktop.ts";
import type { GnomeDesktop } from "../../../../ffi/wayland/gnome/connected_desktop.ts";
import type { Session } from "../../../../ffi/wayland/session.ts";
import type { Gnome } from "../../../support/gnome.ts";
import { rgbOf } from "../../../support/rgb.ts";
import { until } from "../../../support/until.ts";
import { keptFrame } from "../../../support/kept_frame.ts";

export function sessionOf(gnome: Gnome): Session {
  const run = gnome.env.XDG_RUNTIME_DIR;
  return {
    socket: gnome.socket,
    buses: [`${run}/bus`],
    pipewire: `${run}/pipewire-0`,
  };
}

/** The shell's own picture of the desktop, cut to a region. */
export async function shot(gnome: Gnome, region: Region, cursor: boolean): Promise<Uint8Array> {
  const path = `${gnome.env.HOME}/shot.png`, { x, y, width, height } = region;
  await gnome.screenshot(path, cursor);
  const args = [path, "-crop", `${width}x${height}+${x}+${y}`, "+repage", "-depth", "8", "rgb:-"];
  return (await new Deno.Command("convert", { args }).output()).stdout;
}

/** The largest difference of two pictures' colors; Infinity if they have not the same size. */
export function difference(a: Uint8Array, b: Uint8Array): number {
  if (a.length !== b.length) return Infinity;
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0);
}

/** Waits until deskhand's picture is the shell's: parts of the screen, such as the clock, change by themselves. */
export async function agree(
  gnome: Gnome,
  desktop: GnomeDesktop,
  region: Region,
  cursor: boolean,
  tolerance = 0,
) {
  await until(
    async () =>
      difference(await shot(gnome, region, cursor), rgbOf(await keptFrame(desktop.screen, region, cursor))),
    (most) => most <= tolerance,
    (most) => `colors differ by ${most}`,
  );
}
