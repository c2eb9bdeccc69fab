/** The monitoring endpoints: health, readiness, metrics. */

import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { ENDPOINTS } from "../../control/http/endpoints.ts";
import { newRecording } from "../../control/recording/format.ts";
import { BOUNDS_MS } from "../../core/json.ts";
import { need } from "../support/need.ts";
import { NotifySocket, rawStatus, readUntil, sendRaw } from "../support/notify_socket.ts";
import { Program, run } from "../support/program.ts";
import { formatRecording } from "../support/recordings.ts";
import { temporary, until } from "../support/shell.ts";
import { SWAY, Sway } from "../support/sway.ts";
import { statusOf } from "../support/uploads.ts";
import { ownNumber, Xvfb } from "../support/xvfb.ts";

const SECRET = "a-secret-of-enough-letters";

/** A sample's value in the metrics text, by its name and labels as printed. */
function sample(text: string, name: string): number | undefined {
  const line = text.split("\n").find((line) => line.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

const metrics = async (url: string) => await (await fetch(`${url}/metrics`)).text();

Deno.test("health and readiness are public, metrics are not", async () => {
  await using program = new Program(["--desktop", "virtual", "--http", "0", "--token", SECRET]);
  const url = await program.controlUrl(), { port } = new URL(url);
  for (const path of ["/healthz", "/readyz"]) {
    const answer = await fetch(url + path);
    assertEquals([answer.status, await answer.json()], [200, { ok: true }]);
    assertEquals(answer.headers.get("access-control-allow-origin"), "*");
    // As a Kubernetes probe sends it: by a pod's address.
    const probe = `GET ${path} HTTP/1.1\r\nHost: 10.1.2.3:${port}\r\nConnection: close\r\n\r\n`;
    assertEquals(rawStatus(await sendRaw(url, probe)), 200);
    assertEquals((await fetch(url + path, { method: "HEAD" })).status, 200);
    const wrong = await fetch(url + path, { headers: { authorization: "Bearer wrong" } });
    assertEquals([wrong.status, await wrong.json()], [401, { error: "the token is wrong" }]);
  }
  assertEquals(await statusOf(fetch(`${url}/metrics`)), 401);
  const told = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${SECRET}` } });
  assertEquals([told.status, told.headers.get("content-type")], [
    200,
    "text/plain; version=0.0.4; charset=utf-8",
  ]);
  assertStringIncludes(await told.text(), "deskhand_desktop_up");
});

Deno.test("metrics count requests, actions, screenshots, viewers and bytes", async () => {
  await temporary(async (folder) => {
    await Deno.writeFile(`${folder}/small.bin`, new Uint8Array(1000));
    await Deno.writeFile(`${folder}/large.bin`, new Uint8Array(3_000_000));
    await using program = new Program([
      ...["--desktop", "virtual", "--http", "0", "--files", folder, "--files-port", "0"],
    ]);
    const url = await program.controlUrl(), files = await program.filesUrl();
    const get = async (url: string, init?: RequestInit) => (await (await fetch(url, init)).bytes()).length;
    const post = (path: string, body: unknown) =>
      get(url + path, { method: "POST", body: JSON.stringify(body) });
    for (let i = 0; i < 3; i++) await post("/api/click", { x: 1, y: 2, button: "left" });
    await post("/api/click", { x: 99999, y: 2, button: "left" });
    await post("/api/recording/start", {});
    await get(`${url}/api/screenshot`);
    for (const path of ["/api/a", "/api/b"]) await get(url + path);
    await get(`${files}/small.bin`);
    await get(`${files}/large.bin`);
    const socket = new WebSocket(`${url.replace("http", "ws")}/api/live`);
    try {
      await new Promise((opened) => socket.onopen = opened);
      const bytes = "deskhand_files_sent_bytes_total";
      // The end of a large answer is counted a moment after its client has all of it.
      const text = await until(() => metrics(url), (text) => sample(text, bytes) === 3_001_000);
      const click = 'server="control",route="/api/click"',
        posts = 'server="control",method="other"';
      const expected: Record<string, number> = {
        [`deskhand_requests_total{${click}}`]: 4,
        'deskhand_requests_total{server="control",route="other"}': 2,
        'deskhand_requests_total{server="files",route="files"}': 2,
        'deskhand_responses_total{server="control",status="400"}': 1,
        'deskhand_responses_total{server="control",status="404"}': 2,
        'deskhand_responses_total{server="files",status="200"}': 2,
        [`deskhand_request_duration_seconds_count{${posts}}`]: 5,
        [`deskhand_request_duration_seconds_bucket{${posts},le="+Inf"}`]: 5,
        'deskhand_actions_total{action="click",result="done"}': 3,
        'deskhand_actions_total{action="click",result="failed"}': 1,
        'deskhand_actions_total{action="screenshot",result="done"}': 1,
        "deskhand_waiting_actions": 0,
        "deskhand_viewers": 1,
        "deskhand_event_readers": 0,
        'deskhand_recorder_state{state="recording"}': 1,
        'deskhand_recorder_state{state="idle"}': 0,
        'deskhand_desktop_up{kind="virtual"}': 1,
      };
      for (const [name, value] of Object.entries(expected)) assertEquals(sample(text, name), value, name);
      assert(sample(text, "deskhand_picture_duration_seconds_count")! >= 1);
      assert(sample(text, `deskhand_request_duration_seconds_sum{${posts}}`)! > 0);
      checkFormat(text);
    } finally {
      socket.close();
    }
  });
});

Deno.test("metrics stay below 200 lines, whatever clients ask for", async () => {
  await temporary(async (folder) => {
    await using program = new Program([
      ...["--desktop", "virtual", "--http", "0", "--files", folder, "--files-port", "0"],
    ]);
    const url = await program.controlUrl(), files = await program.filesUrl();
    const ask = (url: string, init?: RequestInit) => statusOf(fetch(url, init));
    for (const { method, path } of ENDPOINTS) {
      const body = method === "GET" ? undefined : "{";
      for (const odd of [method, "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "BREW"]) {
        await ask(url + path, { method: odd, body: odd === method ? body : undefined });
      }
      if (!body) continue;
      for (const text of ["{}", '{"x":5,"y":5,"button":"left"}']) {
        await ask(url + path, { method, body: text });
      }
    }
    for (let i = 0; i < 300; i++) await ask(`${url}/made-up-${i}`, { method: `METHOD${i}` });
    for (const method of ["GET", "HEAD", "PUT", "POST", "BREW"]) await ask(`${files}/x`, { method });
    const text = await metrics(url), lines = text.split("\n").length - 1;
    checkFormat(text);
    assert(lines < 200, `${lines} lines:\n${text}`);
  });
});

/**
 * Checks the rules of Prometheus' text format: each family once, with its help and type before its samples.
 */
function checkFormat(text: string) {
  assertMatch(text, /\n$/);
  const seen = new Set<string>();
  let family = "", type = "";
  for (const line of text.trimEnd().split("\n")) {
    const head = /^# (HELP|TYPE) ([a-z_]+) (.+)$/.exec(line);
    if (head?.[1] === "HELP") {
      assertEquals(seen.has(family = head[2]), false, `${family} comes twice`);
      seen.add(family);
    } else if (head) [, , , type] = head;
    else {
      const [, name] = /^([a-z_]+)(?:\{[a-z]+="[^"]*"(?:,[a-z]+="[^"]*")*\})? [\d.e+-]+$/.exec(line) ?? [];
      assertEquals(name?.replace(type === "histogram" ? /_(?:bucket|sum|count)$/ : /$^/, ""), family, line);
    }
  }
  const buckets = text.match(/^deskhand_picture_duration_seconds_bucket.*$/gm) ?? [];
  assertEquals(buckets.length, BOUNDS_MS.length + 1);
  const counts = buckets.map((line) => Number(line.split(" ")[1]));
  assertEquals(counts, counts.toSorted((a, b) => a - b), "buckets are cumulated");
}

Deno.test(
  { ...need("Xvfb"), name: "deskhand waits for its desktop, and says when it is gone" },
  async () => {
    const number = ownNumber();
    await using program = new Program(["--http", "0", "--wait-desktop", "120", "--log", "-"], {
      env: { DISPLAY: `:${number}`, WAYLAND_DISPLAY: "" },
    });
    await program.printed(/^waiting 120 s for the desktop: .*cannot be opened/m);
    // The port is bound already, and printed once the desktop is available.
    const port = await boundPort(program.pid), url = `http://127.0.0.1:${port}`;
    const state = async (path: string) => {
      const answer = await fetch(url + path);
      return [answer.status, await answer.json()];
    };
    assertEquals(await state("/healthz"), [200, { ok: true }]);
    assertEquals(await state("/readyz"), [503, { error: "the desktop is not open yet" }]);
    const early = fetch(`${url}/api/position`);
    {
      await using _server = await Xvfb.start({ number });
      await program.controlUrl();
      assertEquals(Object.keys(await (await early).json()), ["x", "y"]);
      assertEquals(await state("/readyz"), [200, { ok: true }]);
    }
    const gone = await until(() => state("/readyz"), ([status]) => status === 503);
    assertMatch(gone[1].error, /X server .*gone/);
    assertEquals(await state("/healthz"), [200, { ok: true }]);
    assertStringIncludes(await metrics(url), 'deskhand_desktop_up{kind="x11"} 0\n');
    {
      await using _server = await Xvfb.start({ number });
      assertEquals((await until(() => state("/readyz"), ([status]) => status === 200))[0], 200);
    }
  },
);

Deno.test({ ...SWAY, name: "deskhand waits for a Wayland compositor too" }, async () => {
  await temporary(async (folder) => {
    const socket = `${folder}/wayland`;
    await using program = new Program(["--http", "0", "--desktop", "wayland", "--wait-desktop", "120"], {
      env: { DISPLAY: "", WAYLAND_DISPLAY: socket, XDG_RUNTIME_DIR: folder },
    });
    await program.printed(/^waiting 120 s for the desktop: /m);
    {
      await using sway = await Sway.start();
      await Deno.symlink(sway.socket, socket);
      const url = await program.controlUrl();
      assertEquals(await (await fetch(`${url}/readyz`)).json(), { ok: true });
    }
    const url = await program.controlUrl();
    const gone = await until(
      () => fetch(`${url}/readyz`).then((answer) => answer.json()),
      ({ error }) => error,
    );
    assertMatch(gone.error, /compositor/);
  });
});

/** The port on which a process listens at 127.0.0.1, from the system's list. */
async function boundPort(pid: number): Promise<number> {
  const find = () => {
    const inodes = Array.from(Deno.readDirSync(`/proc/${pid}/fd`), ({ name }) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(Deno.readLinkSync(`/proc/${pid}/fd/${name}`))?.[1];
      } catch {
        return undefined; // already closed
      }
    });
    // local_address rem_address st … inode; 0A is LISTEN (proc(5), /proc/net/tcp).
    for (const line of Deno.readTextFileSync("/proc/net/tcp").split("\n")) {
      const fields = line.trim().split(/\s+/);
      if (fields[3] === "0A" && inodes.includes(fields[9])) return parseInt(fields[1].split(":")[1], 16);
    }
  };
  return (await until(find))!;
}

