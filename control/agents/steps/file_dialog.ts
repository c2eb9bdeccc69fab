/** Answers a file dialog: enters its path, and answers its question about an existing file. */

import { InputError, on, StateError, TimeLimitError } from "../../../core/errors.ts";
import { describeValue } from "../../../core/printable.ts";
import { timeByLoad } from "../../../core/proc.ts";
import type { WindowInfo } from "../../desktop/desktop.ts";
import { type ListedElement, readElements } from "../../elements/list.ts";
import { activeOf, listWindows } from "../../windows/list.ts";
import type { ToolContext } from "../tool.ts";
import { click } from "../tools/pointer.ts";
import { fill, key, type } from "../tools/keyboard.ts";
import { wait } from "../tools/screen.ts";
import type { Play } from "./step.ts";

/** Words in the titles of file dialogs, and on their buttons. */
const TITLE =
  /save|open|export|import|file|folder|choose|select|insert|speicher|öffnen|datei|enregistrer|ouvrir|guardar|abrir/i;
/** Names of buttons that complete a file dialog. */
const DONE =
  /^_?(save|open|export|ok|choose|select|insert|speichern|öffnen|enregistrer|ouvrir|guardar|abrir)/i;
/** Names of buttons that replace a file, or keep its format. */
const REPLACE = /replace|overwrite|ersetzen|überschreiben|remplacer|reemplazar|^yes$|^ja$|^oui$|keep/i;
/** Names of the file name field. */
const NAME = /name|location|pfad|nom|path/i;
/** Maximum time for a dialog to appear and to close, and the polling interval, in milliseconds. */
const COMES_MS = 8000, GOES_MS = 6000, INTERVAL_MS = 100;
/**
 * How long a dialog may take to close after Enter, and a question to follow a closed dialog, in milliseconds;
 * longer on a busy machine.
 */
const ENTER_MS = 1500, QUESTION_MS = 400;
/** How long a dialog may complete a typed path and ignore Enter, in milliseconds. */
const COMPLETION_MS = 300;

/**
 * Waits for a file dialog, enters a path, and presses Enter.
 * @param existing `replace` or `stop`: what to do if the dialog asks about the file. If left out, the
 * question is reported.
 */
export async function* chooseFile(path: string, existing: unknown, context: ToolContext): Play {
  if (existing !== undefined && existing !== "replace" && existing !== "stop") {
    throw new InputError(`existing must be replace or stop, not ${describeValue(existing)}`);
  }
  const dialog = await dialogIn(context), [first, ...others] = path;
  const still = { still: { ms: COMPLETION_MS }, timeout_ms: 3 * COMPLETION_MS };
  let field = await nameField(dialog, context);
  if (!field) {
    yield { tool: wait, values: still, awaited: dialog.title, run: () => stillness(still, context) };
    // GTK 3's dialog for opening shows its field at the first character, and loses those that follow at once.
    yield { tool: type, values: { text: first } };
    yield { tool: wait, values: still, run: () => stillness(still, context) };
    field = await nameField(dialog, context);
  }
  yield field
    ? { tool: fill, values: { element: field.ref, to: path }, awaited: dialog.title }
    : { tool: type, values: { text: others.join("") } };
  yield { tool: wait, values: still, run: () => stillness(still, context) };
  const before = await listWindows(context.operator);
  yield { tool: key, values: { keys: "Return" }, mayMiss: true };
  let left = await leftBy(dialog, before, timeByLoad(ENTER_MS), context);
  const done = left?.id === dialog.id ? await buttonOf(dialog, DONE, context) : undefined;
  if (done) { // some dialogs use the first Enter to accept the completed path
    yield { tool: click, values: { element: done.ref }, mayMiss: true };
    left = await leftBy(dialog, before, GOES_MS, context);
  }
  if (!left) return undefined;
  const title = JSON.stringify(left.title);
  if (left.id === dialog.id) throw new TimeLimitError(`the dialog ${title} is still open`);
  const refusal = await refusalIn(left, context);
  if (refusal !== undefined) throw new StateError(`the file dialog shows an error: ${refusal}`);
  if (existing === "stop") throw new StateError(`the dialog is asking ${title}; the file was not saved`);
  const button = existing === "replace" ? await buttonOf(left, REPLACE, context) : undefined;
  if (!button) return `asks: ${title}`;
  yield { tool: click, values: { element: button.ref }, awaited: left.title };
  if (await leftBy(left, await listWindows(context.operator), GOES_MS, context)) {
    throw new TimeLimitError(`the dialog ${title} is still open`);
  }
  return undefined;
}

