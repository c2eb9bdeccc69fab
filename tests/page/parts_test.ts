/** The parts of the page and its live view that need no browser. */

import { assertEquals, assertThrows } from "@std/assert";
import { parseViewerMessage } from "../../control/http/live/protocol.ts";
import { canonicalKey } from "../../control/desktop/keys.ts";
import { keyName } from "../../control/page/key_names.js";

Deno.test("a viewer's messages are validated", () => {
  assertEquals(parseViewerMessage('{"type":"ack"}'), { type: "ack" });
  assertEquals(parseViewerMessage('{"type":"move","x":1,"y":2}'), { type: "move", x: 1, y: 2 });
  const wrong: [message: string, error: string][] = [
    ["", "must be JSON"],
    ["null", "type must be one of "],
    ['{"type":"constructor"}', 'not "constructor"'],
    ['{"type":"move","x":1}', "Missing y"],
    ['{"type":"move","x":1,"y":"2"}', "y must be a whole number"],
    ['{"type":"button","button":"x","down":true,"x":1,"y":1}', "button must be one of"],
    [
      '{"type":"scroll","direction":"up","amount":1001,"x":1,"y":1}',
      "amount must be a whole number from 1 to 1000",
    ],
    ['{"type":"text","text":""}', "text must be a non-empty string"],
    [JSON.stringify({ type: "text", text: "a".repeat(2 ** 20) }), "may have at most 1048576 characters"],
  ];
  for (const [message, error] of wrong) {
    assertThrows(() => parseViewerMessage(message), Error, error, message.slice(0, 80));
  }
});

const KEYS: [key: string, code: string, name: string | undefined][] = [
  ["a", "KeyA", "a"],
  ["A", "KeyA", "A"],
  ["é", "Digit2", "é"],
  [" ", "Space", "space"],
  ["Enter", "Enter", "enter"],
  ["Enter", "NumpadEnter", "kpenter"],
  ["5", "Numpad5", "kp5"],
  ["ArrowUp", "ArrowUp", "arrowup"],
  ["PageDown", "PageDown", "pagedown"],
  [".", "NumpadDecimal", "kpdecimal"],
  [",", "NumpadDecimal", ","],
  ["Delete", "NumpadDecimal", "delete"],
  ["Home", "Numpad7", "home"],
  ["Clear", "Numpad5", "kpbegin"],
  ["Control", "ControlLeft", "ctrl"],
  ["Control", "ControlRight", "rightctrl"],
  ["AltGraph", "AltRight", "altgr"],
  ["Alt", "AltRight", "rightalt"],
  ["Compose", "AltRight", undefined],
  ["Meta", "MetaLeft", "super"],
  ["F12", "F12", "f12"],
  ["ContextMenu", "ContextMenu", "contextmenu"],
  ["AudioVolumeUp", "AudioVolumeUp", "audiovolumeup"],
  ["Backspace", "Backspace", "backspace"],
  ["Dead", "Quote", undefined],
  ["Process", "KeyA", undefined],
  ["Unidentified", "", undefined],
];

Deno.test("a browser's keys have names that the API knows", () => {
  for (const [key, code, name] of KEYS) {
    assertEquals(keyName({ key, code }), name, `${key} ${code}`);
    if (name !== undefined) assertEquals(canonicalKey(name) !== undefined, true, name);
  }
});
