/**
 * CSS selectors: those that clients build from `By.id`, `By.name` and `By.className`, and combinations of
 * them.
 */

import { type AttributeSelector, parse, type Selector } from "css-what";
import { WebDriverError } from "./errors.ts";

/** The tokens of each part of a list. @throws WebDriverError if the selector is invalid. */
function tokensOf(selector: string): Selector[][] {
  try {
    const lists = parse(selector);
    if (lists.length) return lists;
  } catch {
    // a syntax error
  }
  return refuse(selector);
}

function refuse(selector: string): never {
  const known =
    'roles, #id, .class, [attribute="…"], :nth-child(2), :first-child, :last-child, blanks, > and ,';
  throw new WebDriverError("invalid selector", `${selector}: supported CSS selectors: ${known}`);
}

/** A class in brackets, as `By.className("[button | Send]")` sends it with or without escapes. */
const BRACKETED = /^\s*\.(\[[^\\"'=]*? \| .*\])\s*$/s;

/**
 * The strategy that a single-test selector stands for: Selenium clients send `name`, `id` and `class name` as
 * such selectors.
 * @throws WebDriverError if the selector is invalid.
 */
export function filterOfCss(
  selector: string,
): { using: "name" | "id" | "class name"; value: string } | undefined {
  const bracketed = BRACKETED.exec(selector)?.[1];
  if (bracketed !== undefined) return { using: "class name", value: bracketed };
  const [tokens, ...lists] = tokensOf(selector), tests = tokens.filter(({ type }) => type !== "universal");
  if (lists.length || !tests.length || !tests.every((test) => test.type === "attribute")) return undefined;
  const classes = tests.filter(isClass).map(({ value }) => value).join(" ");
  // Some clients send each word as a class of its own.
  if (tests.every(isClass) && (tests.length === 1 || /^\[.* \| .*\]$/.test(classes))) {
    return { using: "class name", value: classes };
  }
  const [{ name, action, value, ignoreCase }] = tests;
  if (tests.length > 1 || action !== "equals" || ignoreCase === true) return undefined;
  return name === "name" || name === "id" ? { using: name, value } : undefined;
}

const isClass = ({ name, action }: AttributeSelector) => name === "class" && action === "element";

/**
 * Converts a selector to XPath.
 * @throws WebDriverError if no equivalent XPath exists here.
 * @example
 * xpathOfCss("dialog > button"); // ".//dialog/button"
 */
export function xpathOfCss(selector: string): string {
  return tokensOf(selector).map((tokens) => pathOf(tokens, selector)).join(" | ");
}

function pathOf(tokens: readonly Selector[], selector: string): string {
  let path = "", axis = ".//", tag = "", tests = "";
  const flush = () => {
    if (!tag && !tests) refuse(selector);
    path += axis + (tag || "*") + tests;
    tag = tests = "";
  };
  for (const token of tokens) {
    if (token.type === "tag") tag = token.name.replace(/^push_button$/, "button");
    else if (token.type === "universal") tag = "*";
    else if (token.type === "attribute") {
      if (token.ignoreCase === true) refuse(selector);
      tests += token.value || token.action === "equals" || token.action === "exists"
        ? TESTS[token.action]?.(token) ?? refuse(selector)
        : "[false()]"; // by the standard, no text contains the empty one
    } else if (token.type === "pseudo") tests += placeTest(token.name, token.data) ?? refuse(selector);
    else {
      flush();
      axis = { child: "/", descendant: "//" }[token.type as string] ?? refuse(selector);
    }
  }
  flush();
  return path;
}

/** The test for an element's place among its siblings. */
function placeTest(name: string, data: unknown): string | undefined {
  if (name === "first-child") return "[not(preceding-sibling::*)]";
  if (name === "last-child") return "[not(following-sibling::*)]";
  const isPlace = name === "nth-child" && typeof data === "string" && /^\s*[1-9]\d{0,8}\s*$/.test(data);
  return isPlace ? `[count(preceding-sibling::*) = ${Number(data) - 1}]` : undefined;
}

/** Attribute tests as XPath, by css-what's operator names. A class is a role, or the widget's on Windows. */
const TESTS: Readonly<Record<string, (test: { name: string; value: string }) => string>> = {
  exists: ({ name }) => `[@${name}]`,
  equals: ({ name, value }) =>
    name === "id"
      ? `[${endTest("accessibility-id", value)} or @name = ${literal(value)}]`
      : `[@${name} = ${literal(value)}]`,
  any: ({ name, value }) => `[contains(@${name}, ${literal(value)})]`,
  start: ({ name, value }) => `[starts-with(@${name}, ${literal(value)})]`,
  end: ({ name, value }) => `[${endTest(name, value)}]`,
  element: ({ name, value }) =>
    name === "class"
      ? `[name() = ${literal(value.replace(/^push_button$/, "button"))} or @ClassName = ${literal(value)}]`
      : `[contains(concat(' ', @${name}, ' '), concat(' ', ${literal(value)}, ' '))]`,
};

/** XPath 1.0 has no `ends-with`. */
function endTest(name: string, text: string): string {
  return `substring(@${name}, string-length(@${name}) - ${[...text].length - 1}) = ${literal(text)}`;
}

/** A text as an XPath 1.0 literal, which has no escapes. */
function literal(text: string): string {
  if (!text.includes("'")) return `'${text}'`;
  if (!text.includes('"')) return `"${text}"`;
  return `concat(${text.split("'").map((part) => `'${part}'`).join(`,"'",`)})`;
}
