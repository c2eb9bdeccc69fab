/**
 * A script of PyAutoGUI of which the import alone is changed, on real desktops where other programs report the input
 * that arrived.
 */

import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { need } from "../support/need.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";
import { type Installed, installPython, python } from "./packed.ts";
import type { Stage, StageRow } from "./stages.ts";

const TESTS = fromFileUrl(new URL("./python", import.meta.url));
const NEEDED = need("python3", "pip3");

/** Events that a witness receives of script.py, in order. */
const RECEIVED = [
  ...[
    "left pressed",
    "left released",
    "right pressed",
    "right released",
    "middle pressed",
    "middle released",
  ],
  ...["left pressed", "left released", "left pressed", "left released"],
  ...["up", "up", "down", "right"],
  ...["left pressed", "left released", "left pressed", "left released", "right pressed", "right released"],
  ...["F5", "Left", "Up", "a", "a"].flatMap((key) => [`pressed ${key}`, `released ${key}`]),
  ...["pressed Control_L", "pressed Shift_L", "pressed T", "released T", "released Shift_L"],
  ...["released Control_L", "pressed Control_L", "pressed b", "released b", "released Control_L"],
  ...["pressed Shift_L", "pressed Left", "released Left", "released Shift_L"],
  ...["pressed Control_L", "pressed c", "released c", "released Control_L"],
];

/** Registers a test for each desktop. */
export function testScripts(stages: readonly StageRow[]): void {
  for (const { name, needs, start } of stages) {
    const ignore = NEEDED.ignore || needs.ignore;
    Deno.test(
      { ignore, name: `a script of PyAutoGUI with another import does the same on ${name}` },
      async (t) => {
        await using client = await installPython();
        await using stage = await start();
        await t.step("mouse, keys, pictures, windows, fail-safe", () => playsScript(client, stage));
        await t.step("text", () => typesText(client, stage));
      },
    );
  }
}

async function playsScript(client: Installed, stage: Stage) {
  await using witness = await stage.witness();
  const before = witness.events().length;
  const found = await temporary(async (folder) => {
    const args = [`${TESTS}/script.py`, folder];
    const { code, printed } = await python(client, args, { DESKHAND_URL: stage.url });
    assertEquals(code, 0, printed);
    return JSON.parse(printed);
  });
  assertEquals(found, {
    "position": [535, 435],
    "size": [1280, 720],
    "located": [true, true, true, true],
    "in a picture": true,
    "all": true,
    "center": true,
    "pixel": true,
    "missing": true,
    "titles": stage.titles,
    ...stage.active === undefined ? {} : { "active": stage.active },
    "stopped": true,
  });
  const events = await until(
    () => witness.events().slice(before),
    (events) => events.length >= RECEIVED.length,
    (events) => `received ${events.join(", ")}`,
  );
  assertEquals(events, RECEIVED);
}

async function typesText(client: Installed, stage: Stage) {
  await using terminal = await stage.terminal();
  const script = `
import deskhand.pyautogui as p
p.PAUSE = 0
p.moveTo(300, 300)
p.write(${JSON.stringify(stage.text)})
p.write("ab\\bC~", interval=0.01)
p.press("enter")`;
  const { code, printed } = await python(client, ["-c", script], { DESKHAND_URL: stage.url });
  assertEquals(code, 0, printed);
  const text = await until(() => terminal.received(), (text) => text.endsWith("\r"));
  assertEquals(text.replace("\b", "\x7f"), `${stage.text}ab\x7fC~\r`);
}