// The end of a service: the requests that SIGTERM lets finish, and the messages to a service manager.

const ARGS = ["--desktop", "virtual", "--http", "0"];

/** Sends JSON. */
const post = (url: string, body: unknown) => fetch(url, { method: "POST", body: JSON.stringify(body) });

/** Waits until a metric has this value, or any nonzero value if left out. */
async function figure(url: string, name: string, value?: number) {
  await until(async () => {
    const text = await (await fetch(`${url}/metrics`)).text();
    const found = Number(new RegExp(`^deskhand_${name} (.*)$`, "m").exec(text)?.[1] ?? 0);
    return value === undefined ? found > 0 : found === value;
  });
}

/** Begins to hold a key for some milliseconds. */
async function hold(url: string, ms: number): Promise<{ held: Promise<Response> }> {
  const held = post(`${url}/api/key`, { keys: "a", hold_ms: ms });
  await until(async () => (await (await fetch(`${url}/api/history`)).json()).actions.length > 0);
  return { held };
}

/** Waits until connections are no longer accepted. */
const refused = (url: string) => until(() => fetch(`${url}/healthz`).then(() => false, () => true));

Deno.test({
  ...need("python3"),
  name: "SIGTERM accepts no new requests, finishes those in flight, ends waits and streams, and exits with 0",
}, async () => {
  await using socket = await NotifySocket.open();
  await using program = new Program(ARGS, { env: { NOTIFY_SOCKET: socket.name } });
  const url = await program.controlUrl();
  assertEquals(await socket.next(), "READY=1");
  const pixel = { x: 1, y: 1, hex: "#123456" };
  const waiting = post(`${url}/api/wait`, { pixel, timeout_ms: 600_000 });
  await figure(url, "picture_duration_seconds_count");
  const { held } = await hold(url, 3000);
  const stream = (await fetch(`${url}/api/events`)).body!.getReader();
  await stream.read();
  const viewer = new WebSocket(`${url.replace("http", "ws")}/api/live`);
  await new Promise((opened) => viewer.onopen = opened);
  const closed = new Promise<CloseEvent>((closed) => viewer.onclose = closed);
  await figure(url, "viewers", 1);
  program.kill("SIGTERM");
  assertEquals(await socket.next(), "STOPPING=1");
  const ended = await waiting;
  assertEquals([ended.status, await ended.json()], [503, { error: "deskhand is stopping" }]);
  await refused(url);
  const answer = await held;
  assertEquals([answer.status, (await answer.json()).ok], [200, true]);
  assertEquals((await closed).code, 1001);
  while (!(await stream.read()).done);
  const { code, stderr } = await program.ended();
  assertEquals([code, stderr], [0, ""]);
});

