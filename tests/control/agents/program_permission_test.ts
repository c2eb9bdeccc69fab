/** Agents act only in the programs that a person allows, through every agent interface. */

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { assert, assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { delay } from "@std/async/delay";
import type { AnyAction } from "../../../control/actions/action.ts";
import { ACTIONS } from "../../../control/actions/mod.ts";
import { type Desktop, UnsentError } from "../../../control/desktop/desktop.ts";
import { judgedDesktop } from "../../../control/operator/judged_desktop.ts";
import { newRecording } from "../../../control/recording/format.ts";
import { StoredRecording } from "../../../control/recording/stored.ts";
import { parsePolicy, PolicyFile, rightIn } from "../../../control/operator/agent_policy.ts";
import { ProgramPermission } from "../../../control/operator/program_permission.ts";
import { ForbiddenError, InputError, NotFoundError, UsageError } from "../../../core/errors.ts";
import { call, wordsOf } from "../../support/agent_tools.ts";
import { type ControlApi, controlApi, runnerOf } from "../../support/control.ts";
import { until } from "../../support/shell.ts";
import type { VirtualDesktop } from "../../../ffi/virtual/mod.ts";

const NOTES = { x: 400, y: 300 }, CLOCK = { x: 1000, y: 100 }, FORM = { x: 900, y: 600 };

/** An API whose agents have a policy, in a file that is removed with the test. */
class Desk implements Disposable {
  readonly path = Deno.makeTempFileSync();
  readonly permission: ProgramPermission;
  readonly api: ControlApi<VirtualDesktop>;

  constructor(policy: unknown, waitMs?: number, openMs?: number) {
    Deno.writeTextFileSync(this.path, JSON.stringify(policy));
    this.permission = new ProgramPermission(new PolicyFile(this.path), waitMs, openMs);
    this.api = controlApi({ programs: this.permission });
  }

  /** Waits until a question is open. */
  async question(): Promise<{ id: number; class: string; client: string }> {
    return (await until(() => this.agents(), ({ questions }) => questions.length > 0)).questions[0];
  }

  // deno-lint-ignore no-explicit-any
  async agents(): Promise<any> {
    return await (await this.api.request("GET", "/api/agents")).json();
  }

  async answer(id: number, answer: string): Promise<number> {
    return (await this.api.request("POST", "/api/agents/answer", { id, answer })).status;
  }

  [Symbol.dispose]() {
    this.permission.close();
    Deno.removeSync(this.path);
  }
}

Deno.test("the most specific row applies, the strictest among equals, until it expires", () => {
  const policy = parsePolicy(JSON.stringify({
    default: "act",
    programs: [
      { class: "code", may: "read" },
      { exe: "/opt/*/code", class: "code", may: "act" },
      { flatpak: "org.gnome.Calculator", may: "act", until: "2026-12-24" },
      { flatpak: "org.gnome.Calculator", may: "ask" },
      { exe: "/usr/bin/gedit", may: "act" },
      { class: "Gedit", may: "read" },
    ],
  }));
  const day = (text: string) => Date.parse(`${text}T12:00:00Z`);
  const cases: [Parameters<typeof rightIn>[1], string, string][] = [
    [{ class: "code", exe: "/usr/bin/code" }, "2026-01-01", "read"],
    [{ class: "code", exe: "/opt/x/code" }, "2026-01-01", "act"],
    [{ class: "code", exe: "/opt/x/y/code" }, "2026-01-01", "read"],
    [{ flatpak: "org.gnome.Calculator", exe: "/app/bin/c" }, "2026-12-24", "ask"],
    [{ exe: "/usr/bin/gedit", class: "Gedit" }, "2026-12-24", "read"],
    [{ exe: "/usr/bin/gedit" }, "2026-12-24", "act"],
    [{ exe: "/usr/bin/other" }, "2026-12-24", "act"],
  ];
  for (const [program, when, right] of cases) assertEquals(rightIn(policy, program, day(when)), right);
  const until = parsePolicy('{"programs":[{"class":"a","may":"act","until":"2026-12-24"}]}');
  assertEquals(rightIn(until, { class: "a" }, day("2026-12-24")), "act");
  assertEquals(rightIn(until, { class: "a" }, day("2026-12-25")), "ask");
});

Deno.test("a policy with an unknown word is refused with the known words", async () => {
  const cases: [string, string][] = [
    ["{", "it is not valid JSON"],
    ['{"default":"none"}', "default must be one of read, ask, act"],
    ['{"programms":[]}', "programms is not a known field; available: default"],
    ['{"programs":[{"may":"act"}]}', "programs[0].exe"],
    ['{"programs":[{"class":"a","may":"act","until":"soon"}]}', "as 2026-12-24"],
    ['{"programs":[{"class":"a","may":"nothing"}]}', "programs[0].may must be one of read, ask, act"],
  ];
  for (const [text, message] of cases) assertThrows(() => parsePolicy(text), InputError, message);
  const path = Deno.makeTempFileSync();
  Deno.writeTextFileSync(path, '{"default":"none"}');
  await assertRejects(() => PolicyFile.open(path), UsageError, "--agent-allow");
  Deno.removeSync(path);
});

Deno.test("agents act only in allowed windows, by MCP, /api/act and /api/steps; scripts act everywhere", async () => {
  using desk = new Desk({ default: "read", programs: [{ class: "notes", may: "act" }] });
  const { api } = desk;
  assertEquals((await call(api, "click", NOTES)).isError, undefined);
  assertEquals((await call(api, "type", { text: "hello" })).isError, undefined);
  const refused = await call(api, "click", CLOCK);
  assertEquals(refused.isError, true);
  assertStringIncludes(wordsOf(refused), 'agents may not act in clock, window "Clock"; nothing was done');
  const byAct = await api.request("POST", "/api/act", {
    dialect: "openai",
    action: { type: "click", button: "left", ...CLOCK },
  });
  assertEquals(byAct.status, 403);
  const bySteps = await api.request("POST", "/api/steps", { steps: [{ click: [CLOCK.x, CLOCK.y] }] });
  assertStringIncludes(await bySteps.text(), "agents may not act in clock");
  const presses = () => api.desktop.log.filter(({ type }) => type === "button").length;
  const before = presses();
  assertEquals((await api.request("POST", "/api/click", { button: "left", ...CLOCK })).status, 200);
  assertEquals(presses(), before + 2);
});

Deno.test("a script's action in an agent's context is not checked", async () => {
  using desk = new Desk({ default: "read", programs: [{ class: "notes", may: "act" }] });
  const runner = runnerOf(desk.api.operator), { signal } = new AbortController();
  runner.permission.programs = desk.permission;
  const agent = { by: "mcp", client: "agent", isAgent: true, signal } as const;
  await desk.permission.within(agent, "click", async () => {
    await runner.run(ACTIONS.click, { button: "left", ...CLOCK }, { by: "http", signal });
  });
});

Deno.test("a WebDriver client is checked like an agent", async () => {
  using desk = new Desk({ default: "read", programs: [{ class: "notes", may: "act" }] });
  const runner = runnerOf(desk.api.operator);
  runner.permission.programs = desk.permission;
  const driver = {
    by: "webdriver",
    client: "driver",
    isAgent: true,
    signal: new AbortController().signal,
  } as const;
  await runner.run(ACTIONS.click, { button: "left", ...NOTES }, driver);
  await assertRejects(
    () => runner.run(ACTIONS.click, { button: "left", ...FORM }, driver),
    ForbiddenError,
    "form",
  );
});

Deno.test("if windows may be unlisted, text without an active window is not assumed to go to the desktop", async () => {
  using desk = new Desk({ default: "read", programs: [{ class: "desktop", may: "act" }] });
  const typed: string[] = [], window = { title: "Notes", class: "notes", active: false };
  const desktopWith = (isPartial: boolean) => ({
    windows: { isPartial, list: () => Promise.resolve([window]) },
    keyboard: { type: (text: string) => Promise.resolve(void typed.push(text)) },
  } as unknown as Desktop);
  const type = (isPartial: boolean) => {
    const { keyboard } = judgedDesktop(desktopWith(isPartial), desk.permission.judge);
    const caller = { by: "mcp", client: "agent", signal: new AbortController().signal } as const;
    return desk.permission.within(caller, "type", () => keyboard.type("x"));
  };
  await assertRejects(() => type(true), UnsentError, "does not report which window would receive the input");
  await type(false);
  assertEquals(typed, ["x"]);
});

Deno.test("elements, the wheel, window moves and drops into a forbidden window are checked too", async () => {
  using desk = new Desk({ default: "read", programs: [{ class: "notes", may: "act" }] });
  const { api } = desk;
  const told = async (name: string, given: Record<string, unknown>) => wordsOf(await call(api, name, given));
  assertStringIncludes(
    await told("scroll", { direction: "down", amount: 1, ...CLOCK }),
    "agents may not act",
  );
  assertStringIncludes(
    await told("window", { title: "Form", change: "close" }),
    "agents may not act in form",
  );
  assertStringIncludes(await told("drag", { path: [NOTES, FORM] }), "agents may not act in form");
  const elements = await told("elements", { title: "Form" });
  const [ref] = /\be\d+/.exec(elements) ?? [];
  assertStringIncludes(await told("click", { element: ref }), "agents may not act in form");
  const path = [NOTES, { element: ref }];
  assertStringIncludes(await told("drag", { path }), "agents may not act in form");
  assertStringIncludes(await told("drag", { path: path.toReversed() }), "agents may not act in form");
  assertEquals(api.desktop.log.filter(({ type }) => type === "button" || type === "scroll"), []);
});

Deno.test("a question is answered once, for the session or always, and the answer can be revoked", async () => {
  using desk = new Desk({ default: "ask" });
  const { api } = desk;
  const click = async (answer: string) => {
    const clicking = call(api, "click", CLOCK), { id, class: name } = await desk.question();
    assertEquals(name, "clock");
    assertEquals(await desk.answer(id, answer), 200);
    assertEquals(await desk.answer(id, "deny"), 404); // the first answer counts
    assertEquals((await clicking).isError, undefined, wordsOf(await clicking));
  };
  await click("once");
  await click("session");
  assertEquals((await call(api, "click", CLOCK)).isError, undefined);
  assertEquals((await desk.agents()).grants.map((grant: { class: string }) => grant.class), ["clock"]);
  assertEquals(await (await api.request("POST", "/api/agents/forget", {})).json(), { forgotten: 1 });
  await click("always");
  assertEquals((await call(api, "click", CLOCK)).isError, undefined);
  assertEquals(parsePolicy(Deno.readTextFileSync(desk.path)).programs, [{ class: "clock", may: "act" }]);
  const { programs, default: other } = await desk.agents();
  assertEquals([programs, other], [[{ class: "clock", may: "act" }], "ask"]);
  const revoked: unknown[] = [];
  desk.permission.onForget.add((gone) => revoked.push(...gone));
  const forgotten = await api.request("POST", "/api/agents/forget", { program: "clock" });
  assertEquals([await forgotten.json(), revoked], [{ forgotten: 1 }, [{ class: "clock" }]]);
  await click("once");
  assertEquals(parsePolicy(Deno.readTextFileSync(desk.path)).programs, []);
});

Deno.test("a denied question is not asked again for a minute", async () => {
  using desk = new Desk({ default: "ask" });
  const clicking = call(desk.api, "click", CLOCK), { id } = await desk.question();
  await desk.answer(id, "deny");
  assertStringIncludes(wordsOf(await clicking), "the user does not allow you to act in clock");
  assertStringIncludes(wordsOf(await call(desk.api, "click", CLOCK)), "the user does not allow you");
  assertEquals((await desk.agents()).questions, []);
  assertEquals(desk.api.desktop.log.filter(({ type }) => type === "button"), []);
});

Deno.test("while a question is open no agent acts, and a repeated call keeps the same question", async () => {
  using desk = new Desk({ default: "ask", programs: [{ class: "notes", may: "act" }] }, 1500);
  const { api } = desk;
  assertStringIncludes(wordsOf(await call(api, "click", CLOCK)), "no person has answered yet");
  const { id } = await desk.question();
  assertStringIncludes(wordsOf(await call(api, "click", NOTES)), "no person has answered yet");
  assertEquals(api.desktop.log.filter(({ type }) => type === "button"), []);
  const again = call(api, "click", CLOCK);
  assertEquals((await desk.question()).id, id);
  await desk.answer(id, "once"); // even after both calls have ended, as on a busy machine
  if ((await again).isError) assertEquals((await call(api, "click", CLOCK)).isError, undefined);
  assertEquals((await call(api, "click", NOTES)).isError, undefined);
});

Deno.test("a question that times out leaves the action undone", async () => {
  using desk = new Desk({ default: "ask" }, 10_000, 100);
  assertStringIncludes(wordsOf(await call(desk.api, "click", CLOCK)), "no person has answered yet");
  assertEquals((await desk.agents()).questions, []);
});

Deno.test("the end of the program ends a call that waits for a person, and nothing is done", async () => {
  using desk = new Desk({ default: "ask", programs: [{ class: "notes", may: "act" }] });
  const { api } = desk, asking = call(api, "click", CLOCK);
  await desk.question();
  const behind = call(api, "click", NOTES); // waits for the answer to the other
  api.runner.endWaits();
  const said = [wordsOf(await asking), wordsOf(await behind), wordsOf(await call(api, "click", CLOCK))];
  assertEquals(said, Array(3).fill("deskhand is stopping"));
  assertEquals(api.desktop.log.filter(({ type }) => type === "button"), []);
});

/** An MCP client whose user gives an answer; without an answer, the client asks no one. */
async function clientOf(
  { api }: Desk,
  asked: string[],
  answer?: string,
  fetched: (ask: () => Promise<Response>, body: string) => Promise<Response> = (ask) => ask(),
): Promise<Client> {
  const client = new Client({ name: "tester", version: "1" }, {
    capabilities: answer ? { elicitation: { form: {} } } : {},
    versionNegotiation: { mode: "auto" },
  });
  if (answer) {
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      return answer === "cancel" ? { action: "cancel" } : { action: "accept", content: { answer } };
    });
  }
  const fetch = (url: string | URL, init?: RequestInit) =>
    fetched(
      () => api.request(init?.method ?? "GET", new URL(url).pathname, init?.body, init),
      `${init?.body}`,
    );
  await client.connect(new StreamableHTTPClientTransport(new URL("http://127.0.0.1:4000/mcp"), { fetch }));
  return client;
}

