/**
 * Presses while windows change: none arrives where agents may not act, none is lost, and each is reported with
 * the windows as they are.
 */

import { assert, assertEquals } from "@std/assert";
import { ACTIONS } from "../../../control/actions/mod.ts";
import { PolicyFile } from "../../../control/operator/agent_policy.ts";
import type { Caller } from "../../../control/operator/calls.ts";
import { judgedDesktop } from "../../../control/operator/judged_desktop.ts";
import { Operator } from "../../../control/operator/operator.ts";
import { ProgramPermission } from "../../../control/operator/program_permission.ts";
import { ChangedError, ForbiddenError } from "../../../core/errors.ts";
import { openX11 } from "../../../ffi/x11/desktop.ts";
import { call } from "../../support/agent_tools.ts";
import { controlApi, runnerOf } from "../../support/control.ts";
import { need } from "../../support/need.ts";
import { until } from "../../support/shell.ts";
import { taking } from "../../support/window_desktops.ts";
import { type Client, Xvfb } from "../../support/xvfb.ts";

/** Number of actions per test; run with 10,000 by hand. */
const ACTS = Number(Deno.env.get("DESKHAND_TEST_ACTS") ?? 400);
/** The library that reports a window's process. */
const XRES = "/usr/lib/x86_64-linux-gnu/libXRes.so.1";
const AGENT: Caller = { by: "mcp", client: "robot", isAgent: true, signal: new AbortController().signal };

/** Two programs whose windows change, and a runner whose agents may act in one of them. */
class Rivals {
  readonly runner;
  #desktop;

  private constructor(
    server: Xvfb,
    folder: string,
    readonly allowed: Client,
    readonly forbidden: Client,
    readonly ids: readonly [allowed: string, forbidden: string],
  ) {
    const file = `${folder}/agents.json`;
    const programs = [{ exe: `${folder}/allowed`, may: "act" }];
    Deno.writeTextFileSync(file, JSON.stringify({ default: "read", programs }));
    const permission = new ProgramPermission(new PolicyFile(file));
    this.#desktop = openX11(server.display);
    this.runner = runnerOf(new Operator(judgedDesktop(this.#desktop, permission.judge)));
    this.runner.permission.programs = permission;
  }

  /** Starts the same witness under two names, both at the same position. */
  static async start(server: Xvfb, stack: AsyncDisposableStack): Promise<Rivals> {
    const folder = await Deno.makeTempDir();
    stack.defer(() => Deno.remove(folder, { recursive: true }));
    const witness = (await server.run("sh", "-c", "command -v xev")).trim();
    const open = async (name: string) => {
      await Deno.copyFile(witness, `${folder}/${name}`);
      const client = stack.use(
        server.spawn(`${folder}/${name}`, "-name", name, "-geometry", "200x200+100+100"),
      );
      return { client, id: await server.window("--name", name) };
    };
    const forbidden = await open("forbidden"), allowed = await open("allowed");
    const rivals = new Rivals(server, folder, allowed.client, forbidden.client, [allowed.id, forbidden.id]);
    stack.defer(() => rivals.#desktop.close());
    return rivals;
  }

  /** Acts repeatedly; counts completed and refused actions. */
  async act(
    act: () => Promise<unknown>,
    refusal: new (message: string) => Error = ForbiddenError,
  ): Promise<{ done: number; refused: number }> {
    let done = 0, refused = 0;
    for (let i = 0; i < ACTS; i++) {
      try {
        await act();
        done++;
      } catch (error) {
        if (!(error instanceof refusal)) throw error;
        refused++;
      }
    }
    return { done, refused };
  }
}

/** Changes the windows every few milliseconds until the stack is disposed of. */
function robot(server: Xvfb, stack: AsyncDisposableStack, ...turns: string[]): void {
  const pauses = [0.001, 0.004, 0.002, 0.006, 0.003, 0.005];
  const lines = Array.from(
    { length: 60_000 },
    // xdotool flushes its requests on a query, here for the pointer.
    (_, i) => `${turns[i % turns.length]}\ngetmouselocation\nsleep ${pauses[i % pauses.length]}`,
  );
  const path = Deno.makeTempFileSync();
  Deno.writeTextFileSync(path, `${lines.join("\n")}\n`);
  stack.defer(() => Deno.remove(path));
  stack.use(server.spawn("xdotool", path));
}

const count = ({ printed }: Client, event: string) => printed.split(`${event} event`).length - 1;

Deno.test({
  name: "clicks while a forbidden window jumps over the allowed one: none in it, none lost",
  ...need("Xvfb", "xev", "xdotool", XRES),
}, async () => {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await Xvfb.start()), rivals = await Rivals.start(server, stack);
  const [, forbidden] = rivals.ids;
  robot(
    server,
    stack,
    `windowmove ${forbidden} 100 100\nwindowraise ${forbidden}`,
    `windowmove ${forbidden} 700 400`,
  );
  const { done, refused } = await rivals.act(() =>
    rivals.runner.run(
      ACTIONS.click,
      { button: "left", x: 150 + Math.floor(Math.random() * 100), y: 200 },
      AGENT,
    )
  );
  assert(done > 0 && refused > 0, `${done} done, ${refused} refused`);
  await until(() => count(rivals.allowed, "ButtonPress"), (presses) => presses >= done);
  assertEquals(count(rivals.allowed, "ButtonPress"), done);
  assertEquals(count(rivals.forbidden, "ButtonPress"), 0);
});

const BUSY =
  "an agent's click activates its window and bypasses a busy manager, which might replay it elsewhere";

for (const name of ["blackbox", "openbox"]) {
  Deno.test({ name: `${BUSY}: ${name}`, ...need("Xvfb", name, "xev", "xdotool", XRES) }, () => busy(name));
}

async function busy(name: string): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await Xvfb.start()), manager = stack.use(await server.manager(name));
  const { runner, allowed, forbidden, ids: [id, other] } = await Rivals.start(server, stack);
  await server.run(
    "xdotool",
    "windowmove",
    "--sync",
    other,
    "700",
    "400",
    "windowmove",
    "--sync",
    id,
    "100",
    "100",
  );
  const click = () => runner.run(ACTIONS.click, { button: "left", x: 200, y: 200 }, AGENT);
  const press = (presses: number) => until(() => count(allowed, "ButtonPress") === presses);
  await server.run("xdotool", "windowactivate", "--sync", other);
  await click();
  await press(1);
  assertEquals((await server.run("xdotool", "getactivewindow")).trim(), id);
  Deno.kill(manager.pid, "SIGSTOP");
  try {
    await click();
    await press(2);
  } finally {
    Deno.kill(manager.pid, "SIGCONT");
  }
  assertEquals([count(allowed, "ButtonPress"), count(forbidden, "ButtonPress")], [2, 0]);
}

Deno.test({
  name: "clicks on a screenshot's contents while another window jumps over them: none in it, none lost",
  ...need("Xvfb", "xev", "xdotool", XRES),
}, async () => {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await Xvfb.start()), rivals = await Rivals.start(server, stack);
  const { runner, allowed, forbidden: other, ids: [, id] } = rivals, signal = AGENT.signal;
  await server.run("xdotool", "windowmove", "--sync", id, "700", "400");
  const picture = await runner.run(ACTIONS.screenshot, { seen: "first" }, { signal });
  picture.end();
  robot(server, stack, `windowmove ${id} 100 100\nwindowraise ${id}`, `windowmove ${id} 700 400`);
  const { done, refused } = await rivals.act(
    () => runner.run(ACTIONS.click, { button: "left", x: 200, y: 200, seen: "first" }, { signal }),
    ChangedError,
  );
  assert(done > 0 && refused > 0, `${done} done, ${refused} refused`);
  await until(() => count(allowed, "ButtonPress"), (presses) => presses >= done);
  assertEquals(count(allowed, "ButtonPress"), done);
  assertEquals(count(other, "ButtonPress"), 0);
});

