/// <reference lib="deno.worker" />
/** Evaluates XPath with the library `xpath`, on its own thread: a short expression can take minutes. */

// @ts-types="./xpath_library.d.ts"
import xpath from "xpath";
import { BusyError, InputError } from "../../../core/errors.ts";
import { answerCalls } from "../../../core/worker_entry.ts";

/** An element: its parent's index (-1 for none), its tag, and its attribute values. */
export type XPathRow = [parent: number, tag: string, ...values: string[]];

/** An expression and the elements to search. */
export interface XPathCall {
  expression: string;
  rows: readonly XPathRow[];
  /** The names of each value in a row. */
  names: readonly (readonly string[])[];
  /** Index of the element where the expression starts; -1 for the document. */
  start: number;
  /** Maximum time for the expression, in milliseconds. */
  limitMs: number;
}

/** Steps through the tree between two checks of the clock. */
const STEPS = 4096;
let steps = 0, end = Infinity;

/** Counts a step, since Deno 2.9.6 does not end the thread of a busy Worker. @throws BusyError on timeout. */
function step(to: DomNode | null = null): DomNode | null {
  if (++steps % STEPS === 0 && performance.now() > end) throw new BusyError("the expression took too long");
  return to;
}

/** DOM node types (DOM, section 4.4). */
const ELEMENT = 1, ATTRIBUTE = 2, DOCUMENT = 9;

/**
 * The minimum of the DOM that the library walks: a document, an element or an attribute, without namespaces.
 */
class DomNode {
  readonly namespaceURI = null;
  readonly prefix = null;
  readonly localName: string;
  readonly childNodes: DomNode[] = [];
  #parent: DomNode | null = null;
  #next: DomNode | null = null;
  #previous: DomNode | null = null;
  ownerElement: DomNode | null = null;
  documentElement: DomNode | null = null;
  #attributes: (DomNode[] & { item(i: number): DomNode }) | undefined;

  constructor(
    readonly nodeType: number,
    readonly nodeName: string,
    readonly nodeValue: string | null,
    readonly ownerDocument: DomNode | null,
    /** The index of an element's row. */
    readonly at = -1,
    readonly named: () => [name: string, value: string][] = () => [],
  ) {
    this.localName = nodeName;
  }

  get parentNode(): DomNode | null {
    return step(this.#parent);
  }

  get nextSibling(): DomNode | null {
    return step(this.#next);
  }

  get previousSibling(): DomNode | null {
    return step(this.#previous);
  }

  get firstChild(): DomNode | null {
    return step(this.childNodes[0]);
  }

  get lastChild(): DomNode | null {
    return this.childNodes.at(-1) ?? null;
  }

  /** The attributes, created when an expression requests them. */
  get attributes() {
    return this.#attributes ??= Object.assign(
      this.named().map(([name, value]) =>
        Object.assign(new DomNode(ATTRIBUTE, name, value, this.ownerDocument), { ownerElement: this, value })
      ),
      { item: (i: number): DomNode => this.#attributes![i] },
    );
  }

  add(child: DomNode): void {
    const last = this.lastChild;
    child.#parent = this;
    child.#previous = last;
    if (last) last.#next = child;
    this.childNodes.push(child);
  }
}

/** The indices of the elements that an expression finds, in document order. */
function evaluate({ expression, rows, names, start, limitMs }: XPathCall): number[] {
  const document = new DomNode(DOCUMENT, "#document", null, null), elements: DomNode[] = [];
  rows.forEach(([parent, tag, ...values], at) => {
    const named = () => values.flatMap((value, i) => names[i].map((name): [string, string] => [name, value]));
    const element = new DomNode(ELEMENT, tag, null, document, at, named);
    (parent < 0 ? document : elements[parent]).add(element);
    elements.push(element);
  });
  let found: unknown;
  end = performance.now() + limitMs;
  try {
    document.documentElement = document.firstChild; // a step, which looks at the end
    found = xpath.parse(expression).select({ node: start < 0 ? document : elements[start] });
  } catch (error) {
    if (error instanceof BusyError) {
      throw new BusyError(`it took more than ${limitMs / 1000} s; try again later`);
    }
    throw new InputError(error instanceof Error ? error.message : String(error));
  }
  const isElement = (node: unknown) => node instanceof DomNode && node.nodeType === ELEMENT;
  if (!Array.isArray(found) || !found.every(isElement)) {
    throw new InputError("the expression must select elements, not text, attributes or values");
  }
  return found.map(({ at }: DomNode) => at);
}

answerCalls<XPathCall, number[]>(evaluate);
