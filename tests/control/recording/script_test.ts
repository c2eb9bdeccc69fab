/** Gestures, and the script that is made of them. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { newRecording, type RecordedEvent, type Recording } from "../../../control/recording/format.ts";
import { recordingScript } from "../../../control/recording/script.ts";
import { temporary } from "../../support/temporary.ts";

const at = { x: 10, y: 20 };
const press = (t: number, down: boolean, place = at, button = "left") => ({
  t,
  type: "button",
  button,
  down,
  ...place,
});
const key = (t: number, name: string, down: boolean) => ({ t, type: "key", key: name, down });
const typed = (t: number, ...names: string[]) =>
  names.flatMap((name, i) => [key(t + i * 50, name, true), key(t + i * 50 + 20, name, false)]);
const scroll = (t: number, direction = "up") => ({ t, type: "scroll", direction, amount: 1, ...at });
const move = (t: number, x: number, y: number) => ({ t, type: "move", x, y });

const CASES: [name: string, events: unknown[], lines: string[]][] = [
  ["a click", [move(0, 3, 3), move(10, 10, 20), press(20, true), press(90, false)], [
    'click {"x":10,"y":20,"button":"left"}',
  ]],
  ["a shaky click", [press(0, true), move(5, 11, 21), press(9, false, { x: 11, y: 21 })], [
    'click {"x":10,"y":20,"button":"left"}',
  ]],
  ["a double click", [press(0, true), press(40, false), press(140, true), press(180, false)], [
    'click {"x":10,"y":20,"button":"left","count":2}',
  ]],
  ["two slow clicks", [press(0, true), press(40, false), press(900, true), press(940, false)], [
    'click {"x":10,"y":20,"button":"left"}',
    "sleep 0.86",
    'click {"x":10,"y":20,"button":"left"}',
  ]],
  ["two buttons at once", [
    press(0, true),
    press(10, true, at, "right"),
    press(20, false),
    press(30, false, at, "right"),
  ], [
    'press {"button":"left"}',
    'press {"button":"right"}',
    'release {"button":"left"}',
    'release {"button":"right"}',
  ]],
  ["a drag", [press(0, true), move(50, 60, 60), press(90, false, { x: 99, y: 98 })], [
    'drag {"from":{"x":10,"y":20},"to":{"x":99,"y":98},"button":"left"}',
  ]],
  ["the wheel", [scroll(0), scroll(50), scroll(100), scroll(150, "down")], [
    'scroll {"direction":"up","amount":3,"x":10,"y":20}',
    "sleep 0.05",
    'scroll {"direction":"down","amount":1,"x":10,"y":20}',
  ]],
  ["the wheel at two places", [scroll(0), { ...scroll(50), x: 11 }], [
    'scroll {"direction":"up","amount":1,"x":10,"y":20}',
    "sleep 0.05",
    'scroll {"direction":"up","amount":1,"x":11,"y":20}',
  ]],
  ["the wheel after a rest", [scroll(0), scroll(350)], [
    'scroll {"direction":"up","amount":1,"x":10,"y":20}',
    "sleep 0.35",
    'scroll {"direction":"up","amount":1,"x":10,"y":20}',
  ]],
  ["four fast clicks", [0, 100, 200, 300].flatMap((t) => [press(t, true), press(t + 40, false)]), [
    'click {"x":10,"y":20,"button":"left","count":3}',
    "sleep 0.06",
    'click {"x":10,"y":20,"button":"left"}',
  ]],
  ["clicks of two buttons", [
    press(0, true),
    press(40, false),
    press(100, true, at, "right"),
    press(140, false, at, "right"),
  ], [
    'click {"x":10,"y":20,"button":"left"}',
    "sleep 0.06",
    'click {"x":10,"y":20,"button":"right"}',
  ]],
  ["text", typed(0, "h", "i", "space", "é", "漢"), ['type {"text":"hi é漢"}']],
  ["a capital", [
    key(0, "shift", true),
    key(10, "a", true),
    key(20, "a", false),
    key(30, "shift", false),
    ...typed(60, "b"),
  ], ['type {"text":"Ab"}']],
  ["a sign that needs Shift", [
    key(0, "shift", true),
    key(10, "1", true),
    key(20, "1", false),
    key(30, "shift", false),
  ], ['key {"keys":"shift+1"}']],
  ["fast typing", [key(0, "a", true), key(10, "b", true), key(20, "a", false), key(30, "b", false)], [
    'type {"text":"ab"}',
  ]],
  ["a combination", [
    key(0, "ctrl", true),
    key(10, "shift", true),
    key(20, "t", true),
    key(30, "t", false),
    key(40, "shift", false),
    key(50, "ctrl", false),
  ], ['key {"keys":"ctrl+shift+t"}']],
  ["enter", typed(0, "enter"), ['key {"keys":"enter"}']],
  [
    "plus with ctrl",
    [key(0, "ctrl", true), key(10, "+", true), key(20, "+", false), key(50, "ctrl", false)],
    ['key {"keys":"ctrl+plus"}'],
  ],
  ["a quote", typed(0, "'"), [`type {"text":"'\\''"}`]],
  ["a rest between", [...typed(0, "a"), ...typed(2000, "b")], [
    'type {"text":"a"}',
    "sleep 1.98",
    'type {"text":"b"}',
  ]],
  ["a move alone", [move(0, 1, 1), move(20, 5, 6), ...typed(400, "x")], [
    'move {"x":5,"y":6}',
    "sleep 0.38",
    'type {"text":"x"}',
  ]],
  ["a click with ctrl", [key(0, "ctrl", true), press(10, true), press(20, false), key(30, "ctrl", false)], [
    'press {"key":"ctrl"}',
    'click {"x":10,"y":20,"button":"left"}',
    'release {"key":"ctrl"}',
  ]],
  ["two keys in turn under ctrl", [
    key(0, "ctrl", true),
    ...typed(10, "k"),
    ...typed(60, "c"),
    key(100, "ctrl", false),
  ], [
    'press {"key":"ctrl"}',
    'key {"keys":"k"}',
    'key {"keys":"c"}',
    'release {"key":"ctrl"}',
  ]],
];

for (const [name, events, expected] of CASES) {
  Deno.test(`${name} is written as a person would`, () => {
    const script = recordingScript({
      ...newRecording({ x: 0, y: 0, width: 100, height: 100 }, new Date()),
      events: events as RecordedEvent[],
    });
    assertStringIncludes(script, "#!/bin/sh\n");
    const lines = script.split("\n").filter((line) => /^(curl|sleep) /.test(line));
    const short = lines.map((line) => line.replace(/^curl "\$@" "\$url\/api\/(\w+)" -d '(.*)'$/, "$1 $2"));
    assertEquals(
      short.map((line) => line.replace(/^sleep 0\.0\d$/, "")).filter(Boolean),
      expected.filter((line) => !/^sleep 0\.0\d$/.test(line)),
    );
  });
}

Deno.test({
  name: "a script asks the deskhand that it is told, with its token",
  ignore: Deno.build.os === "windows",
}, async () => {
  await temporary(async (folder) => {
    await Deno.writeTextFile(`${folder}/curl`, '#!/bin/sh\nprintf "%s\\n" "$@"\n', { mode: 0o755 });
    const recording = {
      ...newRecording({ x: 0, y: 0, width: 100, height: 100 }, new Date()),
      events: [move(0, 1, 2)],
    };
    await Deno.writeTextFile(`${folder}/r.sh`, recordingScript(recording as Recording));
    const asked = async (env: Record<string, string>) => {
      const { stdout } = await new Deno.Command("sh", {
        args: [`${folder}/r.sh`],
        clearEnv: true,
        env: { PATH: `${folder}:/usr/bin:/bin`, ...env },
      }).output();
      return new TextDecoder().decode(stdout).trim().split("\n");
    };
    const usual = ["-sSf", "-o", "/dev/null"], body = ["-d", '{"x":1,"y":2}'];
    assertEquals(await asked({}), [...usual, "http://127.0.0.1:4000/api/move", ...body]);
    assertEquals(await asked({ DESKHAND_URL: "http://other:1", DESKHAND_TOKEN: "a b" }), [
      ...usual,
      "-H",
      "Authorization: Bearer a b",
      "http://other:1/api/move",
      ...body,
    ]);
  });
});
