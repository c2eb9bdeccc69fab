/** The generated part of the client for TypeScript: `Api`, with a method for each operation. */

import type { Answer, ClientModel, Operation, Parameter, Shape, Type } from "./model.ts";

const HEAD = `/**
 * The operations of deskhand's control API.
 *
 * Written by \`deno task reference\` from the tables that the program itself uses: do not edit.
 */

import { Transport } from "./transport.ts";
`;

/** Writes the module. */
export function typescriptClient({ version, operations, shapes }: ClientModel): string {
  const inputs = operations.filter((operation) => fieldsOf(operation).length);
  return [
    HEAD,
    `/** The version of deskhand that the operations are of. */\nexport const VERSION = ${
      JSON.stringify(version)
    };\n`,
    ...shapes.map((shape) => shapeText(shape)),
    ...inputs.map(inputText),
    "/** The operations of the control API, by their names in its OpenAPI document. Each rejects with an ApiError for an answer other than 200. */",
    "export class Api extends Transport {",
    operations.map(methodText).join("\n"),
    "}",
  ].join("\n");
}

function fieldsOf({ query, body }: Operation): Parameter[] {
  return [...query, ...body];
}

function inputName(id: string): string {
  return `${id[0].toUpperCase()}${id.slice(1)}Input`;
}

function shapeText({ name, fields }: Shape): string {
  return `/** An object of the control API. */\nexport interface ${name} {\n${rowsOf(fields)}}\n`;
}

function inputText(operation: Operation): string {
  return `/** The fields of {@linkcode Api.${operation.id}}. */\nexport interface ${
    inputName(operation.id)
  } {\n${rowsOf(fieldsOf(operation))}}\n`;
}

function rowsOf(fields: Parameter[]): string {
  return fields.map(({ name, type, required, description }) =>
    `${description ? `/** ${description}. */\n` : ""}${name}${required ? "" : "?"}: ${typeText(type)};\n`
  ).join("");
}

function typeText(type: Type): string {
  switch (type.kind) {
    case "choice":
      return type.values.map((value) => JSON.stringify(value)).join(" | ");
    case "list":
      return type.item.kind === "choice" ? `(${typeText(type.item)})[]` : `${typeText(type.item)}[]`;
    case "shape":
      return type.name;
    default:
      return {
        text: "string",
        whole: "number",
        number: "number",
        flag: "boolean",
        true: "true",
        any: "unknown",
        record: "Record<string, unknown>",
      }[type.kind];
  }
}

function answerText(answer: Answer): string {
  if (answer.kind === "events") return "AsyncGenerator<Record<string, unknown>>";
  return `Promise<${
    answer.kind === "json" ? typeText(answer.type) : { text: "string", bytes: "Uint8Array" }[answer.kind]
  }>`;
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
