/** The parts of a desktop that takes input over its bus and gives a stream of each display. */

import type { FrameReader } from "../../linux/pipewire/frame_memory.ts";
import type { ConnectedDesktop } from "../connected_desktop.ts";
import type { Arrangement, PlacedOutput } from "../wire/geometry.ts";
import { liveOfStreams } from "./live_of_streams.ts";
import type { RemoteInput } from "./remote_input.ts";
import { RemotePointer } from "./remote_pointer.ts";
import { type StreamedOutput, StreamScreen } from "./stream_screen.ts";
import { type OutputReader, shownPlace, StreamTracker } from "./stream_tracker.ts";

/** A desktop with streams. */
export interface StreamedDesktop<Output extends StreamedOutput> {
  input: RemoteInput;
  /** The present places of the outputs. */
  arrangement(): Arrangement<Output>;
  /** Gives the reader of the newest frame of an output's stream; opens the stream if it is not open. */
  reader(output: PlacedOutput<Output>): Promise<FrameReader>;
  /** Throws if a person has ended the streams, which a look at the pointer does not open again. */
  checkShared?(): void;
}

/** Makes the parts. */
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
