/** Languages of text on the screen: each is a Tesseract data file. */

import { attempt, UnsupportedError } from "../../core/errors.ts";
import { basename, join } from "../../core/path.ts";
import { printable } from "../../core/printable.ts";
import { checkStateAnswers, isStateSilent, stateFolder } from "../../core/state_files.ts";

/** The language whose data is built into deskhand. */
export const OWN_LANGUAGE = "eng";

/** Languages by name, with the paths of their files; undefined for the built-in {@linkcode OWN_LANGUAGE}. */
export type LanguageFiles = readonly (readonly [name: string, path: string | undefined])[];

const ENDING = ".traineddata";
/** A name as in Tesseract's file names, such as `chi_sim` or `deu`. */
const LANGUAGE_NAME = /^[A-Za-z][A-Za-z0-9_-]{1,31}$/;

/**
 * The languages that an option names.
 * @param words Names, and paths of `.traineddata` files.
 * @throws UnsupportedError if a file is missing, with the places searched.
 * @example
 * languageFiles(["eng"]).length; // 1
 */
export function languageFiles(words: readonly string[]): LanguageFiles {
  return words.map((word) => {
    if (!word.endsWith(ENDING)) return [word, pathOf(word)];
    if (!isFile(word)) throw missing(word, "there is no such file");
    return [basename(word).slice(0, -ENDING.length), word];
  });
}

/**
 * The languages that a caller names; callers may not choose files.
 * @param names Joined by `+`.
 * @throws UnsupportedError like {@linkcode languageFiles}.
 */
export function namedLanguages(names: string): LanguageFiles {
  return names.split("+").map((name) => [name, pathOf(name)]);
}

/**
 * The data file of a language; undefined for the built-in language, unless the user has a file for it.
 * @throws UnsupportedError if there is none; BusyError if it may be in the state folder, whose disk is silent.
 */
function pathOf(name: string): string | undefined {
  const folder = isStateSilent() ? undefined : ownFolder(), places = [folder, ...systemFolders()];
  if (!LANGUAGE_NAME.test(name)) {
    throw missing(name, "names have letters, digits, _ and - alone, such as deu");
  }
  for (const place of places) {
    const path = place && join(place, name + ENDING);
    if (path && isFile(path)) return path;
  }
  if (name === OWN_LANGUAGE) return undefined;
  checkStateAnswers();
  const remedy = `put ${name}${ENDING} into ${printable(folder ?? "the state folder")}`;
  throw missing(name, `${remedy}, or install tesseract-ocr-${name.replaceAll("_", "-")}`);
}

function missing(name: string, why: string): UnsupportedError {
  return new UnsupportedError(
    `cannot read text: language ${JSON.stringify(printable(name, 60))} is missing; ${why}`,
  );
}

/** The folder of the user's own languages. */
function ownFolder(): string | undefined {
  return attempt(() => join(stateFolder(), "languages")); // the user has no home folder
}

/** Tesseract's own data folders, on Debian and on other systems. */
function systemFolders(): string[] {
  const own = Deno.env.get("TESSDATA_PREFIX");
  return [
    ...own ? [own] : [],
    "/usr/share/tesseract-ocr/5/tessdata",
    "/usr/share/tesseract-ocr/4.00/tessdata",
    "/usr/share/tessdata",
  ];
}

function isFile(path: string): boolean {
  return attempt(() => Deno.statSync(path).isFile, false);
}
