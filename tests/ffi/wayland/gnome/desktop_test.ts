/** A real GNOME Shell, controlled through Mutter's interfaces; the shell itself is the witness. */

import { assert, assertEquals, assertMatch, assertObjectMatch, assertRejects } from "@std/assert";
import type { ObservedAction, Point, Region } from "../../../../control/desktop/desktop.ts";
import { DesktopUnavailableError } from "../../../../core/errors.ts";
import { GNOME as GNOME_WAY, GnomeDesktop } from "../../../../ffi/wayland/gnome/way.ts";
import { OwnActions } from "../../../../ffi/watch.ts";
import { watchWayland } from "../../../../ffi/wayland/person/watch.ts";
import type { Session } from "../../../../ffi/wayland/way.ts";
import { keptFrame } from "../../../support/clipboard_tools.ts";
import { wevEvents } from "../../../support/compositors.ts";
import { GNOME, Gnome, whenAvailable } from "../../../support/gnome.ts";
import { need } from "../../../support/need.ts";
import { rgbOf } from "../../../support/pictures.ts";
import { temporary, until } from "../../../support/shell.ts";
import type { Client } from "../../../support/xvfb.ts";

// GNOME Shell's own screenshots, compared with deskhand's.

function sessionOf(gnome: Gnome): Session {
  const run = gnome.env.XDG_RUNTIME_DIR;
  return {
    socket: gnome.socket,
    buses: [`${run}/bus`],
    pipewire: `${run}/pipewire-0`,
  };
}

/** The shell's own screenshot, cropped to a region. */
async function shot(gnome: Gnome, region: Region, cursor: boolean): Promise<Uint8Array> {
  const path = `${gnome.env.HOME}/shot.png`, { x, y, width, height } = region;
  await gnome.screenshot(path, cursor);
  const args = [path, "-crop", `${width}x${height}+${x}+${y}`, "+repage", "-depth", "8", "rgb:-"];
  return (await new Deno.Command("convert", { args }).output()).stdout;
}

/** The largest color difference between two pictures; Infinity if their sizes differ. */
function difference(a: Uint8Array, b: Uint8Array): number {
  if (a.length !== b.length) return Infinity;
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0);
}

/** Waits until deskhand's picture matches the shell's: parts such as the clock change on their own. */
async function agree(
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

const NEEDED = GNOME.ignore ? GNOME : need("wev", "stdbuf", "convert", "mkfifo");

/** A device event as the kernel writes it: a press of the left button (BTN_LEFT). */
const BUTTON_PRESSED = new Uint8Array(new Uint32Array([0, 0, 0, 0, 1 | (0x110 << 16), 1]).buffer);

/** The display on the right. */
const SECOND: Region = { x: 1280, y: 0, width: 800, height: 600 };

/** GNOME with two displays, and deskhand's connection to it. */
interface Stage {
  gnome: Gnome;
  session: Session;
  desktop: GnomeDesktop;
}

/** Steps for displays and the pointer. */
async function pointerSteps(t: Deno.TestContext, { gnome, session, desktop }: Stage): Promise<void> {
  await t.step("the displays match GNOME's", () => {
    const displays = [
      { name: "Meta-0", primary: true, x: 0, y: 0, width: 1280, height: 720 },
      { name: "Meta-1", primary: false, ...SECOND },
    ];
    assertEquals(desktop.screen.layout(), { x: 0, y: 0, width: 2080, height: 720, displays });
    assert(!desktop.isShared, "nothing was asked of GNOME yet");
  });

  await t.step("a move reaches each pixel, even across the end of the top panel", async () => {
    const places: Point[] = [
      { x: 0, y: 0 },
      { x: 700, y: 10 },
      { x: 1500, y: 5 }, // past the panel's end
      { x: 1280, y: 0 },
      { x: 2079, y: 599 },
      { x: 1279, y: 719 },
      { x: 641, y: 357 },
    ];
    for (const place of places) {
      await desktop.pointer.move(place);
      await until(() => gnome.pointer(), ({ x, y }) => x === place.x && y === place.y);
      await until(async () => await desktop.pointer.position(), ({ x, y }) => x === place.x && y === place.y);
    }
    assert(desktop.isShared);
  });

  await t.step("sees another program's move", async () => {
    const other = (await GnomeDesktop.open(session))!;
    await other.pointer.move({ x: 1400, y: 300 });
    await until(async () => await desktop.pointer.position(), ({ x, y }) => x === 1400 && y === 300);
    other.close();
  });

  await t.step(
    "a watch sees moves without devices, and the position of device events",
    async () => {
      const person = (await GnomeDesktop.open(session))!, own = new OwnActions();
      await temporary(async (folder) => {
        const watched = { position: () => desktop.pointer.position(), tracker: () => desktop.pointerTracker };
        for (const hasDevice of [false, true]) {
          await person.pointer.move({ x: 700, y: 200 });
          await until(() => desktop.pointer.position(), ({ x }) => x === 700);
          if (hasDevice) await new Deno.Command("mkfifo", { args: [`${folder}/event3`] }).output();
          using device = hasDevice
            ? await Deno.open(`${folder}/event3`, { read: true, write: true })
            : undefined;
          const seen: ObservedAction[] = [], problems: string[] = [];
          const watch = await watchWayland(
            own,
            { actions: (batch) => seen.push(...batch), problem: (_, message) => problems.push(message) },
            watched,
            gnome.socket,
            folder,
          );
          await person.pointer.move({ x: 1500, y: 400 }); // across the middle of that display
          await until(() => seen, () => seen.some(({ action }) => "x" in action && action.x === 1500));
          await device?.write(BUTTON_PRESSED);
          await until(() => seen.at(-1)?.action.type === (hasDevice ? "button" : "move"));
          await watch.close();
          assertEquals(seen.at(-1)!.injected, false);
          assertObjectMatch(seen.at(-1)!.action, { x: 1500, y: 400 });
          assertEquals(problems.length, hasDevice ? 0 : 1);
          if (!hasDevice) {
            assertMatch(problems[0], /a person's only as pointer moves: there are no input/);
          }
        }
      });
      person.close();
    },
  );
}

/** Steps for buttons and keys, reported by `wev`. */
async function inputSteps(t: Deno.TestContext, desktop: GnomeDesktop, wev: Client): Promise<void> {
  await t.step("buttons and the wheel reach the window under the pointer", async () => {
    await desktop.pointer.move({ x: 640, y: 360 });
    await wev.printing((text) => /wl_pointer\] (enter|motion)/.test(text));
    for (const button of ["left", "right", "back"] as const) {
      for (const down of [true, false]) await desktop.pointer.button(button, down);
    }
    await desktop.pointer.scroll("down", 2);
    await desktop.pointer.scroll("left", 1);
    await wev.printing((text) => /horizontal\), value: -/.test(text));
    assertEquals(
      wevEvents(wev.printed).map((event) => event.split(" ").slice(0, 2).join(" ")),
      ["left pressed", "left released", "right pressed", "right released", "side pressed", "side released"]
        .concat(["vertical 10", "vertical 10", "horizontal -10"]),
    );
  });

  await t.step("the first key of a seat without a keyboard arrives, as do combinations", async () => {
    await wev.printing((text) => /wl_keyboard|wl_pointer/.test(text));
    for (const [key, down] of [["ctrl", true], ["c", true], ["c", false], ["ctrl", false]] as const) {
      await desktop.keyboard.key(key, down);
    }
    await desktop.keyboard.type("aB?");
    await wev.printing((text) => /sym: question.*\n.*\n[^]*sym: question/.test(text));
    const keys = wevEvents(wev.printed).filter((event) => /^(pressed|released) \w+$/.test(event));
    const pressed = keys.filter((event) => event.startsWith("pressed")).map((event) => event.split(" ")[1]);
    assertEquals(pressed.slice(pressed.indexOf("Control_L")), [
      ...["Control_L", "c", "a", "Shift_L", "B", "Shift_L", "question"],
    ]);
  });
}

