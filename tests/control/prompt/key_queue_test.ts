/** The time at which the keys of a paste are handed on. */

import { assertEquals } from "@std/assert";
import { KeyQueue, type Press } from "../../../control/prompt/history.ts";

/** A prompt that notes the keys that it gets; `|` is Enter, `^` is Ctrl-C, `>` is Tab. */
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

  /** Gets a chunk of input. */
  chunk(text: string) {
    this.queue.beginChunk();
    for (const character of text) {
      const name = { "|": "return", "^": "c", ">": "tab" }[character];
      this.queue.add({ text: character, key: { name, ctrl: character === "^" } });
    }
  }

  /** The line that runs is done. */
  done(): string {
    this.busy = false;
    this.queue.resume();
    return this.got;
  }
}

Deno.test("each line of a paste waits for the one before it, and what follows the last stays on the line", () => {
  const prompt = new NotingPrompt();
  prompt.chunk("a|b|c");
  assertEquals(prompt.got, "a|");
  assertEquals(prompt.done(), "a|b|");
  prompt.chunk("d|"); // typed during the paste: it comes after it
  assertEquals(prompt.got, "a|b|");
  assertEquals(prompt.done(), "a|b|cd|");
});

Deno.test("keys that are typed while a line runs are handed on at once", () => {
  const prompt = new NotingPrompt();
  prompt.chunk("p|");
  prompt.chunk("s");
  prompt.chunk("|");
  assertEquals(prompt.got, "p|s|");
});

Deno.test("Ctrl-C is handed on at once and drops the rest of a paste", () => {
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

Deno.test("a tab that waits completes nothing", () => {
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