async function stillness(values: Record<string, unknown>, context: ToolContext) {
  return await context.call(wait, values).catch(on(TimeLimitError, { text: "", pictures: [] })); // a caret blinks
}

/** The active window, if it is a file dialog. */
async function dialogIn(context: ToolContext): Promise<WindowInfo> {
  const { operator, signal } = context;
  for (const start = performance.now();;) {
    const active = activeOf(await listWindows(operator));
    if (
      active && (TITLE.test(active.title) || performance.now() - start > COMES_MS / 2) &&
      await isDialog(active)
    ) {
      return active;
    }
    if (performance.now() - start > COMES_MS) {
      throw new TimeLimitError(
        `no file dialog appeared; the active window is ${JSON.stringify(active?.title ?? "no window")}`,
      );
    }
    await context.pause(INTERVAL_MS);
  }
  async function isDialog({ id }: WindowInfo): Promise<boolean> {
    const { elements, silent } = await readElements(operator, { id }, false, signal);
    if (silent) return true; // its title alone shows that it is a file dialog
    const names = elements.filter(({ role }) => role === "button").map(({ name }) => name);
    return names.some((name) => TITLE.test(name)) ||
      names.some((name) => /cancel|abbrechen|annuler|cancelar/i.test(name));
  }
}

/** The file name field: the one with such a name, or the focused one. */
async function nameField(
  { id }: WindowInfo,
  { operator, signal }: ToolContext,
): Promise<ListedElement | undefined> {
  const { elements } = await readElements(operator, { id }, false, signal);
  const fields = elements.filter(({ role, place, states }) =>
    role === "textbox" && place && !states.includes("hidden") && !states.includes("readonly")
  );
  return fields.find(({ states }) => states.includes("focused")) ??
    fields.find(({ name }) => NAME.test(name));
}

/**
 * The rest of a dialog: itself if it stays open, the question that it asks, or nothing.
 * @param before The windows before the dialog was told to close.
 * @param mostMs Maximum time for the dialog to close, in milliseconds.
 */
async function leftBy(
  dialog: WindowInfo,
  before: readonly WindowInfo[],
  mostMs: number,
  context: ToolContext,
): Promise<WindowInfo | undefined> {
  let goneAt: number | undefined;
  const questionMs = timeByLoad(QUESTION_MS);
  for (const start = performance.now();;) {
    const windows = await listWindows(context.operator), active = activeOf(windows), time = performance.now();
    const isThere = windows.some(({ id }) => id === dialog.id);
    const asked = windows.find((window) =>
      !before.some(({ id }) => id === window.id) && window.pid === dialog.pid &&
      (window === active || isThere)
    );
    if (asked) return asked;
    if (isThere && time - start > mostMs) return dialog;
    if (!isThere) goneAt ??= time;
    if (goneAt !== undefined && time - goneAt > questionMs) return undefined;
    await context.pause(INTERVAL_MS);
  }
}

/**
 * The text of a message that offers no choice, for example that a folder does not exist; undefined for a
 * question.
 */
async function refusalIn(
  { id, title }: WindowInfo,
  { operator, signal }: ToolContext,
): Promise<string | undefined> {
  const elements = (await readElements(operator, { id }, false, signal)).elements.filter(({ states }) =>
    !states.includes("hidden")
  );
  const isMessage = elements.some(({ role }) => role === "alert" || role === "dialog");
  if (!isMessage || elements.filter(({ role }) => role === "button").length !== 1) return undefined;
  const words = elements.filter(({ role, name }) => role === "label" && name).map(({ name }) => name);
  return words.length ? words.join(". ") : JSON.stringify(title);
}

async function buttonOf(
  { id }: WindowInfo,
  names: RegExp,
  { operator, signal }: ToolContext,
): Promise<ListedElement | undefined> {
  const { elements } = await readElements(operator, { id }, false, signal);
  return elements.find(({ role, name, states }) =>
    role === "button" && names.test(name) && !states.includes("disabled")
  );
}
