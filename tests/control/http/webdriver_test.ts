/** WebDriver's tables: capabilities, command lines, locators, keys, actions, source, commands. */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { capabilitiesOf } from "../../../control/http/webdriver/capabilities.ts";
import { commandAt } from "../../../control/http/webdriver/commands.ts";
import { filterOfCss, xpathOfCss } from "../../../control/http/webdriver/css.ts";
import { codeOf, type STATUS, WebDriverError } from "../../../control/http/webdriver/errors.ts";
import { ELEMENT_KEY, keyOf, ticksOf, typingSteps } from "../../../control/http/webdriver/input_actions.ts";
import { locatorOf } from "../../../control/http/webdriver/locators.ts";
import type { XPathCall, XPathRow } from "../../../control/http/webdriver/xpath_worker.ts";
import { wordsOf } from "../../../control/http/webdriver/program.ts";
import { attributeOf, sourceOf } from "../../../control/http/webdriver/source.ts";
import { WebDriver } from "../../../control/http/webdriver/webdriver.ts";
import { CallWorker } from "../../../core/worker.ts";
import { Operator } from "../../../control/operator/operator.ts";
import { VirtualDesktop } from "../../../ffi/virtual/mod.ts";
import { PEER, runnerOf } from "../../support/control.ts";
import { canonicalKey } from "../../../control/desktop/keys.ts";
import type { ProgramElement } from "../../../control/desktop/desktop.ts";
import {
  ExpectedError,
  InputError,
  NotFoundError,
  StateError,
  TimeLimitError,
} from "../../../core/errors.ts";

/** The code in an error's answer. */
function codeThrown(run: () => unknown): string {
  return codeOf(assertThrows(run, ExpectedError));
}

const GOOD: [body: Record<string, unknown>, expected: Record<string, unknown>][] = [
  [{ capabilities: {} }, {}],
  [{ capabilities: { alwaysMatch: {}, firstMatch: [{}] } }, {}],
  [{ capabilities: { alwaysMatch: { "appium:app": "kcalc" } } }, { app: "kcalc" }],
  [{ capabilities: { alwaysMatch: { "appium:app": 7 } } }, { app: "7" }],
  [{ capabilities: { alwaysMatch: { "appium:app": "7 zip" } } }, { app: "7 zip" }],
  [{ capabilities: { alwaysMatch: { app: "kcalc", platformName: "Linux" } } }, {
    app: "kcalc",
    platformName: "Linux",
  }],
  [{ desiredCapabilities: { app: "Root", deviceName: "any" } }, { app: "Root", deviceName: "any" }],
  [{ capabilities: { firstMatch: [{ platformName: "mac" }, { "appium:app": "x" }] } }, { app: "x" }],
  [{ capabilities: { alwaysMatch: { "appium:options": { app: "x", newCommandTimeout: 5 } } } }, {
    app: "x",
    newCommandTimeout: 5,
  }],
  [{ capabilities: { alwaysMatch: { "appium:app": null, "goog:chromeOptions": { a: 1 } } } }, {
    "goog:chromeOptions": { a: 1 },
  }],
  [{ capabilities: { alwaysMatch: { timeouts: { implicit: 5 } } } }, { timeouts: { implicit: 5 } }],
  // web-platform-tests demand that every vendor's extension fits (new_session/support/create.py).
  [{ capabilities: { alwaysMatch: { "test:extension": [] }, firstMatch: [{ "se:name": "a" }] } }, {
    "test:extension": [],
    "se:name": "a",
  }],
  [{ capabilities: { alwaysMatch: { "appium:options": { noReset: true, "appium:app": "x" } } } }, {
    noReset: true,
    app: "x",
  }],
  [{ capabilities: { alwaysMatch: { "appium:platformName": "Linux" } } }, { platformName: "Linux" }],
  [{ capabilities: { firstMatch: [{ "appium:bundleId": "x" }, { "appium:app": "y" }] } }, { app: "y" }],
];

