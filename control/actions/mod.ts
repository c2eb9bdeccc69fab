/** The table of actions. */

import type { AnyAction } from "./action.ts";
import * as agents from "./agents.ts";
import * as changes from "./changes.ts";
import * as clipboard from "./clipboard.ts";
import * as elements from "./elements.ts";
import * as find from "./find.ts";
import * as keyboard from "./keyboard.ts";
import * as pointer from "./pointer.ts";
import * as read from "./read.ts";
import * as recording from "./recording.ts";
import * as screen from "./screen.ts";
import * as trace from "./trace.ts";
import * as wait from "./wait.ts";
import * as windows from "./windows.ts";

/** Every action by its name. Modules of actions export actions alone. */
export const ACTIONS = {
  ...pointer,
  ...screen,
  ...elements,
  ...find,
  ...read,
  ...wait,
  ...changes,
  ...keyboard,
  ...windows,
  ...clipboard,
  ...recording,
  ...trace,
  ...agents,
} satisfies Record<string, AnyAction>;
