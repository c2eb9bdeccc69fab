/** The script that is made from a recording. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  newRecording,
  parseRecording,
  type RecordedEvent,
  type Recording,
} from "../../../control/recording/format.ts";
import { scriptPieces } from "../../../control/recording/script.ts";
import { StoredRecording } from "../../../control/recording/stored.ts";
import { controlApi } from "../../support/control.ts";
import { temporary } from "../../support/shell.ts";

// A person's gestures as recorded events, and the equivalent script lines.

const at = { x: 10, y: 20 }, at2 = { x: 15, y: 30 }, corner = { x: 90, y: 90 };
/** A button goes down or up. */
const press = (t: number, down: boolean, place = at, button = "left") => ({
  t,
  type: "button",
  button,
  down,
  ...place,
});
/** A key goes down or up. */
const key = (t: number, name: string, down: boolean) => ({ t, type: "key", key: name, down });
/** Keys that are tapped one after the other, from a time on. */
const typed = (t: number, ...names: string[]) =>
  names.flatMap((name, i) => [key(t + i * 50, name, true), key(t + i * 50 + 20, name, false)]);
const scroll = (t: number, direction = "up") => ({ t, type: "scroll", direction, amount: 1, ...at });
/** The pointer moves. */
const move = (t: number, x: number, y: number) => ({ t, type: "move", x, y });