const BAD: [body: Record<string, unknown>, code: string][] = [
  [{}, "invalid argument"],
  [{ capabilities: [] }, "invalid argument"],
  [{ capabilities: { alwaysMatch: 5 } }, "invalid argument"],
  [{ capabilities: { firstMatch: [] } }, "invalid argument"],
  [{ capabilities: { firstMatch: {} } }, "invalid argument"],
  [{ capabilities: { firstMatch: [5] } }, "invalid argument"],
  [{ capabilities: { alwaysMatch: { app: "x" }, firstMatch: [{ app: "x" }] } }, "invalid argument"],
  [{ capabilities: { alwaysMatch: { banana: 5 } } }, "invalid argument"],
  [{ capabilities: { alwaysMatch: { platformName: 5 } } }, "invalid argument"],
  [{ capabilities: { alwaysMatch: { acceptInsecureCerts: "yes" } } }, "invalid argument"],
  [{ capabilities: { alwaysMatch: { "appium:appArguments": 5 } } }, "invalid argument"],
  ...["0", 0, "00", -1, "-1", 0.5, "4294967296", true, [5]].map((app): [Record<string, unknown>, string] => [
    { capabilities: { alwaysMatch: { "appium:app": app } } },
    "invalid argument",
  ]),
  [{ capabilities: { alwaysMatch: { "appium:environ": "A=b" } } }, "invalid argument"],
  [{ capabilities: { alwaysMatch: { "appium:newCommandTimeout": -1 } } }, "invalid argument"],
  [{ capabilities: { alwaysMatch: { "appium:options": 5 } } }, "invalid argument"],
  [{ capabilities: { alwaysMatch: { "appium:platformName": 5 } } }, "invalid argument"],
  [{ capabilities: { alwaysMatch: { platformName: "mac" } } }, "session not created"],
  [{ capabilities: { alwaysMatch: { "appium:bundleId": "x" } } }, "session not created"],
  [{ capabilities: { alwaysMatch: { "appium:options": { prerun: {} } } } }, "session not created"],
  [{ capabilities: { alwaysMatch: { "deskhand:app": "x" } } }, "session not created"],
];

Deno.test("capabilities are merged by the standard, and those of older clients are accepted", () => {
  for (const [body, expected] of GOOD) assertEquals(capabilitiesOf(body), expected, JSON.stringify(body));
  for (const [body, code] of BAD) {
    assertEquals(codeThrown(() => capabilitiesOf(body)), code, JSON.stringify(body));
  }
  assertThrows(
    () => capabilitiesOf({ capabilities: { alwaysMatch: { "appium:app": "0" } } }),
    InputError,
    'the capability appium:app must be a program, Root, or a process number from 1, not "0"',
  );
  const misspelt = { "appium:newCommandTimout": 5, platformName: "linux" };
  assertThrows(
    () => capabilitiesOf({ capabilities: { alwaysMatch: misspelt } }),
    WebDriverError,
    "the capability appium:newCommandTimout is unknown; did you mean appium:newCommandTimeout?",
  );
});

Deno.test("a command line is split as in a shell, and nothing is expanded", () => {
  const cases: [line: string, words: string[]][] = [
    ["kcalc", ["kcalc"]],
    ["  a  b ", ["a", "b"]],
    [`gedit "my file" 'b c'`, ["gedit", "my file", "b c"]],
    [`a\\ b "say \\"hi\\""`, ["a b", 'say "hi"']],
    [`--x="1 2"y`, ["--x=1 2y"]],
    ["$HOME `id` $(id) ; rm", ["$HOME", "`id`", "$(id)", ";", "rm"]],
    [`''`, [""]],
  ];
  for (const [line, words] of cases) assertEquals(wordsOf(line), words, line);
  assertEquals(wordsOf(`/p "C:\\my files\\" D:\\it's`, true), ["/p", "C:\\my files\\", "D:\\it's"]);
  for (const line of ["gedit 'a", 'gedit "a b', "gedit a\\"]) {
    assertEquals(codeThrown(() => wordsOf(line)), "invalid argument", line);
  }
});

