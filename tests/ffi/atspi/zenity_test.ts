/** Elements of a real program on X11, with python3-pyatspi and the program's own effect as witnesses. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { need } from "../../support/need.ts";
import { Program } from "../../support/program.ts";
import { SESSION_BUS, SessionBus } from "../../support/session_bus.ts";
import { until } from "../../support/until.ts";
import { Xvfb } from "../../support/xvfb.ts";

const WITNESS = fromFileUrl(new URL("./witness.py", import.meta.url));
const PROGRAMS = need(
  "Xvfb",
  "openbox",
  "xev",
  "xprop",
  "zenity",
  "/usr/lib/python3/dist-packages/pyatspi/__init__.py",
);

/** The roles of buttons and fields as the witness calls them. */
const ROLES: Record<string, string> = {
  "push button": "button",
  "password text": "password",
  text: "textbox",
};

interface Element {
  ref: string;
  role: string;
  name: string;
  value?: string;
  states: string[];
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A form on an X server with a session bus, and deskhand beside it. */
async function session() {
  const stack = new AsyncDisposableStack();
  const server = stack.use(await Xvfb.start());
  const bus = stack.use(await SessionBus.start(server.env));
  const env = { ...server.env, ...bus.env, NO_AT_BRIDGE: "0", GTK_IM_MODULE: "gtk-im-context-simple" };
  const started = (command: string, ...args: string[]) => {
    const child = new Deno.Command(command, { args, env, stdin: "null", stdout: "piped", stderr: "null" })
      .spawn();
    stack.defer(async () => {
      try {
        child.kill("SIGKILL");
      } catch {
        // it has ended
      }
      await child.status;
    });
    return child;
  };
  stack.use(await server.manager("openbox"));
  const fields = ["--add-entry", "Name", "--add-password", "Secret", "--add-entry", "City"];
  const form = started("zenity", "--forms", "--title", "Ask", "--text", "Form", ...fields);
  const program = stack.use(new Program(["--http", "0", "--desktop", "x11"], { env }));
  const url = await program.controlUrl();
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(url + path, { method: "POST", body: JSON.stringify(body) });
    return { status: answer.status, ...await answer.json() };
  };
  const list = async (query = "title=Ask"): Promise<Element[]> =>
    (await (await fetch(`${url}/api/elements?${query}`)).json()).elements ?? [];
  await until(() => list(), (elements) => elements.some(({ name }) => name === "OK"));
  return {
    form,
    post,
    list,
    env,
    url,
    program,
    started,
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  };
}

const test = (name: string, fn: () => Promise<void>) =>
  Deno.test({ name, ignore: PROGRAMS.ignore || SESSION_BUS.ignore, fn });

test("buttons and fields have the roles, names and middles that another reader finds", async () => {
  await using at = await session();
  const { stdout } = await new Deno.Command("/usr/bin/python3", { args: [WITNESS, "Ask"], env: at.env })
    .output();
  const seen = new TextDecoder().decode(stdout).trim().split("\n").map((line) => line.split("\t"))
    .filter(([role]) => role in ROLES)
    .map(([role, name, middle]) => `${ROLES[role]} ${name} ${middle}`);
  const own = (await at.list()).filter(({ role }) => Object.values(ROLES).includes(role))
    .map(({ role, name, x, y, width, height }) => `${role} ${name} ${x + (width >> 1)},${y + (height >> 1)}`);
  assertEquals(seen.length, 5);
  assertEquals(own.sort(), seen.sort());
});

test("a form is filled and sent by its elements, and the program prints what arrived", async () => {
  await using at = await session();
  const set = async (body: Record<string, unknown>) => {
    const { status, via, error } = await at.post("/api/element/set", body);
    assertEquals(status, 200, error);
    return via;
  };
  const fields = (await at.list()).filter(({ role }) => role === "textbox").sort((a, b) => a.y - b.y);
  assertEquals(await set({ element: fields[0].ref, text: "Ada 漢字 😀" }), "action");
  assertEquals(await set({ role: "password", text: "geheim", title: "Ask" }), "keys");
  assertEquals(await set({ element: fields[1].ref, text: "Köln" }), "action");
  const password = (await at.list()).find(({ role }) => role === "password")!;
  assertEquals(password.value, undefined);
  const { via } = await at.post("/api/element/click", { role: "button", name: "OK" });
  assertEquals(via, "click");
  const { code, stdout } = await at.form.output();
  assertEquals([code, new TextDecoder().decode(stdout)], [0, "Ada 漢字 😀|geheim|Köln\n"]);
  const gone = await at.post("/api/element/click", { element: password.ref });
  assertEquals([gone.status, gone.error], [404, `${password.ref} is gone; it was password "" in "Ask"`]);
});

test("a text is that of the element that shows it, is on the screen once, and a click on it has its effect", async () => {
  await using at = await session();
  const find = async (body: Record<string, unknown>) => await at.post("/api/find", body);
  const { matches: [city] } = await find({ text: "city", limit: 5 });
  assertEquals([city.text, city.source, city.role], ["City", "element", "label"]);
  const read = await (await fetch(`${at.url}/api/text?format=text`)).text();
  const lines = read.trim().split("\n");
  for (const text of ["Name", "City", "Cancel", "OK"]) {
    assertEquals(lines.filter((line) => line === text), [text]);
  }
  const { matches: [title], ...rest } = await find({ text: "Ask", source: "screen" });
  assertEquals([rest.status, title.source], [200, "screen"]); // the window manager draws it
  assertEquals((await find({ text: "Cancel", click: "left" })).matches[0].source, "element");
  assertEquals((await at.form.status).code, 1);
});

test("a window that is moved and covered is brought to the front and clicked where it is", async () => {
  await using at = await session();
  const cancel = (await at.list()).find(({ name }) => name === "Cancel")!;
  at.started("zenity", "--info", "--title", "Above", "--text", "Above");
  await until(() => at.list("title=Above"), (elements) => elements.length > 1);
  const region = { x: 300, y: 200, width: 500, height: 350 };
  await at.post("/api/window/place", { title: "Ask", ...region });
  await at.post("/api/window/place", { title: "Above", ...region });
  await at.post("/api/window/activate", { title: "Above" });
  const { status, via, error } = await at.post("/api/element/click", { element: cancel.ref });
  assertEquals([status, via], [200, "click"], error);
  assertEquals((await at.form.status).code, 1);
});

test("a program that is stopped is said to be silent, and others are read in time", async () => {
  await using at = await session();
  const other = at.started("zenity", "--info", "--title", "Stopped", "--text", "Stopped");
  await until(() => at.list("title=Stopped"), (elements) => elements.length > 1);
  other.kill("SIGSTOP");
  const answer = await (await fetch(`${at.url}/api/elements?title=Stopped`)).json();
  assertStringIncludes(answer.silent, "does not answer");
  assert((await at.list()).some(({ name }) => name === "OK"));
  other.kill("SIGCONT");
  await until(() => at.list("title=Stopped"), (elements) => elements.length > 1);
});

test("a program without elements is said to be none of the accessibility bus", async () => {
  await using at = await session();
  at.started("xterm", "-title", "plain");
  const answer = await until(
    async () => await (await fetch(`${at.url}/api/elements?title=plain`)).json(),
    ({ window }) => window !== undefined,
  );
  assertStringIncludes(answer.silent, "its program is not on the accessibility bus");
  assertEquals([answer.elements, answer.places], [[], "none"]);
});
