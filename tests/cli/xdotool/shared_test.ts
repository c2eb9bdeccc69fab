/** xdotool's commands on X11 next to a running deskhand: the same effects, which that deskhand records. */

import { assertEquals, assertMatch, assertRejects, equal } from "@std/assert";
import { delay } from "@std/async/delay";
import { join } from "@std/path";
import { KeptConnection } from "../../../cli/xdotool/calls_http.ts";
import { encodeMessage } from "../../../ffi/wayland/wire/wire.ts";
import { FakeCompositor } from "../../support/fake_compositor.ts";
import { need } from "../../support/need.ts";
import { type Ended, Program, run } from "../../support/program.ts";
import { call, entriesOf, fileIn } from "../../support/recordings.ts";
import { temporary, until } from "../../support/shell.ts";
import { SWAY, Sway } from "../../support/sway.ts";
import { keycodesDown } from "../../support/window_desktops.ts";
import { type Client, Xvfb } from "../../support/xvfb.ts";
import { run as runCommand, start } from "./stage.ts";

const NEEDS = need("Xvfb", "openbox", "xdotool", "xev", "xprop", "xinput");

/** Scripts by subject: lines, each with deskhand's actions for it. */
const SCRIPTS: Record<string, readonly [line: string, ...actions: string[]][]> = {
  pointer: [
    ["mousemove 310 260 getmouselocation", "move"],
    ["mousemove --sync 5000 -3 getmouselocation mousemove 305 255", "move", "move"],
    ["mousemove_relative -- -5 6 getmouselocation", "move"],
    ["click 1", "press", "release"],
    ["click --repeat 2 --delay 5 3", ...twice("press", "release")],
    ["click 4", "scroll"],
    ["mousedown 2 mouseup 2", "press", "release"],
  ],
  keys: [
    ["key a", "press", "release"],
    ["key ctrl+Return F5", ...twice("press"), ...twice("release"), "press", "release"],
    ["key --repeat 2 super+x", ...twice("press", "press", "release", "release")],
    ["keydown ctrl key --clearmodifiers b keyup ctrl", ...thrice("press"), ...thrice("release")],
    ["key nonesuch"],
    ["key a.b"],
  ],
  texts: [
    ["type --delay 1 ab", "type"],
    ["type --delay 20 ab", "type", "type"],
  ],
  windows: [
    ["windowminimize --sync {editor}", "minimizeWindow"],
    ["windowactivate --sync {editor}", "activateWindow"],
    ["windowmove --sync {editor} 120 110 windowmove --sync {editor} 100 100", ...twice("placeWindow")],
    ["windowfocus --sync {editor} mousemove 300 250", "activateWindow", "move"],
  ],
};

function twice(...calls: string[]): string[] {
  return [...calls, ...calls];
}

function thrice(call: string): string[] {
  return [call, call, call];
}

/** libxdo's message while no window is active between two. */
const NO_ACTIVE = "XGetWindowProperty[_NET_ACTIVE_WINDOW] failed (code=1)\n";
/** Actions that change nothing. */
const QUESTIONS = ["position", "screen", "windows"];
/** The key that marks the end of the compared events; no script presses it. */
const FENCE = "F12";

/** Keys and buttons that xev has received, with the modifier state. */
function received(printed: string): string[] {
  return printed.split("\n\n").flatMap((block) => {
    const kind = /^((?:Key|Button)(?:Press|Release)) event/m.exec(block)?.[1];
    const state = /state (0x\w+)/.exec(block)?.[1], what = /keysym 0x\w+, \w+|button \d+/.exec(block)?.[0];
    return kind && what ? [`${kind} ${state} ${what}`] : [];
  });
}

/** A display with a window manager and a window, and deskhand running on it. */
class Shared {
  private constructor(
    readonly stack: AsyncDisposableStack,
    readonly server: Xvfb,
    readonly editor: Client,
    /** The window. */
    readonly id: string,
    readonly program: Program,
    readonly url: string,
    /** The folder of the log, the trace and deskhand's state. */
    readonly folder: string,
  ) {}