Deno.test("the selectors that clients make of names and ids become one test, and other CSS becomes XPath", () => {
  assertEquals(filterOfCss('[name="Seven"]'), { using: "name", value: "Seven" });
  assertEquals(filterOfCss('*[name="All\\ clear"]'), { using: "name", value: "All clear" });
  assertEquals(filterOfCss('[id="QApplication.MainWindow#1.pb7"]'), {
    using: "id",
    value: "QApplication.MainWindow#1.pb7",
  });
  assertEquals(filterOfCss("#\\37 a"), { using: "id", value: "7a" });
  assertEquals(filterOfCss("button"), undefined);
  for (const css of [".[button | OK]", ".\\[button\\ \\|\\ OK\\]", ".\\[button.\\|.OK\\]"]) {
    assertEquals(filterOfCss(css), { using: "class name", value: "[button | OK]" }, css);
  }
  assertEquals(filterOfCss(".\\#32770"), { using: "class name", value: "#32770" });
  const cases: [css: string, xpath: string][] = [
    ["button", ".//button"],
    ["*", ".//*"],
    ["push_button", ".//button"],
    ["dialog > button", ".//dialog/button"],
    ["frame  button", ".//frame//button"],
    ["frame .push_button", ".//frame//*[name() = 'button' or @ClassName = 'push_button']"],
    ["button, [name=a]", ".//button | .//*[@name = 'a']"],
    ["panel > label:nth-child(2)", ".//panel/label[count(preceding-sibling::*) = 1]"],
    ["label:first-child:last-child", ".//label[not(preceding-sibling::*)][not(following-sibling::*)]"],
    ["[name^='']", ".//*[false()]"],
    ["button[name]", ".//button[@name]"],
    [`button[name="a'b"]`, `.//button[@name = "a'b"]`],
    [`[name="a'b\\"c"]`, `.//*[@name = concat('a',"'",'b"c')]`],
    ["[states*=focused]", ".//*[contains(@states, 'focused')]"],
    ["[name^='Sa']", ".//*[starts-with(@name, 'Sa')]"],
    ["[name$=ve]", ".//*[substring(@name, string-length(@name) - 1) = 've']"],
  ];
  for (const [css, xpath] of cases) assertEquals(xpathOfCss(css), xpath, css);
  for (
    const css of [
      "",
      ">",
      "a > > b",
      "a,",
      "a+b",
      "a:nth-child(2n)",
      "[a=b i]",
      "a~b",
      "a:hover",
      "[",
      "[a=",
      "a b >",
    ]
  ) {
    assertEquals(codeThrown(() => xpathOfCss(css)), "invalid selector", css);
  }
});

/** A small tree: a program, its window, two buttons and a label in a panel. */
function tree(): ProgramElement[] {
  const rows: [
    parent: number,
    tag: string,
    name: string,
    states: string[],
    more?: Partial<ProgramElement>,
  ][] = [
    [-1, "application", "form", []],
    [0, "frame", "Form", ["active", "showing", "visible"]],
    [1, "button", "Save", ["enabled", "showing", "visible"], {
      id: "QApplication.Form.save",
      description: "Stores",
    }],
    [1, "panel", "", ["visible"]],
    [3, "button", "Save", ["focusable"]],
    [3, "label", `<&"\n\u0001\ud800`, ["showing", "visible"]],
  ];
  return rows.map(([parent, tag, name, states, more], at) => ({
    ...{ key: `:1.1 /${at}`, parent, tag, role: tag, name, description: "", id: "", className: "", states },
    isShown: states.includes("showing"),
    isEnabled: states.includes("enabled"),
    ...more,
  }));
}

Deno.test("locators find what suites mean, in document order, and below an element", async () => {
  const cases: [using: string, value: string, found: number[], start?: number][] = [
    ["name", "Save", [2]],
    ["name", "save", []],
    ["accessibility id", "save", [2]],
    ["accessibility id", "Form", [1]],
    ["id", "Form.save", [2]],
    ["description", "Stores", [2]],
    ["tag name", "push button", [2]],
    ["class name", "[push button | Save]", [2]],
    ["class name", "[button | Load]", []],
    ["link text", "Form", [1]],
    ["partial link text", "or", [1]],
    ["css selector", "frame button", [2, 4]],
    ["css selector", '[name="Save"]', [2]],
    ["css selector", ".[push button | Save]", [2]],
    ["css selector", "label, frame", [1, 5]],
    ["css selector", "panel > :nth-child(2)", [5]],
    ["css selector", "frame .button", [2, 4]],
    ["xpath", "//push_button[@name='Save']", [2, 4]],
    ["xpath", "//*[contains(@states, 'focusable')]", [4]],
    ["xpath", "/application/frame/*", [2, 3]],
    ["xpath", "(//button)[2]", [4]],
    ["xpath", "//button[@AutomationId='QApplication.Form.save']", [2]],
    ["xpath", "//label | //frame", [1, 5]],
    ["xpath", ".//button", [4], 3],
    ["xpath", "..", [1], 3],
    ["xpath", "./button", [4], 3],
    ["name", "Save", [], 3],
    ["tag name", "*", [5], 3],
  ];
  const elements = tree();
  for (const [using, value, found, start = -1] of cases) {
    const locator = await locatorOf(using, value), all = await locator.find(elements, start);
    assertEquals(all.map((one) => elements.indexOf(one)), found, `${using} ${value}`);
  }
  for (
    const [using, value] of [["banana", "x"], ["xpath", "//*["], ["xpath", "count(//*)"], ["xpath", "//a:b"]]
  ) {
    const find = async () => (await locatorOf(using, value)).find(elements, -1);
    assertEquals((await assertRejects(find, WebDriverError)).code, "invalid selector", value);
  }
  assertEquals((await assertRejects(() => locatorOf("name", 5), WebDriverError)).code, "invalid argument");
});

