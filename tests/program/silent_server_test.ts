/** A display server that hangs delays only its own callers: files, /healthz, /metrics and SIGTERM work. */

import { assert, assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import { delay } from "@std/async/delay";
import { newRecording } from "../../control/recording/format.ts";
import { openWayland } from "../../ffi/wayland/mod.ts";
import { call, wordsOf } from "../support/agent_tools.ts";
import { ElementsStage, STAGE } from "../support/elements.ts";
import { GNOME, Gnome } from "../support/gnome.ts";
import { KWIN, Kwin } from "../support/kwin.ts";
import { need } from "../support/need.ts";
import { copyFor, startInSession } from "../support/ordinary_user.ts";
import { signal } from "../support/pictures.ts";
import { Program } from "../support/program.ts";
import { formatRecording } from "../support/recordings.ts";
import { type StoppedCalls, stoppedCalls } from "../support/stopped_calls.ts";
import { SWAY, Sway } from "../support/sway.ts";
import { dirname, fromFileUrl } from "@std/path";
import { temporary, until } from "../support/shell.ts";
import { Terminal } from "../support/terminal.ts";
import { hang, mounted, MOUNTS, names } from "../support/uploads.ts";
import { keycodesDown } from "../support/window_desktops.ts";
import { WebDriverClient } from "../support/webdriver_client.ts";
import { Xvfb } from "../support/xvfb.ts";

/** A desktop's server, and how to start deskhand on it. */
interface Server {
  pid: number;
  start(...args: string[]): Promise<Program>;
}

/** Calls that wait for the server, and the statuses that they get while it hangs. */
const WAITING: [path: string, body?: object][] = [
  ["/api/position"],
  ["/api/move", { x: 20, y: 30 }],
  ["/api/key", { keys: "a" }],
  ["/api/type", { text: "ab" }],
  ["/api/screenshot"],
  ["/api/windows"],
  ["/readyz"],
];

const ask = (url: string, body?: object) =>
  fetch(url, {
    signal: AbortSignal.timeout(60_000),
    ...body && { method: "POST", body: JSON.stringify(body) },
  });

/** Less than the 5 s that a wait for a silent server takes, in milliseconds. */
const SOON_MS = 4500;

/**
 * Requests what must not wait for a silent server.
 * @param most Maximum time in milliseconds.
 */
async function soon(url: string, most = SOON_MS): Promise<Response> {
  const begun = performance.now(), answer = await ask(url);
  assert(performance.now() - begun < most, `${url} waits for the server`);
  return answer;
}

/** By when the watchdog has started and cut a call: after 1 to 4 s, by the load. Without it, a call has no end. */
const CUT_MS = 20_000;

/** Errors that agents and a WebDriver suite get while the server hangs. */
function otherDoors(control: string, suite: WebDriverClient): Promise<unknown>[] {
  const request = (_: string, path: string, body: unknown, { headers = {} } = {}) =>
    fetch(control + path, { method: "POST", headers, body: JSON.stringify(body) });
  const tool = async (name: string, given: Record<string, unknown>) => {
    const result = await call({ request }, name, given);
    assertEquals(result.isError, true, name);
    assertMatch(wordsOf(result), SILENT, name);
  };
  const command = async (method: string, path: string, body?: unknown) => {
    const [code, message, status] = await suite.fail(method, path, body);
    assertEquals([code, status], ["unknown error", 500], path);
    assertMatch(message, SILENT, path);
  };
  return [
    tool("see", { what: "picture" }),
    tool("act", { steps: ["click 20,30"] }),
    command("GET", "/screenshot"),
    command("POST", "/actions", { actions: [MOVE] }),
  ];
}

/** A WebDriver input source that moves the pointer. */
const MOVE = {
  type: "pointer",
  id: "mouse",
  actions: [{ type: "pointerMove", duration: 0, x: 20, y: 30 }],
};
const SILENT = /has not answered for 5 s/;

/** Starts deskhand as the tests' user. */
function startedOn(env: Record<string, string>, desktop: string): Server["start"] {
  return (...args) => Promise.resolve(new Program(["--desktop", desktop, ...args], { env, stdin: "null" }));
}

/** Runs deskhand on a server, stops the server, and requests everything. */
async function stopped({ pid, start }: Server) {
  await temporary(async (folder) => {
    await Deno.writeTextFile(`${folder}/a.txt`, "served");
    await Deno.chmod(folder, 0o755);
    const servers = ["--http", "0", "--files", folder, "--files-port", "0", "--webdriver", "0"];
    await using program = await start(...servers);
    const control = await program.controlUrl(), files = await program.filesUrl();
    const suite = new WebDriverClient(await program.webdriverUrl());
    assertEquals((await suite.open({})).status, 200);
    // Opens in advance what the first use opens.
    for (const [path, body] of WAITING) await (await ask(`${control}${path}`, body)).bytes();
    assertEquals((await ask(`${control}/api/press`, { key: "shift" })).status, 200);
    Deno.kill(pid, "SIGSTOP");
    try {
      const answers = WAITING.map(async ([path, body]) => {
        const answer = await ask(`${control}${path}`, body);
        return [path, answer.status, (await answer.json()).error];
      });
      let isAnswered = false, turns = 0, late = 0;
      const beside = async (path: string) => {
        const begun = performance.now(), answer = await soon(path, CUT_MS);
        if (performance.now() - begun > SOON_MS) late++;
        return answer;
      };
      const others = Promise.all(otherDoors(control, suite));
      others.catch(() => {}); // awaited below
      const all = Promise.all(answers).finally(() => isAnswered = true);
      all.catch(() => {}); // awaited below
      while (!isAnswered) {
        assertEquals(await (await beside(`${files}/a.txt`)).text(), "served");
        assertEquals(await (await beside(`${control}/healthz`)).json(), { ok: true });
        assertMatch(
          await (await beside(`${control}/metrics`)).text(),
          /^deskhand_desktop_up\{kind="\w+"\} 0$/m,
        );
        turns++;
        await delay(50); // otherwise, the requests use both processors
      }
      assert(turns > 1);
      assert(late <= 1, `${late} requests waited for the server`); // one on an overloaded machine, for the watchdog
      for (const [path, status, error] of await all) {
        assertEquals([path, status], [path, 503]);
        assertMatch(error, SILENT);
      }
      await others;
      program.kill();
      assertEquals((await program.ended()).code, 0);
    } finally {
      Deno.kill(pid, "SIGCONT");
    }
  });
}

Deno.test({ name: "a stopped X server delays only its own callers", ...need("Xvfb") }, async () => {
  await using server = await Xvfb.start();
  await stopped({ pid: server.pid, start: startedOn(server.env, "x11") });
});

Deno.test({ name: "a stopped compositor delays only its own callers", ...SWAY }, async () => {
  await using sway = await Sway.start();
  await stopped({ pid: sway.pid, start: startedOn(sway.env, "wayland") });
});

Deno.test({ name: "a stopped KWin delays only its own callers", ...KWIN }, async () => {
  await using kwin = await Kwin.start();
  await stopped({ pid: kwin.pid, start: (...args) => kwin.program(...args) });
});

Deno.test({ name: "a stopped GNOME Shell delays only its own callers", ...GNOME }, async () => {
  await using gnome = await Gnome.start();
  await stopped({ pid: gnome.pid, start: (...args) => startInSession(gnome.session, args) });
});

/** Checks that no call held the thread, although the compositor was stopped when it began. */
function heldBriefly({ used, opening, longestMs }: StoppedCalls) {
  for (const [name, { heldMs }] of [...Object.entries(used), ...Object.entries(opening)]) {
    assert(heldMs < 2500, `${name} held the thread for ${heldMs} ms`);
  }
  for (const [name, { error = "" }] of Object.entries(used)) {
    if (name !== "position") assertMatch(error, SILENT, name); // it may be known
  }
  assert(longestMs < 4500, `the thread did nothing else for ${longestMs} ms`);
}

Deno.test({ name: "a compositor that stops before a call holds no thread", ...SWAY }, async () => {
  await using sway = await Sway.start();
  heldBriefly(await stoppedCalls(() => openWayland(sway.socket), (signal) => Deno.kill(sway.pid, signal)));
});

Deno.test({ name: "a KWin that stops before a call holds no thread", ...KWIN }, async () => {
  await using kwin = await Kwin.start();
  const { runtime, main } = await copyFor(), script = `${dirname(main)}/stopped_calls.ts`;
  await Deno.copyFile(fromFileUrl(new URL("../support/stopped_calls.ts", import.meta.url)), script);
  const module = `${dirname(main)}/ffi/wayland/mod.ts`;
  await using program = await startInSession(kwin.session, [module, String(kwin.pid)], {
    clearEnv: true,
    copy: { runtime, main: script },
  });
  const { stdout, stderr } = await program.ended();
  assertEquals(stderr, "");
  heldBriefly(JSON.parse(stdout));
});

Deno.test({
  name: "an X server that is busy at the end gets its keys and its map back",
  ...need("Xvfb", "xinput", "xmodmap"),
}, async () => {
  await using server = await Xvfb.start();
  const map = await server.run("xmodmap", "-pke");
  await using program = new Program(["--desktop", "x11", "--http", "0"], { env: server.env, stdin: "null" });
  const url = await program.controlUrl();
  for (const key of ["shift", "漢"]) assertEquals((await ask(`${url}/api/press`, { key })).status, 200);
  const keyboard = () => server.run("xinput", "query-state", "Virtual core XTEST keyboard");
  assertMatch(await keyboard(), /=down/);
  const pause = `kill -STOP ${server.pid}; echo stopped; sleep 0.2; kill -CONT ${server.pid}`;
  await using pausing = new Program(["-c", pause], { executable: "sh", stdin: "null" });
  await pausing.printed(/stopped/);
  program.kill();
  assertEquals((await program.ended()).code, 0);
  assertNotMatch(await keyboard(), /=down/);
  assertEquals(await server.run("xmodmap", "-pke"), map);
});

Deno.test({ name: "a stopped X server that resumes answers again", ...need("Xvfb") }, async () => {
  await using server = await Xvfb.start();
  await using program = new Program(["--desktop", "x11", "--http", "0"], { env: server.env, stdin: "null" });
  const url = await program.controlUrl(), move = () => ask(`${url}/api/move`, { x: 20, y: 30 });
  const recording = newRecording({ x: 0, y: 0, width: 1280, height: 720 }, new Date(0));
  for (const [t, x] of [[0, 100], [900, 200]]) recording.events.push({ t, type: "move", x, y: 50 });
  const put = { method: "PUT", body: formatRecording(recording) };
  const stored = await fetch(`${url}/api/recording`, put);
  assertEquals(stored.status, 200, await stored.text());
  assertEquals((await ask(`${url}/api/recording/play`, { times: 1000, speed: 0.1 })).status, 200);
  const position = async () => (await (await ask(`${url}/api/position`)).json()).x;
  await until(position, (x) => x === 100); // it has begun
  await delay(500); // the watchdog has started by now
  Deno.kill(server.pid, "SIGSTOP");
  assertEquals((await move()).status, 503);
  Deno.kill(server.pid, "SIGCONT");
  await until(move, ({ status }) => status === 200); // the replay was aborted
  assertEquals(await (await ask(`${url}/api/position`)).json(), { x: 20, y: 30 });
});

Deno.test({
  name: "what is held when the program ends under a stopped X server is released by the next start",
  ...need("Xvfb", "xinput"),
}, async () => {
  await temporary(async (state) => {
    await using server = await Xvfb.start({ args: ["-noreset"] });
    const env = { ...server.env, XDG_STATE_HOME: state }, args = ["--desktop", "x11", "--http", "0"];
    const down = async () =>
      (await server.run("xinput", "query-state", "Virtual core XTEST keyboard")).match(/=down/g)?.length ?? 0;
    {
      await using program = new Program(args, { env, stdin: "null" });
      assertEquals((await ask(`${await program.controlUrl()}/api/press`, { key: "shift" })).status, 200);
      await until(down, (count) => count === 1);
      Deno.kill(server.pid, "SIGSTOP");
      try {
        program.kill("SIGTERM");
        assertEquals((await program.ended()).code, 0);
      } finally {
        Deno.kill(server.pid, "SIGCONT");
      }
    }
    await using next = new Program(args, { env, stdin: "null" });
    await next.controlUrl();
    await next.printed(/^released keys and buttons that a killed deskhand held: key shift$/m);
    assertEquals(await down(), 0);
  });
});

Deno.test({
  name: "an X server that stops within a call is disconnected, and gets its map back",
  ...need("Xvfb", "xmodmap"),
}, async () => {
  await using server = await Xvfb.start({ args: ["-noreset"] });
  const map = await server.run("xmodmap", "-pke"), typed = { text: "abcdefghij é漢 ".repeat(800) };
  // These calls send requests without a pause, so the server stops within one.
  const type = (url: string) => ask(`${url}/api/type`, typed);
  const windows = async (url: string) => {
    for (;;) {
      const answer = await ask(`${url}/api/windows`);
      await answer.bytes();
      if (answer.status !== 200) return answer;
    }
  };
  // Both are stopped before the watchdog would have started for single commands.
  for (const [call, ms] of [[type, 30], [windows, 20]] as const) {
    await using program = new Program(["--desktop", "x11", "--http", "0"], {
      env: server.env,
      stdin: "null",
    });
    const url = await program.controlUrl();
    let isAnswered = false;
    const calling = call(url).finally(() => isAnswered = true);
    await delay(ms);
    Deno.kill(server.pid, "SIGSTOP");
    try {
      while (!isAnswered) {
        assertEquals(await (await soon(`${url}/healthz`, CUT_MS)).json(), { ok: true });
        await delay(50);
      }
      assertEquals((await calling).status, 503);
      // The next call reopens the connection, which must not wait on the serving thread either.
      const next = ask(`${url}/api/move`, { x: 20, y: 30 });
      assertEquals(await (await soon(`${url}/healthz`)).json(), { ok: true });
      assertEquals((await next).status, 503);
    } finally {
      Deno.kill(server.pid, "SIGCONT");
    }
    await until(() => ask(`${url}/api/move`, { x: 20, y: 30 }), ({ status }) => status === 200);
    await until(() => server.run("xmodmap", "-pke"), (now) => now === map);
  }
});

Deno.test({ name: "a compositor that stops within a text delays nothing else", ...SWAY }, async () => {
  await using sway = await Sway.start();
  await using program = new Program(["--desktop", "wayland", "--http", "0"], {
    env: sway.env,
    stdin: "null",
  });
  const url = await program.controlUrl();
  let isAnswered = false;
  const typing = ask(`${url}/api/type`, { text: "abcdefghij é漢 ".repeat(2000) }).finally(() =>
    isAnswered = true
  );
  await delay(500); // it has begun
  Deno.kill(sway.pid, "SIGSTOP");
  try {
    while (!isAnswered) {
      assertEquals(await (await soon(`${url}/healthz`)).json(), { ok: true });
      await delay(50);
    }
    const { status } = await typing;
    assertEquals(status, 503);
  } finally {
    Deno.kill(sway.pid, "SIGCONT");
  }
  await until(() => ask(`${url}/api/key`, { keys: "a" }), ({ status }) => status === 200);
});

Deno.test({
  name: "temporarily bound keys are unbound without waiting for a stopped X server",
  ...need("Xvfb", "xmodmap"),
}, async () => {
  await using server = await Xvfb.start();
  const map = await server.run("xmodmap", "-pke");
  await using program = new Program(["--desktop", "x11", "--http", "0"], { env: server.env, stdin: "null" });
  const url = await program.controlUrl();
  const recording = newRecording({ x: 0, y: 0, width: 1280, height: 720 }, new Date(0));
  recording.events.push({ t: 0, type: "move", x: 100, y: 50 });
  const put = { method: "PUT", body: formatRecording(recording) };
  assertEquals((await fetch(`${url}/api/recording`, put)).status, 200);
  assertEquals((await ask(`${url}/api/type`, { text: "漢" })).status, 200);
  Deno.kill(server.pid, "SIGSTOP");
  const end = performance.now() + 14_000; // the keys stay bound for 10 s
  const played = ask(`${url}/api/recording/play`, {}); // a replay unbinds them first
  try {
    while (performance.now() < end) {
      assertEquals(await (await soon(`${url}/healthz`)).json(), { ok: true });
      await delay(100);
    }
    await (await played).bytes();
  } finally {
    Deno.kill(server.pid, "SIGCONT");
  }
  await until(() => server.run("xmodmap", "-pke"), (now) => now === map);
});

Deno.test({ name: "startup on a stopped X server ends", ...need("Xvfb") }, async () => {
  await using server = await Xvfb.start();
  Deno.kill(server.pid, "SIGSTOP");
  try {
    const started = (...args: string[]) =>
      new Program(["--desktop", "x11", ...args], { env: server.env, stdin: "null" });
    await using program = started("--http", "0");
    await using files = started("--files", ".", "--files-port", "0");
    await using doctor = new Program(["doctor", "--desktop", "x11"], { env: server.env, stdin: "null" });
    const message = `the X server of display ${server.display} is not responding`;
    const { code, stderr } = await program.ended();
    assertEquals(code, 3);
    assert(stderr.includes(message), stderr);
    assertEquals((await ask(await files.filesUrl())).status, 200);
    assert((await doctor.ended()).stdout.includes(message));
  } finally {
    Deno.kill(server.pid, "SIGCONT");
  }
});

/** Grabs the X server for 12 s, as any program may. */
const GRAB = `
import ctypes, time
x = ctypes.CDLL("libX11.so.6")
x.XOpenDisplay.restype = ctypes.c_void_p
display = ctypes.c_void_p(x.XOpenDisplay(None))
x.XGrabServer(display)
x.XSync(display, 0)
print("grabbed", flush=True)
time.sleep(600)
`;

Deno.test({
  name: "a program that grabs the X server delays neither input nor files",
  ...need("Xvfb", "python3"),
}, async () => {
  await using server = await Xvfb.start();
  await using program = new Program(["--desktop", "x11", "--http", "0"], { env: server.env, stdin: "null" });
  const url = await program.controlUrl();
  await using grab = new Program(["-c", GRAB], { executable: "python3", env: server.env, stdin: "null" });
  await grab.printed(/grabbed/);
  assertEquals((await ask(`${url}/api/move`, { x: 20, y: 30 })).status, 200);
  assertEquals(await (await ask(`${url}/api/position`)).json(), { x: 20, y: 30 });
  assertEquals(await (await ask(`${url}/healthz`)).json(), { ok: true });
  grab.kill("SIGKILL");
});

/** The daemons of a session's buses. */
function busDaemons(address: string): number[] {
  const read = (pid: number, file: string) => {
    try {
      return Deno.readTextFileSync(`/proc/${pid}/${file}`);
    } catch {
      return ""; // ended, or owned by another user
    }
  };
  const pids = [...Deno.readDirSync("/proc")].map(({ name }) => Number(name)).filter(Boolean);
  return pids.filter((pid) =>
    read(pid, "comm").trim() === "dbus-daemon" && read(pid, "environ").includes(address)
  );
}

Deno.test({
  name: "a stopped session bus costs callers of elements at most 5 s in total",
  ...STAGE.ignore ? STAGE : need("zenity"),
}, async () => {
  await using stage = await ElementsStage.start();
  stage.start("zenity", "--entry", "--title=Ask");
  await until(() => stage.get("/api/windows"), ({ windows }) => windows.length === 1);
  const pids = busDaemons(stage.env.DBUS_SESSION_BUS_ADDRESS);
  assert(pids.length > 0);
  for (const pid of pids) signal(pid, "SIGSTOP"); // even a child that starts a service, and may end
  try {
    const begun = performance.now();
    const failing = Promise.all([
      ask(`${stage.url}/api/elements?title=Ask`),
      ask(`${stage.url}/api/element/click`, { element: 'button "OK"' }),
      ask(`${stage.url}/api/element/set`, { element: "textbox", to: "x" }),
      ask(`${stage.url}/api/wait`, { element: { role: "button", name: "OK" }, timeout_ms: 3000 }),
    ]);
    assertEquals(await (await ask(`${stage.url}/healthz`)).json(), { ok: true });
    assertEquals((await ask(`${stage.url}/api/windows`)).status, 200);
    assertEquals((await ask(`${stage.url}/api/position`)).status, 200);
    assert(performance.now() - begun < 4500, "nothing else waits for the bus");
    for (const answer of await failing) {
      assertEquals([answer.status, (await answer.json()).error], [503, "the session bus is not responding"]);
    }
    assert(performance.now() - begun < 9000, "the calls do not wait one after another");
    assertEquals((await ask(`${stage.url}/api/type`, { text: "abc" })).status, 200);
    stage.program.kill();
    assertEquals((await stage.program.ended()).code, 0);
  } finally {
    for (const pid of pids) signal(pid, "SIGCONT");
  }
});

/** Runs a function with a state folder on another disk, mounted by the process `pid`. */
async function withFarState(
  run: (disk: { far: string; state: string; pid: number }) => Promise<void>,
): Promise<void> {
  await temporary(async (folder) => {
    const far = `${folder}/far`, state = `${folder}/state`;
    for (const path of [far, state, `${far}/deskhand`]) await Deno.mkdir(path, { mode: 0o700 });
    await mounted(far, state, ["--vfs-cache-mode", "writes"], ({ pid }) => run({ far, state, pid }));
  });
}

Deno.test({
  name: "what is held is released at the end although the state folder hangs",
  ignore: need("Xvfb", "xinput").ignore || MOUNTS.ignore,
}, async () => {
  await using server = await Xvfb.start();
  await withFarState(async ({ state, pid }) => {
    await using program = new Program(["--http", "0"], { env: { ...server.env, XDG_STATE_HOME: state } });
    const url = await program.controlUrl();
    assertEquals((await ask(`${url}/api/recording/start`, {})).status, 200);
    assertEquals((await ask(`${url}/api/press`, { key: "shift" })).status, 200);
    await until(() => keycodesDown(server), ({ length }) => length === 1);
    await hang(pid);
    program.kill("SIGTERM");
    await until(() => keycodesDown(server), ({ length }) => length === 0);
    Deno.kill(pid, "SIGCONT"); // the system ends no process that waits for a stopped mount
    assertEquals((await program.ended()).code, 0);
  });
});

Deno.test({
  name: "the prompt is left although the state folder hangs, and what is held is released",
  ignore: need("Xvfb", "xinput", "tmux").ignore || MOUNTS.ignore,
}, async () => {
  await using server = await Xvfb.start();
  await withFarState(async ({ state, pid }) => {
    const env = Object.entries({ ...server.env, XDG_STATE_HOME: state }).map(([name, value]) =>
      `${name}=${value}`
    );
    await using terminal = await Terminal.open(`env ${env.join(" ")} ${Deno.execPath()} run -q -A main.ts`);
    using _continued = { [Symbol.dispose]: () => Deno.kill(pid, "SIGCONT") };
    await terminal.shows(/^>$/m);
    for (const line of ["rec mouse", "m3-4", "stop", "press shift"]) await terminal.line(line);
    await until(() => keycodesDown(server), ({ length }) => length === 1);
    await hang(pid);
    await terminal.paste("quit\nquit\n"); // the second asks the disk, which owes no answer yet
    await until(() => keycodesDown(server), ({ length }) => length === 0);
    Deno.kill(pid, "SIGCONT");
    await terminal.shows(/^exit 0$/m);
  });
});

Deno.test({
  name: "recordings and keys go on while the state folder hangs, and a journal follows once it answers",
  ignore: need("Xvfb", "xinput").ignore || MOUNTS.ignore,
}, async () => {
  await using server = await Xvfb.start();
  await withFarState(async ({ far, state, pid }) => {
    const journals = () => names(`${state}/deskhand`).filter((name) => name.endsWith(".journal"));
    await using program = new Program(["--http", "0"], { env: { ...server.env, XDG_STATE_HOME: state } });
    using _continued = { [Symbol.dispose]: () => Deno.kill(pid, "SIGCONT") }; // or the program could not be ended
    const url = await program.controlUrl();
    const call = async (path: string, body?: object) => {
      const answer = ask(`${url}/api/${path}`, body);
      assertEquals((await ask(`${url}/healthz`)).status, 200); // no call holds the others
      return (await answer).status;
    };
    assertEquals(await call("recording/start", {}), 200);
    await hang(pid);
    assertEquals(await call("move", { x: 7, y: 8 }), 200);
    assertEquals(await call("press", { key: "shift" }), 200);
    await until(() => keycodesDown(server), ({ length }) => length === 1);
    assertEquals(await call("release", { key: "shift" }), 200);
    await until(() => keycodesDown(server), ({ length }) => length === 0);
    assertEquals(await call("recording/stop", {}), 200);
    const discard = () =>
      fetch(`${url}/api/recording`, { method: "DELETE", signal: AbortSignal.timeout(60_000) });
    const recorded = async () => await (await fetch(`${url}/api/recording`)).text();
    assertMatch(await recorded(), /"x":7,"y":8/);
    const discarded = await discard();
    assertEquals(discarded.status, 503);
    assertMatch(await discarded.text(), /the disk of deskhand's state folder does not answer/);
    assertMatch(await recorded(), /"x":7,"y":8/);
    assertEquals(await call("recording/start", {}), 200);
    assertEquals(await call("move", { x: 9, y: 6 }), 200);
    assertEquals(await call("recording/stop", {}), 200);
    Deno.kill(pid, "SIGCONT");
    // The first recording's journal goes, and the second one's comes.
    const written = () => journals().map((name) => Deno.readTextFileSync(`${state}/deskhand/${name}`));
    await until(written, (texts) => texts.length === 1 && texts[0].includes('"x":9,"y":6'));
    assertEquals((await discard()).status, 200);
    await until(journals, ({ length }) => length === 0);
    program.kill("SIGTERM");
    assertEquals((await program.ended()).code, 0);
    await until(
      () => names(`${far}/deskhand`),
      (left) => !left.some((name) => /^(held|recording)-/.test(name)),
    );
  });
});