  static async start(folder: string): Promise<Shared> {
    await using stack = new AsyncDisposableStack();
    const server = stack.use(await Xvfb.start());
    stack.use(await server.manager("openbox"));
    const editor = stack.use(server.spawn("xev", "-name", "Editor", "-geometry", "400x300+100+100"));
    const id = await server.window("--name", "^Editor$");
    await server.run("xdotool", "windowactivate", "--sync", id, "mousemove", "300", "250");
    const args = ["--http", "0", "--log", join(folder, "log"), "--trace", join(folder, "traces")];
    await Deno.mkdir(join(folder, "traces"));
    const program = stack.use(new Program(args, { env: { ...server.env, XDG_STATE_HOME: folder } }));
    const url = await program.controlUrl();
    const isNoted = ({ name }: Deno.DirEntry) => /^running-/.test(name);
    await until(() => [...Deno.readDirSync(join(folder, "deskhand"))].some(isNoted));
    return new Shared(stack.move(), server, editor, id, program, url, folder);
  }

  /** Runs an xdotool script with xdotool itself or with deskhand. */
  async run(which: "xdotool" | "deskhand", script: string, env = this.server.env): Promise<Ended> {
    const text = script.replaceAll("{editor}", this.id);
    const own = { ...env, XDG_STATE_HOME: this.folder, DESKHAND_URL: "" };
    if (which === "deskhand") return await run(["xdotool", "-"], text, { env: own });
    const child = new Deno.Command("xdotool", {
      args: ["-"],
      env: own,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const writer = child.stdin.getWriter(), decoder = new TextDecoder();
    await writer.write(new TextEncoder().encode(text));
    await writer.close();
    const { code, stdout, stderr } = await child.output();
    return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  }

  /** Runs scripts one after the other; returns each exit code, and the input that the window receives. */
  async effect(which: "xdotool" | "deskhand", ...scripts: string[]) {
    const from = await this.#fenced(), ended: Ended[] = [];
    for (const script of scripts) {
      const { code, stdout, stderr } = await this.run(which, script);
      const places = stdout.replaceAll(/window:\d+/g, ""); // xdotool prints the window manager's frame
      ended.push({ code, stdout: places, stderr: stderr.replaceAll(NO_ACTIVE, "") });
    }
    const to = await this.#fenced();
    const events = received(this.editor.printed).slice(from, to);
    return { ended, received: events.filter((event) => !event.endsWith(FENCE)) };
  }

  /**
   * Waits until the window has received all events that were sent. @returns How many events it has received.
   */
  async #fenced(): Promise<number> {
    const fences = () => received(this.editor.printed).filter((event) => event.endsWith(FENCE)).length;
    const before = fences();
    await this.server.run("xdotool", "key", FENCE);
    await until(fences, (now) => now === before + 2);
    return received(this.editor.printed).length;
  }

  /** How often deskhand has performed each action. */
  async counts(): Promise<Map<string, number>> {
    const text = await (await fetch(`${this.url}/metrics`)).text();
    const done = text.matchAll(/^deskhand_actions_total\{action="(\w+)",result="done"\} (\d+)$/gm);
    return new Map(Array.from(done, ([, action, count]) => [action, Number(count)]));
  }

  /**
   * Runs a function, and returns the actions that deskhand performs meanwhile and that change something, in
   * alphabetical order.
   */
  async actionsOf(run: () => Promise<void>): Promise<string[]> {
    const before = await this.counts();
    await run();
    const after = await this.counts();
    return [...after].filter(([action]) => !QUESTIONS.includes(action))
      .flatMap(([action, count]) => Array(count - (before.get(action) ?? 0)).fill(action)).sort();
  }

  [Symbol.asyncDispose] = () => this.stack[Symbol.asyncDispose]();
}

/** How often xdotool is asked again: on a busy machine, it focuses windows that are not shown yet, and loses clicks. */
const AGAIN = 4;

/** Checks that scripts have the same effect with deskhand as with xdotool. */
async function same(shared: Shared, ...scripts: string[]): Promise<void> {
  let wanted = await shared.effect("xdotool", ...scripts);
  const done = await shared.effect("deskhand", ...scripts);
  for (let left = AGAIN; left && !equal(done, wanted); left--) {
    wanted = await shared.effect("xdotool", ...scripts);
  }
  assertEquals(done, wanted);
}

Deno.test({
  ...NEEDS,
  name: "on X11 a running deskhand does what xdotool's commands do, and logs and traces it",
  fn: (t) =>
    temporary(async (folder) => {
      await using shared = await Shared.start(folder);
      for (const [subject, lines] of Object.entries(SCRIPTS)) {
        await t.step(subject, async () => {
          const actions = await shared.actionsOf(() =>
            same(shared, lines.map(([line]) => `${line}\n`).join(""))
          );
          assertEquals(actions, lines.flatMap(([, ...actions]) => actions).sort());
        });
      }

      await t.step("pressed keys stay down between commands", async () => {
        await same(shared, "keydown shift", "key b", "keyup shift");
      });

      await t.step("another display is not affected", async () => {
        await using other = await Xvfb.start();
        const actions = await shared.actionsOf(async () => {
          const { stdout } = await shared.run("deskhand", "mousemove 5 6 getmouselocation\n", other.env);
          assertEquals(stdout.split(" screen")[0], "x:5 y:6");
        });
        assertEquals(actions, []);
      });

      await t.step("the trace has the commands", async () => {
        await call(shared.url, "trace/stop", {}, "POST", "");
        const entries = await entriesOf(fileIn(join(folder, "traces")));
        const ours = entries.filter(({ client }) => client === "xdotool").map(({ name }) => name);
        const wanted = ["move", "press", "release", "scroll", "type", "minimizeWindow", "activateWindow"];
        assertEquals(wanted.filter((name) => !ours.includes(name)), []);
      });

      await t.step(
        "at its end it releases held keys, and the commands open the display themselves",
        async () => {
          await shared.run("deskhand", "keydown ctrl\n");
          assertEquals((await keycodesDown(shared.server)).length, 1);
          shared.program.kill("SIGTERM");
          await shared.program.ended();
          assertEquals(await keycodesDown(shared.server), []);
          await same(shared, "key a\nclick 1\nmousemove 300 251 getmouselocation\n");
        },
      );
    }),
});

// A command that opens a Wayland desktop itself makes as few requests as possible to its compositor.

const KEYBOARDS = "zwp_virtual_keyboard_manager_v1";
/** The wlroots interfaces that deskhand needs, and one output. */
const GLOBALS = [
  "wl_seat",
  "wl_output",
  "wl_shm",
  "zwlr_virtual_pointer_manager_v1",
  "zwlr_screencopy_manager_v1",
  KEYBOARDS,
];

/** Command lines, and the number of keyboards that each needs. */
const LINES: readonly [line: string, keyboards: number][] = [
  ["mousemove 10 20", 0],
  ["mousemove 10 20 click 1", 0],
  ["mousemove 10 20 key a key b", 1],
  ["keydown shift keyup shift", 1],
  ["type hello", 1],
];

/** wl_output.mode: an output's current mode of 1280 by 720 pixels and 60 Hz. */
function mode(name: string, object: number): Uint8Array | undefined {
  return name === "wl_output" ? encodeMessage(object, 1, [1, 1280, 720, 60_000]) : undefined;
}

Deno.test({
  name: "a command connects to the compositor once, and creates a keyboard only to press keys",
  ignore: Deno.build.os !== "linux",
  async fn(t) {
    for (const [line, keyboards] of LINES) {
      await t.step(line, () =>
        temporary(async (folder) => {
          using compositor = new FakeCompositor(`${folder}/wayland-0`, { globals: GLOBALS, bound: mode });
          const { code, stderr } = await runCommand("deskhand", line.split(" "), {
            XDG_RUNTIME_DIR: folder,
            WAYLAND_DISPLAY: "wayland-0",
            XDG_STATE_HOME: folder,
            DBUS_SESSION_BUS_ADDRESS: `unix:path=${folder}/none`,
            DISPLAY: "",
            SWAYSOCK: "",
            DESKHAND_URL: "",
          });
          assertEquals([code, stderr], [0, ""]);
          assertEquals(compositor.connections, 1);
          const made = compositor.bound.filter((name) => name === KEYBOARDS);
          assertEquals([made.length, new Set(compositor.bound).size], [keyboards, compositor.bound.length]);
        }));
    }
  },
});

Deno.test(
  { name: "a compositor that ends during a script is reported once, with exit code 1", ...SWAY },
  async () => {
    await using sway = await Sway.start();
    const child = start("deskhand", ["-"], { ...sway.env, XDG_STATE_HOME: sway.folder, DESKHAND_URL: "" });
    const writer = child.stdin.getWriter(), encoder = new TextEncoder();
    const stderr = new Response(child.stderr).text(), reader = child.stdout.getReader();
    await writer.write(encoder.encode("mousemove 5 6 getmouselocation\n"));
    assertMatch(new TextDecoder().decode((await reader.read()).value), /^x:5 y:6 /);
    await sway.kill();
    await writer.write(encoder.encode("mousemove 7 8\n"));
    await writer.close();
    const { code } = await child.status;
    assertEquals((await reader.read()).done, true);
    assertMatch(await stderr, /^\S+: mousemove: the .*compositor .*is gone.*\n$/);
    assertEquals(code, 1);
  },
);

// Requests over one connection to servers that behave differently.

/**
 * Answers each connection with its list of texts, where an empty text stands for no answer, and closes a
 * connection after its last text.
 */
async function withServer(
  answers: readonly (readonly string[])[],
  use: (connection: KeptConnection, requests: string[], ended: () => number) => Promise<void>,
): Promise<void> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 }), requests: string[] = [];
  let ended = 0;
  const serving = (async () => {
    for (const parts of answers) {
      const client = await listener.accept();
      for (const part of parts) {
        const bytes = new Uint8Array(1 << 16), count = await client.read(bytes);
        if (count === null) break;
        requests.push(new TextDecoder().decode(bytes.subarray(0, count)));
        if (part) await client.write(new TextEncoder().encode(part));
      }
      client.close();
      ended++;
    }
  })();
  const url = `http://127.0.0.1:${listener.addr.port}`,
    connection = new KeptConnection(url, { "X-Own": "1" });
  try {
    await use(connection, requests, () => ended);
  } finally {
    connection.close();
    listener.close();
    await serving.catch(() => {});
  }
}

