/** The desktop after the end of the program, the same on every desktop of the table. */

import { assertEquals, equal } from "@std/assert";
import { DESKTOPS, type TestDesktop, type Witness } from "../support/desktops.ts";
import { Program } from "../support/program.ts";
import { until } from "../support/until.ts";

/** Keycode of the left Control key. */
const CONTROL = 37;

for (const { name, needs, start } of DESKTOPS) {
  Deno.test({ name: `${name}: nothing stays pressed, however the program ends`, ...needs }, async () => {
    await using system = await start();
    await using _first = await opened(system); // without one a desktop may have no keyboard
    await using witness = await system.witness();
    let before = witness.events().length;
    for (const ending of ["SIGTERM", "SIGINT", "quit"] as const) {
      await using program = await opened(system);
      const since = () => witness.events().slice(before);
      await press(program, { button: "left", x: 300, y: 200 }, { key: "shift" }, { key: "a" });
      await until(since, (events) => events.length === 3, (events) => events.join());
      if (ending === "quit") await program.write("quit");
      else program.kill(ending);
      await program.ended();
      // The server may read the program's last requests after its end.
      const released = await until(since, (events) => events.length >= 6, (events) => events.join());
      assertEquals(released.filter((event) => event.includes("released")).length, 3, released.join());
      await until(() => witness.codesDown(), (codes) => codes.length === 0);
      before += released.length;
    }
  });

  Deno.test({
    name: `${name}: when the program ends amid a text, modifiers are as before, but for those that it held`,
    ...needs,
  }, async () => {
    await using system = await start();
    const person = await system.open();
    await using witness = await system.witness();
    for (const down of [true, false]) await person.keyboard.key("capslock", down);
    await person.keyboard.key("ctrl", true);
    await until(() => witness.codesDown(), (codes) => equal(codes, [CONTROL]));
    await using program = await opened(system);
    await press(program, { key: "shift" });
    await until(() => witness.codesDown(), (codes) => codes.length === 2);
    // Characters that no key has are typed with pauses on some.
    const text = String.fromCodePoint(...Array.from({ length: 500 }, (_, i) => 0x4e00 + i));
    const typing = post(program, "type", { text }).catch(() => {});
    await until(() => witness.events().includes("released Shift_L"));
    program.kill("SIGINT"); // at SIGTERM the text would have ten seconds to come to its end
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

async function opened(system: TestDesktop): Promise<Program> {
  const program = new Program(["--http", "0"], { env: system.env });
  await program.controlUrl();
  return program;
}

async function post(program: Program, path: string, body: unknown): Promise<unknown> {
  const url = await program.controlUrl();
  return await (await fetch(`${url}/api/${path}`, { method: "POST", body: JSON.stringify(body) })).json();
}

async function press(program: Program, ...pressed: unknown[]): Promise<void> {
  for (const body of pressed) assertEquals(await post(program, "press", body), { ok: true });
}
