/** The parts of a desktop that receives input over its bus and provides a stream of each display. */

import { delay } from "@std/async/delay";
import { isSameRegion, type LivePicture, type Region } from "../../../control/desktop/desktop.ts";
import { type LiveReport, Viewers, type ViewersMemory } from "../../../control/desktop/viewers.ts";
import { runWorker } from "../../../core/worker.ts";
import type { FrameMemory, FrameReader } from "../../linux/pipewire/frame_memory.ts";
import type { LiveStart, WorkerReport } from "../../in_worker.ts";
import type { ConnectedDesktop } from "../way.ts";
import type { Arrangement, PlacedOutput } from "../wire/outputs.ts";
import type { RemoteInput } from "./remote_input.ts";
import { type OutputReader, RemotePointer, shownPlace, StreamTracker } from "./remote_pointer.ts";
import { type StreamedOutput, StreamScreen } from "./stream_screen.ts";

// The live picture of a desktop with streams. Their newest frames are in memory shared between threads, so a
// Worker makes the pictures on its own; this thread only checks from time to time whether the streams are
// still the same.

/** Interval between checks of the streams, in milliseconds. The checks also keep them open. */
const LOOK_MS = 500;

/** Messages to the Worker. */
export interface StreamsSource {
  /** All outputs together, in pixels of the desktop. */
  place: Region;
  outputs: { output: PlacedOutput; memory: FrameMemory }[];
}

/**
 * Makes the live picture from streams.
 * @param arrangement Returns the outputs' current positions.
 * @param readers Returns readers of the outputs' streams, which it opens if necessary.
 */
function liveOfStreams(
  arrangement: () => Arrangement,
  readers: () => Promise<OutputReader[]>,
): LivePicture {
  const look = async (): Promise<StreamsSource> => ({
    outputs: (await readers()).map(({ output, reader }) => ({ output, memory: reader.memory })),
    place: arrangement().region,
  });
  return { start: (memory, report) => ({ done: run(look, memory, report) }) };
}

async function run(
  look: () => Promise<StreamsSource>,
  memory: ViewersMemory,
  report: (report: LiveReport) => void,
): Promise<void> {
  const source = await look(), end = new AbortController();
  const start: LiveStart<StreamsSource> = { source, memory };
  const url = new URL("./live_worker.ts", import.meta.url);
  const { done } = runWorker<LiveStart<StreamsSource>, WorkerReport, void>(url, start, (told) => {
    if (told.type !== "wanted") report(told);
  });
  const others = untilOthers(source, look, end.signal).finally(() => new Viewers(memory).stop());
  try {
    await Promise.race([done, others]);
    await done; // the caller then restarts the maker
  } finally {
    end.abort();
  }
}

/** Resolves when the streams have been replaced by others, or when the signal is aborted. */
async function untilOthers(
  source: StreamsSource,
  look: () => Promise<StreamsSource>,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await delay(LOOK_MS, { signal }).catch(() => {});
    if (signal.aborted || !isSame(source, await look())) return;
  }
}

/** Whether each output's memory and position are the same. */
function isSame(a: StreamsSource, b: StreamsSource): boolean {
  return isSameRegion(a.place, b.place) && a.outputs.length === b.outputs.length &&
    a.outputs.every(({ output, memory }, i) =>
      memory.header === b.outputs[i].memory.header && isSameRegion(output.region, b.outputs[i].output.region)
    );
}

/** A desktop with streams. */
interface StreamedDesktop<Output extends StreamedOutput> {
  input: RemoteInput;
  /** The outputs' current positions. */
  arrangement(): Arrangement<Output>;
  /** Returns the reader of the newest frame of an output's stream; opens the stream if it is not open. */
  reader(output: PlacedOutput<Output>): Promise<FrameReader>;
  /** Throws if a person has ended the streams, which looking up the pointer does not reopen. */
  checkShared?(): void;
}

/** Creates the parts. */
export function streamedParts<Output extends StreamedOutput>(
  { input, arrangement, reader, checkShared }: StreamedDesktop<Output>,
): Required<Pick<ConnectedDesktop, "pointer" | "screen" | "live" | "pointerTracker">> {
  const readers = (): Promise<OutputReader[]> =>
    Promise.all(arrangement().outputs.map(async (output) => ({ output, reader: await reader(output) })));
  // deno-lint-ignore require-await -- what is thrown is a rejection
  const sharedReaders = async () => {
    checkShared?.();
    return readers();
  };
  return {
    pointer: new RemotePointer(input, arrangement, (moved) => shownPlace(readers, moved)),
    screen: new StreamScreen(arrangement, (output) => reader(output as PlacedOutput<Output>)),
    live: liveOfStreams(arrangement, readers),
    pointerTracker: new StreamTracker(arrangement, readers, sharedReaders),
  };
}
