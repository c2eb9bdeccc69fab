/**
 * The OpenAPI document from the clients' view: operations with parameters, and the shapes of objects by name.
 */

import type { JsonSchema } from "../../control/schema/schema.ts";

/** A type that both languages can express. */
export type Type =
  | { kind: "text" | "whole" | "number" | "flag" | "true" | "any" | "record" }
  | { kind: "choice"; values: (string | boolean | number)[] }
  | { kind: "list"; item: Type }
  | { kind: "union"; types: Type[] }
  | { kind: "shape"; name: string };

/** A field of an object, a query or a body. */
export interface Parameter {
  name: string;
  type: Type;
  /** Whether a call must have it. */
  required: boolean;
  /** Whether most calls have it: it is required, or required unless another one is given. */
  usual: boolean;
  description: string;
}

/** An object with fields. */
export interface Shape {
  name: string;
  fields: Parameter[];
}

/** The kinds of responses: JSON of a type, text, bytes, or an endless stream of events. */
export type Answer = { kind: "json"; type: Type } | { kind: "text" | "bytes" | "events" };

/** One method of a client. */
export interface Operation {
  /** The operation's name in the document, or its replacement in {@linkcode NAMES}. */
  id: string;
  method: string;
  path: string;
  summary: string;
  query: Parameter[];
  body: Parameter[];
  /** Set if the first parameter is the whole body: the bytes of a file, or an object without known fields. */
  whole?: "bytes" | "record";
  /** The value of `format` that the method requests. */
  format?: string;
  answer: Answer;
}

/** The model of both clients. */
export interface ClientModel {
  version: string;
  operations: Operation[];
  shapes: Shape[];
}

/** Query parameters that most calls have, although an element may replace them. */
const USUAL: Record<string, readonly string[]> = { pixel: ["x", "y"] };

/** Operations for browsers and for clients of other protocols. */
const LEFT_OUT = new Set(["page", "live", "listen", "mcp"]);
/** Method names that differ from the document, because the handwritten layer uses the plain name. */
const NAMES: Record<string, string> = { find: "findPlaces" };
/** Names of the methods that send fields where the operation also accepts the bytes of a file. */
const FIELD_NAMES: Record<string, string> = { find: "findText" };
/** Names of shapes shared by several operations, by the first of them. */
const ANSWERS: Record<string, string> = {
  position: "Point",
  move: "Done",
  activateWindow: "WindowDone",
  clickOnElement: "ElementDone",
  setClipboard: "Ok",
};
/** Names reserved for the shape with a certain field, even if another shape comes first. */
const OWNED: Record<string, string> = { Window: "state" };
/** The media types for values of `format`. */
const FORMATS: Record<string, string> = {
  text: "text/plain",
  tree: "text/plain",
  playwright: "text/plain",
  pytest: "text/plain",
  sh: "text/x-shellscript",
  png: "image/png",
};

const JSON_TYPE = "application/json";

/** Whether a body of a media type is a file. */
function isFile(type: string): boolean {
  return type.startsWith("image/");
}

interface Described {
  operationId: string;
  summary: string;
  parameters?: { name: string; required: boolean; schema: JsonSchema }[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, { content?: Record<string, { schema: JsonSchema }> }>;
}

/**
 * Converts the document to the model.
 * @param document The response of `/openapi.json`.
 */
export function clientModel(document: JsonSchema): ClientModel {
  const shapes = new Shapes();
  const paths = document.paths as Record<string, Record<string, Described>>;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, described]) =>
      LEFT_OUT.has(described.operationId)
        ? []
        : operationsOf({ method: method.toUpperCase(), path }, described, shapes)
    )
  );
  return { version: (document.info as { version: string }).version, operations, shapes: shapes.all };
}

