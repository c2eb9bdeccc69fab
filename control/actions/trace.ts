/** Trace actions. A trace records what happened in a file that any browser opens. */

import { printable } from "../../core/printable.ts";
import {
  choice,
  count,
  flag,
  group,
  list,
  milliseconds,
  optional,
  patterned,
  plainText,
  text,
} from "../schema/schema.ts";
import type { TraceFile } from "../trace/folder.ts";
import { action } from "./action.ts";

const STATES = ["off", "running", "paused"] as const;

const STATUS = {
  state: choice(STATES, "State of the trace"),
  file: optional(text("The path of the trace's file")),
  name: optional(text("The name of the trace that was given")),
  ms: milliseconds("Milliseconds that the trace has run, or ran"),
  actions: count("The number of actions in the trace"),
  pictures: count("The number of pictures in the trace"),
  bytes: count("The size of the trace's last file in bytes"),
  problem: optional(plainText("Why the trace ended by itself, or lacks pictures")),
};

const FILE_NAME = patterned(
  /^[\w.-]{1,120}$/,
  "the name of a trace (listed by GET /api/traces)",
  "The file's name",
);

/** Maximum length of a name and of a mark, in characters. */
const NAME_LIMIT = 100, MARK_LIMIT = 500;

export const startTrace = action({
  name: "startTrace",
  summary: "Start a trace: actions with pictures, in a file that any browser opens",
  effect: "act",
  input: {
    name: optional(text("A name for the trace, such as that of a test")),
    texts: optional(flag("Record text that callers type; default: only its length")),
    looks: optional(flag("Record actions that only read, such as screenshots; default false")),
  },
  output: STATUS,
  async run({ name, texts, looks }, { traces }) {
    const kept = name === undefined ? {} : { name: printable(name, NAME_LIMIT) };
    return await (await traces()).start({ ...kept, texts, looks });
  },
});

export const stopTrace = action({
  name: "stopTrace",
  summary: "Stop the trace; the response has the path of its file",
  effect: "act",
  input: {},
  output: STATUS,
  run: async (_, { traces }) => await (await traces()).stop(),
});

export const markTrace = action({
  name: "markTrace",
  summary: "Put a mark into the trace, such as the name of a step",
  effect: "act",
  input: { text: text("The text of the mark") },
  output: {},
  run: async ({ text }, { traces }) => (await traces()).mark(printable(text, MARK_LIMIT)),
});

export const pauseTrace = action({
  name: "pauseTrace",
  summary: "Pause the trace",
  effect: "act",
  input: {},
  output: {},
  run: async (_, { traces }) => (await traces()).pause(),
});

export const resumeTrace = action({
  name: "resumeTrace",
  summary: "Resume a paused trace",
  effect: "act",
  input: {},
  output: {},
  run: async (_, { traces }) => (await traces()).resume(),
});

export const traceState = action({
  name: "traceState",
  summary: "State of the trace",
  effect: "read",
  input: {},
  output: STATUS,
  run: async (_, { traces }) => (await traces()).status,
});

export const traces = action({
  name: "traces",
  summary: "The files of traces, the oldest first",
  effect: "private",
  input: {},
  output: {
    folder: text("The folder of the files"),
    traces: list(
      group({
        name: text("The file's name"),
        bytes: count("The size of the file in bytes"),
        modified: text("Time of the last write, as in RFC 3339"),
        running: flag("True while the file is being written"),
      }, "A file"),
      "The files of traces",
    ),
  },
  async run(_, { traces }) {
    const all = await traces(), files = await all.list(); // once its disk has answered, the folder is checked
    return { folder: all.folder, traces: files.map(fileValues) };
  },
});

function fileValues({ name, bytes, modified, isRunning }: TraceFile) {
  return { name, bytes, modified: modified.toISOString(), running: isRunning };
}

export const removeTrace = action({
  name: "removeTrace",
  summary: "Remove the file of a trace",
  effect: "act",
  input: { name: FILE_NAME },
  output: {},
  run: async ({ name }, { traces }) => await (await traces()).remove(name),
});
