/** The script that is made of a recording. */

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
import { temporary } from "../../support/temporary.ts";
import { GESTURES, key, move, press, typed } from "./gesture_cases.ts";

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
    // Each line is understood, and the pointer is where it was in the end.
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

/** The lines of a script as `endpoint body`. */
function callsOf(events: unknown[]): string[] {
  const recording = {
    ...newRecording({ x: 0, y: 0, width: 100, height: 100 }, new Date()),
    events: events as RecordedEvent[],
  };
  const calls = recordingScript(recording).matchAll(/^curl .*\/api\/(\w+)" -d '(.*)'$/gm);
  return Array.from(calls, ([, path, body]) => `${path} ${body}`);
}

Deno.test("gestures are recognised across the pieces of a long recording", () => {
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

Deno.test("a click on a noted element is one on that element, and the script ends if it fails", () => {
  const element = {
    ...{ role: "button", name: "It's", title: "Ask", nth: 2 },
    ...{ x: 0, y: 10, width: 30, height: 20 },
  };
  const events = [{ ...press(0, true), element }, press(40, false)] as RecordedEvent[];
  const recording = { ...newRecording({ x: 0, y: 0, width: 100, height: 100 }, new Date()), events };
  const lines = recordingScript(recording).trimEnd().split("\n").slice(-3);
  const which = `"role":"button","name":"It'\\''s","exact":true,"nth":2`;
  assertEquals(lines, [
    `curl "$@" "$url/api/wait" -d '{"element":{${which},"window":{"title":"Ask"}},"timeout_ms":1000}' &&`,
    `  curl "$@" "$url/api/element/click" -d '{${which},"title":"Ask","button":"left","count":1}' ||`,
    `  { echo 'button "It'\\''s" 2 in "Ask" was not clicked; it was at 10,20' >&2; exit 1; }`,
  ]);
  assertEquals(parseRecording(JSON.parse(JSON.stringify(recording))).events[0], events[0]);
});

Deno.test("a long text is split into parts that fit into a request", () => {
  const calls = callsOf(typed(0, ...Array(20_000).fill("a")));
  assertEquals(calls.map((call) => JSON.parse(call.slice("type ".length)).text.length), [8000, 8000, 4000]);
});

Deno.test("keys that are never released are not read again and again", () => {
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