const host = "Host: localhost\r\n";
/** Requests whose bodies begin and do not end, with the servers that they are for. */
const HALF = [["http", "POST /api/compare"], ["webdriver", "POST /session"], [
  "files",
  "PROPFIND /",
]] as const;
const LENGTHS = ["Content-Length: 9", "Content-Length: 99999", "Transfer-Encoding: chunked"];
const UPLOAD = `PUT /part HTTP/1.1\r\n${host}Content-Length: 9999999\r\n\r\nabc`;
const UNKNOWN = `PUT /other HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`;

Deno.test("SIGTERM waits neither for bodies that do not arrive nor for clients that do not read", async () => {
  await temporary(async (folder) => {
    await Deno.writeFile(`${folder}/large`, new Uint8Array(64e6));
    const options = ["--webdriver", "0", "--files", folder, "--files-port", "0", "--dav", "--allow-upload"];
    await using program = new Program([...ARGS, ...options]);
    const urls = {
      http: await program.controlUrl(),
      webdriver: await program.webdriverUrl(),
      files: await program.filesUrl(),
    };
    const send = async (server: keyof typeof urls, request: string) => {
      const connection = await Deno.connect({ port: Number(new URL(urls[server]).port) });
      await connection.write(new TextEncoder().encode(request));
      return connection;
    };
    const half = await Promise.all(HALF.flatMap(([server, line]) =>
      LENGTHS.map(async (length) => {
        const wait = "Expect: 100-continue\r\n"; // answered once the server reads the body
        const connection = await send(server, `${line} HTTP/1.1\r\n${host}${wait}${length}\r\n\r\n`);
        const read = await readUntil(connection, (text) => text.endsWith("\r\n\r\n"));
        assertEquals(read.slice(0, 12), "HTTP/1.1 100");
        return connection;
      })
    ));
    const uploads = [await send("files", UPLOAD), await send("files", UNKNOWN)];
    const parts = () =>
      [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name !== "large");
    await until(() => parts().filter((name) => Deno.statSync(`${folder}/${name}`).size === 3).length === 2);
    const unread = [
      await send("files", `GET /large HTTP/1.1\r\n${host}\r\n`),
      await send("http", `GET /api/screenshot?format=bmp HTTP/1.1\r\n${host}\r\n`.repeat(9)),
    ];
    for (const connection of unread) await connection.read(new Uint8Array(1));
    const from = performance.now();
    program.kill("SIGTERM");
    const answers = await Promise.all([...half, ...uploads].map((connection) => readUntil(connection)));
    assertEquals(answers.map(rawStatus), Array(answers.length).fill(503));
    const { code, stderr } = await program.ended(), ms = performance.now() - from;
    assertEquals([code, stderr], [0, ""]);
    assert(ms < 8000, `${ms} ms`); // after 8 s the exit waits for nothing
    assertEquals(parts().length, 1); // the upload of known length can be resumed
    for (const connection of [...half, ...uploads, ...unread]) connection.close();
  });
});

