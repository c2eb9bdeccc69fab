/** Forms in several toolkits: real programs that accept a name and print it when their button is pressed. */

import { assertEquals, assertMatch } from "@std/assert";
import { until } from "./shell.ts";
import type { Client } from "./xvfb.ts";

const source = (name: string) => Deno.readTextFileSync(new URL(name, import.meta.url));

/** A program with a field and a button. */
export interface Form {
  /** The toolkit. */
  name: string;
  /** The label associated with its field, if that field has no name. */
  label?: string;
  title: string;
  program: string;
  args: string[];
  /** The programs that must be installed for the form. */
  needs: string;
}

/** One row per toolkit. */
export const FORMS: readonly Form[] = [
  {
    name: "GTK 3",
    label: "Name",
    title: "Ask three",
    program: "zenity",
    args: ["--entry", "--title", "Ask three", "--text", "Name"],
    needs: "zenity",
  },
  {
    name: "GTK 4",
    title: "Ask four",
    program: "/usr/bin/python3",
    args: ["-c", source("./gtk4_form.py"), "Ask four"],
    needs: "/usr/lib/x86_64-linux-gnu/girepository-1.0/Gtk-4.0.typelib",
  },
  {
    name: "Qt 5",
    title: "Ask Qt",
    program: "kdialog",
    args: ["--title", "Ask Qt", "--inputbox", "Name", ""],
    needs: "kdialog",
  },
];

/** An element as listed in a response. */
interface ListedElement {
  ref: string;
  role: string;
  name: string;
  value?: string;
  states: string[];
  x?: number;
  y?: number;
  width?: number;
  height?: number;
}

/** The part of a control API concerning elements. */
export class ElementsApi {
  /** @param url The API's URL, such as `http://127.0.0.1:4000`. */
  constructor(readonly url: string) {}

  /** @returns The response's fields and its status. */
  // deno-lint-ignore no-explicit-any -- each endpoint has its own
  async post(path: string, body: unknown): Promise<any> {
    const answer = await fetch(`${this.url}/api/${path}`, { method: "POST", body: JSON.stringify(body) });
    return { status: answer.status, ...await answer.json() };
  }

  // deno-lint-ignore no-explicit-any -- each endpoint has its own
  async get(path: string): Promise<any> {
    const answer = await fetch(`${this.url}/api/${path}`);
    return { status: answer.status, ...await answer.json() };
  }

  async list(title: string): Promise<ListedElement[]> {
    return (await this.get(`elements?title=${encodeURIComponent(title)}`)).elements ?? [];
  }
}

/** How to press a desktop's form, and the witness for the same elements. */
interface FormChecks {
  api: ElementsApi;
  /** The method of a click. */
  via: "click" | "action";
  /** Runs the witness with a window title. */
  witness(title: string): Promise<string>;
}

/** deskhand's roles, by the names that the witness prints. */
const ROLES: Record<string, string> = { "push button": "button", text: "textbox", "check box": "checkbox" };

/**
 * Checks a form: its elements match those that the witness finds, its field can be set, and its button
 * pressed, after which the program prints the entered values.
 */
export async function checkForm(
  { title, label = "" }: Form,
  running: Client,
  { api, via, witness }: FormChecks,
): Promise<void> {
  const isThere = (elements: ListedElement[]) =>
    elements.some(({ role, name }) => role === "button" && name === "OK");
  const elements = await until(() => api.list(title), isThere);
  const own = elements.filter(({ role }) => Object.values(ROLES).includes(role))
    .map(({ role, name }) => `${role} ${name}`);
  assertEquals(own.sort(), seenBy(await witness(title), label).sort());
  // On a busy machine, a program may respond later than deskhand waits; the response then says so.
  const answered = (path: string, body: unknown) =>
    until(() => api.post(path, body), ({ error }) => !/does not answer/.test(error ?? ""));
  const set = await answered("element/set", { title, role: "textbox", text: "Ada" });
  assertEquals([set.status, set.value], [200, "Ada"], JSON.stringify(set));
  const clicked = await answered("element/click", { title, role: "button", name: "OK", exact: true });
  assertEquals([clicked.status, clicked.via], [200, via], JSON.stringify(clicked));
  assertEquals((await running.printing((text) => text.includes("\n"))).trim(), "Ada");
}

/**
 * Checks that an open list of a program with controls takes no press that is meant for another element, and that its
 * own items can be clicked.
 * @param program.name The toolkit.
 * @param running The program, with the title "Controls".
 */
export async function checkMenus(
  { name }: { name: string },
  running: Client,
  { api }: { api: ElementsApi },
): Promise<void> {
  const isGtk4 = name === "GTK 4"; // its check boxes have no action
  const click = (element: string, path = "element/click") => api.post(path, { element, button: "left" });
  const refused = / \(e\d+\) is covered by an open menu \(choose an item or press Escape first\)/;
  const listed = await until(() => api.list("Controls"), (elements) => elements.length > 20);
  const field = listed.find(({ role }) => role === "textbox")!.ref;
  const open = async () => {
    const { status, error } = await click('combobox in "Controls"');
    assertEquals(status, 200, error);
    await until(
      () => api.list("Controls"),
      (all) =>
        all.some(({ name, states }) =>
          name === "Norway" && !states.includes("hidden") || states.includes("pressed")
        ),
    );
  };
  await open();
  const box = await click('checkbox "Newsletter" in "Controls"');
  if (isGtk4) assertMatch(box.error, refused);
  else assertEquals([box.status, box.via], [200, "action"], box.error);
  for (
    const [element, path] of [[field, "element/click"], [field, "click"], ['textbox in "Controls"', "press"]]
  ) {
    const { status, error } = await click(element, path);
    assertEquals(status, 409, `${path}: ${error}`);
    assertMatch(error, refused);
  }
  if (isGtk4) { // its combo box shows no items
    await api.post("key", { keys: "Escape" });
    await until(() => click('button "More" in "Controls"'), ({ via }) => via === "click");
    await until(() => api.list("Controls"), (all) => all.some(({ name }) => name === "Inside"));
  }
  const item = await api.post("element/click", {
    title: "Controls",
    name: isGtk4 ? "Inside" : "Norway",
    exact: true,
  });
  assertEquals(item.status, 200, item.error);
  await running.printing((text) => text.includes(isGtk4 ? "Inside" : "Norway"));
  await api.post("key", { keys: "Escape" }); // GTK 4 leaves the popover open
  await until(() => click(field), ({ error }) => !refused.test(error ?? ""));
  assertEquals(
    running.printed.replace("Tab=General\n", ""),
    isGtk4 ? "Inside=1\n" : "Newsletter=True\nCountry=Norway\n",
  );
}

/**
 * The buttons and fields that a witness prints, without GTK 4.8's widget class names and its duplicated
 * labels.
 * @param label The name for a field that has none of its own.
 */
function seenBy(printed: string, label: string): string[] {
  return printed.trim().split("\n").map((line) => line.split("\t"))
    .filter(([role]) => role in ROLES)
    .map(([role, name]) => [role, role === "text" && !name ? label : name])
    .map(([role, name]) =>
      `${ROLES[role]} ${/^Gtk[A-Z]\w*$/.test(name) ? "" : /^(.+) \1$/.exec(name)?.[1] ?? name}`
    );
}
