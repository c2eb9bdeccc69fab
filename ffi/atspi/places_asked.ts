/** The places that a reading asks programs for. The next reading of a window needs most of them again. */

import type { Region } from "../../control/desktop.ts";
import type { Calls } from "./calls.ts";
import { interfaceOf, type Ref } from "./objects.ts";

/** Coordinates that `Component` is asked for (AtspiCoordType): of the screen. */
export const SCREEN = 0;
/** The most places that are asked for because an earlier reading needed them. */
const MOST = 2000;

/** A place that may come before the reading needs it. */
interface Expected {
  isThere: boolean;
  place?: Region;
  then?: (place: Region) => void;
}

/** The places of one reading. */
export class PlacesAsked {
  /** The elements whose places were needed. */
  readonly needed: Ref[] = [];
  readonly #expected = new Map<string, Expected>();

  constructor(readonly calls: Calls) {}

  /** Asks for places that an earlier reading needed. */
  expect(refs: readonly Ref[]): void {
    for (const ref of refs.slice(0, MOST)) {
      const expected: Expected = { isThere: false };
      this.#expected.set(ref.path, expected);
      this.#ask(ref, (place) => {
        Object.assign(expected, { isThere: true, place });
        if (place) expected.then?.(place);
      });
    }
  }

  /**
   * Gets the place of an element.
   * @param then Gets the place; not called if the element has none.
   */
  of({ app, path }: Ref, then: (place: Region) => void): void {
    this.needed.push({ app, path });
    const expected = this.#expected.get(path);
    if (!expected) this.#ask({ app, path }, (place) => place && then(place));
    else if (!expected.isThere) expected.then = then;
    else if (expected.place) then(expected.place);
  }

  #ask(ref: Ref, then: (place: Region | undefined) => void): void {
    this.calls.add({
      object: interfaceOf(ref, "Component"),
      member: "GetExtents",
      signature: "u",
      args: [SCREEN],
      decode(reader, signature) {
        if (signature !== "(iiii)") return [];
        reader.align(8);
        return [reader.readInt(), reader.readInt(), reader.readInt(), reader.readInt()];
      },
      then(values) {
        const [x, y, width, height] = (values ?? []) as number[];
        then(width > 0 && height > 0 ? { x, y, width, height } : undefined);
      },
    });
  }
}