Deno.test("SIGTERM lets a client that reads slowly have its file, and a tool of MCP end", async () => {
  await temporary(async (folder) => {
    await Deno.writeFile(`${folder}/large`, new Uint8Array(24e6));
    await using program = new Program([...ARGS, "--files", folder, "--files-port", "0"]);
    const url = await program.controlUrl(), port = Number(new URL(await program.filesUrl()).port);
    using slow = await Deno.connect({ port });
    await slow.write(new TextEncoder().encode(`GET /large HTTP/1.1\r\n${host}\r\n`));
    await slow.read(new Uint8Array(1));
    const key = { name: "key", arguments: { keys: "a", hold_ms: 3000 } };
    const called = post(`${url}/mcp`, { jsonrpc: "2.0", id: 1, method: "tools/call", params: key });
    await until(async () => (await (await fetch(`${url}/api/history`)).json()).actions.length > 0);
    program.kill("SIGTERM");
    await refused(url);
    let size = 1;
    const buffer = new Uint8Array(1e6);
    while (size < 24e6) {
      const read = await slow.read(buffer);
      if (read === null) break;
      size += read;
      if (size < 12e6) await new Promise((ended) => setTimeout(ended, 50));
    }
    assert(size >= 24e6, `${size} bytes`);
    assertStringIncludes(await (await called).text(), "pressed a for 3000 ms");
    assertEquals((await program.ended()).code, 0);
  });
});

