/** Recording and replay commands. */

import { InputError, StateError } from "../../core/errors.ts";
import { counted, printable } from "../../core/printable.ts";
import { askState, replaceFileByPieces, stateFile } from "../../core/state_files.ts";
import { ACTIONS } from "../actions/mod.ts";
import type { ActionRunner } from "../actions/runner.ts";
import { journaledDesktop, recover } from "../recording/files.ts";
import type { Recorder } from "../recording/recorder.ts";
import type { PlayResult } from "../recording/replay.ts";
import { parseFields } from "../schema/schema.ts";
import { actionCommand, type Command, type CommandContext, onFile, plain } from "./command.ts";

// The question before a command replaces a file.

/**
 * Asks the person if the file exists.
 * @param command The command, whose form with `!` replaces a file without asking.
 * @returns Whether to write the file.
 * @throws StateError if the file exists and there is no terminal to ask on.
 */
async function mayReplace(
  file: string,
  command: string,
  { confirm }: Pick<CommandContext, "confirm">,
): Promise<boolean> {
  if (!await onFile("write", file, () => Deno.lstat(file).catch(() => {}))) return true;
  const there = `${printable(file, 80)} already exists`;
  if (!confirm) throw new StateError(`${there}; ${command}! replaces it`);
  return await confirm(`${there}. Replace it?`);
}

/** The commands, in help order. */
export const RECORDING_COMMANDS: readonly Command[] = [
  {
    name: "rec",
    usage: "rec [mouse]",
    summary: "record input on the desktop; `mouse` leaves out the keyboard",
    pattern: /^rec(?:\s+(mouse))?$/,
    example: "rec",
    effect: ACTIONS.startRecording.effect,
    async run([mouse], context) {
      const { runner, notice } = context;
      await runner.run(ACTIONS.startRecording, { keyboard: mouse === undefined }, context);
      notice(
        mouse === undefined
          ? "recording; keys are recorded too, passwords among them (`rec mouse` leaves them out)"
          : "recording, without the keyboard",
      );
    },
  },
  {
    ...plain("stop"),
    summary: "stop recording or playing",
    effect: ACTIONS.stopRecording.effect,
    immediate: true,
    async run(_, context) {
      const { runner, notice, confirm } = context, { recorder } = runner, { state } = recorder.status();
      // On a terminal the line itself was typed, and thus recorded.
      const stop = () => recorder.stop(confirm ? "stop" : undefined);
      await runner.noted(ACTIONS.stopRecording, {}, context, stop);
      if (state === "recording") notice(`recorded ${counted(recorder.status().events, "event")}`);
    },
  },
  {
    name: "save",
    usage: "save[!] <file>",
    summary:
      "save the recording as JSON or, by file extension, as curl lines (.sh) or a test (.spec.ts, .py); ! replaces a file",
    example: "save morning.json",
    pattern: /^save(!)?\s+(.+)$/u,
    takesFile: true,
    effect: ACTIONS.recording.effect,
    run: ([force, file], context) => save(file!, force !== undefined, context),
  },
  {
    name: "load",
    usage: "load <file> | load --recover",
    summary: "load a recording, or recover one after a crash",
    example: "load morning.json",
    pattern: /^load\s+(.+)$/u,
    takesFile: true,
    effect: ACTIONS.loadRecording.effect,
    run: ([file], context) =>
      context.runner.noted(ACTIONS.loadRecording, {}, context, async () => {
        const { runner: { operator, recorder }, notice } = context;
        if (file === "--recover") {
          await askState();
          const { recording, discard } = await recover(
            stateFile("."),
            journaledDesktop(operator.desktop),
          );
          recorder.load(recording, discard);
          notice(
            `recovered ${
              counted(recording.count, "event")
            } of a recording begun at ${recording.head.started}; save it`,
          );
        } else {
          const { loadRecording } = await import("../recording/store.ts");
          recorder.load(await loadRecording(file!));
          notice(`loaded ${counted(recorder.status().events, "event")}`);
        }
      }),
  },
  actionCommand(ACTIONS.discardRecording, plain("discard"), () => ({})),
  {
    name: "play",
    usage: "play [<speed>x] [<times>] [--scale] [--places]",
    summary:
      "replay the recording, such as play 2x 3: presses go where their elements are now, with --places where they " +
      "were; --scale fits it to a desktop of another size",
    pattern:
      /^play(?:\s+(\d{1,3}(?:\.\d{1,3})?)x)?(?:\s+(\d{1,6}))?(?:\s+(--scale))?(?:\s+--(elements|places))?$/,
    example: "play 2x 3",
    effect: ACTIONS.playRecording.effect,
    async run([speed, times, scale, presses], context) {
      const { runner, signal, notice } = context, { recorder } = runner;
      const options = parseFields(ACTIONS.playRecording.input, {
        speed: Number(speed ?? 1),
        times: Number(times ?? 1),
        scale: scale !== undefined,
        ...presses === undefined ? {} : { elements: presses === "elements" },
      });
      const result = await runner.noted(ACTIONS.playRecording, options, context, () => {
        const playing = recorder.play(options);
        signal.addEventListener("abort", () => recorder.stop().catch(() => {}));
        return playing;
      });
      if (!signal.aborted) notice(resultText(result));
      else signal.throwIfAborted();
    },
  },
];