Deno.test({
  name: "keys and text while focus jumps between two programs: none in the forbidden one, none lost",
  ...need("Xvfb", "xev", "xdotool", XRES),
}, async () => {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await Xvfb.start()), rivals = await Rivals.start(server, stack);
  const [allowed, forbidden] = rivals.ids;
  robot(server, stack, `windowfocus ${forbidden}`, `windowfocus ${allowed}`);
  let turn = 0;
  const { done, refused } = await rivals.act(() =>
    turn++ % 2
      ? rivals.runner.run(ACTIONS.type, { text: "x" }, AGENT)
      : rivals.runner.run(ACTIONS.key, { keys: "y" }, AGENT)
  );
  assert(done > 0 && refused > 0, `${done} done, ${refused} refused`);
  await until(() => count(rivals.allowed, "KeyPress"), (presses) => presses >= done);
  assertEquals(count(rivals.allowed, "KeyPress"), done);
  assertEquals(count(rivals.forbidden, "KeyPress"), 0);
});

/** Clicks at a place, through doors that list the windows before and after. */
const CLICKS: [what: string, given: (place: { x: number; y: number }) => Record<string, unknown>][] = [
  ["click", (place) => place],
  ["act", ({ x, y }) => ({ steps: [{ click: [x, y] }], any_window: true })],
  ["act", ({ x, y }) => ({ steps: [{ click: [x, y] }], see: "none" })],
  ["do", (place) => ({ actions: [{ tool: "click", ...place }], look: false })],
  ["/api/click", (place) => ({ ...place, button: "left", observe: true })],
  ["/api/steps", ({ x, y }) => ({ steps: [{ click: [x, y] }] })],
  ["/api/steps", (place) => ({ steps: [{ action: "click", button: "left", ...place }] })],
];

Deno.test({
  name: "a click lists the windows again if they have changed, and at most twice",
  ...need("Xvfb", "blackbox", "xev", "xdotool"),
}, async () => {
  await using xvfb = await Xvfb.start({ width: 1024, height: 768 });
  await using _manager = await xvfb.manager("blackbox");
  const desktop = openX11(xvfb.display), api = controlApi({ desktop }), { windows } = desktop;
  try {
    const list = () => windows.list();
    const listed = async (title: string) => (await list()).find((window) => window.title === title);
    await using _other = xvfb.spawn("xev", "-name", "other", "-geometry", "200x150+500+320");
    await until(() => listed("other"));
    await using _clicked = taking(xvfb, "clicked");
    const { x, y } = (await until(() => listed("clicked")))!, point = { x: x + 20, y: y + 60 };
    for (const [i, [what, given]] of CLICKS.entries()) {
      const shown = await until(list, ([front]) => front?.active && front.title === "clicked"),
        values = given(point),
        name = `renamed ${i}`;
      const { id } = shown.find(({ title }) => title !== "clicked")!;
      await xvfb.run("xdotool", "set_window", "--name", name, String(Number(id)));
      const titles: string[] = [], own = windows.list;
      windows.list = async () => {
        const shown = await own.call(windows);
        titles.push(...shown.map(({ title }) => title).filter((title) => title !== "clicked"));
        return shown;
      };
      if (!what.startsWith("/")) await call(api, what, values);
      else await (await api.request("POST", what, values)).text();
      windows.list = own;
      const are = `${what} ${JSON.stringify(values)}: ${titles}`;
      assert(titles.length > 0 && titles.length <= 2 && titles.every((title) => title === name), are);
    }
  } finally {
    desktop.close();
  }
});