Deno.test("an XPath that takes too long ends as a timeout, and the next one is answered", async () => {
  const many = Array.from(
    { length: 3000 },
    (_, at): ProgramElement => ({ ...tree()[1], parent: at ? 0 : -1 }),
  );
  const slow = await locatorOf("xpath", "/descendant::*/following::*/preceding::*");
  const find = async () => await slow.find(many, -1);
  assertEquals((await assertRejects(find, WebDriverError)).code, "timeout");
  assertEquals((await (await locatorOf("xpath", "/frame")).find(many, -1)).length, 1);
});

Deno.test("only an expression's own time counts, however long ago the one before it ended", async () => {
  const url = new URL("../../../control/http/webdriver/xpath_worker.ts", import.meta.url);
  const worker = new CallWorker<XPathCall, number[]>({ url, idleMs: 60_000 });
  const call = { expression: "/*", rows: [[-1, "frame"] as XPathRow], names: [], start: -1, limitMs: -1 };
  const messages = new Set<string>();
  for (let i = 0; i < 5000; i++) { // the clock is looked at every 4096 steps
    messages.add(await worker.call(call).then(() => "", (error) => error.message));
  }
  worker.close();
  assertEquals([...messages].filter(Boolean), ["it took more than -0.001 s; try again later"]);
});

Deno.test("the source is valid XML, whatever names contain", () => {
  const source = sourceOf(tree());
  assert(source.startsWith('<?xml version="1.0" encoding="UTF-8"?><application name="form"'), source);
  assert(source.includes('name="&lt;&amp;&quot;&#10;\ufffd\ufffd"'), source);
  assertEquals(source.match(/<button /g)?.length, 2);
  assert(source.endsWith("</panel></frame></application>"), source);
  assert(sourceOf([]).includes("<desktop_frame></desktop_frame>"));
  assert(sourceOf([...tree().slice(0, 1), ...tree().slice(0, 1)]).includes("<desktop_frame><application"));
});

Deno.test("attributes have the names of both systems, and states are true or false", () => {
  const details = {
    ...tree()[2],
    text: "abc",
    value: 5,
    windowId: "0x1",
    place: { x: 1, y: 2, width: 3, height: 4 },
  };
  const cases: [name: string, value: string | null][] = [
    ["name", "Save"],
    ["Name", "Save"],
    ["AutomationId", "QApplication.Form.save"],
    ["accessibility-id", "QApplication.Form.save"],
    ["description", "Stores"],
    ["HelpText", "Stores"],
    ["states", "enabled, showing, visible"],
    ["text", "abc"],
    ["value", "5"],
    ["enabled", "true"],
    ["IsEnabled", "true"],
    ["IsOffscreen", "false"],
    ["displayed", "true"],
    ["checked", "false"],
    ["multi-line", "false"],
    ["Toggle.ToggleState", "0"],
    ["NativeWindowHandle", "0x1"],
    ["width", "3"],
    ["banana", null],
    ["", null],
    ["constructor", null],
  ];
  for (const [name, value] of cases) assertEquals(attributeOf(details, name), value, name);
});