Deno.test("a second signal ends the program immediately while the first lets requests finish", async () => {
  await using program = new Program(ARGS);
  const url = await program.controlUrl();
  const { held } = await hold(url, 300_000);
  const lost = assertRejects(() => held);
  program.kill("SIGTERM");
  await refused(url);
  program.kill("SIGTERM");
  assertEquals((await program.ended()).code, 143); // 0 would mean that it ended late, after all requests
  await lost;
});

Deno.test("SIGTERM ends a program that still waits for its desktop, with its waiting requests", async () => {
  await using program = new Program(["--http", "0", "--wait-desktop", "600"], {
    env: { DISPLAY: ":64999", WAYLAND_DISPLAY: "" },
  });
  await program.printed(/^waiting 600 s for the desktop/m);
  program.kill("SIGTERM");
  assertEquals((await program.ended()).code, 0);
});

// The program prints nothing but its own text: runtime warnings stay off the terminal.

Deno.test("HTTP actions print nothing, whether their client stays or leaves", async () => {
  await using server = new Program([
    "--desktop",
    "virtual",
    "--http",
    "0",
    "--files",
    "--no-hidden",
    "--files-port",
    "0",
  ]);
  const url = await server.controlUrl(), files = await server.filesUrl();
  const done = async (path: string, body: unknown) => {
    const response = await fetch(`${url}/api/${path}`, { method: "POST", body: JSON.stringify(body) });
    assertEquals((await response.json()).ok, true, path);
  };
  await done("type", { text: "a" });
  await done("drag", { from: { x: 1, y: 1 }, to: { x: 9, y: 9 } });
  await done("wait", { still: { ms: 1 } });
  for (const path of ["/api/screenshot", "/api/screenshot?format=png", "/", "/api/nothing"]) {
    await (await fetch(url + path)).bytes();
  }
  await (await fetch(`${files}/main.ts`)).bytes();
  await (await fetch(`${files}/`)).bytes();
  for (const path of ["/api/events", "/api/screenshot"]) {
    const leaving = new AbortController();
    await fetch(url + path, { signal: leaving.signal });
    leaving.abort();
  }
  const waiting = fetch(`${url}/api/wait`, {
    method: "POST",
    body: JSON.stringify({ pixel: { x: 0, y: 0, hex: "#123456" }, timeout_ms: 60_000 }),
    signal: AbortSignal.timeout(100),
  });
  await waiting.catch(() => {});
  const live = new WebSocket(`${url.replace("http", "ws")}/api/live`);
  await new Promise((resolve, reject) => (live.onopen = resolve, live.onerror = reject));
  live.close();
  await done("move", { x: 5, y: 5 });
  server.kill();
  const { stderr, stdout } = await server.ended();
  assertEquals(stderr, "");
  assertMatch(stdout, /^HTTP server started on port/);
});

