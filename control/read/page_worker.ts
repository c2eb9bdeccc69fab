/// <reference lib="deno.worker" />
/** A thread with an engine that reads pages of lines. */

import { lowestPriority } from "../../core/v8_threads.ts";
import { answerCalls } from "../../core/worker_entry.ts";
import { Engine, unpacked } from "./engine.ts";
import type { Grey, Word } from "./grey.ts";
import { type LanguageFiles, OWN_LANGUAGE } from "./languages.ts";
import { readLines } from "./pages.ts";

/** A message to the Worker: lines to read as one page; without lines, the engine is only prepared. */
export interface PageCall {
  languages: LanguageFiles;
  lines: readonly Grey[];
}

/** The engine of the most recently requested languages: one takes 100 MB. */
let opened: { names: string; engine: Engine } | undefined;

async function engineOf(languages: LanguageFiles): Promise<Engine> {
  const names = JSON.stringify(languages);
  if (opened?.names === names) return opened.engine;
  opened = undefined;
  const data = new Map<string, Uint8Array>();
  for (const [name, path] of languages) data.set(name, await dataOf(name, path));
  const engine = await Engine.open(data);
  opened = { names, engine };
  return engine;
}

async function dataOf(name: string, path: string | undefined): Promise<Uint8Array> {
  if (path !== undefined) return await Deno.readFile(path);
  if (name !== OWN_LANGUAGE) throw new Error(`there is no data file for ${name}`);
  return await unpacked(new URL("./tesseract/eng.traineddata.gz", import.meta.url));
}

// This thread inherits its low priority from the thread that starts it. A second thread reads only when a
// processor is idle.
if (self.name === "spare") lowestPriority();
answerCalls<PageCall, Word[][]>(async ({ languages, lines }) => {
  const engine = await engineOf(languages);
  return lines.length ? readLines(lines, (page, isLine) => engine.read(page, isLine)) : [];
});
