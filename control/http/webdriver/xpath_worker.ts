/// <reference lib="deno.worker" />
/**
 * Evaluates XPath by the library `xpath`, on a thread of its own: a short expression can take minutes. The library
 * walks a document, of which this module makes the least that it needs.
 */

// @ts-types="./xpath_library.d.ts"
import xpath from "xpath";
import { InputError } from "../../../core/errors.ts";
import { answerCalls } from "../../../core/worker_entry.ts";

/** An element: the index of its parent (-1 for none), its tag, and its attributes' values. */
export type XPathRow = [parent: number, tag: string, ...values: string[]];

/** An expression and the elements that it is about. */
export interface XPathCall {
  expression: string;
  rows: readonly XPathRow[];
  /** The names of each value of a row. */
  names: readonly (readonly string[])[];
  /** The index of the element at which the expression starts; -1 for the document. */
  start: number;
}

/** A node of the DOM without a namespace. */
class DomNode {
  readonly namespaceURI = null;
  readonly prefix = null;
  constructor(readonly nodeType: number, readonly localName: string) {}

  get nodeName(): string {
    return this.localName;
  }
}

class DomAttribute extends DomNode {
  constructor(name: string, readonly value: string, readonly ownerElement: DomElement) {
    super(2, name);
  }

  get name(): string {
    return this.localName;
  }

  get nodeValue(): string {
    return this.value;
  }
}

/** An element, or the document. Attributes are made when an expression asks for them. */
class DomElement extends DomNode {
  parentNode: DomElement | null = null;
  nextSibling: DomElement | null = null;
  previousSibling: DomElement | null = null;
  documentElement?: DomElement;
  readonly childNodes: DomElement[] = [];
  #attributes: (DomAttribute[] & { item(i: number): DomAttribute }) | undefined;

  constructor(
    type: number,
    tag: string,
    /** The index of the row; -1 for the document. */
    readonly at: number,
    readonly ownerDocument: DomElement | null,
    readonly values: readonly (readonly [name: string, value: string])[] = [],
  ) {
    super(type, tag);
  }

  get firstChild(): DomElement | null {
    return this.childNodes[0] ?? null;
  }

  get lastChild(): DomElement | null {
    return this.childNodes.at(-1) ?? null;
  }

  get attributes() {
    const attributes = this.#attributes ??
      Object.assign(this.values.map(([name, value]) => new DomAttribute(name, value, this)), {
        item(this: DomAttribute[], i: number) {
          return this[i];
        },
      });
    return this.#attributes = attributes;
  }

  add(child: DomElement): void {
    const last = this.lastChild;
    child.parentNode = this;
    child.previousSibling = last;
    if (last) last.nextSibling = child;
    this.childNodes.push(child);
  }
}

function documentOf({ rows, names }: XPathCall): { root: DomElement; elements: DomElement[] } {
  const root = new DomElement(9, "#document", -1, null), elements: DomElement[] = [];
  rows.forEach(([parent, tag, ...values], at) => {
    const named = values.flatMap((value, i) => names[i].map((name) => [name, value] as const));
    const element = new DomElement(1, tag, at, root, named);
    (parent < 0 ? root : elements[parent]).add(element);
    elements.push(element);
  });
  if (elements.length) root.documentElement = elements[0];
  return { root, elements };
}

/** The indexes of the elements that an expression finds, in document order. */
function evaluate(call: XPathCall): number[] {
  const { root, elements } = documentOf(call), start = call.start < 0 ? root : elements[call.start];
  let found: unknown;
  try {
    found = xpath.parse(call.expression).select({ node: start });
  } catch (error) {
    throw new InputError(error instanceof Error ? error.message : String(error));
  }
  const isElement = (node: unknown) => node instanceof DomElement && node.nodeType === 1;
  if (!Array.isArray(found) || !found.every(isElement)) throw new InputError("it finds no elements");
  return found.map(({ at }: DomElement) => at);
}

answerCalls<XPathCall, number[]>(evaluate);
