/** The prompt. */

import { KEYS } from "../../control/desktop/keys.ts";
import { Operator } from "../../control/operator/operator.ts";
import { Quit } from "../../control/prompt/command.ts";
import { COMMANDS, runLine } from "../../control/prompt/commands.ts";
import { ExpectedError } from "../../core/errors.ts";
import { VirtualDesktop } from "../../ffi/virtual/mod.ts";
import { runnerOf } from "../support/control.ts";
import { mustBe, type Target } from "./target.ts";

/** Commands that write files or wait for long, which a fuzzer leaves alone. */
const LEFT_ALONE = /^\s*(?:shot|save|load|play|trace|wait|waitwin|quit|exit|q)\b/;

/** Lines of the prompt. */
export function promptTarget(): Target {
  const operator = new Operator(new VirtualDesktop());
  const context = {
    runner: runnerOf(operator),
    signal: new AbortController().signal,
    by: "prompt" as const,
    notice: () => {},
  };
  return {
    async run(random, note) {
      const point = () => `${random.below(1500) - 100}-${random.below(900) - 100}`;
      // A drag takes as long as it is far.
      const nearPoints = () => {
        const x = random.below(1500) - 100, y = random.below(900) - 100;
        return `${x}-${y} ${x + random.below(40)}-${y + random.below(40)}`;
      };
      const { name } = random.pick(COMMANDS);
      const line = random.pick([
        () => name + point(),
        () => `${name} ${random.text(10)}`,
        () => `k ${random.pick(KEYS).name}+${random.text(3)}`,
        () => `drag ${nearPoints()}`,
        () => random.text(30),
      ])();
      if (LEFT_ALONE.test(line)) return;
      note(JSON.stringify(line));
      try {
        await runLine(line, context);
      } catch (error) {
        const expected = error instanceof ExpectedError || error instanceof Quit;
        if (!expected) throw error;
      }
    },
    end() {
      operator.close(); // what lines with press hold
      mustBe(operator.held().length === 0, "something stays pressed");
    },
  };
}