/** Clicks twice, in one call. */
const TWO_CLICKS = {
  name: "act",
  arguments: { steps: [{ click: [NOTES.x, NOTES.y] }, { click: [CLOCK.x, CLOCK.y] }], any_window: true },
};

Deno.test("the client's user answers if the policy allows it, and no step is executed twice", async () => {
  using desk = new Desk({ default: "ask", programs: [{ class: "notes", may: "act" }], clientAnswers: true });
  const asked: string[] = [], client = await clientOf(desk, asked, "session");
  const presses = () => desk.api.desktop.log.filter((one) => one.type === "button" && one.down).length;
  const { isError, content } = await client.callTool(TWO_CLICKS);
  assertEquals(isError, undefined, JSON.stringify(content));
  assertEquals(asked, ['Allow tester to act in clock? It wants: click in the window "Clock"']);
  assertEquals(presses(), 2);
  await client.callTool(TWO_CLICKS);
  assertEquals([asked.length, presses()], [1, 4]);
  await client.close();
});

Deno.test("an answer that the client sends twice waits for no further question", async () => {
  using desk = new Desk({ default: "ask", programs: [{ class: "notes", may: "act" }], clientAnswers: true });
  const again: Promise<Response>[] = [];
  const client = await clientOf(desk, [], "session", (ask, body) => {
    const answered = ask();
    if (body.includes("requestState")) again.push(ask());
    return answered;
  });
  const { name, arguments: { steps, any_window } } = TWO_CLICKS;
  const waits = [...steps, { wait: { ms: 500 } }]; // the call still runs when the second answer arrives
  assertEquals((await client.callTool({ name, arguments: { steps: waits, any_window } })).isError, undefined);
  assertEquals(again.length, 1);
  assertStringIncludes(await (await again[0]).text(), '"content"');
  await client.close();
});

