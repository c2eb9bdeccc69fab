/** `doctor` reports. */

import { assertEquals, assertMatch } from "@std/assert";
import { portFinding, reportOf } from "../../cli/doctor.ts";
import { pendingHandler } from "../../cli/server.ts";
import { LOOPBACK } from "../../http/listener.ts";
import { PEER } from "../support/control.ts";
import { FakeCompositor } from "../support/fake_compositor.ts";
import { need } from "../support/need.ts";
import { run } from "../support/program.ts";
import { temporary } from "../support/shell.ts";
import { Xvfb } from "../support/xvfb.ts";

/** Whether this machine has an address: not every machine has IPv6. */
function isHere(hostname: string): boolean {
  try {
    Deno.listen({ hostname, port: 0 }).close();
    return true;
  } catch {
    return false;
  }
}

Deno.test("a port is free only if it is free on both loopback addresses", () => {
  for (const hostname of LOOPBACK.filter(isHere)) {
    const taken = Deno.listen({ hostname, port: 0 });
    const { port } = taken.addr, name = `port ${port}`;
    const detail = "taken by another program, maybe another deskhand; --http takes another port";
    assertEquals(portFinding(port, "--http"), { name, ok: true, detail });
    taken.close();
    assertEquals(portFinding(port, "--http"), { name, ok: true, detail: "free" });
  }
});

Deno.test("doctor checks the ports that are passed to it", async () => {
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = taken.addr;
  const { stdout, stderr } = await run(["doctor", "--http", String(port), "--files-port", "0"]);
  assertMatch(
    stdout,
    new RegExp(
      `^ok {2}port ${port} +taken by another program, .*; --http takes another port\nok {2}port 0 +free$`,
      "m",
    ),
  );
  assertEquals(stderr, "");
});

Deno.test("a finding's further lines are below its first line", () => {
  const report = reportOf([{ name: "display", ok: false, detail: "none\nget one" }, {
    name: "a",
    ok: true,
    detail: "b",
  }, { name: "c", ok: true, isAbsent: true, detail: "d" }]);
  assertEquals(report, "NO  display  none\n             get one\nok  a        b\n--  c        d");
});

Deno.test({
  name: "without a display it reports nothing about one, and says how to get one",
  ignore: Deno.build.os !== "linux",
}, async () => {
  for (
    const [display, why] of [["", "DISPLAY is not set"], [":9999", ":9999 cannot be opened: no X server"]]
  ) {
    const env = { DISPLAY: display, WAYLAND_DISPLAY: "", XDG_SESSION_TYPE: "", XDG_RUNTIME_DIR: "/nowhere" };
    const { code, stdout } = await run(["doctor"], "", { env });
    assertEquals(code, 1);
    assertMatch(stdout, /^-- {2}session +XDG_SESSION_TYPE is not set$/m);
    assertMatch(stdout, /^-- {2}elements +none \(optional\): /m);
    assertMatch(stdout, /^-- {2}sound +none for --sound \(optional\): /m);
    assertMatch(stdout, new RegExp(`^NO {2}display +${why}.*\n`, "m"));
    assertMatch(
      stdout,
      /^ {4,}For one in memory, type: Xvfb :99 -screen 0 1280x720x24 & export DISPLAY=:99$/m,
    );
    assertMatch(stdout, /^ {4,}Without any X server: deskhand --desktop virtual$/m);
    assertEquals(
      stdout.split("\n").filter((line) => /^(ok|NO) +(screen|extension|keyboard|picture)/.test(line)),
      [],
    );
    assertEquals(/\bX11\b/.test(stdout), false, "it names a session that it did not see");
  }
});

Deno.test({
  name: "a Wayland session missing from the environment is named, with the command that selects it",
  ignore: Deno.build.os !== "linux",
}, async () => {
  await temporary(async (folder) => {
    const env = { DISPLAY: "", WAYLAND_DISPLAY: "", XDG_SESSION_TYPE: "wayland", XDG_RUNTIME_DIR: folder };
    const gone = new FakeCompositor(`${folder}/wayland-0`, { globals: [] as string[] });
    gone[Symbol.dispose]();
    using _present = new FakeCompositor(`${folder}/wayland-1`, { globals: [] as string[] });
    const doctor = await run(["doctor"], "", { env });
    const sentence =
      `a Wayland session runs here \\(${folder}/wayland-1\\), .*Type: WAYLAND_DISPLAY=wayland-1 deskhand`;
    assertMatch(doctor.stdout, new RegExp(`^NO {2}session +${sentence}`, "m"));
    assertEquals(doctor.code, 1);
    const start = await run(["--http", "0"], "", { env });
    assertMatch(start.stderr, new RegExp(sentence));
    assertEquals(start.code, 3);
    for (const text of [doctor.stdout, start.stderr]) assertEquals(/X11|Xvfb|Xorg/.test(text), false, text);
  });
});

Deno.test({ ...need("Xvfb"), name: "with a display it reports what the server says" }, async () => {
  await using xvfb = await Xvfb.start({ width: 800, height: 600 });
  const env = { DISPLAY: xvfb.display, WAYLAND_DISPLAY: "", XDG_SESSION_TYPE: "tty" };
  const { stdout } = await run(["doctor"], "", { env });
  assertMatch(stdout, /^ok {2}session +XDG_SESSION_TYPE is tty$/m);
  assertMatch(stdout, new RegExp(`^ok {2}display +${xvfb.display}, The X\\.Org Foundation$`, "m"));
  assertMatch(stdout, /^ok {2}screen +800x600 /m);
  assertMatch(stdout, /^ok {2}extension XTEST +there, for sending input$/m);
  assertMatch(stdout, /^ok {2}extension DAMAGE +there, for a fast live picture$/m);
  for (const [library, cost] of [["libxcb-damage", "the live picture"], ["libturbojpeg", "videos"]]) {
    const optional = `(ok {2}library ${library}\\.so\\.0 +found|--.* not installed \\(optional\\): ${cost}) `;
    assertMatch(stdout, new RegExp(`^${optional}`, "m"));
  }
});

Deno.test({ ...need("Xvfb"), name: "what only speeds up screenshots may be missing" }, async () => {
  await using xvfb = await Xvfb.start({ args: ["-extension", "DAMAGE"] });
  const { stdout } = await run(["doctor"], "", { env: xvfb.env });
  assertMatch(stdout, /^-- {2}extension DAMAGE +missing \(optional\): the live picture uses more/m);
});

// Requests that arrive while the desktop is being opened.

Deno.test("requests wait until the handler is complete, and are then answered in order", async () => {
  const { handler, complete } = pendingHandler();
  const request = (path: string) => handler(new Request(`http://127.0.0.1${path}`), PEER);
  const early = Promise.all([request("/1"), request("/2")]);
  const seen: string[] = [];
  complete(({ url }) => {
    seen.push(new URL(url).pathname);
    return Promise.resolve(new Response(url));
  });
  assertEquals((await early).map(({ status }) => status), [200, 200]);
  await request("/3");
  assertEquals(seen, ["/1", "/2", "/3"]);
});
