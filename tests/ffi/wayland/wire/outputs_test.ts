/** Displays of different scales, and such that come and go while the desktop is in use. */

import { assertEquals, assertRejects } from "@std/assert";
import { DesktopUnavailableError } from "../../../../core/errors.ts";
import { DamagedScreen } from "../../../../ffi/wayland/wlroots/damaged_screen.ts";
import type { WaylandDesktop } from "../../../../ffi/wayland/desktop.ts";
import { openWayland } from "../../../../ffi/wayland/mod.ts";
import { COMPOSITOR_NAME, ownCommand } from "../../../support/compositors.ts";
import { needSway, SWAY, Sway } from "../../../support/sway.ts";
import { until } from "../../../support/until.ts";
import { keptFrame } from "../../../support/kept_frame.ts";

const OUTPUTS = [
  "output HEADLESS-1 resolution 640x400 position 0 0 scale 1",
  "output HEADLESS-2 resolution 640x480 position 640 0 scale 2",
];
/** The displays' places: the larger scale is the desktop's, and the other display is enlarged. */
const PLACES = ["0,0,1280,800", "1280,0,640,480"];

/** The displays' places and sizes, or the reason why there are no displays. */
function places(desktop: WaylandDesktop): string[] {
  try {
    return desktop.screen.layout().displays.map(({ x, y, width, height }) => [x, y, width, height].join());
  } catch (error) {
    if (error instanceof DesktopUnavailableError) return [error.message];
    throw error;
  }
}

async function pictureSize(desktop: WaylandDesktop): Promise<number[]> {
  const { width, height } = await keptFrame(desktop.screen, desktop.screen.layout(), true);
  return [width, height];
}

/** Moves, and waits until another connection learns the place from the compositor. */
async function reaches(desktop: WaylandDesktop, other: WaylandDesktop, x: number, y: number) {
  await desktop.pointer.move({ x, y });
  await until(() => other.pointer.position(), (place) => place.x === x && place.y === y);
}

Deno.test(
  { name: "displays of different scales are used to the pixel, and another may come", ...needSway() },
  async () => {
    await using sway = await Sway.start({ outputs: OUTPUTS });
    const desktop = await openWayland(sway.socket), other = await openWayland(sway.socket);
    assertEquals(places(desktop), PLACES);
    for (const [x, y] of [[1281, 1], [1919, 479], [1500, 333], [0, 0], [1278, 798]]) {
      await reaches(desktop, other, x, y);
    }
    const live = DamagedScreen.open(sway.socket, undefined)!;
    assertEquals(await pictureSize(desktop), [1920, 800]);
    await sway.run("swaymsg", "create_output");
    await sway.output("HEADLESS-3", "resolution", "320x240", "position", "960", "0", "scale", "1");
    await until(() => places(desktop), (all) => all.join(" ") === [...PLACES, "1920,0,640,480"].join(" "));
    assertEquals(await pictureSize(desktop), [2560, 800]);
    await reaches(desktop, other, 2558, 478);
    await until(() => (live.update(), live.place.width === 2560 && live.pixels.length === 2560 * 800 * 4));
    for (const one of [live, other, desktop]) one.close();
  },
);

/** A sway that unplugs displays which do not exist: 1.8 does, 1.7 of Debian 12 does not. */
const { program, args } = ownCommand("sway", ["--version"]);
const isLater = !SWAY.ignore && COMPOSITOR_NAME === "sway" &&
  Number(
      /1\.(\d+)/.exec(new TextDecoder().decode(new Deno.Command(program, { args }).outputSync().stdout))?.[1],
    ) > 7;

if (isLater) {
  Deno.test("displays may be unplugged while they are used", async () => {
    await using sway = await Sway.start({ outputs: OUTPUTS });
    const desktop = await openWayland(sway.socket), other = await openWayland(sway.socket);
    const live = DamagedScreen.open(sway.socket, undefined)!;
    assertEquals(await pictureSize(desktop), [1920, 800]);
    await reaches(desktop, other, 1800, 100);
    await sway.run("swaymsg", "--", "output", "HEADLESS-2", "unplug");
    await until(() => places(desktop), (all) => all.join(" ") === "0,0,640,400");
    assertEquals(await pictureSize(desktop), [640, 400]);
    await reaches(desktop, other, 639, 399);
    await until(() => (live.update(), live.place.width === 640 && live.pixels.length === 640 * 400 * 4));
    await sway.output("HEADLESS-1", "disable");
    await until(() => places(desktop), ([first]) => /no display/.test(first));
    await assertRejects(() => pictureSize(desktop), DesktopUnavailableError, "no display");
    for (const one of [live, other, desktop]) one.close();
  });
}