/** Steps for screenshots; `wev` hides the pointer over its window. */
async function pictureSteps(t: Deno.TestContext, { gnome, desktop }: Stage): Promise<void> {
  await t.step("screenshots of a display, across both, and of a part match the shell's", async () => {
    await desktop.pointer.move({ x: 300, y: 650 });
    await agree(gnome, desktop, SECOND, false);
    await agree(gnome, desktop, { x: 300, y: 100, width: 1200, height: 400 }, false);
    await agree(gnome, desktop, { x: 301, y: 103, width: 7, height: 5 }, false);
    const { parts, release } = await desktop.screen.picture(SECOND, false);
    const [part] = parts;
    assertEquals([part.width, part.height, part.pixels.length], [800, 600, 800 * 600 * 4]);
    release();
  });

  await t.step("one stream yields pictures with and without the pointer", async () => {
    const around = { x: 280, y: 630, width: 60, height: 60 };
    await agree(gnome, desktop, around, false);
    await agree(gnome, desktop, around, true, 2); // the shell rounds differently
    const [drawn, bare] = await Promise.all(
      [true, false].map(async (cursor) => rgbOf(await keptFrame(desktop.screen, around, cursor))),
    );
    assert(difference(drawn, bare) > 50, "the pointer is to be seen");
  });

  await t.step("draws a cursor image that PipeWire has dropped", async () => {
    const around = { x: 280, y: 630, width: 60, height: 60 };
    await desktop.pointer.move({ x: 640, y: 360 }); // wev hides the pointer
    await agree(gnome, desktop, around, true, 2);
    await agree(gnome, desktop, { ...around, x: 620, y: 340 }, true, 2);
    await gnome.whilePipeWireWaits(async () => {
      for (const x of [300, 301, 302, 300]) { // the first buffer has the cursor image, and the next replaces it
        await desktop.pointer.move({ x, y: 650 });
        await until(() => gnome.pointer(), (place) => place.x === x);
        await shot(gnome, around, true);
      }
    });
    await agree(gnome, desktop, around, true, 2);
  });

  await t.step("a picture is black where there is no display", async () => {
    const { pixels } = await keptFrame(desktop.screen, { x: 1280, y: 600, width: 800, height: 120 }, false);
    assert(new Uint32Array(pixels.buffer).every((pixel) => (pixel & 0xffffff) === 0));
  });
}

