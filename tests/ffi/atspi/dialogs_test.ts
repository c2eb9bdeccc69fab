/** Dialogs that have another name on the accessibility bus than on the desktop, and steps that meet one. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ElementsStage, STAGE } from "../../support/elements.ts";
import { call, wordsOf } from "../../support/agent_tools.ts";
import { need } from "../../support/need.ts";
import { until } from "../../support/shell.ts";

Deno.test("a message dialog of GTK shows its elements, and stops steps that did not wait for it", {
  ignore: STAGE.ignore || need("mousepad").ignore,
}, async () => {
  await using stage = await ElementsStage.start();
  stage.start("mousepad");
  await stage.post("/api/wait", { window: { title: "Mousepad", active: true }, timeout_ms: 60_000 });
  const api = {
    request: (method: string, path: string, body?: unknown, init?: RequestInit) =>
      fetch(stage.url + path, { method, body: JSON.stringify(body), ...init }),
  };
  const actions = [
    { tool: "type", text: "a text" },
    { tool: "key", keys: "ctrl+q" },
    { tool: "wait", ms: 3000 },
    { tool: "type", text: "for the document" },
    { tool: "key", keys: "Return" },
  ];
  const answer = await call(api, "do", { actions, look: false });
  assertEquals(answer.isError, true);
  assertMatch(
    wordsOf(answer),
    /\n4\. not done: the window "Save Changes" became active, but no step waited for it; .*; 1 more not done\n/,
  );
  const elements = await until(() => stage.list("title=Save Changes"), (found) => found.length > 3);
  assertEquals(
    elements.filter(({ role }) => role === "button").map(({ name }) => name).sort(),
    ["Cancel", "Don't Save", "Save"],
  );
  const { error, via } = await stage.post("/api/element/click", {
    element: 'button "Cancel" in "Save Changes"',
  });
  assertEquals([error, via], [undefined, "click"]);
  const text = await until(() => stage.list("title=Mousepad&role=textbox"), (found) => found.length > 0);
  assertStringIncludes(text.at(-1)!.value ?? "", "a text");
});

Deno.test("a file dialog that shows an error has not saved, and the step says what it shows", {
  ignore: STAGE.ignore || need("mousepad").ignore,
}, async () => {
  await using stage = await ElementsStage.start();
  stage.start("mousepad");
  await stage.post("/api/wait", { window: { title: "Mousepad", active: true }, timeout_ms: 60_000 });
  const folder = await Deno.makeTempDir();
  stage.stack.defer(() => Deno.remove(folder, { recursive: true }));
  const save = (path: string) =>
    stage.post("/api/steps", { steps: [{ key: "ctrl+shift+s" }, { file: path }] });
  const refused = await save(`${folder}/none/a.txt`);
  assertEquals([refused.status, refused.ok, refused.done], [409, undefined, 1]);
  assertMatch(refused.error, /^2\. failed: the file dialog shows an error: .*No such file or directory$/);
  await stage.post("/api/steps", { steps: [{ key: "Escape" }, { key: "Escape" }], any_window: true });
  await stage.post("/api/wait", { window: { title: "Save As", gone: true } });
  const saved = await save(`${folder}/a.txt`);
  assertEquals([saved.error, saved.ok], [undefined, true]);
  await until(
    () => Array.from(Deno.readDirSync(folder), ({ name }) => name),
    (names) => names.includes("a.txt"),
  );
});
