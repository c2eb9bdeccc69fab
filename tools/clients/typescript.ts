/** Generates the TypeScript client's `Api`, with a method for each operation. */

import openapiTS, { astToString } from "openapi-typescript";
import type { JsonSchema } from "../../control/schema/schema.ts";
import type { Answer, ClientModel, Operation, Parameter, Shape, Type } from "./model.ts";

const HEAD = `/**
 * The operations of deskhand's control API.
 *
 * Written by \`deno task clients\` from the tables that the program itself uses: do not edit.
 */

import { Transport } from "./transport.ts";
`;

/**
 * Generates the module. openapi-typescript generates the types of objects and fields.
 * @returns Its text, not formatted yet.
 */
export async function typescriptClient({ version, operations, shapes }: ClientModel): Promise<string> {
  const inputs = operations.map((operation): Shape => ({
    name: inputName(operation.id),
    fields: fieldsOf(operation),
  }))
    .filter(({ fields }) => fields.length);
  return [
    HEAD,
    `/** The version of deskhand that the operations are of. */\nexport const VERSION = ${
      JSON.stringify(version)
    };\n`,
    await typesText([...shapes, ...inputs]),
    "/** The operations of the control API, by their names in its OpenAPI document. Each rejects with an ApiError for an answer other than 200. */",
    "export class Api extends Transport {",
    operations.map(methodText).join("\n"),
    "}",
  ].join("\n");
}

/** Generates `components`, and an exported type for each shape. */
async function typesText(shapes: Shape[]): Promise<string> {
  const schemas = Object.fromEntries(shapes.map(({ name, fields }) => [name, {
    type: "object",
    properties: Object.fromEntries(
      fields.map(({ name, type, description }) => [name, { ...schemaOf(type), description }]),
    ),
    required: fields.filter(({ required }) => required).map(({ name }) => name),
  }]));
  const document = {
    openapi: "3.1.0",
    info: { title: "deskhand", version: "" },
    paths: {},
    components: { schemas },
  };
  const nodes = await openapiTS(JSON.stringify(document), { rootTypes: true, rootTypesNoSchemaPrefix: true });
  // Without paths, `paths`, `webhooks`, `operations` and `$defs` are empty types. Comments are plain text.
  return astToString(nodes)
    .replaceAll(/^export type (?:paths|webhooks|operations|\$defs)\b.*$/gm, "")
    .replaceAll(/^ *\/\*\* @enum \{\w+\} \*\/\n|^ *\* @enum \{\w+\}\n|@description /gm, "");
}

function schemaOf(type: Type): JsonSchema {
  switch (type.kind) {
    case "choice":
      return { enum: type.values };
    case "list":
      return { type: "array", items: schemaOf(type.item) };
    case "union":
      return { anyOf: type.types.map(schemaOf) };
    case "shape":
      return { $ref: `#/components/schemas/${type.name}` };
    default:
      return {
        text: { type: "string" },
        whole: { type: "integer" },
        number: { type: "number" },
        flag: { type: "boolean" },
        true: { const: true },
        any: {},
        record: { type: "object", additionalProperties: true },
      }[type.kind];
  }
}

function fieldsOf({ query, body }: Operation): Parameter[] {
  return [...query, ...body];
}

function inputName(id: string): string {
  return `${id[0].toUpperCase()}${id.slice(1)}Input`;
}

function answerText(answer: Answer): string {
  if (answer.kind === "events") return "AsyncGenerator<Record<string, unknown>>";
  if (answer.kind !== "json") return `Promise<${{ text: "string", bytes: "Uint8Array" }[answer.kind]}>`;
  if (answer.type.kind === "shape") return `Promise<${answer.type.name}>`;
  if (answer.type.kind === "record") return "Promise<Record<string, unknown>>";
  throw new Error(`an answer is ${answer.type.kind}, for which answerText() has no type`);
}

function methodText(operation: Operation): string {
  const { id, method, path, summary, query, body, whole, format, answer } = operation;
  const fields = fieldsOf(operation), isOptional = fields.every(({ required }) => !required);
  const parameters = [
    ...whole ? [whole === "bytes" ? "content: Uint8Array | Blob" : "recording: Record<string, unknown>"] : [],
    ...fields.length ? [`input: ${inputName(id)}${isOptional ? " = {}" : ""}`] : [],
  ];
  const queryOf = query.length
    ? format ? `{ ...input, format: ${JSON.stringify(format)} }` : "{ ...input }"
    : `{ format: ${JSON.stringify(format)} }`;
  const takesBody = method !== "GET" && method !== "DELETE" && !whole;
  const options = [
    ...query.length || format ? [`query: ${queryOf}`] : [],
    ...takesBody ? [`body: ${body.length ? "{ ...input }" : "{}"}`] : [],
    ...whole === "bytes" ? ["content"] : whole ? ["body: recording"] : [],
    ...answer.kind === "events" ? [] : [`answer: "${answer.kind}"`],
  ];
  const call = answer.kind === "events" ? "_events" : "_call";
  return `/** ${summary}. */\n${id}(${parameters.join(", ")}): ${answerText(answer)} {\nreturn this.${call}(${
    JSON.stringify(method)
  }, ${JSON.stringify(path)}, { ${options.join(", ")} });\n}\n`;
}
