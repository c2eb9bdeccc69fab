/** Another element replaces a missing one by fixed rules, which never choose among several. */

import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { newRecording, parseRecording } from "../../../control/recording/format.ts";
import { standInFor } from "../../../control/elements/recorded.ts";
import type { ListedElement } from "../../../control/elements/list.ts";
import { StateError } from "../../../core/errors.ts";
import { controlApi } from "../../support/control.ts";
import { ElementsDesktop } from "../../support/elements.ts";
import { until } from "../../support/shell.ts";

/** Elements as `role name`, in a column; `?` marks a hidden one. */
function elements(...words: string[]): ListedElement[] {
  return words.map((word, i) => {
    const [, hidden, role, name] = /^(\??)(\w+) ?(.*)$/.exec(word)!;
    return {
      ref: `e${i + 1}`,
      key: `${i}`,
      role,
      name,
      states: hidden ? ["hidden"] as const : [],
      depth: 1,
      place: { x: 0, y: 30 * i, width: 90, height: 20 },
    };
  });
}

const CASES: [
  wanted: [role: string | undefined, name: string],
  there: string[],
  ref: string | undefined,
  why: RegExp,
][] = [
  [["button", "Save…"], ["button Save", "button Save as"], "e1", /signs or spaces alone$/],
  [["textbox", "E-mail:"], ["button OK", "textbox email"], "e2", /signs or spaces/],
  [[undefined, "E-mail:"], ["link e mail"], "e1", /signs or spaces/],
  [["textbox", "Name"], ["label Name:", "textbox Your full one"], "e2", /is the field beside the label/],
  [["combobox", "Name"], ["label Name:", "textbox Other"], undefined, /./],
  [["button", "Sign in"], ["label Sign in", "link Sign in"], "e2", /same name, and another role$/],
  [["button", "Sign in"], ["label Sign in"], undefined, /./],
  [["button", "Save"], ["?link Save", "button Open"], undefined, /./],
  [["button", "…"], ["button *"], undefined, /./],
  [["button", ""], ["button "], undefined, /./],
];

Deno.test("the first rule that fits one visible element decides", () => {
  for (const [[role, name], there, ref, why] of CASES) {
    const found = standInFor({ ...(role ? { role } : {}), name }, elements(...there));
    assertEquals(found?.element.ref, ref, `${role} ${name} in ${there}`);
    if (found) assertMatch(found.told, why);
  }
  assertEquals(standInFor({ role: "button", name: "Save:", nth: 2 }, elements("button Save")), undefined);
});

Deno.test("several candidates are never chosen from", () => {
  const error = assertThrows(
    () => standInFor({ role: "button", name: "Go" }, elements("link Go", "tab Go")),
    StateError,
  );
  assertEquals(
    error.message,
    'button "Go" is not there, and each of link "Go" (e1), tab "Go" (e2) has the same name, and another role',
  );
});

const place = { x: 10, y: 20, width: 30, height: 10 };

Deno.test("a click and a text go to the stand-in only with heal, and the answer says so", async () => {
  const desktop = new ElementsDesktop([
    { key: "w", role: "window", name: "Notes", depth: 0, place: { x: 0, y: 0, width: 600, height: 300 } },
    { key: "s", role: "link", name: "Save", depth: 1, place },
    { key: "n", role: "textbox", name: "Name:", depth: 1, place, value: "" },
  ]);
  desktop.onChange = (element, change) => change.type === "set" && (element.value = change.text, true);
  const api = controlApi({ desktop });
  const post = async (path: string, body: unknown) => {
    const answer = await api.request("POST", `/api/element/${path}`, body);
    return { status: answer.status, ...await answer.json() };
  };
  const save = { role: "button", name: "Save" };
  assertEquals((await post("click", save)).status, 404);
  const { status, ref, healed } = await post("click", { ...save, heal: true });
  assertEquals([status, ref], [200, "e2"]);
  assertEquals(healed, 'button "Save" is not there: link "Save" (e2) has the same name, and another role');
  const set = await post("set", { element: 'textbox "Name?"', text: "Ada", heal: true });
  assertEquals([set.status, set.value], [200, "Ada"]);
  assertMatch(set.healed, /signs or spaces alone$/);
  assert(!("healed" in await post("click", { role: "link", name: "Save", heal: true })));
  assertEquals((await post("click", { role: "button", name: "Delete", heal: true })).status, 404);
});

Deno.test("a replay presses the stand-in, and its result says so", async () => {
  const api = controlApi(),
    press = (t: number, down: boolean) => ({ t, type: "button", button: "left", down, x: 5, y: 5 });
  const element = { role: "switch", name: "Send me news", title: "Form", x: 0, y: 0, width: 20, height: 20 };
  const head = newRecording({ x: 0, y: 0, width: 1280, height: 720 }, new Date(0));
  const recording = parseRecording({ ...head, events: [{ ...press(0, true), element }, press(50, false)] });
  await api.request("PUT", "/api/recording", recording);
  await api.request("POST", "/api/recording/play", {});
  const stateNow = async () => await (await api.request("GET", "/api/recording/state")).json();
  await until(async () => (await stateNow()).state === "idle");
  const state = await stateNow();
  assertMatch(
    state.result.elements.healed[0],
    /^switch "Send me news" is not there: checkbox "Send me news" \(e\d+\) has/,
  );
  const form = await (await api.request("GET", "/api/elements?title=Form&name=news")).json();
  assert(form.elements[0].states.includes("checked"));
});
