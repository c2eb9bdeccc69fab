/**
 * The lines of a trace. The file is an HTML page that only grows: the viewer, then one HTML comment per line,
 * which is an entry in JSON or a picture in base64. HTML needs no end, so the file of a killed writer also
 * opens.
 */

import { sha256 } from "../../core/bytes.ts";
import { attempt } from "../../core/errors.ts";
import type { CallerKind } from "../operator/calls.ts";
import type { Point, Region } from "../desktop/input.ts";
import { MARK } from "./folder.ts";

/** Format version; readers reject later ones. */
export const FORMAT_VERSION = 1;

/** The observation of an action, in the form of `observe`. */
export interface TracedSeen {
  verdict: string;
  reason: string;
  settled_ms?: number;
  regions: Region[];
  opened?: string[];
  closed?: string[];
  active?: string;
}

/** A finished action. Times are in milliseconds from the start of the trace. */
export interface ActionEntry {
  kind: "action";
  /** When the action started. */
  t: number;
  /** How long the action took, in milliseconds. */
  ms: number;
  name: string;
  /** `read`, `private` or `act`, as in the table of actions. */
  effect: string;
  by: CallerKind;
  /** The caller's name for itself. */
  client?: string;
  /** The action's values without secrets, from calls.ts. */
  values: Record<string, unknown>;
  /** Whether a value was not stored unchanged. */
  partial?: true;
  /** The position that the action targeted; and where the pointer ended up, if elsewhere. */
  at?: Point;
  to?: Point;
  /** The places of the action's matches. */
  found?: Region[];
  seen?: TracedSeen;
  /** The error message, if the action failed. */
  error?: string;
  /** Number of pointer moves on the page that this entry stands for. */
  moves?: number;
}

/** Input by a person or a replay between the actions. Keys are counted, not named. */
export type PersonEntry =
  & { kind: "person"; t: number; by?: "replay" }
  & (
    | { what: "click" | "drag"; button: string; at: Point; to?: Point }
    | { what: "scroll"; direction: string; amount: number; at: Point }
    | { what: "keys"; count: number; ms: number }
  );

export type TraceEntry =
  | {
    kind: "trace";
    version: typeof FORMAT_VERSION;
    deskhand: string;
    /** Start of the trace: the zero of all times. */
    started: string;
    desktop: string;
    name?: string;
    /** Address of the control API, for curl commands. */
    url?: string;
    /** Number of the file within its trace: 1, or more for a file that continues another. */
    part: number;
    /** Start of the file, in milliseconds from the start of the trace. */
    t: number;
  }
  | { kind: "screen"; t: number; x: number; y: number; width: number; height: number }
  | ActionEntry
  | PersonEntry
  | { kind: "window"; t: number; id: string; title: string }
  | { kind: "mark"; t: number; text: string }
  | { kind: "pause" | "resume"; t: number; why?: string }
  | { kind: "problem"; t: number; message: string }
  | { kind: "end"; t: number; why: string; next?: string };

/** Writes an entry as a line. No text can end the comment: `>` is escaped. */
export function entryLine(entry: TraceEntry): string {
  return `<!--a${JSON.stringify(entry).replaceAll(">", "\\u003e")}-->\n`;
}

/**
 * Writes a picture as a line.
 * @param t Time of the picture, in milliseconds from the start of the trace.
 * @param isKey Whether the picture shows the whole screen, so that no earlier picture is needed.
 * @param message As in control/live/tile_writer.ts.
 */
export function pictureLine(t: number, isKey: boolean, message: Uint8Array): string {
  return `<!--${isKey ? "k" : "p"} ${t} ${message.toBase64()}-->\n`;
}

/** A picture's line without the picture. */
export interface PictureLine {
  kind: "picture";
  t: number;
  key: boolean;
  /** Length of the message, in bytes. */
  bytes: number;
}

const ENTRY = /^<!--a(\{[^]*\})-->$/;
const PICTURE = /^<!--([kp]) (\d+(?:\.\d+)?) ([A-Za-z0-9+/=]*)-->$/;

