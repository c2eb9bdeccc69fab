/**
 * Generates docs/api.md and docs/recording.schema.json from the tables of endpoints, keys and input events.
 *
 *     deno task reference
 */

import { fromFileUrl } from "@std/path";
import { type Endpoint, OK } from "../control/http/endpoint.ts";
import { groupedPaths, LISTED_ENDPOINTS } from "../control/http/endpoints.ts";
import { RECORDING_SCHEMA } from "../control/recording/format.ts";
import { KEYS } from "../control/desktop/keys.ts";
import { type JsonSchema, objectSchema } from "../control/schema/schema.ts";
import { ELEMENT } from "../control/actions/element_fields.ts";
import { WINDOW, WINDOW_ID } from "../control/actions/windows.ts";
import { formatted } from "./format.ts";

/** The control API's reference. */
export const REFERENCE = fromFileUrl(new URL("../docs/api.md", import.meta.url));
export const SCHEMA = fromFileUrl(new URL("../docs/recording.schema.json", import.meta.url));

const HEAD = `# The control API

\`deno task reference\` generates this page from the program's own tables.

Bodies are JSON, whatever their Content-Type. Misspelled fields, and an \`element\` or \`window\` that a call does not take, are refused; other
unknown fields are ignored, except in inner objects such as \`window\`. Coordinates are whole pixels of the whole desktop, negative on a monitor left
of the primary one. HEAD works for every path that supports GET.

Calls marked **Read-write** are refused with \`--read-only\`. They return \`{"ok":true}\` when the action is done. POST, PUT
and DELETE, except \`/api/file\`, also take \`observe\` (\`false\`, \`true\`, or \`elements\` to include changed elements) and then return \`seen\`
([what an action did](observe.md)). \`?\` marks optional fields; fields without a type are strings, and
ranges contain whole numbers.

An error is \`{"error":"…"}\`:

- 400: something in the request is missing or wrong
- 401, 403: the caller is [not allowed](security.md) to make the call
- 404, 405: unknown path or method
- 408: the body arrived too slowly, or a wait timed out (\`curl --retry\` tries again)
- 409: the call conflicts with the current state, such as a replay
- 413, 414: the body or the path is too long
- 429: too many wrong tokens
- 503: the desktop is gone, or deskhand is too busy

In responses, a window has ${named(WINDOW.schema)}. An element has ${named(ELEMENT.schema)}.
`;

const COMMON_HEAD = `## Common fields

Calls list these fields under "Common".
`;

const KEYS_HEAD = `## Names of keys

\`key\`, \`keys\` and the prompt's \`k\` take these names in upper or lower case, any single character (for the key that types
it), character names (\`plus\`, \`slash\`, \`eacute\`, \`U20AC\`), and \`vk:0x97\` (Windows) or \`keysym:0x1008ff5d\` (X11)
for keys without a name. Aliases are in parentheses; other X11 and PyAutoGUI names work, too.
`;

/** A reference page on the documentation site. */
interface ReferencePage {
  path: string;
  text: string;
}

/**
 * Splits the reference into pages: one about all calls, one per group of calls, and one with the key names.
 */
export function apiPages(): ReferencePage[] {
  const groups = groupedPaths(LISTED_ENDPOINTS.map(({ path }) => path));
  const pages = groups.map(([name, paths]) => {
    const rows = LISTED_ENDPOINTS.filter(({ path }) => paths.includes(path));
    const title = `# Control API: ${name}\n`;
    return { path: name, text: [title, ...sections(rows, "api.md")].join("\n"), rows };
  });
  const calls = pages.flatMap(({ path, rows }) =>
    rows.map((row) => `| [\`${row.method} ${row.path}\`](api/${path}.md#${slug(row)}) | ${row.summary} |\n`)
  );
  const keys = `- [Names of keys](api/keys.md)\n`;
  return [
    {
      path: "index",
      text: `${HEAD}\n${keys}\n| call | what it does |\n| --- | --- |\n${calls.join("")}\n${commonFields()}`,
    },
    ...pages.map(({ path, text }) => ({ path, text })),
    { path: "keys", text: `${KEYS_HEAD.replace("##", "#")}\n${keyNames()}` },
  ];
}

/** The anchor of a call's heading. */
function slug({ method, path }: Endpoint): string {
  return `${method}${path.replaceAll(/\W+/g, "-")}`.toLowerCase().replace(/-$/, "");
}

/** Generates the recording schema, formatted like `deno fmt`. */
export function recordingSchema(): Promise<string> {
  const schema = { $schema: "https://json-schema.org/draft/2020-12/schema", ...RECORDING_SCHEMA };
  return formatted(JSON.stringify(schema, null, 2), "json");
}

