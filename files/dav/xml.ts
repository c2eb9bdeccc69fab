/** WebDAV's XML (RFC 4918 section 8.2): request bodies as trees, and response text. */

import { escape } from "@std/html";
import { RequestError, smallText } from "../../http/request.ts";

/** The namespace of the protocol's own elements. */
export const DAV = "DAV:";
/** The media type of responses. */
export const XML = "application/xml; charset=utf-8";
/** The first line of responses. */
export const PROLOG = `<?xml version="1.0" encoding="utf-8"?>\n`;

/** Maximum size of a request body, in bytes. */
const BODY_LIMIT = 64 * 1024;
/** Maximum depth of elements in a body. */
const DEPTH_LIMIT = 32;

/** An element of a request body. */
export interface XmlElement {
  /** The namespace; empty for none. */
  space: string;
  name: string;
  children: XmlElement[];
  /** The characters between the children. */
  text: string;
}

/** The part of the `sax` parser that is used here. */
interface Parser {
  onerror: (error: Error) => void;
  onopentag: (
    tag: { uri: string; local: string; attributes: Record<string, { prefix: string; value: string }> },
  ) => void;
  onclosetag: () => void;
  ontext: (text: string) => void;
  oncdata: (text: string) => void;
  write(text: string): Parser;
  close(): void;
}

/**
 * Parses a request body.
 * @returns The root element; undefined if there is no body.
 * @throws RequestError 400 if the body is not well-formed XML with namespaces, 413 if it is too long.
 */
export async function readXml(request: Request): Promise<XmlElement | undefined> {
  const text = await smallText(request, BODY_LIMIT, new TextDecoder("utf-8", { fatal: true })).catch(
    (error) => {
      throw error instanceof TypeError ? malformed("it is not UTF-8") : error;
    },
  );
  return text.trim() === "" ? undefined : await parsed(text);
}

/**
 * Parses a text. Entities declared in the text itself are not expanded.
 * @throws RequestError 400.
 */
export async function parsed(text: string): Promise<XmlElement> {
  const { default: sax } = await import("sax");
  const parser = sax.parser(true, { xmlns: true }) as Parser;
  const top: XmlElement = { space: "", name: "", children: [], text: "" }, open = [top];
  parser.onerror = (error) => {
    throw malformed(error.message.split("\n")[0]);
  };
  parser.onopentag = ({ uri, local, attributes }) => {
    if (open.length > DEPTH_LIMIT) throw malformed("the elements are too deep");
    // Namespaces in XML 1.0, section 5: a prefix cannot be bound to no namespace.
    if (Object.values(attributes).some(({ prefix, value }) => prefix === "xmlns" && value === "")) {
      throw malformed("a prefix has no namespace");
    }
    const element = { space: uri, name: local, children: [], text: "" };
    open.at(-1)!.children.push(element);
    open.push(element);
  };
  parser.onclosetag = () => open.pop();
  parser.ontext = parser.oncdata = (text) => open.at(-1)!.text += text;
  parser.write(text).close();
  return top.children[0] ?? top;
}

/** Whether an element belongs to the protocol and has the given name. */
export function isDav(element: XmlElement, name: string): boolean {
  return element.space === DAV && element.name === name;
}

/** The first child that belongs to the protocol and has the given name. */
export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((child) => isDav(child, name));
}

/** Serializes an element with its namespaces. */
export function written({ space, name, children, text }: XmlElement): string {
  const content = children.map(written).join("") + textOf(text);
  return `<${name} xmlns="${textOf(space)}">${content}</${name}>`;
}

/**
 * Escapes a text for XML; characters that XML 1.0 does not allow (section 2.2) become U+FFFD. A parser would read a bare
 * carriage return as a line feed (section 2.11).
 */
export function textOf(text: string): string {
  const allowed = text.toWellFormed().replace(/[^\t\n\r\x20-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\ufffd");
  return escape(allowed).replaceAll("\r", "&#13;");
}

function malformed(why: string): RequestError {
  return new RequestError(400, `The body is not XML that WebDAV can use: ${why}.`);
}
