/** Ctrl-R, key by key. */

import { assertEquals } from "@std/assert";
import { ReverseSearch } from "../../../control/prompt/history.ts";

const HISTORY = ["m3-4", "g", "drag 1-2 3-4", "m1-2"];

/** Keys by the sign that stands for them; any other sign types itself. */
const KEYS: Record<string, { name: string; ctrl?: boolean }> = {
  "®": { name: "r", ctrl: true },
  "ⓖ": { name: "g", ctrl: true },
  "ⓒ": { name: "c", ctrl: true },
  "←": { name: "backspace" },
  "⎋": { name: "escape" },
  "↵": { name: "return" },
  "→": { name: "right" },
};

const CASES: [name: string, before: string, keys: string, shown: string, isEditors: boolean][] = [
  ["what is typed finds the newest line that holds it", "", "®m", "(search: m) m3-4", false],
  ["Ctrl-R goes to the next older one", "", "®m®", "(search: m) m1-2", false],
  ["a part in the middle is found", "", "®ag", "(search: ag) drag 1-2 3-4", false],
  ["what is nowhere says so and keeps the line found before", "", "®mx", "(not found: mx) m3-4", false],
  ["after the oldest there is none", "", "®m®®", "(not found: m) m1-2", false],
  ["Backspace searches for less, from the newest", "", "®mx←", "(search: m) m3-4", false],
  ["Enter takes the line and runs it", "", "®ag↵", "> drag 1-2 3-4", true],
  ["another key takes the line and does its own work", "", "®ag→", "> drag 1-2 3-4", true],
  ["Escape brings the line back", "half", "®ag⎋", "> half", false],
  ["Ctrl-G brings the line back", "half", "®agⓖ", "> half", false],
  ["Ctrl-C brings the line back", "half", "®agⓒ", "> half", false],
  ["a search begins with what stands on the line", "half", "®", "(search: ) half", false],
  ["without Ctrl-R keys are the editor's", "half", "m", "> half", true],
];

for (const [name, before, keys, shown, isEditors] of CASES) {
  Deno.test(name, () => {
    const line = {
      prompt: "> ",
      text: before,
      screen: `> ${before}`,
      show(prompt: string, text: string) {
        this.text = text;
        this.screen = prompt + text;
      },
    };
    const search = new ReverseSearch(line, HISTORY);
    let taken = true;
    for (const sign of keys) {
      taken = search.press({ text: KEYS[sign] ? "\0" : sign, key: KEYS[sign] ?? { name: sign } });
    }
    assertEquals([line.screen, !taken], [shown, isEditors]);
  });
}
