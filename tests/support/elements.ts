/** A virtual desktop whose windows have elements that a test makes. */

import type {
  ElementChange,
  ElementInfo,
  Elements,
  ElementTree,
  WindowInfo,
} from "../../control/desktop/desktop.ts";
import { VirtualDesktop } from "../../ffi/virtual/mod.ts";

/** An element as a test writes it; fields that are left out have usual values. */
export type MadeElement = Partial<ElementInfo> & { key: string };

/** A desktop with elements. */
export class ElementsDesktop extends VirtualDesktop {
  /** The elements of every window; a test changes them. */
  made: MadeElement[];
  /** The reason why the windows show none. */
  silent: string | undefined;
  /** The changes that programs were asked for. */
  readonly changes: [key: string, change: ElementChange][] = [];
  /** The program's reaction to a request; returns whether it did it. */
  onChange: (element: MadeElement, change: ElementChange) => boolean = () => false;

  constructor(made: MadeElement[] = []) {
    super();
    this.made = made;
  }

  readonly elements: Elements = {
    read: (_: WindowInfo, hidden: boolean): Promise<ElementTree> => {
      const elements = this.made.map(whole).filter(({ states }) => hidden || !states.includes("hidden"));
      const silent = this.silent === undefined ? {} : { silent: this.silent };
      return Promise.resolve({ elements, places: "screen", isWhole: true, ...silent });
    },
    reread: (_, key) => {
      const found = this.made.find((element) => element.key === key);
      return Promise.resolve(found && whole(found));
    },
    change: (key, change) => {
      this.changes.push([key, change]);
      const element = this.made.find((element) => element.key === key);
      return Promise.resolve(element !== undefined && this.onChange(element, change));
    },
    close: () => {},
  };
}

function whole(element: MadeElement): ElementInfo {
  return { role: "button", name: "", states: [], depth: 1, ...element };
}