/** Steps for Mutter sessions and their ends. */
async function sessionSteps(t: Deno.TestContext, { gnome, session, desktop }: Stage): Promise<void> {
  await t.step("closes an unused session and reopens it when needed", async () => {
    const short = (await GnomeDesktop.open(session, 300))!;
    await keptFrame(short.screen, { x: 0, y: 0, width: 1, height: 1 }, false);
    await short.pointer.button("middle", true);
    assert(short.isShared);
    await short.pointer.button("middle", false);
    await until(() => !short.isShared);
    await keptFrame(short.screen, { x: 0, y: 0, width: 1, height: 1 }, false);
    assert(short.isShared);
    short.close();
    // Its idle time has passed before it is open.
    const shortest = (await GnomeDesktop.open(session, 1))!;
    await shortest.session();
    assert(shortest.isShared);
    await until(() => !shortest.isShared);
    shortest.close();
  });

  await t.step("a session stays open while something is pressed", async () => {
    const short = (await GnomeDesktop.open(session, 50))!;
    await short.pointer.button("middle", true);
    const opened = await short.session();
    // Another session with a longer limit, used at the same time, has been closed by then.
    const other = (await GnomeDesktop.open(session, 200))!;
    await other.session();
    await until(() => !other.isShared);
    assert(short.isShared && await short.session() === opened);
    short.close();
    other.close();
  });

  await t.step("says that the screen is locked while GNOME inhibits remote control", async () => {
    const controller = "global.backend.get_remote_access_controller()";
    await gnome.evaluate(`(${controller}.inhibit_remote_access(), 0)`);
    await assertRejects(
      async () => await desktop.pointer.move({ x: 1, y: 1 }),
      DesktopUnavailableError,
      "the screen is locked",
    );
    await assertRejects(
      () => keptFrame(desktop.screen, SECOND, false),
      DesktopUnavailableError,
      "the screen is locked",
    );
    await gnome.evaluate(`(${controller}.uninhibit_remote_access(), 0)`);
    await desktop.pointer.move({ x: 5, y: 6 });
    await until(() => gnome.pointer(), ({ x, y }) => x === 5 && y === 6);
  });
}

/** Steps that change the displays and kill the shell. */
async function changeSteps(t: Deno.TestContext, { gnome, session, desktop }: Stage): Promise<void> {
  await t.step("with different scales, reaches and sees each pixel of the larger display", async () => {
    await gnome.arrange([
      { name: "Meta-0", mode: "1280x720@60.000", scale: 1.25, x: 0, y: 0 },
      { name: "Meta-1", mode: "800x600@60.000", scale: 1, x: 1024, y: 0 },
    ]);
    await until(
      () => desktop.screen.layout().displays.map(({ x, y, width, height }) => [x, y, width, height]),
      (all) => JSON.stringify(all) === "[[0,0,1280,720],[1280,0,1000,750]]",
    );
    // Desktop pixels, and the logical position that contains each.
    for (
      const [x, y, logicalX, logicalY] of [[1001, 701, 800, 560], [1000, 700, 800, 560], [
        1780,
        375,
        1424,
        300,
      ]]
    ) {
      await desktop.pointer.move({ x, y });
      await until(() => gnome.pointer(), (place) => place.x === logicalX && place.y === logicalY);
      await until(async () => await desktop.pointer.position(), (place) => place.x === x && place.y === y);
    }
    const { width, height } = await keptFrame(desktop.screen, desktop.screen.layout(), true);
    assertEquals([width, height], [2280, 750]);
  });

  await t.step("notices a shell that is gone, and finds it again when it is back", async () => {
    assert(!desktop.connection.isLost);
    await gnome.kill();
    await until(() => desktop.connection.isLost);
    assertEquals(await GNOME_WAY.connect(session), undefined);
    desktop.close();
    await gnome.restart();
    const again = (await until(() => GnomeDesktop.open(session), Boolean))!;
    await whenAvailable(() => again.pointer.move({ x: 50, y: 60 }));
    await until(() => gnome.pointer(), ({ x, y }) => x === 50 && y === 60);
    again.close();
  });
}

Deno.test({ name: "controls GNOME through Mutter's interfaces", ...NEEDED }, async (t) => {
  await using gnome = await Gnome.start({ monitors: ["1280x720", "800x600"] });
  const session = sessionOf(gnome);
  const desktop = (await GnomeDesktop.open(session))!;
  await pointerSteps(t, { gnome, session, desktop });

  await desktop.pointer.move({ x: 300, y: 650 }); // windows open on the pointer's display
  await until(() => gnome.pointer(), ({ x }) => x === 300);
  await using wev = gnome.spawn("stdbuf", "-oL", "wev");
  await gnome.windows(1);
  await wev.printing((text) => /wl_surface|configure: width/.test(text));

  await inputSteps(t, desktop, wev);
  await pictureSteps(t, { gnome, session, desktop });
  await sessionSteps(t, { gnome, session, desktop });
  await changeSteps(t, { gnome, session, desktop });
});
