/** A real GNOME desktop's portal, whose dialog is answered; the program runs as the desktop's user. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { GNOME, Gnome } from "../../../support/gnome.ts";
import { Person, PORTAL } from "../../../support/portal_dialog.ts";
import type { Program } from "../../../support/program.ts";
import { LiveViewer } from "../../../support/live_viewer.ts";
import { until } from "../../../support/shell.ts";
import { startInSession } from "../../../support/ordinary_user.ts";

/** Variables that the portal, which the bus starts, takes from the bus's environment. */
const ACTIVATION = ["WAYLAND_DISPLAY", "XDG_CURRENT_DESKTOP", "XDG_RUNTIME_DIR", "DBUS_SYSTEM_BUS_ADDRESS"];

/** Ends all screen sharing, like a click on the shell's indicator. */
const TAKE_BACK = "[...Main.panel.statusArea.screenSharing._handles].map((handle) => handle.stop()).length";

async function start(gnome: Gnome): Promise<Program> {
  return await startInSession(gnome.session, ["--http", "0", "--desktop", "portal"]);
}

/** Calls the API; returns the status and the response. */
async function call(url: string, path: string, body?: unknown): Promise<{ status: number; answer: string }> {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(`${url}/api/${path}`, {
    ...init,
    headers: { "content-type": "application/json" },
  });
  return { status: response.status, answer: await response.text() };
}

/** A pixel's color according to the shell: `#` and six digits. */
async function shownColor(gnome: Gnome, x: number, y: number): Promise<string> {
  const path = `${gnome.env.HOME}/shot.png`;
  await gnome.screenshot(path);
  const args = [path, "-crop", `1x1+${x}+${y}`, "-depth", "8", "rgb:-"];
  return `#${(await new Deno.Command("convert", { args }).output()).stdout.toHex()}`;
}

Deno.test({
  name: "a user's consent allows pointer, screenshots and replays, and its end is reported",
  ignore: GNOME.ignore || PORTAL.ignore,
  async fn(t) {
    await using gnome = await Gnome.start();
    await gnome.run("dbus-update-activation-environment", ...ACTIVATION);
    using person = new Person(gnome);

    await t.step("a refusal, or consent without input, ends the start and says what to do", async () => {
      for (
        const [answer, message] of [
          ["cancel", "consent was denied in the desktop's dialog"],
          ["agree without input", "turn on remote interaction in the desktop's dialog"],
        ] as const
      ) {
        await using program = await start(gnome);
        await program.printed(/your desktop asks for consent now/);
        await person.answer(answer);
        const { code, stderr } = await program.ended();
        assertEquals(code, 3, stderr);
        assertStringIncludes(stderr, message);
      }
    });

    await using program = await start(gnome);
    await person.answer("agree");
    const url = await program.controlUrl();

    await t.step(
      "moves the pointer, and sees its position when a user moves it",
      async () => {
        assertEquals((await call(url, "move", { x: 321, y: 123 })).answer, '{"ok":true}');
        await until(() => gnome.pointer(), ({ x, y }) => x === 321 && y === 123);
        person.move(456, 234);
        await until(
          async () => (await call(url, "position")).answer,
          (answer) => answer === '{"x":456,"y":234}',
        );
      },
    );

    await t.step("the screen is the shared one, and its screenshots arrive", async () => {
      const { displays } = JSON.parse((await call(url, "screen")).answer);
      assertEquals(displays, [{ name: "Meta-0", primary: true, x: 0, y: 0, width: 1280, height: 720 }]);
      // The shell's own screenshot is the witness. The dialog fades out meanwhile.
      await until(
        async () => [await shownColor(gnome, 640, 400), (await call(url, "pixel?x=640&y=400")).answer],
        ([color, answer]) => answer.includes(color),
      );
    });

    await t.step("the page's live view arrives, and updates when the pointer moves", async () => {
      using viewer = new LiveViewer(url);
      await until(() => viewer.pictures, Boolean, () => `no picture: ${viewer.told}`);
      assertEquals([viewer.width, viewer.height], [1280, 720]);
      const before = viewer.pictures;
      await call(url, "move", { x: 50, y: 400 });
      await until(() => viewer.pictures > before);
    });

    await t.step("records own moves and a user's, and replays them in the same session", async () => {
      await call(url, "recording/start", {});
      const recorded = (count: number) =>
        until(async () => JSON.parse((await call(url, "recording/state")).answer).events >= count);
      person.move(700, 500);
      await recorded(1);
      await call(url, "move", { x: 10, y: 700 });
      await recorded(2);
      await call(url, "move", { x: 200, y: 300 });
      await call(url, "recording/stop", {});
      const { events } = JSON.parse((await call(url, "recording")).answer);
      assertEquals(
        events.map(({ type, x, y }: Record<string, unknown>) => [type, x, y]),
        [["move", 700, 500], ["move", 10, 700], ["move", 200, 300]],
      );
      await call(url, "move", { x: 600, y: 600 });
      assertEquals((await call(url, "recording/play", {})).status, 200);
      await until(() => gnome.pointer(), ({ x, y }) => x === 200 && y === 300);
      assertEquals(await person.dialog(), undefined);
      await until(async () => JSON.parse((await call(url, "recording/state")).answer).state === "idle");
    });

    await t.step(
      "withdrawn consent is a 503 that says so, and nothing moves any longer",
      async () => {
        assert(await gnome.evaluate<number>(TAKE_BACK) > 0);
        const { status, answer } = await until(
          () => call(url, "move", { x: 1, y: 2 }),
          ({ answer }) => answer.includes("a person withdrew their consent"),
        );
        assertEquals(status, 503);
        assertStringIncludes(answer, "Start deskhand again to ask for consent again");
        for (const path of ["position", "screen", "screenshot"]) {
          assertEquals((await call(url, path)).status, 503);
        }
        assertEquals(await person.dialog(), undefined);
      },
    );
  },
});
