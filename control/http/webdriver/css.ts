/**
 * The part of CSS that clients make of `By.id`, `By.name` and `By.className`, and a little more. Selenium's clients
 * never ask for these strategies themselves.
 */

import { WebDriverError } from "./errors.ts";

/** A name, and a text in quotes, with escapes (CSS Syntax 3, section 4.3.7), as parts of expressions. */
const ESCAPE = String.raw`\\(?:[0-9a-fA-F]{1,6}\s?|[^0-9a-fA-F])`;
const NAME = String.raw`(?:[\w-]|[\u0080-\uffff]|${ESCAPE})+`;
const QUOTED = String.raw`"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'`;
/** A combinator, a blank, a tag, an identifier, a class, or a test of an attribute. */
const TOKEN = new RegExp(
  String.raw`\s*([>+~,])\s*|\s+|(\*|${NAME})|#(${NAME})|\.(${NAME})|` +
    String.raw`\[\s*([\w:-]+)\s*(?:([*^$~]?=)\s*(?:${QUOTED}|([^\]\s]+))\s*)?\]`,
  "gsy",
);
/** A selector of a name or identifier alone, and of an identifier in the short form. */
const ONE_TEST = new RegExp(String.raw`^\s*\*?\[\s*(name|id)\s*=\s*(?:${QUOTED})\s*\]\s*$`, "s");
const ONE_ID = new RegExp(String.raw`^\s*\*?#(${NAME})\s*$`, "s");

/** A selector that is a single test, as clients make it, by the strategy that it stands for. */
export function filterOfCss(selector: string): { using: "name" | "id"; value: string } | undefined {
  const test = ONE_TEST.exec(selector);
  if (test) return { using: test[1] as "name" | "id", value: unescaped(test[2] ?? test[3]) };
  const id = ONE_ID.exec(selector)?.[1];
  return id === undefined ? undefined : { using: "id", value: unescaped(id) };
}

/**
 * A selector as XPath.
 * @throws WebDriverError for what is not understood.
 * @example
 * xpathOfCss("dialog > button"); // ".//dialog/button"
 */
export function xpathOfCss(selector: string): string {
  const text = selector.trim(), parts: string[] = [];
  let at = 0, axis = ".//", tag = "", tests = "";
  const flush = () => {
    if (!tag && !tests) throw refused(selector);
    parts.push(axis + (tag || "*") + tests);
    tag = tests = "";
  };
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (!match) throw refused(selector);
    at = TOKEN.lastIndex;
    const [whole, combinator, name, id, className, attribute, operator, ...values] = match;
    if (combinator !== undefined) {
      flush();
      if (combinator !== ">") throw refused(selector);
      axis = "/";
    } else if (name !== undefined) {
      if (tag || tests) throw refused(selector);
      tag = unescaped(name).replace(/^push_button$/, "button");
    } else if (id !== undefined) tests += idTest(unescaped(id));
    else if (className !== undefined) tests += `[self::${unescaped(className)}]`;
    else if (attribute !== undefined) {
      tests += attributeTest(
        attribute,
        operator,
        unescaped(values.find((value) => value !== undefined) ?? ""),
      );
    } else if (whole.trim() === "") {
      flush();
      axis = "//";
    }
  }
  flush();
  return parts.join("");
}

function refused(selector: string): WebDriverError {
  return new WebDriverError(
    "invalid selector",
    `${selector}: CSS selectors have roles, #id, .class, [attribute="…"], blanks and > alone`,
  );
}

/** A text without escapes (CSS Syntax 3, section 4.3.7). */
function unescaped(text: string): string {
  return text.replace(
    /\\(?:([0-9a-f]{1,6})\s?|(.))/gis,
    (_, code?: string, character?: string) =>
      code ? String.fromCodePoint(Math.min(parseInt(code, 16), 0x10ffff)) : character!,
  );
}

/** A text as a literal of XPath 1.0, which has no escapes. */
function literal(text: string): string {
  if (!text.includes("'")) return `'${text}'`;
  if (!text.includes('"')) return `"${text}"`;
  return `concat(${text.split("'").map((part) => `'${part}'`).join(`,"'",`)})`;
}

function endTest(attribute: string, text: string): string {
  return `substring(${attribute}, string-length(${attribute}) - ${[...text].length - 1}) = ${literal(text)}`;
}

function idTest(id: string): string {
  return `[${endTest("@accessibility-id", id)} or @name = ${literal(id)}]`;
}

function attributeTest(name: string, operator: string | undefined, text: string): string {
  if (name === "id") return idTest(text);
  const attribute = `@${name}`, value = literal(text);
  const tests: Record<string, string> = {
    "=": `${attribute} = ${value}`,
    "*=": `contains(${attribute}, ${value})`,
    "^=": `starts-with(${attribute}, ${value})`,
    "$=": endTest(attribute, text),
    "~=": `contains(concat(' ', ${attribute}, ' '), concat(' ', ${value}, ' '))`,
  };
  return `[${operator === undefined ? attribute : tests[operator]}]`;
}
