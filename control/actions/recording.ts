/** Recorder actions. */

import { balanced, parseRecording, RECORDING_SCHEMA } from "../recording/format.ts";
import { RECORDER_STATES } from "../recording/recorder.ts";
import { SPEED, TIMES_LIMIT } from "../recording/playback.ts";
import { StoredRecording } from "../recording/stored.ts";
import { askState } from "../../core/state_files.ts";
import { inTurns } from "../../core/until.ts";
import { action, Content } from "./action.ts";
import {
  choice,
  count,
  type Field,
  flag,
  group,
  integer,
  list,
  milliseconds,
  number,
  optional,
  plainText,
  text,
} from "../schema/schema.ts";

/** A recording as JSON. */
const RECORDING: Field<StoredRecording, true> = {
  required: true,
  schema: RECORDING_SCHEMA,
  parse(value) {
    const recording = parseRecording(value);
    return StoredRecording.of({ ...recording, events: balanced(recording.events) });
  },
};

const RESULT = group({
  performed: count("Actions done, merged moves included"),
  missed: optional(
    count("Presses, releases and notches skipped because the pointer could not reach their positions"),
  ),
  meanLatenessMs: milliseconds("The mean lateness of the actions"),
  medianLatenessMs: milliseconds("The median lateness of the actions"),
  p99LatenessMs: milliseconds("The 99th percentile of the lateness"),
  maxLatenessMs: milliseconds("The largest lateness of an action"),
  stopped: flag("True if the replay was stopped before its end"),
  stoppedBy: optional(
    choice(
      ["stop", "escape", "pointer"],
      "Why the replay ended early: a caller's stop, the Escape key, or a person's pointer",
    ),
  ),
  elements: optional(group({
    found: count("Presses on elements that were found"),
    moved: count("Elements that were not where the recording had them"),
    healed: optional(
      list(
        plainText("A missing element, its replacement, and the rule"),
        "Presses on other elements",
      ),
    ),
  }, "The counts of presses on elements, if elements were looked for")),
}, "How the last replay ended");

export const recording = action({
  name: "recording",
  summary: "The recording, as it would be saved",
  effect: "private",
  input: {
    format: optional(
      choice(
        ["json", "sh", "playwright", "pytest"],
        "default json; sh is a script of curl lines; playwright and pytest are tests",
      ),
    ),
  },
  output: ["application/json", "text/x-shellscript", "text/plain"],
  async run({ format }, { recorder, url }) {
    const recording = recorder.recording();
    if (format === "playwright" || format === "pytest") {
      const { testBytes } = await import("../recording/script.ts");
      const name = { playwright: "recorded.spec.ts", pytest: "test_recorded.py" }[format];
      return new Content("text/plain", undefined, testBytes(recording, format), name);
    }
    if (format !== "sh") return new Content("application/json", recording.size, inTurns(recording.file()));
    const { scriptBytes } = await import("../recording/script.ts");
    return new Content("text/x-shellscript", undefined, scriptBytes(recording, url), "recording.sh");
  },
});

export const loadRecording = action({
  name: "loadRecording",
  summary: "Load a recording",
  effect: "act",
  input: { recording: RECORDING },
  output: {},
  run: ({ recording }, { recorder }) => Promise.try(() => recorder.load(recording)),
});

export const discardRecording = action({
  name: "discardRecording",
  summary: "Discard the recording and its journal",
  effect: "act",
  input: {},
  output: {},
  async run(_, { recorder }) {
    await askState();
    recorder.discard();
  },
});

export const recordingState = action({
  name: "recordingState",
  summary: "State of the recorder",
  effect: "private",
  input: {},
  output: {
    state: choice(RECORDER_STATES, "State of the recorder"),
    events: count("Events of the recording"),
    ms: milliseconds("Milliseconds that the recording or replay has run, or ran"),
    problem: optional(text("Why the recording ended, or lost events")),
    result: optional(RESULT),
  },
  run: (_, { recorder }) => Promise.try(() => recorder.status()),
});

export const startRecording = action({
  name: "startRecording",
  summary: "Record input on the desktop",
  effect: "act",
  input: {
    keyboard: optional(flag("Record keys, passwords included; default true")),
    elements: optional(flag("Record the elements or texts under presses; default true")),
  },
  output: {},
  run: (options, { recorder, reader }) => recorder.start({ ...options, reader }),
});

export const stopRecording = action({
  name: "stopRecording",
  summary: "Stop recording or playing",
  effect: "act",
  input: {},
  output: {},
  run: (_, { recorder }) => recorder.stop(),
});

export const playRecording = action({
  name: "playRecording",
  summary: "Replay the recording; returns once it has started",
  effect: "act",
  refusesAgents: "if limited",
  input: {
    speed: optional(number(SPEED.least, SPEED.most, "The speed: 2 is twice as fast")),
    times: optional(integer(1, TIMES_LIMIT, "How many times to replay")),
    scale: optional(flag("Scale coordinates to a desktop of another size")),
    elements: optional(
      flag(
        "Press each element where it is now, and stop if one is not found; default true for recordings with " +
          "elements; false presses at the recorded positions",
      ),
    ),
  },
  output: {},
  run(options, { recorder }) {
    recorder.play(options).catch(() => {}); // the state shows how it ended
    return recorder.begun;
  },
});
