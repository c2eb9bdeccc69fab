/** deskhand on a VNC server's desktop: what it does there, and what it refuses. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { LiveViewer } from "../support/live_viewer.ts";
import { need } from "../support/need.ts";
import { Program, receives, run } from "../support/program.ts";
import { until } from "../support/shell.ts";
import { startXvnc } from "../support/vnc_servers.ts";

const XVNC = need("Xvnc", "xterm", "xdotool");

Deno.test(
  "a VNC server's desktop supports all over HTTP and MCP but windows",
  XVNC,
  async () => {
    await using server = await startXvnc();
    await using typed = await server.typewriter();
    await using program = new Program(["--desktop", server.address, "--http", "0"]);
    const url = await program.controlUrl();
    const post = async (path: string, body: unknown = {}, method = "POST"): Promise<string> => {
      const answer = await fetch(`${url}/api/${path}`, {
        method,
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return `${answer.status} ${await answer.text()}`;
    };
    const mcp = async (name: string, args: unknown) => {
      const answer = await fetch(`${url}/mcp`, {
        method: "POST",
        headers: { accept: "application/json, text/event-stream", "content-type": "application/json" },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name, arguments: args },
        }),
      });
      return await answer.text();
    };
    const screen = await (await fetch(`${url}/api/screen`)).json();
    assertEquals([screen.width, screen.height, screen.displays[0].name], [640, 480, "vnc"]);
    assertStringIncludes(await mcp("screen", {}), "pointer: not known until it is moved");
    const unknown = await (await fetch(`${url}/api/position`)).json();
    assertMatch(unknown.error, /^the VNC server does not report where the pointer is; move it once$/);
    assertMatch(await post("recording/start"), /^200/);
    assertMatch(await post("click", { x: 200, y: 200, button: "left" }), /^200/);
    assertMatch(await post("type", { text: "Hello #1" }), /^200/);
    assertMatch(await post("key", { keys: "ctrl+c" }), /^200/);
    await receives(typed.received, "Hello #1\x03");
    assertMatch(await post("recording/stop"), /^200/);
    assertMatch(await post("recording/play"), /^200/);
    await receives(typed.received, "Hello #1\x03Hello #1\x03");
    const recording = async () => await (await fetch(`${url}/api/recording/state`)).json();
    assertEquals((await until(recording, ({ state }) => state === "idle")).result.stopped, false);
    assertMatch(await post("type", { text: "漢" }), /^400 .*--desktop-paste/s);
    const windows = await (await fetch(`${url}/api/windows`)).json();
    assertMatch(windows.error, /vnc/);
    const png = await (await fetch(`${url}/api/screenshot?format=png&x=0&y=0&width=40&height=30`)).bytes();
    const found = await fetch(`${url}/api/find`, { method: "POST", body: png });
    assertEquals((await found.json()).matches.length > 0, true);
    assertMatch(await post("trace/start"), /^200/);
    assertMatch(await post("move", { x: 201, y: 202 }), /^200/);
    assertMatch(await post("trace/stop"), /^200 .*"actions":1\b/s);
    using viewer = new LiveViewer(url);
    await until(() => viewer.pictures);
    assertEquals([viewer.width, viewer.height], [640, 480]);
    assertStringIncludes(await mcp("screen", {}), "pointer: 201,202");
    assertStringIncludes(await mcp("screenshot", {}), "image");
    assertMatch(await post("clipboard", { text: "Ж" }, "PUT"), /^200/);
    assertEquals((await (await fetch(`${url}/api/clipboard`)).json()).text, "Ж");
    const elements = await (await fetch(`${url}/api/elements`)).json();
    assertMatch(elements.error, /^[^.]*vnc[^.]*$/i);

    const doctor = await run(["doctor", "--desktop", server.address, "--http", "0", "--files-port", "0"]);
    assertEquals([doctor.code, doctor.stderr], [0, ""]);
    const REPORT =
      /VNC server +127\.0\.0\.1:\d+, ".+"\n.*screen +640x480\n.*encryption +none, on this machine\n.*input +the server reports/;
    assertMatch(doctor.stdout, REPORT);
    assertMatch(doctor.stdout, /^ok +text +ASCII; other characters with --desktop-paste KEYS$/m);

    // A server that hangs delays only its own callers.
    Deno.kill(server.display.pid, "SIGSTOP");
    const stopped = post("type", { text: "late" });
    let isOver = false;
    void stopped.then(() => isOver = true);
    while (!isOver) {
      const at = performance.now();
      assertEquals(await (await fetch(`${url}/healthz`)).text() !== "", true);
      assert(performance.now() - at < 4500); // less than the 5 s after which the server is given up
    }
    assertMatch(await stopped, /^503 .*the VNC server 127\.0\.0\.1:\d+ is not responding/s);
    Deno.kill(server.display.pid, "SIGCONT");
    await until(() => post("move", { x: 9, y: 9 }), (answer) => answer.startsWith("200"));
  },
);

Deno.test("the page shows a VNC server's desktop, and --vnc makes a bridge", XVNC, async () => {
  await using server = await startXvnc();
  await using program = new Program(["--desktop", server.address, "--http", "0", "--vnc", "0"]);
  const port = (await program.printed(/^VNC server started on port (\d+)$/m))[1];
  await using second = new Program(["--desktop", `vnc://127.0.0.1:${port}`, "--http", "0"]);
  const [url, secondUrl] = [await program.controlUrl(), await second.controlUrl()];
  const picture = async (base: string) =>
    (await (await fetch(`${base}/api/screenshot?format=png&x=10&y=10&width=300&height=150`)).bytes())
      .toBase64();
  const empty = await picture(url);
  await using _typed = await server.typewriter();
  await until(() => picture(url), (png) => png !== empty);
  await until(async () => await picture(url) === await picture(secondUrl));
});

Deno.test("addresses with a password, malformed ones, and ones without a server are refused", async () => {
  for (
    const [address, code, sentence] of [
      ["vnc://user:secret@host", 2, /other users of this machine can see a password/],
      ["vnc://", 2, /--desktop takes vnc:\/\/\[USER@\]HOST\[:PORT\], not/],
      ["vnc://host:99999", 2, /--desktop takes vnc:/],
      ["vnc://127.0.0.1:1", 3, /^deskhand: vnc:\/\/127\.0\.0\.1:1: no VNC server listens on that port/im],
    ] as const
  ) {
    const ended = await run(["--desktop", address, "-c", "g"]);
    assertEquals(ended.code, code, ended.stderr);
    assertMatch(ended.stderr, sentence);
    assert(!ended.stderr.includes("secret"), ended.stderr);
  }
});
