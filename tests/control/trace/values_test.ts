/** Values as a trace keeps them: no typed text, no key that types, no copied content. */

import { assert, assertEquals } from "@std/assert";
import type { AnyAction } from "../../../control/actions/action.ts";
import { ACTIONS } from "../../../control/actions/mod.ts";
import type { JsonSchema } from "../../../control/schema/schema.ts";
import {
  HIDDEN_TEXTS,
  isTyping,
  keptMessage,
  keptValues,
  KEY_FIELDS,
  OWN,
  SHOWN_TEXTS,
} from "../../../control/trace/calls.ts";

const PLAIN = { keepsTexts: false, isSensitive: false };

/** The names of fields that take any text, with those of groups and lists. */
function textFields(name: string, schema: JsonSchema): string[] {
  if (schema.type === "array") return textFields(name, schema.items as JsonSchema);
  if (schema.type === "string") return Array.isArray(schema.enum) ? [] : [name];
  return Object.entries(schema.properties ?? {}).flatMap(([name, one]) => textFields(name, one));
}

Deno.test("each text field of each action is named as one that is kept or one that is not", () => {
  const named = [...HIDDEN_TEXTS, ...KEY_FIELDS, ...SHOWN_TEXTS];
  const unnamed = Object.values<AnyAction>(ACTIONS).filter(({ name }) => !OWN.has(name)).flatMap((action) =>
    Object.entries(action.input as Record<string, { schema: JsonSchema }>).flatMap(([name, { schema }]) =>
      textFields(name, schema).filter((field) => !named.includes(field)).map((field) =>
        `${action.name}: ${field}`
      )
    )
  );
  assertEquals(unnamed.filter((field) => !/^loadRecording: /.test(field)), []);
});

Deno.test("texts are kept as their length", () => {
  const png = new Uint8Array(5);
  for (
    const [action, values, kept] of [
      [ACTIONS.type, { text: "geheim 😀" }, { text: "8 characters" }],
      [ACTIONS.setClipboard, { text: "x" }, { text: "1 character" }],
      [ACTIONS.setClipboard, { png }, { png: "5 bytes" }],
      [ACTIONS.setElementText, { name: "Password", text: "geheim" }, {
        name: "Password",
        text: "6 characters",
      }],
      [ACTIONS.press, { key: "g" }, { key: "1 character" }],
      [ACTIONS.press, { button: "left", x: 1, y: 2 }, { button: "left", x: 1, y: 2 }],
      [ACTIONS.key, { keys: "ctrl+s" }, { keys: "ctrl+s" }],
      [ACTIONS.key, { keys: "shift+a" }, { keys: "7 characters" }],
      [ACTIONS.click, { x: 1, y: 2, hold: ["ctrl"] }, { x: 1, y: 2, hold: ["ctrl"] }],
      [ACTIONS.wait, { pixel: { x: 1, y: 2, hex: 0x00ff01 } }, { pixel: { x: 1, y: 2, hex: "#00ff01" } }],
      [ACTIONS.activateWindow, { title: "‮live" }, { title: "\\u{202e}live" }],
      [ACTIONS.findText, { text: "Sign in" }, { text: "Sign in" }],
      [ACTIONS.wait, { text: { text: "Welcome" } }, { text: { text: "Welcome" } }],
      [ACTIONS.activateWindow, { unknown: "secret" }, { unknown: "6 characters" }],
    ] as [AnyAction, Record<string, unknown>, unknown][]
  ) assertEquals(keptValues(action, values, PLAIN).values, kept as Record<string, unknown>);
});

Deno.test("texts are kept where that is asked for, but never those that a caller calls secrets", () => {
  const keeps = { keepsTexts: true, isSensitive: false };
  assertEquals(keptValues(ACTIONS.type, { text: "abc" }, keeps).values, { text: "abc" });
  const secret = keptValues(ACTIONS.type, { text: "abc" }, { keepsTexts: true, isSensitive: true });
  assertEquals(secret.values, { text: "secret" });
  assertEquals(keptValues(ACTIONS.press, { key: "a" }, { ...keeps, isSensitive: true }).values, {
    key: "secret",
  });
});

Deno.test("keys that type are told from keys that command", () => {
  for (const keys of ["a", "A", "shift+a", "altgr+q", "space", "+", "exclam", "U20AC", "5"]) {
    assert(isTyping(keys), keys);
  }
  for (const keys of ["ctrl+a", "Return", "Tab", "f5", "alt+f4", "shift+Tab", "ctrl++", "super+l"]) {
    assert(!isTyping(keys), keys);
  }
});

Deno.test("messages quote nothing that is hidden", () => {
  const hidden = ["geheim"];
  assertEquals(
    keptMessage('text must be short, not "geheim"', hidden),
    "text must be short, not what was given",
  );
  assertEquals(keptMessage('there is no "geheim" here', hidden), 'there is no "…" here');
  assertEquals(
    keptMessage("text has U+0001 (g), which cannot be typed: why", hidden),
    "text has a character, which cannot be typed: why",
  );
  assertEquals(
    keptMessage('text must be a text, not "geh', [], true),
    "text must be a text, not what was given",
  );
  assertEquals(keptMessage("Missing button", [], true), "Missing button");
});
