/** The table of agents' tools. None runs programs or touches files. */

import type { AnyTool } from "../tool.ts";
import { clipboard, elements, window, windows } from "./windows.ts";
import * as looking from "./screen.ts";
import * as pointing from "./pointer.ts";
import { position, press, release, steps } from "./steps.ts";
import * as typing from "./keyboard.ts";

const windowsTools = { windows, window };

const { screenshot, screen, pixel, find, wait } = looking;

/** Every tool, in the order in which clients get them; those of one module by their names. */
export const TOOLS: readonly AnyTool[] = [
  screenshot,
  screen,
  pixel,
  find,
  wait,
  elements,
  ...Object.values(pointing),
  ...Object.values(typing),
  clipboard,
  ...Object.values(windowsTools),
  steps,
];

/** Steps of `do`, and of models' own actions, that are no tools of their own. */
export const STEPS: readonly AnyTool[] = [press, release, position];
