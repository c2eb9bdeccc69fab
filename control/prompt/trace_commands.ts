/** Prompt commands of traces. */

import { printable } from "../../core/printable.ts";
import { ACTIONS } from "../actions/mod.ts";
import type { ActionRunner } from "../actions/runner.ts";
import { actionCommand, type Command } from "./command.ts";

/** A size as people read it, such as `1.2 MB`. */
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

/** The commands, in the order of help. */
export const TRACE_COMMANDS: readonly Command[] = [
  actionCommand(
    ACTIONS.stopTrace,
    { name: "trace", usage: "trace stop", example: "trace stop", pattern: /^trace\s+stop$/, immediate: true },
    () => ({}),
    ({ file, actions, pictures, bytes }) =>
      `${file}: ${actions} actions, ${pictures} pictures, ${megabytes(bytes)}`,
  ),
  actionCommand(ACTIONS.markTrace, {
    name: "trace",
    usage: "trace mark <text>",
    example: "trace mark signed in",
    pattern: /^trace\s+mark\s+(.+)$/u,
  }, ([text]) => ({ text })),
  actionCommand(ACTIONS.pauseTrace, {
    name: "trace",
    usage: "trace pause",
    example: "trace pause",
    pattern: /^trace\s+pause$/,
  }, () => ({})),
  actionCommand(ACTIONS.resumeTrace, {
    name: "trace",
    usage: "trace resume",
    example: "trace resume",
    pattern: /^trace\s+resume$/,
  }, () => ({})),
  {
    name: "trace",
    usage: "trace open",
    example: "trace open",
    summary: "print the address of the trace, or of its file",
    pattern: /^trace\s+open$/,
    effect: ACTIONS.traces.effect,
    async run(_, { runner }) {
      const { file } = (await runner.traces()).status;
      return runner.url ? `${runner.url}/api/trace` : file ?? "no trace is recorded: start one first";
    },
  },
  actionCommand(
    ACTIONS.traces,
    {
      name: "trace",
      usage: "trace list",
      example: "trace list",
      summary: "list the files of traces, the oldest first; * is being written",
      pattern: /^trace\s+list$/,
    },
    () => ({}),
    ({ folder, traces }) =>
      [
        printable(folder),
        ...traces.map(({ name, bytes, running }) => `${running ? "*" : " "} ${name} ${megabytes(bytes)}`),
      ]
        .join("\n"),
  ),
  actionCommand(ACTIONS.removeTrace, {
    name: "trace",
    usage: "trace remove <file>",
    example: "trace remove 2026-11-22T18-08-00-x11.html",
    pattern: /^trace\s+remove\s+(\S+)$/,
  }, ([name]) => ({ name })),
  actionCommand(
    ACTIONS.startTrace,
    {
      name: "trace",
      usage: "trace [<name>]",
      example: "trace log in",
      pattern: /^trace(?:\s+(?!(?:stop|mark|pause|resume|open|list|remove)\b)(.+))?$/u,
    },
    ([name]) => name === undefined ? {} : { name },
    ({ file }) => file ?? "",
  ),
];

/** The state of the trace in a line, for `status`. */
export async function traceStatus(runner: ActionRunner): Promise<string> {
  if (!runner.trace) return "off";
  const { state, file, actions, bytes } = (await runner.traces()).status;
  return `${state}, ${actions} actions, ${megabytes(bytes)}, ${file}`;
}
