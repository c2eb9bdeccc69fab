/** The table of actions. */

import type { AnyAction } from "./action.ts";
import * as keyboard from "./keyboard.ts";
import * as pointer from "./pointer.ts";
import * as recording from "./recording.ts";
import * as screen from "./screen.ts";

/** Every action by its name, in the order of the documents. Modules of actions export actions alone. */
export const ACTIONS = { ...pointer, ...screen, ...keyboard, ...recording } satisfies Record<
  string,
  AnyAction
>;
