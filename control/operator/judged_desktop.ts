/**
 * A desktop that checks which window receives each input. Where the back end looks up the window together
 * with the press (X11), its own targets do this; elsewhere the windows are looked up before a press and again
 * after it.
 */

import { ForbiddenError } from "../../core/errors.ts";
import {
  contains,
  type Desktop,
  type Elements,
  type InputKind,
  isShown,
  type Judge,
  type Keyboard,
  type Point,
  type Pointer,
  type Target,
  type Targets,
  UnsentError,
  type WindowInfo,
  type Windows,
} from "../desktop/desktop.ts";

/** Maximum length of text typed between two look-ups, in characters. */
const PIECE = 16;
/** Maximum number of elements whose windows are remembered. */
const KEY_LIMIT = 50_000;

/**
 * Wraps a desktop.
 * @param judge As in `Targets`.
 */
export function judgedDesktop(desktop: Desktop, judge: () => Judge | undefined): Desktop {
  const listed = desktop.targets ? undefined : new ListedTargets(desktop),
    targets = desktop.targets ?? listed!;
  targets.judge = judge;
  const own = {
    targets,
    ...(desktop.windows ? { windows: judgedWindows(desktop.windows, judge) } : {}),
    ...(desktop.elements ? { elements: judgedElements(desktop.elements, judge) } : {}),
  };
  const input = !listed ? {} : {
    get pointer() {
      return judgedPointer(desktop.pointer, listed);
    },
    get keyboard() {
      return judgedKeyboard(desktop.keyboard, listed);
    },
  };
  return over(desktop, Object.defineProperties(own, Object.getOwnPropertyDescriptors(input)));
}

/**
 * A view of an object with some properties replaced; all others, including private ones, are the object's
 * own.
 */
function over<T extends object>(object: T, own: Partial<T>): T {
  return new Proxy(object, {
    get(_, name) {
      if (Object.hasOwn(own, name)) return own[name as keyof T];
      const value = Reflect.get(object, name, object);
      return typeof value === "function" ? value.bind(object) : value;
    },
    set: (_, name, value) => Reflect.set(object, name, value, object),
  });
}

class ListedTargets implements Targets {
  judge?: () => Judge | undefined;

  constructor(readonly desktop: Pick<Desktop, "windows" | "pointer">) {}

  check(kind: InputKind, point?: Point): Promise<void> {
    return this.judged(kind, false, point);
  }

  /** @param sends Whether input follows immediately. */
  async judged(kind: InputKind, sends = true, point?: Point): Promise<void> {
    const judge = this.judge?.();
    if (judge) judge(await this.#target(kind, point), sends);
  }

  /**
   * @returns undefined where the desktop does not list its windows, or does not report their places or the
   * active one.
   */
  async #target(kind: InputKind, point?: Point): Promise<Target | undefined> {
    const { windows, pointer } = this.desktop;
    const list = await windows?.list();
    if (!list) return undefined;
    const nothing = windows!.isPartial ? undefined : DESKTOP; // an unlisted window may be there
    if (kind === "keyboard") return list.find(({ active }) => active) ?? nothing;
    const place = point ?? await pointer.position(), shown = list.filter(isShown);
    if (shown.some(({ width }) => !width)) return undefined;
    return shown.find((window) => contains(window, place)) ?? nothing;
  }
}

const DESKTOP: Target = { title: "the desktop", class: "", isDesktop: true };

/** Presses between two look-ups: a window that appeared in between is reported, if the desktop reveals it. */
function judgedPointer(pointer: Pointer, targets: ListedTargets): Pointer {
  const between = async (press: () => Promise<void>) => {
    await targets.judged("pointer");
    await press();
    try {
      await targets.judged("pointer");
    } catch (error) {
      throw error instanceof UnsentError ? new ForbiddenError(error.message) : error; // it may have been hit
    }
  };
  return over(pointer, {
    button: (button, down, isFollowed) =>
      down && targets.judge?.()
        ? between(() => pointer.button(button, down))
        : pointer.button(button, down, isFollowed),
    scroll: (direction, amount) =>
      targets.judge?.()
        ? between(() => pointer.scroll(direction, amount))
        : pointer.scroll(direction, amount),
  });
}

function judgedKeyboard(keyboard: Keyboard, targets: ListedTargets): Keyboard {
  return over(keyboard, {
    async key(key, down) {
      if (down) await targets.judged("keyboard");
      await keyboard.key(key, down);
    },
    ...(keyboard.tap && {
      async tap(key: string) {
        await targets.judged("keyboard");
        await keyboard.tap!(key);
      },
    }),
    async type(text, signal) {
      if (!targets.judge?.()) return await keyboard.type(text, signal);
      const characters = [...text];
      for (let from = 0; from < characters.length; from += PIECE) {
        await targets.judged("keyboard");
        await keyboard.type(characters.slice(from, from + PIECE).join(""), signal);
      }
    },
  });
}

function judgedWindows(windows: Windows, judge: () => Judge | undefined): Windows {
  return over(windows, {
    change(window, change) {
      return Promise.try(() => {
        judge()?.(window, true);
        return windows.change(window, change);
      });
    },
  });
}

/** Elements whose own programs perform the change: judged by the windows in which they were read. */
function judgedElements(elements: Elements, judge: () => Judge | undefined): Elements {
  const windowOf = new Map<string, WindowInfo>();
  const note = (window: WindowInfo, keys: readonly string[]) => {
    if (windowOf.size > KEY_LIMIT) windowOf.clear();
    for (const key of keys) windowOf.set(key, window);
  };
  return over(elements, {
    async read(window, hidden, signal) {
      const tree = await elements.read(window, hidden, signal);
      note(window, tree.elements.map(({ key }) => key));
      return tree;
    },
    async reread(window, key, signal) {
      note(window, [key]);
      return await elements.reread(window, key, signal);
    },
    ...(elements.named && {
      async named(window: WindowInfo, name: string, signal?: AbortSignal) {
        const found = await elements.named!(window, name, signal);
        if (found) note(window, [found.key]);
        return found;
      },
    }),
    ...(elements.describe && {
      async describe(key: string, window: WindowInfo | undefined, isBrief: boolean) {
        if (window) note(window, [key]);
        return await elements.describe!(key, window, isBrief);
      },
    }),
    async change(key, change, signal) {
      judge()?.(windowOf.get(key), true);
      return await elements.change(key, change, signal);
    },
  });
}