Deno.test("an answer that cannot be stored says why", async () => {
  const folder = Deno.makeTempDirSync(), file = new PolicyFile(`${folder}/policy.json`);
  Deno.removeSync(folder);
  await assertRejects(() => file.add({ class: "clock", may: "act" }), InputError, "--agent-allow");
});

Deno.test("a question describes what the agent is about to do", async () => {
  using desk = new Desk({ default: "ask", clientAnswers: true });
  const asked: string[] = [], client = await clientOf(desk, asked, "deny");
  await client.callTool({ name: "act", arguments: { steps: [{ fill: { Text: "x" } }] } });
  assertEquals(asked.map((text) => text.replace(/^.*\? /, "")), [
    'It wants: set element in the window "Notes"',
  ]);
  await client.close();
});

Deno.test("a client's refusal, and an answer that it may not give, are a denial", async () => {
  for (const answer of ["deny", "cancel", "always"]) {
    using desk = new Desk({ default: "ask", clientAnswers: true });
    const client = await clientOf(desk, [], answer);
    const { isError, content } = await client.callTool({ name: "click", arguments: CLOCK });
    assertEquals(isError, true);
    assertStringIncludes(JSON.stringify(content), "the user does not allow you to act in clock");
    assertEquals(desk.permission.file.policy.programs, []);
    await client.close();
  }
});

