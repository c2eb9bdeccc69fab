/** Recordings as text. */

import { parseRecordingBytes, type Recording } from "../../control/recording/format.ts";
import { StoredRecording } from "../../control/recording/stored.ts";

/** The text of a recording's file. */
export function formatRecording(recording: Recording): string {
  return textOf(StoredRecording.of(recording));
}

/** The text of a stored recording's file. */
export function textOf(recording: StoredRecording): string {
  return Array.from(recording.file(), (piece) => new TextDecoder().decode(piece)).join("");
}

/** Reads the text of a recording's file. */
export function parseRecordingText(text: string): Recording {
  return parseRecordingBytes(new TextEncoder().encode(text));
}