const answer = (text: string, status = "200 OK") =>
  `HTTP/1.1 ${status}\r\ncontent-length: ${new TextEncoder().encode(text).length}\r\n\r\n${text}`;

Deno.test("answers are read whole, including long ones and refusals", async () => {
  const long = JSON.stringify({ text: "ä".repeat(40_000) });
  await withServer(
    [[answer("{}"), answer(long), answer('{"error":"no"}', "404 Not Found")]],
    async (kept, requests) => {
      assertEquals(await kept.ask("POST", "/api/move", '{"text":"ü"}'), { status: 200, text: "{}" });
      assertEquals(await kept.ask("GET", "/api/windows"), { status: 200, text: long });
      assertEquals((await kept.ask("GET", "/api/nonesuch")).status, 404);
      assertEquals(requests.length, 3);
      const [head, body] = requests[0].split("\r\n\r\n");
      assertEquals(head.split("\r\n").toSpliced(1, 1), [
        "POST /api/move HTTP/1.1",
        "X-Own: 1",
        "Content-Length: 13",
      ]);
      assertEquals(body, '{"text":"ü"}');
    },
  );
});

Deno.test("a connection that the server closed between two requests is reopened, once", async () => {
  await withServer([[answer("1")], [answer("2")], []], async (kept) => {
    assertEquals((await kept.ask("GET", "/")).text, "1");
    assertEquals((await kept.ask("GET", "/")).text, "2");
    await assertRejects(() => kept.ask("GET", "/"));
  });
});

