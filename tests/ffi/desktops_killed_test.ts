/** Keys and buttons that a killed deskhand held are released, on every desktop of the table. */

import { assertEquals, equal } from "@std/assert";
import { newRecording } from "../../control/recording/format.ts";
import { call } from "../program/recording.ts";
import { DESKTOPS, type TestDesktop, type Witness } from "../support/desktops.ts";
import { Program } from "../support/program.ts";
import { temporary, until } from "../support/shell.ts";

/** Keycode of the left Ctrl key. */
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
      await next.printed(
        /released keys and buttons that a killed deskhand held: key shift, key \?, button left/,
      );
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
    { name: `${name}: the next start releases what a killed deskhand's replay held`, ...needs },
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

/** Names of the buttons that are down for the witness, in press order. */
function buttonsDown(witness: Witness): string[] {
  const down = new Set<string>();
  for (const event of witness.events()) {
    const [name, state] = event.split(" ");
    if (state === "pressed") down.add(name);
    else if (state === "released") down.delete(name);
  }
  return [...down];
}

/** @param state The state folder, shared by a user's programs. */
async function opened(system: TestDesktop, state: string): Promise<Program> {
  const program = new Program(["--http", "0"], { env: { ...system.env, XDG_STATE_HOME: state } });
  await program.controlUrl();
  return program;
}

async function press(program: Program, ...pressed: unknown[]): Promise<void> {
  const url = await program.controlUrl();
  for (const body of pressed) assertEquals((await call(url, "POST", "press", body)).json, { ok: true });
}

// The desktop after the program has ended, on every desktop of the table.

for (const { name, needs, start } of DESKTOPS) {
  Deno.test({ name: `${name}: nothing stays pressed, however the program ends`, ...needs }, async () => {
    await using system = await start();
    await using _first = await openedDesktop(system); // otherwise the desktop may have no keyboard
    await using witness = await system.witness();
    let before = witness.events().length;
    for (const ending of ["SIGTERM", "SIGINT", "quit"] as const) {
      await using program = await openedDesktop(system);
      const since = () => witness.events().slice(before);
      await pressKey(program, { button: "left", x: 300, y: 200 }, { key: "shift" }, { key: "a" });
      await until(since, (events) => events.length === 3, (events) => events.join());
      if (ending === "quit") await program.write("quit");
      else program.kill(ending);
      await program.ended();
      // The server may read the program's last requests after it has exited.
      const released = await until(since, (events) => events.length >= 6, (events) => events.join());
      assertEquals(released.filter((event) => event.includes("released")).length, 3, released.join());
      await until(() => witness.codesDown(), (codes) => codes.length === 0);
      before += released.length;
    }
  });

  Deno.test({
    name: `${name}: if the program ends while typing, modifiers are restored, and its own are released`,
    ...needs,
  }, async () => {
    await using system = await start();
    const person = await system.open();
    await using witness = await system.witness();
    for (const down of [true, false]) await person.keyboard.key("capslock", down);
    await person.keyboard.key("ctrl", true);
    await until(() => witness.codesDown(), (codes) => equal(codes, [CONTROL]));
    await using program = await openedDesktop(system);
    await pressKey(program, { key: "shift" });
    await until(() => witness.codesDown(), (codes) => codes.length === 2);
    // Some desktops type characters without a key with pauses.
    const text = String.fromCodePoint(...Array.from({ length: 500 }, (_, i) => 0x4e00 + i));
    const typing = post(program, "type", { text }).catch(() => {});
    await until(() => witness.events().includes("released Shift_L"));
    program.kill("SIGINT"); // on SIGTERM the text would have ten seconds to finish
    await program.ended();
    await typing;
    await until(() => witness.codesDown(), (codes) => equal(codes, [CONTROL]));
    for (const down of [true, false]) await person.keyboard.key("a", down);
    await until(() => lastKey(witness), (event) => event === "released A");
    person.close();
  });
}

function lastKey(witness: Witness): string | undefined {
  return witness.events().at(-1);
}

async function openedDesktop(system: TestDesktop): Promise<Program> {
  const program = new Program(["--http", "0"], { env: system.env });
  await program.controlUrl();
  return program;
}

async function post(program: Program, path: string, body: unknown): Promise<unknown> {
  const url = await program.controlUrl();
  return await (await fetch(`${url}/api/${path}`, { method: "POST", body: JSON.stringify(body) })).json();
}

async function pressKey(program: Program, ...pressed: unknown[]): Promise<void> {
  for (const body of pressed) assertEquals(await post(program, "press", body), { ok: true });
}
