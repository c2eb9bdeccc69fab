/** The prompt's history across starts. */

import { assertEquals, assertThrows } from "@std/assert";
import {
  History,
  HISTORY_LIMIT,
  isKept,
  KeyQueue,
  type Press,
  ReverseSearch,
} from "../../../control/prompt/history.ts";
import { InputError } from "../../../core/errors.ts";
import { temporary } from "../../support/shell.ts";

const KEPT: [line: string, isKept: boolean][] = [
  ["m10-20", true],
  ["  g  ", true],
  ["save recordings/2026-01-02T03-04-05.json", true],
  ["k ctrl+shift+t", true],
  ["t hello", false],
  ["  t hunter2", false],
  ["copy hunter2", false],
  ["hunter2", false], // a password at the wrong prompt
  ["unknown words", false],
  ["k wYKDFPOyXg8cORPlxtu7buzI0nQTcDvuwmP7luH9UMY", false],
  ["save token=0123456789abcdef", false],
  ["# a comment", false],
  ["", false],
];

for (const [line, expected] of KEPT) {
  Deno.test(`${JSON.stringify(line)} is ${expected ? "kept" : "forgotten at the end"}`, () => {
    assertEquals(isKept(line), expected);
  });
}

Deno.test("the newest lines come back, unsaved ones only until the end", async () => {
  await temporary(async (folder) => {
    const file = `${folder}/history`;
    await Deno.writeTextFile(file, "");
    const first = new History(file);
    for (const line of ["m1-2", "g", "g", "t secret", "zz", ""]) await first.add(line);
    assertEquals(first.lines, ["zz", "t secret", "g", "m1-2"]);
    assertEquals(await Deno.readTextFile(file), "m1-2\ng\n");
    assertEquals(new History(file).lines, ["g", "m1-2"]);
  });
});

Deno.test("a long history is cut to its newest lines", async () => {
  await temporary(async (folder) => {
    const file = `${folder}/history`;
    const lines = Array.from({ length: HISTORY_LIMIT + 5 }, (_, i) => `m${i}-0`);
    await Deno.writeTextFile(file, lines.join("\n") + "\nt secret\n");
    const history = new History(file);
    assertEquals(history.lines, lines.slice(5).reverse());
    assertEquals(await Deno.readTextFile(file), lines.slice(5).join("\n") + "\n");
    history.add("g");
    assertEquals([history.lines.length, history.lines[0]], [HISTORY_LIMIT, "g"]);
  });
});

Deno.test("a file that is not a history is not read", async () => {
  await temporary(async (folder) => {
    await Deno.writeFile(`${folder}/large`, new Uint8Array(3_000_000));
    assertThrows(() => new History(`${folder}/large`), InputError, "it is larger than");
  });
});

// When the keys of a paste are passed on.

/** A prompt that records the keys that it receives; `|` is Enter, `^` is Ctrl-C, `>` is Tab. */
class NotingPrompt {
  got = "";
  busy = false;
  asking = false;
  readonly queue = new KeyQueue({
    press: ({ text, key }: Press) => {
      this.got += text;
      if (key.name === "return") this.busy = true;
    },
    isBusy: () => this.busy,
    isAsking: () => this.asking,
  });

  /** Receives a chunk of input. */
  chunk(text: string) {
    this.queue.beginChunk();
    for (const character of text) {
      const name = { "|": "return", "^": "c", ">": "tab" }[character];
      this.queue.add({ text: character, key: { name, ctrl: character === "^" } });
    }
  }

  /** The running line is done. */
  done(): string {
    this.busy = false;
    this.queue.resume();
    return this.got;
  }
}

Deno.test("each line of a paste waits for the one before it, and text after the last stays on the line", () => {
  const prompt = new NotingPrompt();
  prompt.chunk("a|b|c");
  assertEquals(prompt.got, "a|");
  assertEquals(prompt.done(), "a|b|");
  prompt.chunk("d|"); // typed during the paste: it comes after it
  assertEquals(prompt.got, "a|b|");
  assertEquals(prompt.done(), "a|b|cd|");
});

Deno.test("keys typed while a line runs are passed on immediately", () => {
  const prompt = new NotingPrompt();
  prompt.chunk("p|");
  prompt.chunk("s");
  prompt.chunk("|");
  assertEquals(prompt.got, "p|s|");
});

Deno.test("Ctrl-C is passed on immediately and drops the rest of a paste", () => {
  const prompt = new NotingPrompt();
  prompt.chunk("a|b|c|");
  prompt.chunk("^");
  assertEquals(prompt.got, "a|^");
  assertEquals(prompt.done(), "a|^");
});

Deno.test("a question is answered by what is typed after it, not by the rest of a paste", () => {
  const prompt = new NotingPrompt();
  prompt.chunk("save x|y|");
  prompt.asking = true;
  assertEquals(prompt.got, "save x|");
  prompt.chunk("n|");
  assertEquals(prompt.got, "save x|n|");
  prompt.asking = false;
  assertEquals(prompt.done(), "save x|n|y|");
});

Deno.test("a queued tab completes nothing", () => {
  const names: (string | undefined)[] = [];
  let busy = false;
  const queue = new KeyQueue({
    press: ({ key }) => {
      names.push(key.name ?? key.sequence);
      if (key.name === "return") busy = true;
    },
    isBusy: () => busy,
    isAsking: () => false,
  });
  queue.beginChunk();
  for (const name of ["tab", "return", "tab"]) queue.add({ text: "", key: { name } });
  busy = false;
  queue.resume();
  assertEquals(names, ["tab", "return", "\t"]);
});

// Ctrl-R, key by key.

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
  ["typed text finds the newest line that contains it", "", "®m", "(search: m) m3-4", false],
  ["Ctrl-R goes to the next older line", "", "®m®", "(search: m) m1-2", false],
  ["a part in the middle is found", "", "®ag", "(search: ag) drag 1-2 3-4", false],
  ["text in no line says so and leaves the previous match", "", "®mx", "(not found: mx) m3-4", false],
  ["no line follows the oldest match", "", "®m®®", "(not found: m) m1-2", false],
  ["Backspace shortens the search, from the newest line", "", "®mx←", "(search: m) m3-4", false],
  ["Enter accepts the line and runs it", "", "®ag↵", "> drag 1-2 3-4", true],
  ["another key accepts the line and has its usual effect", "", "®ag→", "> drag 1-2 3-4", true],
  ["Escape restores the line", "half", "®ag⎋", "> half", false],
  ["Ctrl-G restores the line", "half", "®agⓖ", "> half", false],
  ["Ctrl-C restores the line", "half", "®agⓒ", "> half", false],
  ["a search begins with the text on the line", "half", "®", "(search: ) half", false],
  ["without Ctrl-R keys go to the editor", "half", "m", "> half", true],
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
