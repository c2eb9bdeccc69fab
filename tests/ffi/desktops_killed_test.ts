/** Keys and buttons that a killed deskhand held are released, the same on every desktop of the table. */

import { assertEquals, assertMatch, equal } from "@std/assert";
import { newRecording } from "../../control/recording/format.ts";
import { call } from "../program/recording.ts";
import { DESKTOPS, type TestDesktop, type Witness } from "../support/desktops.ts";
import { Program } from "../support/program.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";

/** Keycode of the left Control key. */
const CONTROL = 37;

for (const { name, needs, start } of DESKTOPS) {
  Deno.test({
    name: `${name}: the next start releases what a killed deskhand held, and nothing else`,
    ...needs,
  }, async () => {
    await using system = await start();
    await temporary(async (state) => {
      await using living = await opened(system, state);
      await using witness = await system.witness();
      await press(living, { key: "ctrl" }, { button: "right", x: 300, y: 200 });
      {
        await using killed = await opened(system, state);
        await press(killed, { key: "shift" }, { key: "?" }, { button: "left", x: 300, y: 200 });
        await until(() => buttonsDown(witness), (down) => equal(down, ["right", "left"]));
        killed.kill("SIGKILL");
        await killed.ended();
      }
      await using next = await opened(system, state);
      await until(() => buttonsDown(witness), (down) => equal(down, ["right"]), () => next.stderr);
      await until(() => witness.codesDown(), (codes) => equal(codes, [CONTROL]));
      assertMatch(next.stderr, /released what a killed deskhand held: key shift, key \?, button left/);
      await using another = await opened(system, state);
      assertEquals(another.stderr, "");
      await call(await living.controlUrl(), "POST", "release", {});
      await until(() => buttonsDown(witness), (down) => down.length === 0);
      await until(() => witness.codesDown(), (codes) => codes.length === 0);
      living.kill();
      await living.ended();
    });
  });

  Deno.test(
    { name: `${name}: release without a name releases what a killed deskhand held`, ...needs },
    async () => {
      await using system = await start();
      await temporary(async (state) => {
        await using living = await opened(system, state);
        await using witness = await system.witness();
        {
          await using killed = await opened(system, state);
          await press(killed, { key: "a" }, { button: "left", x: 300, y: 200 });
          await until(() => buttonsDown(witness), (down) => equal(down, ["left"]));
          killed.kill("SIGKILL");
          await killed.ended();
        }
        const url = await living.controlUrl();
        assertEquals((await call(url, "POST", "release", {})).json, { ok: true });
        await until(() => buttonsDown(witness), (down) => down.length === 0);
        await until(() => witness.codesDown(), (codes) => codes.length === 0);
      });
    },
  );

  Deno.test(
    { name: `${name}: so it does with what a replay held when it was killed`, ...needs },
    async () => {
      await using system = await start();
      await temporary(async (state) => {
        await using _living = await opened(system, state);
        await using witness = await system.witness();
        {
          await using killed = await opened(system, state);
          const url = await killed.controlUrl();
          const place = { button: "left" as const, x: 300, y: 200 };
          const recording = newRecording({ x: 0, y: 0, width: 1280, height: 720 }, new Date(0));
          const events = [
            { t: 0, type: "key", key: "a", down: true },
            { t: 0, type: "button", ...place, down: true },
            { t: 600_000, type: "button", ...place, down: false },
          ];
          assertEquals((await call(url, "PUT", "recording", { ...recording, events })).status, 200);
          await call(url, "POST", "recording/play", {});
          await until(() => buttonsDown(witness), (down) => equal(down, ["left"]));
          killed.kill("SIGKILL");
          await killed.ended();
        }
        await using _next = await opened(system, state);
        await until(() => buttonsDown(witness), (down) => down.length === 0);
        await until(() => witness.codesDown(), (codes) => codes.length === 0);
      });
    },
  );
}

/** Names of the buttons that are down for the witness, in the order of pressing. */
function buttonsDown(witness: Witness): string[] {
  const down = new Set<string>();
  for (const event of witness.events()) {
    const [name, state] = event.split(" ");
    if (state === "pressed") down.add(name);
    else if (state === "released") down.delete(name);
  }
  return [...down];
}

/** @param state The state folder, which all programs of one user share. */
async function opened(system: TestDesktop, state: string): Promise<Program> {
  const program = new Program(["--http", "0"], { env: { ...system.env, XDG_STATE_HOME: state } });
  await program.controlUrl();
  return program;
}

async function press(program: Program, ...pressed: unknown[]): Promise<void> {
  const url = await program.controlUrl();
  for (const body of pressed) assertEquals((await call(url, "POST", "press", body)).json, { ok: true });
}
