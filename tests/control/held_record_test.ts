/** The record of keys and buttons that a process holds, and its readers. */

import { assertEquals } from "@std/assert";
import type { DesktopIdentity } from "../../control/desktop/desktop.ts";
import { type Held, HeldRecord } from "../../control/operator/held.ts";
import { InputError } from "../../core/errors.ts";
import { temporary } from "../support/temporary.ts";

const HELD: Held[] = [["key", "shift"], ["button", "left"]];
const DISPLAY: DesktopIdentity = { address: "x11 :7" };
const SWAY: DesktopIdentity = { address: "wayland /run/user/7/wayland-1", server: "70 1234" };

function recordOf(identity: DesktopIdentity, folder: string): HeldRecord {
  return new HeldRecord(() => identity, (name) => `${folder}/${name}`);
}

/** Records that a start on a desktop finds. */
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

/** Counts the files of a folder. */
function files(folder: string): number {
  return [...Deno.readDirSync(folder)].length;
}

const CASES: [name: string, text: string, identity: DesktopIdentity, found: Held[], kept: number][] = [
  ["on the same desktop", noted(DISPLAY, HELD), DISPLAY, HELD, 0],
  ["the newest, behind which a longer one stood", noted(DISPLAY, HELD, [HELD[1]]), DISPLAY, [HELD[1]], 0],
  ["nothing, as all was released", noted(DISPLAY, HELD, []), DISPLAY, [], 0],
  [
    "nothing on another desktop, whose next start finds it",
    noted(DISPLAY, HELD),
    { address: "x11 :8" },
    [],
    1,
  ],
  ["on the same compositor", noted(SWAY, HELD), SWAY, HELD, 0],
  [
    "nothing on a compositor that took the other's place",
    noted(SWAY, HELD),
    { ...SWAY, server: "70 99" },
    [],
    0,
  ],
  ["nothing in an empty file", "", DISPLAY, [], 0],
  ["nothing in a line that was cut off", noted(DISPLAY, HELD).slice(0, 20), DISPLAY, [], 0],
  [
    "nothing that is no key or button",
    noted(DISPLAY, [["wheel", "up"], ["button", "nose"]] as never),
    DISPLAY,
    [],
    0,
  ],
];
for (const [name, text, identity, found, kept] of CASES) {
  Deno.test(`of a killed process a start finds ${name}`, async () => {
    await temporary((folder) => {
      leave(folder, text);
      assertEquals(left(identity, folder), found);
      assertEquals(files(folder), kept);
      assertEquals(left(identity, folder), [], "it is found once");
    });
  });
}

Deno.test("of a living process a start finds nothing, and its end leaves no file", async () => {
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

Deno.test("without a state folder nothing is noted, and nothing fails", () => {
  const record = new HeldRecord(() => DISPLAY, () => {
    throw new InputError("HOME is not set");
  });
  record.write(HELD);
  record.takeLeft(() => {
    throw new Error("something was found");
  });
  record.close();
});
