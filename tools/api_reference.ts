/**
 * Writes docs/api.md and docs/recording.schema.json from the tables of endpoints, keys and input events.
 *
 *     deno task reference
 */

import { fromFileUrl } from "@std/path";
import { type Endpoint, OK } from "../control/http/endpoint.ts";
import { groupedPaths, LISTED_ENDPOINTS } from "../control/http/endpoints.ts";
import { RECORDING_SCHEMA } from "../control/recording/format.ts";
import { KEYS } from "../control/desktop/keys.ts";
import { type JsonSchema, objectSchema } from "../control/schema/schema.ts";
import { WINDOW_ID } from "../control/actions/windows.ts";
import { formatted } from "./format.ts";

/** The reference of the control API. */
export const REFERENCE = fromFileUrl(new URL("../docs/api.md", import.meta.url));
/** The schema of recordings. */
export const SCHEMA = fromFileUrl(new URL("../docs/recording.schema.json", import.meta.url));

const HEAD = `# The control API

\`deno task reference\` writes this page from the tables that the program itself uses.

deskhand reads bodies as JSON regardless of their Content-Type (\`curl -d\` sends the type of a form). A field that looks
like a misspelt one is refused; other unknown fields are ignored, except within an object such as \`window\`. For curl and
similar programs an answer ends with a line feed. A call that acts answers \`{"ok":true}\` when the action is done. An error is
\`{"error":"…"}\`: 400 if something in the request is missing or wrong, 401 and 403 if the caller may not make the call
([who may](security.md)), 404 and 405 for an unknown path or method, 408 and 413 for a body that is too slow or too large,
414 for a path that is too long, 429 after too many wrong tokens, 409 if the call does not fit what is going on (such as a
replay), 503 if the desktop is gone or too much is going on. A wait whose time is over also answers 408, after which \`curl
--retry\` asks again. HEAD works for every path that GET has. Coordinates are whole pixels of the whole desktop; with a monitor
left of the primary one they may be negative.
`;

const KEYS_HEAD = `## Names of keys

\`key\`, \`keys\` and the prompt's \`k\` take the names of this table, in upper or lower case. These calls also take any single character, which
stands for the key that types it, names of characters (\`plus\`, \`slash\`, \`eacute\`, \`U20AC\`), and \`vk:0x97\` (Windows)
or \`keysym:0x1008ff5d\` (X11) for a key without a name.

| key | also |
| --- | ---- |
`;

/** A page of the reference on the documentation site. */
export interface ReferencePage {
  path: string;
  text: string;
}

/**
 * Makes the reference as pages: a page about all calls, a page for each group of calls, and a page with the names of
 * keys.
 */
export function apiPages(): ReferencePage[] {
  const groups = groupedPaths(LISTED_ENDPOINTS.map(({ path }) => path));
  const pages = groups.map(([name, paths]) => {
    const rows = LISTED_ENDPOINTS.filter(({ path }) => paths.includes(path));
    const title = `# Control API: ${name}\n`;
    return { path: name, text: [title, ...rows.map(section)].join("\n"), rows };
  });
  const calls = pages.flatMap(({ path, rows }) =>
    rows.map((row) => `| [\`${row.method} ${row.path}\`](api/${path}.md#${slug(row)}) | ${row.summary} |\n`)
  );
  const keys = `- [Names of keys](api/keys.md)\n`;
  return [
    { path: "index", text: `${HEAD}\n${keys}\n| call | what it does |\n| --- | --- |\n${calls.join("")}` },
    ...pages.map(({ path, text }) => ({ path, text })),
    { path: "keys", text: KEYS_HEAD.replace("##", "#") + keyRows() },
  ];
}

/** The anchor of a call's heading. */
function slug({ method, path }: Endpoint): string {
  return `${method}${path.replaceAll(/\W+/g, "-")}`.toLowerCase().replace(/-$/, "");
}

/** Makes the schema of recordings, formatted as `deno fmt` has it. */
export function recordingSchema(): Promise<string> {
  const schema = { $schema: "https://json-schema.org/draft/2020-12/schema", ...RECORDING_SCHEMA };
  return formatted(JSON.stringify(schema, null, 2), "json");
}

