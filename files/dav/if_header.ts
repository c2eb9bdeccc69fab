/** The header If of WebDAV (RFC 4918 section 10.4): conditions on locks and on versions of files. */

import { RequestError } from "../../http/request_error.ts";

/** A condition. */
export interface Condition {
  isNegated: boolean;
  /** The token of a lock, or an entity tag with its quotes. */
  token?: string;
  etag?: string;
}

/** Conditions that must all hold. */
export interface ConditionList {
  /** The URL that they are about; the request's own if left out. */
  resource?: string;
  conditions: Condition[];
}

/** The facts of a resource that conditions are about. */
export interface State {
  /** Tokens of the locks that the resource is under. */
  tokens: readonly string[];
  etag?: string;
}

/** The longest header that is read, in characters. */
const LIMIT = 8 * 1024;
const PART = /\s*(?:<([^<>]*)>|(\()|(\))|(Not)(?=[\s<[])|\[((?:W\/)?"[^"]*")\])/giy;

/**
 * Reads the header.
 * @throws RequestError 400 if it is malformed.
 * @example
 * parseIf('(<urn:uuid:1> ["a"])'); // [{ resource: undefined, conditions: [{ isNegated: false, token: "urn:uuid:1" }, { isNegated: false, etag: "\"a\"" }] }]
 */
export function parseIf(header: string): ConditionList[] {
  const lists: ConditionList[] = [];
  let resource: string | undefined, list: Condition[] | undefined, isNegated = false;
  const text = header.trim();
  if (text.length > LIMIT) throw malformed();
  for (PART.lastIndex = 0; PART.lastIndex < text.length;) {
    const part = PART.exec(text);
    if (!part) throw malformed();
    const [, angled, opens, closes, not, etag] = part;
    if (opens && !list) list = [];
    else if (closes && list?.length && !isNegated) {
      lists.push({ resource, conditions: list });
      list = undefined;
    } else if (angled !== undefined && !list) resource = angled;
    else if (not && list && !isNegated) isNegated = true;
    else if (list && (angled ?? etag) !== undefined) {
      list.push({ isNegated, ...angled === undefined ? { etag } : { token: angled } });
      isNegated = false;
    } else throw malformed();
  }
  if (list || !lists.length) throw malformed();
  return lists;
}

/** The tokens that a header submits, negated ones left out. */
export function tokensIn(lists: readonly ConditionList[]): Set<string> {
  const all = lists.flatMap(({ conditions }) => conditions);
  return new Set(all.flatMap(({ token, isNegated }) => token === undefined || isNegated ? [] : [token]));
}

/**
 * Whether one of the lists holds.
 * @param stateOf The state of a list's resource; of the request's own if there is no resource.
 */
export async function holds(
  lists: readonly ConditionList[],
  stateOf: (resource?: string) => Promise<State>,
): Promise<boolean> {
  for (const { resource, conditions } of lists) {
    const { tokens, etag } = await stateOf(resource);
    const isTrue = (condition: Condition) =>
      condition.token === undefined
        ? etag !== undefined && opaque(condition.etag!) === opaque(etag)
        : tokens.includes(condition.token);
    if (conditions.every((condition) => isTrue(condition) !== condition.isNegated)) return true;
  }
  return false;
}

/** An entity tag without the mark of weakness: the comparison may be weak (RFC 4918 section 10.4.4). */
function opaque(etag: string): string {
  return etag.replace(/^W\//, "");
}

function malformed(): RequestError {
  return new RequestError(400, "The If header is malformed (RFC 4918 section 10.4.2).");
}