/** Generates the reference, formatted like `deno fmt`. */
export async function apiReference(): Promise<string> {
  const calls = sections(LISTED_ENDPOINTS, "");
  return await formatted([HEAD, commonFields(), ...calls, KEYS_HEAD, keyNames()].join("\n"), "md");
}

/** A field of a call: its path (`from.x`), its name, and its value and meaning in words. */
interface Field {
  path: string;
  name: string;
  isOptional: boolean;
  value: string;
  meaning: string;
}

/** Descriptions of texts, by pattern. */
const PATTERNS: Record<string, string> = {
  [WINDOW_ID.schema.pattern as string]: "`0x` and hexadecimal digits",
  "^#?[0-9a-fA-F]{6}$": "six hexadecimal digits, with or without #",
};

/** Minimum number of calls that share a field for it to be a common one. */
const COMMON_FROM = 3;
const COMMON = commonOf(LISTED_ENDPOINTS.map(fieldsOf));

/** Fields that several calls describe in the same words, by name: for each name the most frequent words. */
function commonOf(calls: readonly Field[][]): Map<string, Field & { words: string }> {
  const counts = new Map<string, number>();
  for (const fields of calls) {
    for (const words of new Set(fields.map(described))) {
      counts.set(words, (counts.get(words) ?? 0) + 1);
    }
  }
  const frequent = [...counts].filter(([, count]) => count >= COMMON_FROM).sort(([, a], [, b]) => a - b);
  const fields = new Map(calls.flat().map((field) => [described(field), field]));
  return new Map(frequent.map(([words]) => [fields.get(words)!.name, { ...fields.get(words)!, words }]));
}

function described({ name, isOptional, value, meaning }: Field): string {
  const type = value && ` (${value.replace(/^, /, "")})`;
  return `\`${name}${isOptional ? "?" : ""}\`${type}${meaning && `: ${meaning}`}`;
}

/** Lists fields; those that differ only in their paths share a line. */
function list(fields: readonly Field[]): string[] {
  const lines = Map.groupBy(fields, (field) => described({ ...field, name: "" }));
  return [...lines.values()].map((fields) => {
    const names = fields.slice(0, -1).map(({ path, isOptional }) => `\`${path}${isOptional ? "?" : ""}\`, `);
    const last = fields.at(-1)!;
    return `- ${names.join("")}${described({ ...last, name: last.path })}`;
  });
}

function commonFields(): string {
  const fields = [...COMMON.values()].filter(({ name }) => name !== "observe");
  const sorted = fields.sort((a, b) => a.name < b.name ? -1 : 1).map((field) => ({
    ...field,
    path: field.name,
  }));
  return `${COMMON_HEAD}\n${list(sorted).join("\n")}\n`;
}

/** The names of a schema's fields. */
function named({ properties }: JsonSchema): string {
  return Object.keys(properties as object).map((name) => `\`${name}\``).join(", ");
}

/**
 * The sections of calls. What a call shares with the previous one is replaced with a reference to it.
 * @param common The page with the common fields, relative to docs/; empty for the same page.
 */
function sections(rows: readonly Endpoint[], common: string): string[] {
  return rows.map((row, index) => {
    const before = rows[index - 1] as Endpoint | undefined;
    const lines = (row: Endpoint) => [fieldLines(row, common), answerLines(row), errorLines(row)];
    const parts = lines(row), earlier = before && lines(before);
    const isSame = (index: number) => parts[index] !== "" && parts[index] === earlier?.[index];
    const same = ["fields", "answers", "errors"].filter((_, index) => isSame(index)).join(", ");
    const head = `${row.summary}.${row.effect === "read" ? "" : " **Read-write.**"}`;
    const words = same && ` As above: ${same}.`;
    const others = parts.filter((_, index) => !isSame(index));
    return [`## ${row.method} ${row.path}\n\n${head}${words}\n`, ...others].join("\n");
  });
}

/** A call's fields, below its heading and summary. */
function fieldLines(row: Endpoint, common: string): string {
  const fields = fieldsOf(row);
  const isCommon = (field: Field) => COMMON.get(field.name)?.words === described(field);
  const own = fields.filter((field) => !isCommon(field));
  const shared = fields.filter(isCommon).filter(({ name }) => name !== "observe" || row.effect === "read")
    .map(({ path }) => `\`${path}\``);
  return [
    ...row.bytes ? [`Body: ${row.bytes.map((type) => `\`${type}\``).join(" or ")}.\n`] : [],
    ...row.body?.title ? ["Body: a recording, as docs/recording.schema.json describes it.\n"] : [],
    ...list(own),
    ...shared.length ? [`- [Common](${common}#common-fields): ${shared.join(", ")}`] : [],
    ...own.length || shared.length ? [""] : [],
  ].join("\n");
}

