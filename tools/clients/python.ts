/** Generates the Python client's `Api`, with a method for each operation. */

import type { Answer, ClientModel, Operation, Parameter, Shape, Type } from "./model.ts";

/** Words that Python does not allow as parameter or method names. */
const KEYWORDS = new Set([
  "from",
  "class",
  "import",
  "in",
  "is",
  "not",
  "or",
  "and",
  "if",
  "for",
  "with",
  "as",
]);

const HEAD = `"""The operations of deskhand's control API.

Written by \`deno task clients\` from the tables that the program itself uses: do not edit.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Literal, Optional, TypedDict, Union

from ._transport import Transport
`;

/** Generates the module. */
export function pythonClient({ version, operations, shapes }: ClientModel): string {
  return [
    HEAD,
    `VERSION = ${JSON.stringify(version)}\n`,
    ...shapes.map(shapeText),
    "\nclass Api(Transport):",
    '    """The operations of the control API, by their names in its OpenAPI document.\n',
    "    A parameter that is left out is not sent. Each call raises ApiError for an answer other than 200.",
    '    """\n',
    operations.map(methodText).join("\n"),
  ].join("\n");
}

/** Converts a name to `snake_case`. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function nameOf(name: string): string {
  const snake = snakeCase(name);
  return KEYWORDS.has(snake) ? `${snake}_` : snake;
}

/** A TypedDict; a base class contains the required fields, because Python 3.9 has no `NotRequired`. */
function shapeText({ name, fields }: Shape): string {
  const required = fields.filter((field) => field.required), rest = fields.filter((field) => !field.required);
  const isPlain = fields.every((field) => !KEYWORDS.has(field.name));
  if (!isPlain) return functionalShape(name, fields);
  if (!rest.length) return classText(name, "TypedDict", required);
  if (!required.length) return classText(name, "TypedDict, total=False", rest);
  return `${classText(`_${name}`, "TypedDict", required)}\n${classText(name, `_${name}, total=False`, rest)}`;
}

function classText(name: string, bases: string, fields: Parameter[]): string {
  const rows = fields.map((field) => `    ${field.name}: ${typeText(field.type)}\n`);
  return `\nclass ${name}(${bases}):\n${rows.join("") || "    pass\n"}`;
}

/** Uses TypedDict's functional form, whose types are evaluated, for names that are keywords (`class`). */
function functionalShape(name: string, fields: Parameter[]): string {
  const make = (own: string, chosen: Parameter[], total: string) => {
    const rows = chosen.map(({ name, type }) => `        ${JSON.stringify(name)}: ${typeText(type)},\n`);
    return `\n${own} = TypedDict(\n    ${JSON.stringify(own)},\n    {\n${rows.join("")}    },${total}\n)\n`;
  };
  const required = fields.filter((field) => field.required), rest = fields.filter((field) => !field.required);
  if (!rest.length) return make(name, required, "");
  if (!required.length) return make(name, rest, "\n    total=False,");
  const isSafe = rest.every((field) => !KEYWORDS.has(field.name));
  if (!isSafe) return make(name, fields, "\n    total=False,");
  return `${make(`_${name}`, required, "")}\n${classText(name, `_${name}, total=False`, rest)}`;
}

function typeText(type: Type): string {
  switch (type.kind) {
    case "choice":
      return choiceText(type.values);
    case "list":
      return `List[${typeText(type.item)}]`;
    case "union":
      return `Union[${type.types.map(typeText).join(", ")}]`;
    case "shape":
      return type.name;
    default:
      return {
        text: "str",
        whole: "int",
        number: "float",
        flag: "bool",
        true: "bool",
        any: "Any",
        record: "Dict[str, Any]",
      }[type.kind];
  }
}

/** A type of the given values; `bool` if both truth values are among them. */
function choiceText(values: readonly (string | boolean | number)[]): string {
  const isAnyBool = values.includes(true) && values.includes(false);
  const rest = isAnyBool ? values.filter((value) => typeof value !== "boolean") : values;
  const literals = `Literal[${rest.map(literal).join(", ")}]`;
  return isAnyBool ? `Union[bool, ${literals}]` : literals;
}

/** A value as a Python literal. */
function literal(value: string | boolean | number): string {
  return typeof value === "boolean" ? value ? "True" : "False" : JSON.stringify(value);
}

function answerText(answer: Answer): string {
  if (answer.kind === "json") return typeText(answer.type);
  return { text: "str", bytes: "bytes", events: "Iterator[Dict[str, Any]]" }[answer.kind];
}

function methodText({ id, method, path, summary, query, body, whole, format, answer }: Operation): string {
  const fields = [...query, ...body];
  const usual = fields.filter((field) => field.usual), rest = fields.filter((field) => !field.usual);
  const wholeName = whole === "bytes" ? "content" : "recording";
  const parameters = [
    "self",
    ...whole ? [`${wholeName}: ${whole === "bytes" ? "bytes" : "Dict[str, Any]"}`] : [],
    ...usual.map((field) =>
      field.required ? `${nameOf(field.name)}: ${typeText(field.type)}` : optional(field)
    ),
    ...rest.length ? ["*", ...rest.map(optional)] : [],
  ];
  const dict = (chosen: Parameter[], more: string[] = []) =>
    `{${[...more, ...chosen.map(({ name }) => `${JSON.stringify(name)}: ${nameOf(name)}`)].join(", ")}}`;
  const args = [
    JSON.stringify(method),
    JSON.stringify(path),
    ...query.length || format
      ? [`query=${dict(query, format ? [`"format": ${JSON.stringify(format)}`] : [])}`]
      : [],
    ...method === "GET" || method === "DELETE" || whole ? [] : [`body=${dict(body)}`],
    ...whole === "bytes" ? ["content=content"] : whole ? [`body=${wholeName}`] : [],
  ];
  const described = fields.filter(({ description }) => description);
  return [
    `    def ${nameOf(id)}(`,
    ...parameters.map((parameter) => `        ${parameter},`),
    `    ) -> ${answerText(answer)}:`,
    `        """${summary}.${described.length ? "\n" : '"""'}`,
    ...described.length
      ? [...described.map((field) => `        ${nameOf(field.name)}: ${field.description}.`), '        """']
      : [],
    `        return self.${answer.kind === "events" ? "_events" : "_call"}(`,
    ...args.map((arg) => `            ${arg},`),
    "        )\n",
  ].join("\n");
}

function optional({ name, type }: Parameter): string {
  return `${nameOf(name)}: Optional[${typeText(type)}] = None`;
}
