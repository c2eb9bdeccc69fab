/** A recording on the virtual desktop's form, and checks for the tests that are generated from it. */

import { newRecording, parseRecording } from "../../control/recording/format.ts";
import { saveRecording } from "../../control/recording/store.ts";
import { StoredRecording } from "../../control/recording/stored.ts";

/** A click on a form element, at a place from where the element has moved. */
const click = (t: number, role: string, name: string) =>
  [true, false].map((down) => ({
    t: t + (down ? 0 : 60),
    type: "button",
    button: "left",
    down,
    x: 5,
    y: 5,
    ...(down ? { element: { role, name, title: "Form", x: 0, y: 0, width: 20, height: 20 } } : {}),
  }));
const key = (t: number, name: string) =>
  [true, false].map((down) => ({ t: t + (down ? 0 : 20), type: "key", key: name, down }));

/** Fills in the form and checks its box, with a user's pause. The field no longer has the recorded role. */
const EVENTS = [
  ...click(0, "searchbox", "Name"),
  ...[..."ada"].flatMap((letter, i) => key(2500 + 60 * i, letter)),
  ...click(9000, "checkbox", "Send me news"),
  ...key(9500, "tab"),
  { t: 9800, type: "scroll", direction: "up", amount: 1, x: 700, y: 700 },
];

function recorded(): StoredRecording {
  const head = newRecording({ x: 0, y: 0, width: 1280, height: 720 }, new Date(0));
  return StoredRecording.of(
    parseRecording({ ...head, windows: { before: ["Form"], after: ["Form"] }, events: EVENTS }),
  );
}

/** Saves the recording; returns the file's text without its date. */
export async function saved(path: string): Promise<string> {
  await saveRecording(path, recorded());
  return (await Deno.readTextFile(path)).replace(/Recorded \S+ /, "Recorded DATE ");
}

/** Assertions about the saved tests' results, in each runner's syntax. */
export const CHECKS = {
  py: `    expect(form_window.element("textbox", "Name")).to_have_value("ada")
    expect(form_window.element("checkbox")).to_be_checked()
`,
  ts: `  await expect(formWindow.element({ role: "textbox", name: "Name" })).toHaveValue("ada");
  await expect(formWindow.element({ role: "checkbox" })).toBeChecked();
});
`,
};