/** A call's successful responses. */
function answerLines(row: Endpoint): string {
  const answers = Object.entries(row.answer).filter(([, schema]) => !isPlain(schema));
  return answers.length ? `Response: ${answers.map(answered).join(", or ")}.\n` : "";
}

/** A call's other responses. */
function errorLines(row: Endpoint): string {
  return Object.entries(row.statuses ?? {}).map(([status, meaning]) => `${status}: ${meaning}.\n`).join("\n");
}

/** Whether a response only has the fields common to all calls that act. */
function isPlain(schema: JsonSchema): boolean {
  return schema === OK || Object.keys(schema.properties ?? {}).join() === "ok,seen";
}

/** A call's fields; a field that is in both the query and the body counts once. */
function fieldsOf(row: Endpoint): Field[] {
  const fields = [...schemaFields(row.query && objectSchema(row.query)), ...schemaFields(row.body)];
  return [...new Map(fields.map((field) => [field.path + described(field), field])).values()];
}

/**
 * A schema's fields; a field in a nested object is named by its path (`from.x`).
 * @param need The words for a required field.
 */
function schemaFields(schema: JsonSchema = {}, prefix = "", need = ""): Field[] {
  const required = schema.required as string[] | undefined;
  const needed = schema.then as { required: string[] } | undefined;
  const others = givenInPlace(schema);
  return Object.entries(schema.properties as Record<string, JsonSchema> ?? {}).flatMap(([name, field]) => {
    const path = prefix + name, isRequired = required?.includes(name);
    if (field.properties) return schemaFields(field, `${path}.`, isRequired ? need : `, with \`${path}\``);
    const isUnless = needed?.required.includes(name) ?? false;
    const given = isRequired ? need : isUnless ? `, unless ${others}` : "";
    return [{
      path,
      name,
      isOptional: !isRequired && !isUnless,
      value: valueOf(field) + given,
      meaning: field.description as string | undefined ?? "",
    }];
  });
}

/** Describes groups of fields of which one can replace the others. */
function givenInPlace({ if: condition }: JsonSchema): string {
  const { required, anyOf } = (condition as { not: JsonSchema } | undefined)?.not ?? {};
  const all = anyOf ? (anyOf as { required: string[] }[]).map(({ required: [name] }) => name) : required;
  return (all as string[] | undefined ?? []).map((name) => `\`${name}\``).join(" or ");
}

function valueOf(
  { type, minimum, maximum, minItems, maxItems, enum: choices, pattern }: JsonSchema,
): string {
  if (choices) return (choices as string[]).map((choice) => `\`${choice}\``).join(", ");
  if (type === "boolean") return "boolean";
  const kind = { integer: "integer", number: "number", array: "array" }[type as string];
  if (!kind) return PATTERNS[pattern as string] ?? "";
  if (minItems !== undefined) return `${kind} of ${minItems} to ${maxItems}`;
  if (minimum === undefined) return kind;
  const least = kind === "number" ? `number, ${minimum}` : minimum;
  return maximum === undefined ? `from ${least}` : `${least} to ${maximum}`;
}

function answered([type, { properties }]: [string, JsonSchema]): string {
  if (!properties) return `\`${type}\``;
  const names = Object.keys(properties);
  for (const [words, schema] of [["a window", WINDOW.schema], ["an element", ELEMENT.schema]] as const) {
    const inner = Object.keys(schema.properties as object);
    if (!inner.every((name) => names.includes(name))) continue;
    const others = names.filter((name) => !inner.includes(name)).map((name) => `\`${name}\`, `);
    return `${others.join("")}the fields of ${words}`;
  }
  return names.map((name) => `\`${name}\``).join(", ");
}

function keyNames(): string {
  const words = ({ name, aliases }: typeof KEYS[number]) => {
    const others = aliases.slice(0, 1).map((alias) => `\`${alias}\``).join();
    return `\`${name}\`${others && ` (${others})`}`;
  };
  const numbered = Map.groupBy(KEYS, (key) => words(key).replaceAll(/\d+(?=`)/g, "#"));
  const names = [...numbered.values()].map(([first, ...others]) =>
    words(first) + (others.length ? ` to \`${others.at(-1)!.name}\`` : "")
  );
  return `${names.join(", ")}.\n`;
}

if (import.meta.main) {
  await Deno.writeTextFile(REFERENCE, await apiReference());
  await Deno.writeTextFile(SCHEMA, await recordingSchema());
}
