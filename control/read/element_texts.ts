/** The texts that elements show, as programs report them: exact, and without reading letters. */

import { ExpectedError } from "../../core/errors.ts";
import { intersection, type Region } from "../input.ts";
import type { Operator } from "../operator.ts";
import { agreement, folded } from "./match.ts";
import { LEAST_TEXT_MATCH, type Span, type Wanted } from "./spans.ts";

/** A text that an element shows. */
export interface ElementText extends Region {
  text: string;
  ref: string;
  role: string;
}

/** Roles of elements that show their name. */
const NAMED = new Set(
  ("button,togglebutton,menubutton,link,menu,menuitem,menuitemcheckbox,menuitemradio,checkbox,radio,switch,tab,listitem," +
    "treeitem,cell,columnheader,rowheader,heading,label,text,paragraph,static,caption,desktop icon").split(
      ",",
    ),
);
/** Roles of elements that show their value; the name is of a label beside them. */
const VALUED = new Set(["textbox", "combobox", "spinbutton", "autocomplete"]);

/**
 * The texts of the active window's elements.
 * @param region Those that are wholly in it.
 * @returns None where elements cannot be read, or their places are not known.
 */
export async function elementTexts(operator: Operator, region: Region): Promise<ElementText[]> {
  if (!operator.desktop.elements) return [];
  const { readElements } = await import("../elements/reading.ts");
  try {
    const { elements, places } = await readElements(operator, {});
    if (places !== "screen") return [];
    return elements.flatMap(({ ref, role, name, value, states, place }) => {
      const text = VALUED.has(role) ? value ?? "" : NAMED.has(role) ? name : "";
      const isShown = place && place.width > 0 && place.height > 0 && !states.includes("hidden");
      if (!isShown || folded(text) === "" || !isWithin(place, region)) return [];
      return [{ text, ref, role, ...place }];
    });
  } catch (error) {
    if (error instanceof ExpectedError) return []; // the letters on the screen are read in any case
    throw error;
  }
}

function isWithin(place: Region, region: Region): boolean {
  const shown = intersection(place, region);
  return shown?.width === place.width && shown.height === place.height;
}

/** A place of a text that an element shows. */
export interface ElementSpan extends Span {
  ref: string;
  role: string;
}

/** The elements whose whole text matches, and those whose text nearly does. */
export function elementSpans(texts: readonly ElementText[], { text, keepsCase }: Wanted): ElementSpan[] {
  const target = folded(text, keepsCase);
  return texts.flatMap((element) => {
    const match = agreement(target, folded(element.text, keepsCase), LEAST_TEXT_MATCH);
    return match ? [{ ...element, source: "element" as const, match, isAlone: true }] : [];
  });
}
