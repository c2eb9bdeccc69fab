/**
 * CSS selectors: those that clients build from `By.id`, `By.name` and `By.className`, and combinations of
 * them.
 */

import { parse, type Selector } from "css-what";
import { WebDriverError } from "./errors.ts";

/** The tokens of a selector. @throws WebDriverError if the selector is invalid or has several parts. */
function tokensOf(selector: string): Selector[] {
  try {
    const [tokens, ...others] = parse(selector);
    if (tokens && !others.length) return tokens;
  } catch {
    // a syntax error
  }
  return refuse(selector);
}

function refuse(selector: string): never {
  const known = 'roles, #id, .class, [attribute="…"], blanks and > alone';
  throw new WebDriverError("invalid selector", `${selector}: supported CSS selectors: ${known}`);
}

/**
 * The strategy that a single-test selector stands for: Selenium clients send `name` and `id` as such
 * selectors.
 * @throws WebDriverError if the selector is invalid.
 */
export function filterOfCss(selector: string): { using: "name" | "id"; value: string } | undefined {
  const [test, ...others] = tokensOf(selector).filter(({ type }) => type !== "universal");
  if (others.length || test?.type !== "attribute" || test.action !== "equals") return undefined;
  const { name, value } = test;
  return name === "name" || name === "id" ? { using: name, value } : undefined;
}

/**
 * Converts a selector to XPath.
 * @throws WebDriverError if no equivalent XPath exists here.
 * @example
 * xpathOfCss("dialog > button"); // ".//dialog/button"
 */
export function xpathOfCss(selector: string): string {
  let path = "", axis = ".//", tag = "", tests = "";
  const flush = () => {
    if (!tag && !tests) refuse(selector);
    path += axis + (tag || "*") + tests;
    tag = tests = "";
  };
  for (const token of tokensOf(selector)) {
    if (token.type === "tag") tag = token.name.replace(/^push_button$/, "button");
    else if (token.type === "universal") tag = "*";
    else if (token.type === "attribute") tests += TESTS[token.action]?.(token) ?? refuse(selector);
    else {
      flush();
      axis = { child: "/", descendant: "//" }[token.type as string] ?? refuse(selector);
    }
  }
  flush();
  return path;
}

/** Attribute tests as XPath, by css-what's operator names. A class is a role. */
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
      ? `[self::${value}]`
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