Deno.test("a POST uses a new connection if the server has closed the idle one", async () => {
  await withServer([[answer("1")], [answer("2")]], async (kept, requests, ended) => {
    assertEquals((await kept.ask("POST", "/one", "{}")).text, "1");
    await until(ended, (count) => count === 1);
    await delay(50); // the connection is idle
    assertEquals((await kept.ask("POST", "/two", "{}")).text, "2");
    assertEquals(requests.map((request) => request.split(" ")[1]), ["/one", "/two"]);
  });
});

Deno.test("a request that was read but not answered is retried if it is a GET, and never if it is a POST", async () => {
  for (const method of ["GET", "POST"] as const) {
    await withServer([[answer("1"), ""], [answer("2"), answer("3")]], async (kept, requests) => {
      assertEquals((await kept.ask("GET", "/")).text, "1");
      if (method === "GET") assertEquals((await kept.ask("GET", "/again")).text, "2");
      else {
        await assertRejects(() => kept.ask("POST", "/again", "{}"), Error, "ended");
        assertEquals((await kept.ask("POST", "/next", "{}")).text, "2");
      }
      const paths = requests.map((request) => request.split(" ")[1]);
      assertEquals(paths, ["/", "/again", method === "GET" ? "/again" : "/next"]);
    });
  }
});

Deno.test("an answer that is truncated, or not HTTP, is an error", async () => {
  for (const part of [answer("whole").slice(0, -2), "hello\r\n\r\n"]) {
    await withServer([[part]], async (kept) => {
      await assertRejects(() => kept.ask("GET", "/"), Error);
    });
  }
});
