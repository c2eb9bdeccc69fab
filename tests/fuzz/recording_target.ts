/** The fuzzer's target for recordings. */

import { balanced } from "../../control/recording/format.ts";
import { formatRecording, parseRecordingText } from "../support/recordings.ts";
import { scriptPieces } from "../../control/recording/script.ts";
import { StoredRecording } from "../../control/recording/stored.ts";
import { InputError } from "../../core/errors.ts";
import { mustBe, type Target } from "./target.ts";
import { value } from "./values.ts";

/** Files of recordings. */
export function recordingTarget(): Target {
  return {
    run(random, note) {
      const event = (index: number) => {
        const type = random.pick(["move", "button", "scroll", "key", random.text(5)]);
        const whole: Record<string, unknown> = {
          t: index * 7 + random.below(8),
          type,
          x: random.below(1280),
          y: random.below(720),
          button: random.pick(["left", "right"]),
          down: random.once(2),
          direction: random.pick(["up", "left"]),
          amount: random.below(5) + 1,
          key: random.pick(["a", "ctrl", "enter", "é"]),
        };
        if (random.once(6)) whole[random.pick(Object.keys(whole))] = value(random);
        return whole;
      };
      const events = Array.from({ length: random.below(30) }, (_, index) => event(index));
      const recording: Record<string, unknown> = {
        format: "deskhand-recording",
        version: 1,
        desktop: { width: 1280, height: 720 },
        started: "2026-01-01T00:00:00Z",
        events,
      };
      if (random.once(5)) recording[random.pick(Object.keys(recording))] = value(random);
      let text = JSON.stringify(recording);
      if (random.once(10)) text = text.slice(0, random.below(text.length));
      note(text.slice(0, 2000));
      let parsed;
      try {
        parsed = parseRecordingText(text);
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        return Promise.resolve();
      }
      const whole = { ...parsed, events: balanced(parsed.events) };
      parseRecordingText(formatRecording(whole));
      const down = new Set<string>();
      for (const item of whole.events) {
        if (item.type === "key" || item.type === "button") {
          const name = item.type === "key" ? item.key : item.button;
          if (item.down) down.add(name);
          else down.delete(name);
        }
      }
      mustBe(down.size === 0, `a replay would leave ${[...down]} pressed`);
      Array.from(scriptPieces(StoredRecording.of(whole)));
      return Promise.resolve();
    },
  };
}