Deno.test("every WebDriver key is a deskhand key, and modifiers stay down until repeated", () => {
  for (let code = 0xe001; code <= 0xe05d; code++) {
    const key = keyOf(String.fromCodePoint(code));
    if (key !== undefined) assertEquals(canonicalKey(key), key, code.toString(16));
  }
  assertEquals(["\ue009", "\ue007", "A", "\n", " "].map(keyOf), ["ctrl", "enter", "A", "enter", "space"]);
  const names = (text: string) =>
    typingSteps(text).map((step) => "text" in step ? step.text : `${step.type} ${step.key}`);
  assertEquals(names("ab"), ["ab"]);
  assertEquals(names("a\ue009b\ue009c"), ["a", "press ctrl", "key b", "release ctrl", "c"]);
  assertEquals(names("\ue008\ue00ax\ue000y"), [
    "press shift",
    "press alt",
    "key x",
    "release alt",
    "release shift",
    "y",
  ]);
  assertEquals(names("\ue008x"), ["press shift", "key x", "release shift"]);
  assertEquals(names("é😀\ue004"), ["é😀", "key tab"]);
});

const key = (actions: unknown) => [{ type: "key", id: "k", actions }];
const pointer = (
  actions: unknown,
  parameters?: unknown,
) => [{ type: "pointer", id: "p", parameters, actions }];
const wheel = (actions: unknown) => [{ type: "wheel", id: "w", actions }];
const MOVE = { type: "pointerMove", x: 1, y: 2 },
  SCROLL = { type: "scroll", x: 1, y: 2, deltaX: 0, deltaY: 120 };

const DOWN = { type: "pointerDown", button: 0 },
  UP = { type: "pointerUp", button: 0 },
  PAUSE = { type: "pause" };
const fingers = (...all: unknown[]) =>
  all.flatMap((actions, id) =>
    pointer(actions, { pointerType: "touch" }).map((one) => ({ ...one, id: `${id}` }))
  );

Deno.test("actions are validated before the first one is executed", () => {
  const good: unknown[] = [
    [],
    key([{ type: "keyDown", value: "a" }, { type: "keyUp", value: "\ue008" }, {
      type: "pause",
      duration: 5,
    }]),
    key([{ type: "keyDown", value: "👍🏽" }]),
    pointer([MOVE, { type: "pointerDown", button: 0 }, { type: "pointerUp", button: 2 }], {
      pointerType: "touch",
    }),
    pointer([{ ...MOVE, origin: "pointer", duration: 0, x: 1.5 }, {
      ...MOVE,
      origin: { [ELEMENT_KEY]: "e1" },
    }]),
    wheel([SCROLL]),
    fingers([DOWN, UP, PAUSE, PAUSE], [PAUSE, PAUSE, DOWN, UP]),
    fingers([DOWN, PAUSE, UP], [PAUSE, PAUSE, PAUSE, DOWN, UP]),
    [{ type: "none", id: "n", actions: [{ type: "pause" }] }],
  ];
  const asSent = (actions: unknown) => JSON.parse(JSON.stringify({ actions }));
  for (const actions of good) ticksOf(asSent(actions));
  const bad: unknown[] = [
    ...[undefined, null, 5, {}, [5], [{}], [{ type: "banana", id: "b", actions: [] }]],
    ...[[{ type: "key", actions: [] }], [{ type: "key", id: 5, actions: [] }], [...key([]), ...key([])]],
    ...[
      key(undefined),
      key({}),
      key([5]),
      key([{}]),
      key([{ type: "pointerMove" }]),
      key([{ type: "keyDown" }]),
    ],
    ...[
      key([{ type: "keyDown", value: "" }]),
      key([{ type: "keyDown", value: "ab" }]),
      key([{ type: "keyUp", value: 5 }]),
    ],
    ...[-1, 1.5, "5", null, 300_001].map((duration) => key([{ type: "pause", duration }])),
    ...[pointer([], 5), pointer([], { pointerType: "foot" }), pointer([{ type: "keyDown", value: "a" }])],
    ...[-1, 5, 1.5, "0"].map((button) => pointer([{ type: "pointerDown", button }])),
    ...[{ x: "1" }, { x: undefined }, { y: null }, { origin: "banana" }, { origin: {} }, { duration: -1 }]
      .map((more) => pointer([{ ...MOVE, ...more }])),
    ...[{ pressure: 2 }, { tiltX: 91 }, { twist: 360 }, { width: -1 }, { altitudeAngle: 4 }]
      .map((more) => pointer([{ ...MOVE, ...more }])),
    ...[{ deltaX: 0.5 }, { deltaY: undefined }, { deltaY: 12_001 }, { x: 0.5 }, { origin: "pointer" }]
      .map((more) => wheel([{ ...SCROLL, ...more }])),
  ];
  for (const actions of bad) {
    assertEquals(codeThrown(() => ticksOf(asSent(actions))), "invalid argument", JSON.stringify(actions));
  }
  const impossible = [
    fingers([DOWN, UP], [DOWN, UP]),
    fingers([DOWN, PAUSE, UP], [PAUSE, MOVE]),
    pointer([DOWN, { type: "pointerCancel" }]),
  ];
  for (const actions of impossible) {
    assertEquals(
      codeThrown(() => ticksOf(asSent(actions))),
      "unsupported operation",
      JSON.stringify(actions),
    );
  }
});

