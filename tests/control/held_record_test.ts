/** The record of keys and buttons that a process holds, and its readers. */

import { assert, assertEquals } from "@std/assert";
import type { DesktopIdentity } from "../../control/desktop/desktop.ts";
import { type Held, HeldRecord } from "../../control/operator/held.ts";
import { InputError } from "../../core/errors.ts";
import { controlApi } from "../support/control.ts";
import { short, temporary } from "../support/shell.ts";

const HELD: Held[] = [["key", "shift"], ["button", "left"]];
const DISPLAY: DesktopIdentity = { address: "x11 :7" };
const SWAY: DesktopIdentity = { address: "wayland /run/user/7/wayland-1", server: "70 1234" };

function recordOf(identity: DesktopIdentity, folder: string): HeldRecord {
  return new HeldRecord(() => identity, (name) => `${folder}/${name}`);
}

/** Records that startup finds on a desktop. */
function left(identity: DesktopIdentity, folder: string): Held[] {
  const found: Held[] = [];
  recordOf(identity, folder).takeLeft((held) => found.push(...held));
  return found;
}

/** A file as a killed process leaves it: no process holds it open. */
function leave(folder: string, text: string): void {
  Deno.writeTextFileSync(`${folder}/held-${crypto.randomUUID()}.json`, text);
}

/** A file's text as {@linkcode HeldRecord} writes it. */
function noted(identity: DesktopIdentity, ...states: Held[][]): string {
  const folder = Deno.makeTempDirSync(), record = recordOf(identity, folder);
  for (const held of states) record.write(held);
  const [{ name }] = Deno.readDirSync(folder), text = Deno.readTextFileSync(`${folder}/${name}`);
  record.close();
  Deno.removeSync(folder);
  return text;
}

/** Counts a folder's files. */
function files(folder: string): number {
  return [...Deno.readDirSync(folder)].length;
}

const CASES: [name: string, text: string, identity: DesktopIdentity, found: Held[], kept: number][] = [
  ["its keys on the same desktop", noted(DISPLAY, HELD), DISPLAY, HELD, 0],
  ["its newest keys, after a longer list", noted(DISPLAY, HELD, [HELD[1]]), DISPLAY, [HELD[1]], 0],
  ["nothing, since all was released", noted(DISPLAY, HELD, []), DISPLAY, [], 0],
  [
    "nothing on another desktop, and leaves the record",
    noted(DISPLAY, HELD),
    { address: "x11 :8" },
    [],
    1,
  ],
  ["its keys on the same compositor", noted(SWAY, HELD), SWAY, HELD, 0],
  [
    "nothing on a compositor that replaced the other",
    noted(SWAY, HELD),
    { ...SWAY, server: "70 99" },
    [],
    0,
  ],
  ["nothing in an empty file", "", DISPLAY, [], 0],
  ["nothing in a truncated line", noted(DISPLAY, HELD).slice(0, 20), DISPLAY, [], 0],
  [
    "nothing that is not a key or button",
    noted(DISPLAY, [["wheel", "up"], ["button", "nose"]] as never),
    DISPLAY,
    [],
    0,
  ],
];
for (const [name, text, identity, found, kept] of CASES) {
  Deno.test(`after a killed process startup finds ${name}`, async () => {
    await temporary((folder) => {
      leave(folder, text);
      assertEquals(left(identity, folder), found);
      assertEquals(files(folder), kept);
      assertEquals(left(identity, folder), [], "it is found once");
    });
  });
}

Deno.test("startup finds nothing of a living process, whose end leaves no file", async () => {
  await temporary((folder) => {
    const record = recordOf(DISPLAY, folder);
    assertEquals(files(folder), 0);
    record.write(HELD);
    assertEquals(left(DISPLAY, folder), []);
    assertEquals(files(folder), 1);
    record.close();
    record.close();
    assertEquals(files(folder), 0);
    record.write(HELD);
    assertEquals(files(folder), 0);
  });
});

Deno.test("without a state folder nothing is recorded, and nothing fails", () => {
  const record = new HeldRecord(() => DISPLAY, () => {
    throw new InputError("HOME is not set");
  });
  record.write(HELD);
  record.takeLeft(() => {
    throw new Error("something was found");
  });
  record.close();
});

// Gesture fields: held keys, waypoints, repetition.

/** A path, a body, and the input that the desktop receives. */
const GESTURES: [string, Record<string, unknown>, string[]][] = [
  ["click", { x: 3, y: 4, button: "left", hold: "ctrl+shift" }, [
    "(3,4)",
    "+ctrl",
    "+shift",
    "+left",
    "-left",
    "-shift",
    "-ctrl",
  ]],
  ["click", { x: 3, y: 4, button: "right", count: 2, hold: "Alt_L" }, [
    "(3,4)",
    "+alt",
    "+right",
    "-right",
    "+right",
    "-right",
    "-alt",
  ]],
  ["scroll", { direction: "up", amount: 2, hold: "ctrl" }, ["+ctrl", "up 2", "-ctrl"]],
  ["key", { keys: "ctrl+z", repeat: 2 }, ["+ctrl", "+z", "-z", "-ctrl", "+ctrl", "+z", "-z", "-ctrl"]],
];

for (const [name, body, told] of GESTURES) {
  Deno.test(`${name} ${JSON.stringify(body)} is executed as written`, async () => {
    const { request, desktop } = controlApi();
    assertEquals((await request("POST", `/api/${name}`, body)).status, 200);
    assertEquals(short(desktop.log), told);
  });
}

Deno.test("a drag passes its waypoints, with keys held", async () => {
  const { request, desktop } = controlApi();
  const body = { from: { x: 0, y: 0 }, via: [{ x: 50, y: 0 }], to: { x: 50, y: 50 }, hold: "shift" };
  assertEquals((await request("POST", "/api/drag", body)).status, 200);
  const told = short(desktop.log);
  assertEquals([told.slice(0, 3), told.slice(-3)], [["(0,0)", "+shift", "+left"], [
    "(50,50)",
    "-left",
    "-shift",
  ]]);
  assert(told.includes("(50,0)"), told.join(" "));
  const outside = await request("POST", "/api/drag", { ...body, via: [{ x: 50, y: 720 }] });
  assertEquals([outside.status, await outside.json()], [400, {
    error: "via[0].y must be from 0 to 719 (the bounds of the desktop), not 720",
  }]);
});

Deno.test("a key is held for as long as requested", async () => {
  const { request, desktop } = controlApi();
  const times: number[] = [];
  const key = desktop.keyboard.key.bind(desktop.keyboard);
  desktop.keyboard.key = (name, down) => {
    times.push(performance.now());
    return key(name, down);
  };
  assertEquals((await request("POST", "/api/key", { keys: "a", hold_ms: 80 })).status, 200);
  assert(times[1] - times[0] >= 75, `${times[1] - times[0]}`);
});

Deno.test("an invalid key is refused before anything is executed", async () => {
  const { request, desktop } = controlApi();
  const answer = await request("POST", "/api/click", { x: 1, y: 1, button: "left", hold: "ctrl+nokey" });
  assertEquals([answer.status, desktop.log.length], [400, 0]);
});
