/**
 * A PyAutoGUI script with only its import changed, on X11, sway, GNOME and KDE, where other programs report
 * the input that arrived.
 */

import { BARE_STAGES, SESSION_STAGES, type Stage, type StageRow } from "./stages.ts";
import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { need } from "../support/need.ts";
import { temporary, until } from "../support/shell.ts";
import { type Installed, installPython, python } from "./pages.ts";

const TESTS = fromFileUrl(new URL("./python", import.meta.url));
const NEEDED = need("python3", "pip3");

/** Events that a witness receives from script.py, in order. */
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

const CLICKS = { left: ["left pressed", "left released"], right: ["right pressed", "right released"] };
const SHIFT = ["pressed Shift_L", "released Shift_L"];

/** Events that a witness receives from script_rest.py, in order. */
const RECEIVED_OF_THE_REST = [
  ...[...CLICKS.left, ...CLICKS.right, ...CLICKS.left, ...CLICKS.left, ...CLICKS.left, ...CLICKS.left],
  ...["middle pressed", "middle released", ...CLICKS.left, ...CLICKS.right, ...CLICKS.right, "up"],
  ...["a", "Left"].flatMap((key) => [`pressed ${key}`, `released ${key}`]),
  ...["pressed Control_L", "pressed b", "released b", "released Control_L"],
  ...[...CLICKS.left, "pressed F5", "released F5"],
  ...["pressed Control_L", "pressed c", "released c", "released Control_L"],
  ...[...SHIFT, ...SHIFT],
];

/** The client that all desktops share. */
let shared: Promise<Installed> | undefined;
Deno.test.afterAll(async () => await (await shared)?.[Symbol.asyncDispose]());

/** Registers a test for each desktop. */
function testScripts(stages: readonly StageRow[]): void {
  for (const { name, needs, start } of stages) {
    const ignore = NEEDED.ignore || needs.ignore;
    Deno.test(
      { ignore, name: `a PyAutoGUI script does the same with deskhand's module on ${name}` },
      async (t) => {
        const client = await (shared ??= installPython());
        await using stage = await start();
        await t.step("mouse, keys, pictures, windows, fail-safe", () => playsScript(client, stage));
        await t.step("every other function that needs a desktop", () => playsTheRest(client, stage));
        await t.step("text", () => typesText(client, stage));
      },
    );
  }
}

async function playsScript(client: Installed, stage: Stage) {
  const { titles, active } = stage;
  assertEquals(await played(client, stage, "script.py", RECEIVED), {
    "position": [535, 435],
    "size": [1280, 720],
    "located": [true, true, true, true],
    "in a picture": true,
    "all": true,
    "center": true,
    "pixel": true,
    "missing": true,
    titles,
    ...active === undefined ? {} : { active },
    "stopped": true,
  });
}

async function playsTheRest(client: Installed, stage: Stage) {
  const isListed = stage.titles.length > 0;
  assertEquals(await played(client, stage, "script_rest.py", RECEIVED_OF_THE_REST), {
    "place": [530, 405],
    "sizes": true,
    "on screen": [true, false],
    "keys": [],
    "no key": false,
    "all in a picture": true,
    "pixel": true,
    "nothing": null,
    "logged": 1,
    "titles": true,
    "active": true,
    "by title": true,
    "window": isListed ? [true] : [],
    "there": stage.titles,
    ...isListed ? { "on it": true, "activated": true } : {},
    "printed": [true, true, true],
    "info": true,
    "paused": true,
    "stopped": true,
  });
}

/** Runs a script in front of a witness. @returns The script's output. */
async function played(client: Installed, stage: Stage, name: string, received: readonly string[]) {
  await using witness = await stage.witness();
  await rested(stage);
  const before = witness.events().length;
  const found = await temporary(async (folder) => {
    const { code, printed } = await python(client, [`${TESTS}/${name}`, folder], { DESKHAND_URL: stage.url });
    assertEquals(code, 0, printed);
    return JSON.parse(printed);
  });
  const events = await until(
    () => witness.events().slice(before),
    (events) => events.length >= received.length,
    (events) => `received ${events.join(", ")}`,
  );
  assertEquals(events, received);
  return found;
}

/** Waits until the screen is still: a new window may fade in, and the script compares pictures. */
async function rested({ url }: Stage): Promise<void> {
  const body = JSON.stringify({ still: { ms: 500 }, timeout_ms: 30_000 });
  const answer = await fetch(`${url}/api/wait`, { method: "POST", body });
  assertEquals(answer.status, 200, await answer.text());
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

testScripts([...BARE_STAGES, ...SESSION_STAGES]);
