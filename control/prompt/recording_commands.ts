/** Prompt commands of recording and replay. */

import { InputError } from "../../core/errors.ts";
import { ACTIONS } from "../actions/mod.ts";
import { parseFields } from "../actions/schema.ts";
import type { Recorder } from "../recording/recorder.ts";
import { journaledDesktop } from "../recording/journal_format.ts";
import { recover } from "../recording/recovery.ts";
import type { PlayResult } from "../recording/replay.ts";
import { loadRecording, saveRecording } from "../recording/store.ts";
import { stateFile } from "../../core/state_dir.ts";
import { actionCommand, type Command, type CommandContext } from "./command.ts";
import { mayReplace } from "./replace.ts";

/** The commands, in the order of help. */
export const RECORDING_COMMANDS: readonly Command[] = [
  {
    name: "rec",
    usage: "rec [mouse]",
    summary: "record what is done on the desktop; `mouse` leaves the keyboard out",
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
    name: "stop",
    usage: "stop",
    summary: "stop recording or playing",
    pattern: /^stop$/,
    example: "stop",
    effect: ACTIONS.stopRecording.effect,
    immediate: true,
    async run(_, context) {
      const { runner, notice, confirm } = context, { recorder } = runner, { state } = recorder.status();
      // On a terminal the line itself was typed, and recorded.
      const stop = () => recorder.stop(confirm ? "stop" : undefined);
      await runner.noted(ACTIONS.stopRecording, {}, context, stop);
      if (state === "recording") notice(`recorded ${counted(recorder.status().events)}`);
    },
  },
  {
    name: "save",
    usage: "save[!] <file>",
    summary: "save the recording (JSON; a script of curl lines if the name ends in .sh); ! replaces a file",
    example: "save morning.json",
    pattern: /^save(!)?\s+(.+)$/u,
    takesFile: true,
    effect: ACTIONS.recording.effect,
    run: ([force, file], context) => save(file!, force !== undefined, context),
  },
  {
    name: "load",
    usage: "load <file> | load --recover",
    summary: "load a recording, or what a crash left of one",
    example: "load morning.json",
    pattern: /^load\s+(.+)$/u,
    takesFile: true,
    effect: ACTIONS.loadRecording.effect,
    run: ([file], context) =>
      context.runner.noted(ACTIONS.loadRecording, {}, context, async () => {
        const { runner: { operator, recorder }, notice } = context;
        if (file === "--recover") {
          const { recording, discard } = await recover(
            stateFolderOrFail(),
            journaledDesktop(operator.desktop),
          );
          recorder.load(recording, discard);
          notice(
            `recovered ${
              counted(recording.count)
            } of a recording begun at ${recording.head.started}; save it`,
          );
        } else {
          recorder.load(await loadRecording(file!));
          notice(`loaded ${counted(recorder.status().events)}`);
        }
      }),
  },
  actionCommand(ACTIONS.discardRecording, {
    name: "discard",
    usage: "discard",
    example: "discard",
    pattern: /^discard$/,
  }, () => ({})),
  {
    name: "play",
    usage: "play [<speed>x] [<times>] [--scale] [--elements]",
    summary:
      "replay the recording, such as play 2x 3; --scale fits it to a desktop of another size, --elements finds " +
      "its elements again",
    pattern: /^play(?:\s+(\d{1,3}(?:\.\d{1,3})?)x)?(?:\s+(\d{1,6}))?(?:\s+(--scale))?(?:\s+(--elements))?$/,
    example: "play 2x 3",
    effect: ACTIONS.playRecording.effect,
    async run([speed, times, scale, elements], context) {
      const { runner, signal, notice } = context, { recorder } = runner;
      const options = parseFields(ACTIONS.playRecording.input, {
        speed: Number(speed ?? 1),
        times: Number(times ?? 1),
        scale: scale !== undefined,
        elements: elements !== undefined,
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

/** The recorder's state in a line, for `status`. */
export function recorderStatus(recorder: Recorder): string {
  const { state, events, ms, problem } = recorder.status();
  return `${state}, ${counted(events)}, ${(ms / 1000).toFixed(1)} s${problem ? ` (${problem})` : ""}`;
}

async function save(file: string, force: boolean, context: CommandContext) {
  const { runner: { recorder, url }, notice } = context;
  const recording = recorder.recording();
  if (!force && !await mayReplace(file, "save", context)) return notice("not saved");
  await saveRecording(file, recording, url);
  recorder.saved(recording);
  notice(`saved ${counted(recording.count)}`);
}

function resultText(
  { performed, meanLatenessMs, maxLatenessMs, stoppedBy, elements }: PlayResult,
): string {
  const how = {
    stop: "stopped",
    escape: "stopped by Escape",
    pointer: "stopped: a person took the mouse",
    none: "played",
  }[stoppedBy ?? "none"];
  const found = elements ? `, ${elements.found} elements found` : "";
  return `${how}: ${counted(performed)}, ${meanLatenessMs.toFixed(2)} ms late on average, ${
    maxLatenessMs.toFixed(2)
  } ms at most${found}`;
}

function stateFolderOrFail(): string {
  try {
    return stateFile(".");
  } catch (error) {
    throw new InputError((error as Error).message, { cause: error });
  }
}

function counted(events: number): string {
  return `${events} event${events === 1 ? "" : "s"}`;
}