/** Each line is `endpoint body`, or a pause. */
const GESTURES: [name: string, events: unknown[], lines: string[]][] = [
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
    "sleep 0.90",
    'click {"x":10,"y":20,"button":"left"}',
  ]],
  ["two buttons together", [
    press(0, true),
    press(10, true, at, "right"),
    press(20, false),
    press(30, false, at, "right"),
  ], [
    'move {"x":10,"y":20}',
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
    "sleep 0.15",
    'scroll {"direction":"down","amount":1,"x":10,"y":20}',
  ]],
  ["the wheel at two positions", [scroll(0), { ...scroll(50), x: 11 }], [
    'scroll {"direction":"up","amount":1,"x":10,"y":20}',
    "sleep 0.05",
    'scroll {"direction":"up","amount":1,"x":11,"y":20}',
  ]],
  ["the wheel after a pause", [scroll(0), scroll(350)], [
    'scroll {"direction":"up","amount":1,"x":10,"y":20}',
    "sleep 0.35",
    'scroll {"direction":"up","amount":1,"x":10,"y":20}',
  ]],
  ["four fast clicks", [0, 100, 200, 300].flatMap((t) => [press(t, true), press(t + 40, false)]), [
    'click {"x":10,"y":20,"button":"left","count":3}',
    "sleep 0.30",
    'click {"x":10,"y":20,"button":"left"}',
  ]],
  ["clicks of two buttons", [
    press(0, true),
    press(40, false),
    press(100, true, at, "right"),
    press(140, false, at, "right"),
  ], [
    'click {"x":10,"y":20,"button":"left"}',
    "sleep 0.10",
    'click {"x":10,"y":20,"button":"right"}',
  ]],
  ["text", typed(0, "h", "i", "space", "é", "漢"), ['type {"text":"hi é漢"}']],
  ["an uppercase letter", [
    key(0, "shift", true),
    key(10, "a", true),
    key(20, "a", false),
    key(30, "shift", false),
    ...typed(60, "b"),
  ], ['type {"text":"Ab"}']],
  ["a character that needs Shift", [
    ...typed(0, "a"),
    key(60, "shift", true),
    { ...key(70, "1", true), text: "!" },
    key(80, "1", false),
    key(90, "shift", false),
    ...typed(120, "b"),
  ], ['type {"text":"a!b"}']],
  ["a character that needs Shift, in a recording without its text", [
    key(0, "shift", true),
    key(10, "1", true),
    key(20, "1", false),
    key(30, "shift", false),
  ], ['key {"keys":"shift+1"}']],
  ["a character that needs AltGr", [
    key(0, "altgr", true),
    { ...key(10, "q", true), text: "@" },
    key(20, "q", false),
    key(30, "altgr", false),
  ], ['type {"text":"@"}']],
  ["words with Shift held", [
    key(0, "shift", true),
    ...typed(10, "h", "i"),
    { ...key(110, "space", true), text: " " },
    key(130, "space", false),
    ...typed(300, "a"),
    { ...key(700, "1", true), text: "!" },
    key(730, "1", false),
    key(740, "shift", false),
    ...typed(800, "space", "o", "k"),
  ], ['type {"text":"HI A! ok"}']],
  ["an uppercase letter that overlaps the next letter", [
    key(0, "shift", true),
    key(10, "a", true),
    key(20, "shift", false),
    key(30, "b", true),
    key(40, "a", false),
    key(50, "b", false),
  ], ['type {"text":"Ab"}']],
  ["a numeric keypad digit", [{ ...key(0, "kp1", true), text: "1" }, key(20, "kp1", false)], [
    'type {"text":"1"}',
  ]],
  ["text around a combination", [
    ...typed(0, "a"),
    key(60, "ctrl", true),
    key(70, "c", true),
    key(80, "c", false),
    key(90, "ctrl", false),
    ...typed(100, "b"),
  ], ['type {"text":"a"}', "sleep 0.06", 'key {"keys":"ctrl+c"}', 'type {"text":"b"}']],
  ["Shift alone", [key(0, "shift", true), key(30, "shift", false)], ['key {"keys":"shift"}']],
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
  ["a pause between", [...typed(0, "a"), ...typed(2000, "b")], [
    'type {"text":"a"}',
    "sleep 2.00",
    'type {"text":"b"}',
  ]],
  ["only a move", [move(0, 1, 1), move(20, 5, 6), ...typed(400, "x")], [
    'move {"x":5,"y":6}',
    "sleep 0.38",
    'type {"text":"x"}',
  ]],
  ["a click with ctrl", [key(0, "ctrl", true), press(10, true), press(20, false), key(30, "ctrl", false)], [
    'press {"key":"ctrl"}',
    'click {"x":10,"y":20,"button":"left"}',
    'release {"key":"ctrl"}',
  ]],
  ["a shaky double click", [
    press(0, true),
    press(40, false),
    move(90, 11, 20),
    press(140, true, { x: 11, y: 20 }),
    press(180, false, { x: 11, y: 20 }),
  ], ['click {"x":10,"y":20,"button":"left","count":2}']],
  ["a pause on the way", [
    move(0, 5, 5),
    move(20, 10, 20),
    move(1000, 15, 30),
    press(1020, true, at2),
    press(1060, false, at2),
  ], [
    'move {"x":10,"y":20}',
    "sleep 1.00",
    'click {"x":15,"y":30,"button":"left"}',
  ]],
  ["a long press", [press(0, true), press(3000, false)], [
    'move {"x":10,"y":20}',
    'press {"button":"left"}',
    "sleep 3.00",
    'release {"button":"left"}',
  ]],
  ["a drag out and back", [
    press(0, true),
    move(100, 80, 20),
    move(200, 10, 20),
    press(300, false),
  ], [
    'move {"x":10,"y":20}',
    'press {"button":"left"}',
    "sleep 0.10",
    'move {"x":80,"y":20}',
    "sleep 0.10",
    'move {"x":10,"y":20}',
    "sleep 0.10",
    'release {"button":"left"}',
  ]],
  ["a drag around a corner", [press(0, true), move(10, 90, 20), move(20, 90, 90), press(30, false, corner)], [
    'move {"x":10,"y":20}',
    'press {"button":"left"}',
    'move {"x":90,"y":20}',
    'move {"x":90,"y":90}',
    'release {"button":"left"}',
  ]],
  ["a drag that waits before the release", [press(0, true), move(90, 90, 90), press(900, false, corner)], [
    'move {"x":10,"y":20}',
    'press {"button":"left"}',
    "sleep 0.09",
    'move {"x":90,"y":90}',
    "sleep 0.81",
    'release {"button":"left"}',
  ]],
  ["a held key", [key(0, "a", true), key(1500, "a", false)], [
    'press {"key":"a"}',
    "sleep 1.50",
    'release {"key":"a"}',
  ]],
  ["motion while a key is down", [
    key(0, "shift", true),
    move(10, 50, 50),
    move(20, 60, 60),
    key(30, "shift", false),
  ], [
    'press {"key":"shift"}',
    'move {"x":50,"y":50}',
    'move {"x":60,"y":60}',
    'release {"key":"shift"}',
  ]],
  ["a key tapped twice while another is held", [
    key(0, "ctrl", true),
    key(10, "shift", true),
    key(20, "shift", false),
    key(30, "shift", true),
    key(40, "t", true),
    key(50, "t", false),
    key(60, "shift", false),
    key(70, "ctrl", false),
  ], [
    'press {"key":"ctrl"}',
    'key {"keys":"shift"}',
    'key {"keys":"shift+t"}',
    'release {"key":"ctrl"}',
  ]],
  ["a key pressed again while it is down", [
    key(0, "f5", true),
    key(10, "f5", true),
    key(20, "f5", false),
  ], [
    'press {"key":"f5"}',
    'press {"key":"f5"}',
    'release {"key":"f5"}',
  ]],
  ["an uppercase letter in a loaded recording", [
    key(0, "ctrl", true),
    key(10, "A", true),
    key(20, "A", false),
    key(30, "ctrl", false),
  ], [
    'press {"key":"ctrl"}',
    'key {"keys":"A"}',
    'release {"key":"ctrl"}',
  ]],
  ["two keys in turn with ctrl held", [
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

const recordingScript = (recording: Recording) => [...scriptPieces(StoredRecording.of(recording))].join("");

for (const [name, events, expected] of GESTURES) {
  Deno.test(`${name} becomes the lines that a person would write`, async () => {
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
    // Each line is understood, and the pointer ends where it was.
    const { request, operator } = controlApi();
    for (const [, path, body] of script.matchAll(/^curl .*\/api\/(\w+)" -d '(.*)'$/gm)) {
      assertEquals((await request("POST", `/api/${path}`, body.replaceAll(`'\\''`, "'"))).status, 200, body);
    }
    assertEquals(operator.held(), []);
    const place = events.findLast((event) => "x" in (event as object)) as
      | { x: number; y: number }
      | undefined;
    if (!place) return;
    const { x, y } = await operator.position();
    assert(Math.hypot(x - place.x, y - place.y) <= 3, `at ${x},${y}`);
  });
}

/** A script's lines as `endpoint body`. */
function callsOf(events: unknown[]): string[] {
  const recording = {
    ...newRecording({ x: 0, y: 0, width: 100, height: 100 }, new Date()),
    events: events as RecordedEvent[],
  };
  const calls = recordingScript(recording).matchAll(/^curl .*\/api\/(\w+)" -d '(.*)'$/gm);
  return Array.from(calls, ([, path, body]) => `${path} ${body}`);
}

Deno.test("gestures are recognized across the pieces of a long recording", () => {
  const double = (t: number) => [
    press(t, true),
    press(t + 40, false),
    move(t + 90, 11, 20),
    press(t + 140, true, { x: 11, y: 20 }),
    press(t + 180, false, { x: 11, y: 20 }),
  ];
  const events = [...typed(0, "a"), ...Array.from({ length: 4000 }, (_, i) => double(2000 * (i + 1))).flat()];
  assertEquals(callsOf(events), [
    'type {"text":"a"}',
    ...Array(4000).fill('click {"x":10,"y":20,"button":"left","count":2}'),
  ]);
});

Deno.test("a click on a recorded element becomes one on that element, and the script ends if it fails", () => {
  const element = {
    ...{ role: "button", name: "It's", title: "Ask", nth: 2 },
    ...{ x: 0, y: 10, width: 30, height: 20 },
  };
  const events = [{ ...press(0, true), element }, press(40, false)] as RecordedEvent[];
  const recording = { ...newRecording({ x: 0, y: 0, width: 100, height: 100 }, new Date()), events };
  const lines = recordingScript(recording).trimEnd().split("\n").slice(-3);
  const which = `"role":"button","name":"It'\\''s","exact":true,"nth":2`;
  assertEquals(lines, [
    `curl "$@" "$url/api/wait" -d '{"element":{${which},"window":{"title":"Ask"}},"timeout_ms":1000}' 2>/dev/null || true`,
    `told "$url/api/element/click" -d '{${which},"title":"Ask","button":"left","count":1,"heal":true}' ||`,
    `  { echo 'button "It'\\''s" 2 in "Ask" was not clicked; it was at 10,20' >&2; exit 1; }`,
  ]);
  assertEquals(parseRecording(JSON.parse(JSON.stringify(recording))).events[0], events[0]);
});

Deno.test("a click on no element is one on its text, on an area's text, or else at its position", () => {
  const text = { text: "New game", title: "Chess", nth: 2 }, place = 'click {"x":10,"y":20,"button":"left"}';
  const area = { role: "canvas", name: "Board", title: "Chess", x: 0, y: 0, width: 90, height: 90 };
  const click = {
    ...{ text: "New game", window: { title: "Chess" }, nth: 2, source: "screen", click: "left", count: 1 },
    ...{ timeout_ms: 5000, heal: true },
  };
  const byText = [
    `told "$url/api/find" -d '${JSON.stringify(click)}' ||`,
    `  { echo 'the text "New game" was not clicked; it was at 10,20' >&2; exit 1; }`,
  ];
  for (const [on, lines] of [[{ text }, byText], [{ text, element: area }, byText]] as const) {
    const events = [{ ...press(0, true), ...on }, press(40, false)] as RecordedEvent[];
    const recording = { ...newRecording({ x: 0, y: 0, width: 100, height: 100 }, new Date()), events };
    assertEquals(recordingScript(recording).trimEnd().split("\n").slice(-2), lines);
    assertEquals(parseRecording(JSON.parse(JSON.stringify(recording))).events[0], events[0]);
  }
  assertEquals(callsOf([{ ...press(0, true), element: area }, press(40, false)]), [place]);
});

Deno.test("a long text is split into parts that fit into a request", () => {
  const calls = callsOf(typed(0, ...Array(20_000).fill("a")));
  assertEquals(calls.map((call) => JSON.parse(call.slice("type ".length)).text.length), [8000, 8000, 4000]);
});

Deno.test("keys that are never released are not read repeatedly", () => {
  const down = Array.from({ length: 3000 }, (_, i) => key(0, String.fromCodePoint(0x4e00 + i), true));
  let reads = 0;
  const counted = new Proxy(down, {
    get(target, index) {
      reads++;
      return Reflect.get(target, index);
    },
  });
  assertEquals(callsOf(counted).length, down.length);
  assert(reads < 100 * down.length, `${reads} reads of ${down.length} events`);
});

Deno.test({
  name: "a script calls $DESKHAND_URL with $DESKHAND_TOKEN",
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
