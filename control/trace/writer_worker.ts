/// <reference lib="deno.worker" />
/** The Worker that writes a trace: base64, the file, its quota. */

import { lowerPriority } from "../../core/v8_threads.ts";
import type { FromWriter, ToWriter } from "./protocol.ts";
import { TraceWriting } from "./writing.ts";

const report = (message: FromWriter) => self.postMessage(message);
let writing: TraceWriting | undefined;
let begun: Promise<void> = Promise.resolve();

function take(message: ToWriter): void {
  switch (message.type) {
    case "lines":
      return writing?.add(message.text);
    case "picture":
      if (message.lines) writing?.add(message.lines);
      return writing?.addPicture(message.t, message.isKey, message.message);
    case "next":
      return writing?.next(message.first);
    case "end":
      return writing?.end(message.why);
  }
}

globalThis.onmessage = ({ data }: MessageEvent<ToWriter>) => {
  if (data.type !== "start") {
    if (writing) take(data);
    else begun = begun.then(() => take(data));
    return;
  }
  lowerPriority();
  const started = new TraceWriting(data.start, report);
  begun = started.begin().then(() => void (writing = started));
};
