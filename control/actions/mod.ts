/** The table of actions. */

import type { AnyAction } from "./action.ts";
import { agents, allowAgents, answerAgent, forgetGrants } from "./agents.ts";
import {
  markTrace,
  pauseTrace,
  removeTrace,
  resumeTrace,
  startTrace,
  stopTrace,
  traces,
  traceState,
} from "./trace.ts";
import { changes, compare, comparePicture, history, pixel, screen, screenshot } from "./screen.ts";
import * as clipboard from "./clipboard.ts";
import {
  clickOnElement,
  elementLines,
  elements,
  elementTree,
  focusOnElement,
  scrollToElement,
  setElementText,
  switchElements,
} from "./elements.ts";
import { clickPicture, clickText, find, findText, text, textLines } from "./find.ts";
import { click, drag, key, move, position, press, release, scroll, type } from "./pointer.ts";
import * as recording from "./recording.ts";
import * as wait from "./wait.ts";
import {
  activateWindow,
  closeWindow,
  fullscreenWindow,
  maximizeWindow,
  minimizeWindow,
  placeWindow,
  restoreWindow,
  windows,
} from "./windows.ts";

export const POINTER_ACTIONS = { position, move, click, scroll, press, release, drag };
export const KEYBOARD_ACTIONS = { key, type };
export const WINDOW_ACTIONS = {
  windows,
  activateWindow,
  minimizeWindow,
  maximizeWindow,
  restoreWindow,
  fullscreenWindow,
  closeWindow,
  placeWindow,
};

/** Every action by name. */
export const ACTIONS = {
  ...POINTER_ACTIONS,
  ...{ screenshot, screen, pixel, history },
  ...{ elementLines, elements, elementTree, clickOnElement, setElementText, focusOnElement },
  ...{ scrollToElement, switchElements },
  ...{ find, clickPicture, compare, comparePicture },
  ...{ text, textLines, findText, clickText },
  ...wait,
  changes,
  ...KEYBOARD_ACTIONS,
  ...WINDOW_ACTIONS,
  ...clipboard,
  ...recording,
  ...{ startTrace, stopTrace, markTrace, pauseTrace, resumeTrace, traceState, traces, removeTrace },
  ...{ agents, allowAgents, answerAgent, forgetGrants },
} satisfies Record<string, AnyAction>;