/** An operation's methods: one, plus one for each response format other than JSON. */
function operationsOf(
  at: { method: string; path: string },
  { operationId, summary, parameters = [], requestBody, responses }: Described,
  shapes: Shapes,
): Operation[] {
  const content = requestBody?.content ?? {}, takesBytes = Object.keys(content).some(isFile);
  if (takesBytes && JSON_TYPE in content) {
    // One method each: the query accompanies a file, and the fields replace it.
    const bytes = Object.fromEntries(Object.entries(content).filter(([type]) => isFile(type)));
    const rest = { summary, responses };
    const fields = { content: { [JSON_TYPE]: content[JSON_TYPE] } };
    const named = FIELD_NAMES[operationId] ?? `${operationId}ByFields`;
    return [
      ...operationsOf(at, { ...rest, operationId, parameters, requestBody: { content: bytes } }, shapes),
      ...operationsOf(at, { ...rest, operationId: named, requestBody: fields }, shapes),
    ];
  }
  const id = NAMES[operationId] ?? operationId, pascal = pascalCase(id);
  const query = parameters.map(({ name, required, schema }) => ({
    name,
    type: shapes.typeOf(schema, pascalCase(name), pascal),
    required,
    usual: required || !!USUAL[operationId]?.includes(name),
    description: String(schema.description ?? ""),
  }));
  const common = { id, ...at, summary, query, ...bodyOf(content, pascal, shapes) };
  const answers = responses[200].content ?? {}, json = answers[JSON_TYPE]?.schema;
  const formats = (parameters.find(({ name }) => name === "format")?.schema.enum ?? []) as string[];
  if (!json) return [{ ...common, answer: answerOf(Object.keys(answers)[0]) }];
  const name = ANSWERS[operationId] ?? `${pascal}Answer`;
  const main: Operation = { ...common, answer: { kind: "json", type: shapes.typeOf(json, name, "") } };
  const others = formats.filter((format) => FORMATS[format] in answers);
  if (!others.length) return [main];
  const rest = query.filter(({ name }) => name !== "format");
  return [
    { ...main, query: rest },
    ...others.map((format): Operation => ({
      ...main,
      id: `${id}As${pascalCase(format)}`,
      query: rest,
      format,
      answer: answerOf(FORMATS[format]),
    })),
  ];
}

function bodyOf(
  content: Record<string, { schema: JsonSchema }>,
  owner: string,
  shapes: Shapes,
): Pick<Operation, "body" | "whole"> {
  const schema = content[JSON_TYPE]?.schema;
  if (!schema) return { body: [], ...Object.keys(content).length ? { whole: "bytes" as const } : {} };
  if (schema.title) return { body: [], whole: "record" };
  return { body: shapes.fieldsOf(schema, owner, "Wanted") };
}

function answerOf(media: string): Answer {
  if (media === "text/event-stream") return { kind: "events" };
  return { kind: media.startsWith("text/") ? "text" : "bytes" };
}

/** Names the shapes of objects; shapes with the same fields share a name. */
class Shapes {
  readonly all: Shape[] = [];
  readonly #names = new Map<string, string>();

  /**
   * Returns a schema's type.
   * @param hint The name for an object that specifies none.
   * @param owner The object that contains it, for a hint that is already taken.
   */
  typeOf(schema: JsonSchema, hint: string, owner: string): Type {
    if (schema.const === true) return { kind: "true" };
    if (schema.enum) return { kind: "choice", values: schema.enum as (string | boolean | number)[] };
    if (schema.anyOf && !schema.type) {
      const types = (schema.anyOf as JsonSchema[]).map((one) => this.typeOf(one, hint, owner));
      return { kind: "union", types };
    }
    if (schema.type === "array") {
      return { kind: "list", item: this.typeOf(schema.items as JsonSchema, singular(hint), owner) };
    }
    if (schema.type === "object" || schema.properties) {
      const isKnown = schema.properties !== undefined && schema.title === undefined;
      return isKnown ? { kind: "shape", name: this.#shape(schema, hint, owner) } : { kind: "record" };
    }
    const kinds = { string: "text", integer: "whole", number: "number", boolean: "flag" } as const;
    return { kind: kinds[schema.type as keyof typeof kinds] ?? "any" };
  }

  /**
   * An object's fields, in the table's order.
   * @param suffix Appended to the names of objects among them.
   */
  fieldsOf(schema: JsonSchema, owner: string, suffix = ""): Parameter[] {
    const required = (schema.required ?? []) as string[];
    const usual = [...required, ...((schema.then as JsonSchema | undefined)?.required as string[] ?? [])];
    return Object.entries(schema.properties as Record<string, JsonSchema>).map(([name, field]) => ({
      name,
      type: this.typeOf(field, pascalCase(name) + suffix, owner),
      required: required.includes(name),
      usual: usual.includes(name),
      description: String(field.description ?? ""),
    }));
  }

  #shape(schema: JsonSchema, hint: string, owner: string): string {
    const { description: _, ...rest } = schema, key = JSON.stringify(rest);
    const known = this.#names.get(key);
    if (known) return known;
    const [, said] = /^An? (\w+)$/.exec(String(schema.description ?? "")) ?? [];
    const wanted = said ? pascalCase(said) : hint;
    const field = OWNED[wanted], isOther = field !== undefined && !(field in (schema.properties as object));
    const isTaken = isOther || [...this.#names.values()].includes(wanted);
    const name = isTaken ? `${owner}${wanted}` : wanted;
    this.#names.set(key, name);
    const fields = this.fieldsOf(schema, name);
    this.all.push({ name, fields });
    return name;
  }
}

function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase());
}

function singular(name: string): string {
  return name.replace(/ies$/, "y").replace(/(ch|x)es$/, "$1").replace(/([^s])s$/, "$1");
}
