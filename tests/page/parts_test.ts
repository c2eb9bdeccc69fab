/** The parts of the page and its live picture that need no browser. */

import { assertEquals, assertThrows } from "@std/assert";
import { inflateRawSync } from "node:zlib";
import { encodeTiles, parseViewerMessage } from "../../control/live/protocol.ts";
import { TiledScreen } from "../../control/live/tiles.ts";
import { canonicalKey } from "../../control/keys.ts";
// @ts-types="./keyboard.d.ts"
import { keyName } from "../../control/page/keyboard.js";

function frame(width: number, height: number, stride = width * 4) {
  return { width, height, stride, pixels: new Uint8Array(stride * height) };
}

Deno.test("only tiles that changed are listed, and the unused fourth byte does not count", () => {
  const screen = new TiledScreen({ x: 0, y: 0, width: 130, height: 70 });
  assertEquals([screen.columns, screen.rows, screen.count], [3, 2, 6]);
  const picture = frame(130, 70, 136 * 4);
  assertEquals(screen.update(picture), [0, 1, 2, 3, 4, 5]);
  assertEquals(screen.update(picture), []);
  picture.pixels[3] = 0xff;
  assertEquals(screen.update(picture), []);
  picture.pixels[69 * picture.stride + 129 * 4] = 7;
  assertEquals(screen.update(picture), [5]);
  assertEquals(screen.region(5), { x: 128, y: 64, width: 2, height: 6 });
  picture.pixels[64 * 4 + 2] = 9; // x 64, y 0: the second tile
  assertEquals(screen.update(picture), [1]);
});

Deno.test("a picture holds the tiles' places and their pixels", async () => {
  const screen = new TiledScreen({ x: 0, y: 0, width: 70, height: 65 });
  const picture = frame(70, 65);
  picture.pixels.set([3, 2, 1, 0], (64 * 70 + 65) * 4); // x 65, y 64: the first row of the last tile
  screen.update(picture);
  const message = await encodeTiles(screen, [1, 3]);
  const view = new DataView(message.buffer);
  assertEquals(view.getUint32(0, true), 2);
  const places = Array.from({ length: 8 }, (_, i) => view.getUint16(4 + i * 2, true));
  assertEquals(places, [64, 0, 6, 64, 64, 64, 6, 1]);
  const pixels = inflateRawSync(message.subarray(20));
  assertEquals(pixels.length, (6 * 64 + 6 * 1) * 4);
  assertEquals([...pixels.subarray(6 * 64 * 4 + 4, 6 * 64 * 4 + 8)], [1, 2, 3, 255]);
});

Deno.test("a viewer's messages are checked", () => {
  assertEquals(parseViewerMessage('{"type":"ack"}'), "ack");
  assertEquals(parseViewerMessage('{"type":"move","x":1,"y":2}'), { type: "move", x: 1, y: 2 });
  const wrong: [message: string, error: string][] = [
    ["", "must be JSON"],
    ["null", "type is unknown"],
    ['{"type":"constructor"}', "type is unknown"],
    ['{"type":"move","x":1}', "Missing y"],
    ['{"type":"move","x":1,"y":"2"}', "y must be a whole number"],
    ['{"type":"button","button":"x","down":true,"x":1,"y":1}', "button must be one of"],
    [
      '{"type":"scroll","direction":"up","amount":1001,"x":1,"y":1}',
      "amount must be a whole number from 1 to 1000",
    ],
    ['{"type":"text","text":""}', "text must be a text"],
    [JSON.stringify({ type: "text", text: "a".repeat(2 ** 20) }), "may have 1048576 characters"],
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
