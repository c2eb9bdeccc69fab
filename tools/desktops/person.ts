/**
 * A program in an X11 session that uses the server's own keyboard as a user does, whereas deskhand uses that
 * of XTEST.
 *
 *     person.ts layout de     sets the layout of that keyboard
 *     person.ts key 38 1      presses a key; 0 releases it
 *     person.ts aid slow      switches an aid on, and the others off: slow, bounce, sticky, none
 */

import { PersonKeyboard } from "../../tests/support/person_keyboard.ts";
import { mustRun } from "../../tests/support/shell.ts";

/** The bits of keyboard aids (XkbSlowKeysMask and related masks). */
const AIDS: Readonly<Record<string, number>> = { slow: 2, bounce: 4, sticky: 8, none: 0 };

/** The number of the first keyboard device, such as `Xvfb keyboard` or `Xephyr virtual keyboard`. */
async function keyboard(): Promise<string> {
  const lines = (await mustRun("xinput", ["list", "--short"])).split("\n");
  const id = lines.filter((line) => /slave +keyboard/.test(line) && !line.includes("XTEST"))
    .map((line) => /id=(\d+)/.exec(line)?.[1]).find(Boolean);
  if (!id) throw new Error("the X server has no keyboard beside XTEST's");
  return id;
}

const [command, ...words] = Deno.args, id = await keyboard();
using person = PersonKeyboard.open(Deno.env.get("DISPLAY") ?? "", id);
if (command === "layout") await mustRun("setxkbmap", ["-device", id, words[0]]);
else if (command === "key") person.key(Number(words[0]), words[1] === "1");
else person.aids(AIDS[words[0]]);
