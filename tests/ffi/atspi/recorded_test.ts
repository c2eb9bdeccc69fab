/** Replays by element after windows were moved, resized and re-themed: each press hits its button again. */

import { assert, assertEquals } from "@std/assert";
import { delay } from "@std/async/delay";
import { fromFileUrl } from "@std/path";
import { ElementsStage, STAGE, type StageElement } from "../../support/elements.ts";
import { Lines, until } from "../../support/shell.ts";
import { need } from "../../support/need.ts";

const PROGRAM = fromFileUrl(new URL("../../support/themed.py", import.meta.url));
const PROGRAMS = need("/usr/lib/x86_64-linux-gnu/girepository-1.0/Gtk-3.0.typelib", "/usr/bin/python3");
/** Titles and layouts of three programs, and their windows' positions before and after. */
const WINDOWS = [
  ["Ada", "grid", { x: 20, y: 40, width: 320, height: 260 }, { x: 700, y: 420, width: 480, height: 280 }],
  ["Bob", "column", { x: 400, y: 40, width: 240, height: 420 }, { x: 30, y: 150, width: 330, height: 520 }],
  ["Eve", "tabs", { x: 700, y: 60, width: 340, height: 300 }, { x: 420, y: 60, width: 400, height: 340 }],
] as const;
const PRESSES = 100;
/** Time for which a user's pointer rests before a press, in milliseconds. */
const REST_MS = 60;

Deno.test({
  name: "a recording finds its elements after three programs were moved, resized and re-themed",
  ignore: STAGE.ignore || PROGRAMS.ignore,
  async fn(t) {
    await using stage = await ElementsStage.start();
    const programs = WINDOWS.map(([title, kind]) => stage.start("/usr/bin/python3", PROGRAM, title, kind));
    const told = programs.map(({ stdout }) => new Lines(stdout));
    const pressed = () => told.flatMap(({ lines }) => lines.filter((line) => / \d+$/.test(line)));
    const alive = new Set(programs.keys());
    /**
     * Waits until the programs have handled all presses: otherwise late ones would count in the next step.
     */
    const rested = async () => {
      for (const i of alive) programs[i].kill("SIGUSR2");
      await until(() => [...alive].every((i) => told[i].lines.includes("rested")));
    };
    const forget = () => told.forEach(({ lines }) => lines.length = 0);
    const buttons: StageElement[] = [];
    for (const [title, , before] of WINDOWS) {
      await until(() => stage.list(`title=${title}&role=button`), (found) => found.length === 12);
      await stage.post("/api/window/place", { title, ...before });
    }
    for (const [title] of WINDOWS) buttons.push(...await stage.list(`title=${title}&role=button`));
    const order = Array.from({ length: PRESSES }, (_, i) => buttons[i * 7 % buttons.length]);
    await stage.post("/api/recording/start", {});
    for (const [i, { x, y, width, height }] of order.entries()) {
      await stage.post("/api/move", { x: x + (width >> 1) - 4, y: y + (height >> 1) });
      await delay(REST_MS);
      await stage.post("/api/click", { x: x + (width >> 1), y: y + (height >> 1), button: "left" });
      await until(pressed, ({ length }) => length > i, (lines) => `${lines.length} presses`);
      await delay(REST_MS);
    }
    await stage.post("/api/recording/stop", {});
    const { events } = await stage.get("/api/recording");
    const noted = events.filter(({ element }: { element?: { name: string } }) => element?.name);
    assert(noted.length >= 95, `${noted.length} of ${PRESSES} presses have an element`);
    for (const [title, , , after] of WINDOWS) await stage.post("/api/window/place", { title, ...after });
    await rested();
    for (const child of programs) child.kill("SIGUSR1");
    await until(() => told.every(({ lines }) => lines.includes("themed")));
    const hits = async (elements: boolean) => {
      forget();
      await stage.post("/api/recording/play", { elements, speed: 2 });
      const state = await until(() => stage.get("/api/recording/state"), ({ state }) => state === "idle");
      await rested();
      const lines = pressed(), wanted = order.map(({ name }) => name);
      const count = (names: string[], name: string) => names.filter((one) => one === name).length;
      const right = new Set(wanted).values()
        .reduce((sum, name) => sum + Math.min(count(lines, name), count(wanted, name)), 0);
      return { right, wrong: lines.length - right, state };
    };
    await t.step("by element, at least 95 of 100 hit", async () => {
      const { right, wrong, state } = await hits(true);
      assert(right >= 95 && wrong <= 5, JSON.stringify({ right, wrong, state }));
      assertEquals(state.result.elements.found, noted.length);
    });
    await t.step("by position, few do", async () => {
      const { right } = await hits(false);
      assert(right < 30, `${right} of ${PRESSES}`);
    });
    await t.step("if an element is gone, the replay ends before its press", async () => {
      alive.delete(0);
      programs[0].kill("SIGKILL"); // its button is the first to be pressed
      await until(() => stage.list("title=Ada"), ({ length }) => length === 0);
      const { right, wrong, state } = await hits(true);
      assertEquals([right, wrong], [0, 0]);
      assertEquals(state.problem, `button ${JSON.stringify(order[0].name)} in "Ada" was not found`);
    });
  },
});
