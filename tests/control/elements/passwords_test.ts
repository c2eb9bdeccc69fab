/** Passwords: neither their text nor its length is in an answer, a log or a trace. */

import { assert, assertEquals } from "@std/assert";
import { ACTIONS } from "../../../control/actions/mod.ts";
import { callEntry } from "../../../control/trace/calls.ts";
import { controlApi } from "../../support/control.ts";
import { ElementsDesktop } from "../../support/elements.ts";
import { call } from "../../support/mcp.ts";

const place = { x: 10, y: 20, width: 30, height: 10 };
const field = (role: string) => ({
  ...{ key: "p", role, name: "Code", place, value: "geheim", states: ["focused"] as const },
});

Deno.test("a password stays one while its program shows the letters", async () => {
  const desktop = new ElementsDesktop([field("password")]), { request } = controlApi({ desktop });
  const list = async (query = "") => await (await request("GET", `/api/elements${query}`)).json();
  const { elements: [first] } = await list();
  desktop.made = [field("textbox")];
  const { elements: [shown] } = await list();
  assertEquals([first.role, shown.role, shown.ref, shown.value], ["password", "password", "e1", undefined]);
  for (const query of ["?format=text", "?visible=false", ""]) {
    const answer = await (await request("GET", `/api/elements${query}`)).text();
    assert(!answer.includes("geheim"), answer);
  }
  const set = await (await request("POST", "/api/element/set", { element: "e1", text: "neu" })).json();
  assertEquals([set.via, set.role, set.value], ["keys", "password", undefined]);
});

Deno.test("the log of agents has not even the length of a text for an element", async () => {
  const lines: string[] = [], desktop = new ElementsDesktop([field("password")]);
  const api = controlApi({ desktop, agents: { log: (line) => lines.push(line) } });
  await call(api, "elements");
  await call(api, "type", { element: "e1", text: "geheim" });
  await call(api, "do", { actions: [{ tool: "type", element: "e1", text: "geheim" }], look: false });
  const logged = lines.map((line) => JSON.parse(line).arguments);
  assertEquals(logged.slice(1), [
    { element: "e1", text: "secret" },
    { actions: [{ tool: "type", element: "e1", text: "secret" }], look: false },
  ]);
});

Deno.test("a trace that keeps texts keeps none for a password, nor where what was set is not known", () => {
  const entry = (result?: unknown) =>
    callEntry(
      {
        action: ACTIONS.setElementText,
        values: { name: "Code", text: "geheim" },
        ...{ caller: { by: "http" }, t: 0, ms: 1, result },
        ...(result ? {} : { error: new Error("it does not take the keyboard") }),
      },
      true,
      (text) => text,
    ).values.text;
  assertEquals([entry({ role: "password" }), entry(), entry({ role: "textbox" })], [
    "secret",
    "secret",
    "geheim",
  ]);
});