Deno.test("paths lead to commands, and errors say what is unknown and what a desktop lacks", () => {
  assertEquals(commandAt("GET", "/element/e1/attribute/a%20b").given, { element: "e1", name: "a b" });
  const cases: [method: string, path: string, code: string][] = [
    ["GET", "/banana", "unknown command"],
    ["GET", "/element", "unknown method"],
    ["POST", "/title", "unknown method"],
    ["POST", "/url", "unsupported operation"],
    ["GET", "/alert/text", "unsupported operation"],
    ["DELETE", "/context", "unknown method"],
    ["GET", "/cookie/a", "unsupported operation"],
    ["POST", "/execute/async", "unsupported operation"],
    ["GET", "/element/e1/shadow", "unsupported operation"],
    ["GET", "/element/e1/css/color", "unsupported operation"],
    ["GET", "/se/log/types", "unsupported operation"],
    ["POST", "/se/file", "unknown command"],
    ["POST", "/goog/cdp/execute", "unsupported operation"],
    ["GET", "/second", "unknown command"],
    ["GET", "/element/e1/attribute/%ff", "invalid argument"],
    ["POST", "/appium/device/push_file", "unknown command"],
  ];
  for (const [method, path, code] of cases) {
    assertEquals(codeThrown(() => commandAt(method, path)), code, path);
  }
});

Deno.test("deskhand's errors have WebDriver's codes", () => {
  const cases: [error: ExpectedError, code: keyof typeof STATUS][] = [
    [new NotFoundError("e5 is gone; it was button"), "stale element reference"],
    [new NotFoundError("there is no element e5"), "no such element"],
    [new NotFoundError('there is no e5 in "A window is closed"'), "no such element"],
    [new NotFoundError("the picture is not on the screen"), "no such element"],
    [new NotFoundError("there is no window"), "no such window"],
    [new NotFoundError("no window matches title=A"), "no such window"],
    [new NotFoundError("window 0x5 was closed before the change"), "no such window"],
    [new NotFoundError('the window "A" is closed'), "no such window"],
    [new StateError('button "OK" (e5) is disabled'), "element not interactable"],
    [new StateError('button "OK" (e5) is not shown'), "element not interactable"],
    [new StateError('button "OK" (e5) is covered by "Other"'), "element click intercepted"],
    [new InputError("x must be a number"), "invalid argument"],
    [new TimeLimitError("no element"), "timeout"],
    [new WebDriverError("no such window", "x"), "no such window"],
  ];
  for (const [error, code] of cases) assertEquals(codeOf(error), code, error.message);
});

Deno.test("implicit waits and pauses may take longer than other actions", async () => {
  const runner = runnerOf(new Operator(new VirtualDesktop(), 200)); // the time of an action, in milliseconds
  const report = (error: unknown) => {
    throw error;
  };
  const driver = new WebDriver({ runner, guard: () => undefined, programs: [], implicitMs: 600, report });
  const post = async (path: string, body: unknown) => {
    const init = { method: "POST", body: JSON.stringify(body) };
    const answer = await driver.handler(new Request(`http://127.0.0.1:4723${path}`, init), PEER);
    return [answer.status, (await answer.json()).value] as const;
  };
  const [, { sessionId }] = await post("/session", { capabilities: {} }), session = `/session/${sessionId}`;
  const [status, { error }] = await post(`${session}/element`, { using: "name", value: "no such name" });
  assertEquals([status, error], [404, "no such element"]);
  const pause = { type: "pause", duration: 600 };
  assertEquals(await post(`${session}/actions`, { actions: [{ type: "none", id: "a", actions: [pause] }] }), [
    200,
    null,
  ]);
  await driver.close();
});