Deno.test("an incomplete WebSocket request is refused with what it lacks, and prints nothing", async () => {
  await using server = new Program(["--desktop", "virtual", "--http", "0"]);
  const url = await server.controlUrl();
  const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", version = "Sec-WebSocket-Version: 13\r\n";
  const cases: [lacks: RegExp, headers: string][] = [
    [/sec-websocket-key/i, `Connection: Upgrade, close\r\n${version}`],
    [/connection/i, `Connection: close\r\n${version}${key}`], // as some proxies forward it
  ];
  for (const [lacks, headers] of cases) {
    const request = `GET /api/live HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n${headers}\r\n`;
    const answer = await sendRaw(url, request);
    assertEquals(rawStatus(answer), 426, answer);
    assertMatch(answer, lacks);
  }
  server.kill();
  assertEquals((await server.ended()).stderr, "");
});

Deno.test("a late replay reports how late it was, and the runtime prints no warning", async () => {
  const scroll = { t: 0, type: "scroll", direction: "up", amount: 1, x: 1, y: 1 } as const;
  const recording = newRecording({ x: 0, y: 0, width: 1280, height: 720 }, new Date(0));
  recording.events.push(...Array.from({ length: 20_000 }, () => scroll)); // all due at the same time
  await temporary(async (folder) => {
    await Deno.writeTextFile(`${folder}/a.json`, formatRecording(recording));
    const { stderr } = await run(["--desktop", "virtual"], `load ${folder}/a.json\nplay\n`);
    assertMatch(stderr, /^loaded 20000 events\nplayed: 20000 events, [^\n]+\n$/);
  });
});

Deno.test({
  name: "a removed working folder stops nothing: pictures, traces and links are made as before",
  ignore: Deno.build.os === "windows", // removes no folder in use
}, async () => {
  const cwd = await Deno.makeTempDir();
  await using program = new Program(ARGS, { cwd });
  const url = await program.controlUrl();
  await until(() => statusOf(fetch(`${url}/readyz`)), (status) => status === 200);
  await Deno.remove(cwd, { recursive: true });
  const notice = /^the folder in which deskhand started was removed: relative paths now start at \/$/m;
  await until(async () => {
    await (await fetch(`${url}/healthz`)).bytes(); // each request may notice it
    return notice.test(program.stderr);
  });
  const picture = await fetch(`${url}/api/screenshot?format=png`);
  assertEquals([picture.status, picture.headers.get("content-type")], [200, "image/png"]);
  await picture.body!.cancel();
  assertEquals(await statusOf(post(`${url}/api/links`, {})), 200);
  await (await post(`${url}/api/trace/start`, {})).body!.cancel();
  await (await post(`${url}/api/type`, { text: "a" })).body!.cancel();
  const { problem, actions } = await (await post(`${url}/api/trace/stop`, {})).json();
  assertEquals([problem, actions], [undefined, 1]);
});
