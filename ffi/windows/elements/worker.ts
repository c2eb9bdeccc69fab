/** Elements, read on a separate thread, so that waiting for a hung program blocks nothing else. */

import { answerCalls } from "../../../core/worker_entry.ts";
import { openElementLibraries } from "./com.ts";
import type { ElementsAnswer, ElementsCall } from "./mod.ts";
import { WindowReader } from "./reader.ts";

let reader: WindowReader | undefined;

answerCalls<ElementsCall, ElementsAnswer>((call) => {
  reader ??= new WindowReader(openElementLibraries());
  if (call.type === "read") return reader.read(call.window, call.hidden);
  if (call.type === "reread") return reader.reread(call.key);
  if (call.type === "hits") return reader.hits(call.key, call.point);
  return reader.change(call.key, call.change);
});
