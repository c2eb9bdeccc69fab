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

const agentsActions = { agents, allowAgents, answerAgent, forgetGrants };
const changesActions = { changes };
const elementsActions = {
  elementLines,
  elements,
  elementTree,
  clickOnElement,
  setElementText,
  focusOnElement,
  scrollToElement,
  switchElements,
};
const findActions = { find, clickPicture, compare, comparePicture };
export const KEYBOARD_ACTIONS = { key, type };
export const POINTER_ACTIONS = { position, move, click, scroll, press, release, drag };
const readActions = { text, textLines, findText, clickText };
const screenActions = { screenshot, screen, pixel, history };
const traceActions = {
  startTrace,
  stopTrace,
  markTrace,
  pauseTrace,
  resumeTrace,
  traceState,
  traces,
  removeTrace,
};
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

/** Every action by name. Modules of actions export nothing but actions. */
export const ACTIONS = {
  ...POINTER_ACTIONS,
  ...screenActions,
  ...elementsActions,
  ...findActions,
  ...readActions,
  ...wait,
  ...changesActions,
  ...KEYBOARD_ACTIONS,
  ...WINDOW_ACTIONS,
  ...clipboard,
  ...recording,
  ...traceActions,
  ...agentsActions,
} satisfies Record<string, AnyAction>;