/**
 * Parses a line of a file.
 * @returns undefined for a line of the viewer, or one that was cut off.
 */
export function parseLine(line: string): TraceEntry | PictureLine | undefined {
  const entry = ENTRY.exec(line);
  if (entry) return attempt(() => JSON.parse(entry[1]));
  const picture = PICTURE.exec(line);
  if (!picture) return undefined;
  const [, letter, t, text] = picture, padding = /=*$/.exec(text)![0].length;
  return { kind: "picture", t: Number(t), key: letter === "k", bytes: text.length / 4 * 3 - padding };
}

// The head of a trace's file: the viewer with its styles and scripts. The scripts are the modules of viewer/
// and the decoder of the live picture's page, bundled into one script, since a file opened without a server
// cannot import modules.

const VIEWER = new URL("./viewer/", import.meta.url), PAGE = new URL("../page/", import.meta.url);
/** The modules in dependency order. */
const MODULES: readonly [folder: URL, name: string][] = [
  ...["inflate.js", "tiles.js", "picture.js"].map((name) => [PAGE, name] as [URL, string]),
  ...[
    "screen.js",
    "list.js",
    "strip.js",
    "detail.js",
    "viewer.js",
  ].map((name) => [VIEWER, name] as [URL, string]),
];
const STYLES = ["viewer.css", "parts.css"];

/**
 * Makes the head of a file.
 * @param title The page title.
 * @returns The text up to where lines start.
 */
export async function traceHead(title: string): Promise<string> {
  const script = joinedModules(), style = STYLES.map((name) => read(VIEWER, name)).join("");
  const policy = tracePolicy((await sha256(script)).toBase64());
  const body = read(VIEWER, "viewer.html");
  return [
    `${MARK}<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">',
    `<meta name="referrer" content="no-referrer"><title>${escaped(title)}</title>`,
    `<style>${style}</style></head><body>${body}`,
    `<div hidden id="data"><script>${script}</script>\n`,
  ].join("\n");
}

/**
 * Content-Security-Policy of a file: only its own script is allowed, and no requests.
 * @param hash The script's hash, in base64.
 */
function tracePolicy(hash: string): string {
  return `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data: blob:; ` +
    "base-uri 'none'; form-action 'none'";
}

function read(folder: URL, name: string): string {
  return Deno.readTextFileSync(new URL(name, folder));
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

const IMPORT = /^import \{([^}]*)\} from "[./]*(?:page\/)?([\w.]+)";\n/gm;
const EXPORT = /^export (?=(?:async )?(?:class|function|const|let) \*?(\w+))/gm;
/** The list of exports at the end of a module that a bundler produced. */
const EXPORTS = /export\s*\{([^}]*)\};?\s*$/;
/** Comments that traces leave out, such as types; comments that start with `/*!` are kept. */
const COMMENT = /^\s*\/\*\*[^]*?\*\/\n?|^\s*\/\/.*\n/gm;

/** Bundles all modules into one script, each with its own scope. */
function joinedModules(): string {
  const all = MODULES.map(([folder, name]) => {
    const exported: string[] = [];
    const source = read(folder, name)
      .replace(COMMENT, "")
      .replace(
        IMPORT,
        (_, names: string, from: string) => `const {${names.replace(/ as /g, ": ")}} = ${scope(from)};\n`,
      )
      .replace(EXPORT, (_, name: string) => (exported.push(name), ""))
      .replace(EXPORTS, (_, names: string) => {
        for (const pair of names.split(",")) exported.push(pair.trim().split(/ as /).reverse().join(": "));
        return "";
      });
    return `const ${scope(name)} = (() => {\n${source}\nreturn { ${exported.join(", ")} };\n})();\n`;
  });
  return `"use strict";\n${all.join("")}`.replaceAll("</script", "<\\/script");
}

const scope = (name: string) => `$${name.replace(/\.js$/, "")}`;