/** Makes the reference, formatted as \`deno fmt\` has it. */
export async function apiReference(): Promise<string> {
  const sections = LISTED_ENDPOINTS.map(section);
  return await formatted([HEAD, ...sections, KEYS_HEAD + keyRows()].join("\n"), "md");
}

function section(row: Endpoint): string {
  const fields = [
    ...fieldRows(row.query && objectSchema(row.query)),
    ...fieldRows(row.body),
  ];
  const answers = Object.entries(row.answer).filter(([, schema]) => schema !== OK);
  return [
    `## ${row.method} ${row.path}\n\n${row.summary}.${
      row.effect === "read" ? "" : " This call is refused under `--read-only`."
    }\n`,
    ...row.bytes
      ? [`The body is the bytes of a file of type ${row.bytes.map((type) => `\`${type}\``).join(" or ")}.\n`]
      : [],
    ...row.body?.title ? ["The body is a recording, as docs/recording.schema.json describes it.\n"] : [],
    ...fields.length ? [`| ${row.query ? "query" : "field"} | value | meaning |\n| --- | --- | --- |`] : [],
    ...fields,
    ...fields.length ? [""] : [],
    ...answers.length ? [`The answer is ${answers.map(answered).join(", or else ")}.\n`] : [],
    ...Object.entries(row.statuses ?? {}).map(([status, meaning]) => `${status}: ${meaning}.\n`),
  ].join("\n");
}

/**
 * Makes a row for each field; a field of an inner object is named by its path (`from.x`).
 * @param need The words for a field that must be given.
 */
function fieldRows(schema: JsonSchema = {}, prefix = "", need = ""): string[] {
  const required = schema.required as string[] | undefined;
  const needed = schema.then as { required: string[] } | undefined;
  const others = givenInPlace(schema);
  return Object.entries(schema.properties as Record<string, JsonSchema> ?? {}).flatMap(([name, field]) => {
    const path = prefix + name, isRequired = required?.includes(name);
    if (field.properties) return fieldRows(field, `${path}.`, isRequired ? need : `, with \`${path}\``);
    return [
      `| \`${path}\` | ${valueOf(field)}${
        isRequired ? need : needed?.required.includes(name) ? `, unless ${others}` : ", optional"
      } | ${field.description ?? ""} |`,
    ];
  });
}

/** Describes groups of fields of which one may be given in place of the others. */
function givenInPlace({ if: condition }: JsonSchema): string {
  const { required, anyOf } = (condition as { not: JsonSchema } | undefined)?.not ?? {};
  const all = anyOf ? (anyOf as { required: string[] }[]).map(({ required: [name] }) => name) : required;
  return (all as string[] | undefined ?? []).map((name) => `\`${name}\``).join(" or ");
}

/** The meaning of texts, by their pattern. */
const PATTERNS: Record<string, string> = {
  [WINDOW_ID.schema.pattern as string]: "`0x` and hexadecimal digits",
  "^#?[0-9a-fA-F]{6}$": "six hexadecimal digits, with or without #",
};

function valueOf(
  { type, minimum, maximum, minItems, maxItems, enum: choices, pattern }: JsonSchema,
): string {
  if (choices) return (choices as string[]).map((choice) => `\`${choice}\``).join(", ");
  if (type === "boolean") return "`true`, `false`";
  const kind = { integer: "whole number", number: "number", array: "array" }[type as string];
  if (!kind) return PATTERNS[pattern as string] ?? "text";
  if (minItems !== undefined) return `${kind} of ${minItems} to ${maxItems}`;
  if (minimum === undefined) return kind;
  return maximum === undefined ? `${kind} from ${minimum}` : `${kind}, ${minimum} to ${maximum}`;
}

function answered([type, { properties }]: [string, JsonSchema]): string {
  if (!properties) return `\`${type}\``;
  return `JSON with ${Object.keys(properties).map((name) => `\`${name}\``).join(", ")}`;
}

function keyRows(): string {
  return KEYS.map(({ name, aliases }) =>
    `| \`${name}\` | ${aliases.map((alias) => `\`${alias}\``).join(" ")} |\n`
  ).join("");
}

if (import.meta.main) {
  await Deno.writeTextFile(REFERENCE, await apiReference());
  await Deno.writeTextFile(SCHEMA, await recordingSchema());
}