Deno.test("a client that cannot ask, or may not answer, gets an explanation, and the page answers", async () => {
  const cases: [boolean, string | undefined][] = [[true, undefined], [false, "session"]];
  for (const [clientAnswers, answer] of cases) {
    using desk = new Desk({ default: "ask", clientAnswers }, 1500);
    const asked: string[] = [], client = await clientOf(desk, asked, answer);
    const { isError, content } = await client.callTool({ name: "click", arguments: CLOCK });
    assertEquals([isError, asked], [true, []]);
    assertStringIncludes(JSON.stringify(content), "no person has answered yet");
    await desk.answer((await desk.question()).id, "session");
    assertEquals((await client.callTool({ name: "click", arguments: CLOCK })).isError, undefined);
    await client.close();
  }
});

Deno.test("no agent answers a question, or allows agents, by an action's name", async () => {
  using desk = new Desk({ default: "ask", programs: [] });
  const runner = runnerOf(desk.api.operator), { signal } = new AbortController();
  const CALLS: [AnyAction, values: Record<string, unknown>][] = [
    [ACTIONS.answerAgent, { id: 1, answer: "always" }],
    [ACTIONS.allowAgents, { allowed: true }],
    [ACTIONS.forgetGrants, {}],
  ];
  for (const [action, values] of CALLS) {
    const run = (isAgent: boolean) => runner.run(action, values, { by: "webdriver", signal, isAgent });
    await assertRejects(() => run(true), ForbiddenError, `${action.name} is for people`);
    await run(false).catch((error) => assert(error instanceof NotFoundError)); // there is no question
  }
});

Deno.test("no agent replays a recording, whose presses are not checked", async () => {
  using desk = new Desk({ default: "read", programs: [] });
  const { operator, desktop } = desk.api, runner = runnerOf(operator), { signal } = new AbortController();
  runner.permission.programs = desk.permission;
  const press = { type: "button", button: "left", ...NOTES } as const;
  const recording = StoredRecording.of({
    ...newRecording(operator.screen(), new Date()),
    events: [{ t: 0, ...press, down: true }, { t: 50, ...press, down: false }],
  });
  const agent = { by: "webdriver", signal, isAgent: true } as const;
  await runner.run(ACTIONS.loadRecording, { recording }, agent);
  await assertRejects(() => runner.run(ACTIONS.playRecording, {}, agent), ForbiddenError, "no agent replays");
  await delay(200);
  assertEquals(desktop.log, []);
});