/** The recorder's state in one line, for `status`. */
export function recorderStatus(recorder: Recorder): string {
  const { state, events, ms, problem } = recorder.status();
  return `${state}, ${counted(events, "event")}, ${(ms / 1000).toFixed(1)} s${
    problem ? ` (${problem})` : ""
  }`;
}

async function save(file: string, force: boolean, context: CommandContext) {
  const { runner: { recorder, url }, notice } = context;
  const recording = recorder.recording();
  if (!force && !await mayReplace(file, "save", context)) return notice("not saved");
  const { saveRecording } = await import("../recording/store.ts");
  await saveRecording(file, recording, url);
  await askState();
  recorder.saved(recording);
  notice(`saved ${counted(recording.count, "event")}`);
}

function resultText(
  { performed, missed, meanLatenessMs, maxLatenessMs, stoppedBy, elements }: PlayResult,
): string {
  const how = {
    stop: "stopped",
    escape: "stopped by Escape",
    pointer: "stopped: a person took the mouse",
    none: "played",
  }[stoppedBy ?? "none"];
  const found = (missed ? `, ${missed} left out at places that the pointer did not reach` : "") +
    (elements ? `, ${counted(elements.found, "element")} found` : "") +
    (elements?.healed ?? []).map((told) => `\nhealed: ${told}`).join("");
  return `${how}: ${counted(performed, "event")}, ${meanLatenessMs.toFixed(2)} ms late on average, ${
    maxLatenessMs.toFixed(2)
  } ms at most${found}`;
}

// Trace commands.

/** A size in readable form, such as `1.2 MB`. */
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

const STARTS_TRACE = actionCommand(
  ACTIONS.startTrace,
  {
    name: "trace",
    usage: "trace [<name>]",
    example: "trace log in",
    pattern: /^trace(?:\s+(?!(?:stop|mark|pause|resume|open|list|remove)\b)(.+))?$/u,
  },
  ([name]) => name === undefined ? {} : { name },
  ({ file }) => file ?? "",
);

/** The commands, in help order. */
export const TRACE_COMMANDS: readonly Command[] = [
  actionCommand(
    ACTIONS.stopTrace,
    { ...plain("trace stop"), immediate: true },
    () => ({}),
    ({ file, actions, pictures, bytes }) =>
      `${file}: ${counted(actions, "action")}, ${counted(pictures, "picture")}, ${megabytes(bytes)}`,
  ),
  actionCommand(ACTIONS.markTrace, {
    name: "trace",
    usage: "trace mark <text>",
    example: "trace mark signed in",
    pattern: /^trace\s+mark\s+(.+)$/u,
  }, ([text]) => ({ text })),
  actionCommand(ACTIONS.pauseTrace, plain("trace pause"), () => ({})),
  actionCommand(ACTIONS.resumeTrace, plain("trace resume"), () => ({})),
  {
    ...plain("trace open"),
    summary: "print the address of the trace, or of its file",
    effect: ACTIONS.traces.effect,
    async run(_, { runner }) {
      const { file } = (await runner.traces()).status;
      return runner.url ? `${runner.url}/api/trace` : file ?? "no trace is being recorded: start one first";
    },
  },
  actionCommand(
    ACTIONS.traces,
    { ...plain("trace list"), summary: "list the files of traces, the oldest first; * is being written" },
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
  {
    ...STARTS_TRACE,
    async run(args, context) {
      const file = await STARTS_TRACE.run(args, context);
      return context.confirm ? undefined : file; // on a terminal, the notice has already named it
    },
  },
];

/** The trace's state in one line, for `status`. */
export function traceStatus(runner: ActionRunner): string {
  const { state, file, actions, bytes } = runner.loadedTraces?.status ?? { state: "off" };
  if (state === "off") return state;
  return `${state}, ${counted(actions, "action")}, ${megabytes(bytes)}, ${file}`;
}

// The `shot` command: saves a picture of the screen to a file.

const FORMATS = ["bmp", "png"] as const;

/** The command's row. */
export const SHOT: Command = {
  name: "shot",
  usage: "shot[!] <file>",
  example: "shot screen.png",
  summary: "save a picture of the screen, .bmp or .png by its name; ! replaces a file",
  pattern: /^shot(!)?\s+(.+)$/u,
  takesFile: true,
  effect: "read",
  run: ([force, file], context) => saveScreenshot(file!, force !== undefined, context),
};

/**
 * Saves a picture of the whole screen to a file that only this user can read, since the screen may show
 * secrets.
 * @param file Ends in .bmp or .png.
 * @param force Whether to replace an existing file without asking.
 * @throws InputError if the name has another extension or cannot be written; StateError if the file exists
 * and there is no terminal to ask on.
 */
async function saveScreenshot(file: string, force: boolean, context: CommandContext): Promise<void> {
  const ending = /\.([a-z]+)$/i.exec(file)?.[1].toLowerCase();
  const format = FORMATS.find((format) => format === ending);
  if (!format) {
    throw new InputError(`shot takes a file that ends in .bmp or .png, not ${printable(file, 80)}`);
  }
  if (!force && !await mayReplace(file, "shot", context)) return context.notice("not saved");
  const picture = await (await context.runner.run(ACTIONS.screenshot, { format }, context)).bytes();
  await onFile("write", file, () => replaceFileByPieces(file, [picture], 0o600));
}
