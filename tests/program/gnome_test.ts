/** deskhand in a GNOME session as its ordinary user, from outside. */

import { assert, assertEquals, assertMatch, assertObjectMatch } from "@std/assert";
import { GnomeDesktop } from "../../ffi/wayland/gnome/way.ts";
import { GNOME, Gnome } from "../support/gnome.ts";
import { LiveViewer } from "../support/live_viewer.ts";
import { need } from "../support/need.ts";
import { startInSession } from "../support/ordinary_user.ts";
import { rgbOfFile } from "../support/pictures.ts";
import { receives } from "../support/program.ts";
import { until } from "../support/shell.ts";
import { keptFrame } from "../support/clipboard_tools.ts";
import { LIBVNCCLIENT, openLibvncclient, showsTheSame, vncPort } from "../support/vnc_viewers.ts";

const NEEDED = GNOME.ignore ? GNOME : need("foot");

/** Characters typed with and without Shift. */
const TEXT = "Hello, World! 1+1=2?";

/** A control API. */
class Api {
  constructor(readonly url: string) {}

  /** @returns The status and body of an answer. */
  async send(method: string, path: string, body?: unknown): Promise<[status: number, body: string]> {
    const init = { method, body: body === undefined ? undefined : JSON.stringify(body) };
    const response = await fetch(`${this.url}/api/${path}`, init);
    return [response.status, await response.text()];
  }

  async post(path: string, body: unknown = {}): Promise<void> {
    assertEquals(await this.send("POST", path, body), [200, '{"ok":true}'], path);
  }

  async get<T>(path: string): Promise<T> {
    return await (await fetch(`${this.url}/api/${path}`)).json();
  }
}

/** Another program that controls the desktop, in this process. */
async function openDesktop(gnome: Gnome): Promise<GnomeDesktop> {
  const run = gnome.env.XDG_RUNTIME_DIR;
  const session = { socket: gnome.socket, buses: [`${run}/bus`], pipewire: `${run}/pipewire-0` };
  return (await GnomeDesktop.open(session))!;
}

async function reaches(gnome: Gnome, x: number, y: number): Promise<void> {
  await until(() => gnome.pointer(), (place) => place.x === x && place.y === y);
}

/** A GNOME session, and deskhand in it. */
interface Stage {
  gnome: Gnome;
  api: Api;
}

/** Steps about pointer and keys. */
async function inputSteps(t: Deno.TestContext, { gnome, api }: Stage): Promise<void> {
  await t.step("moves the pointer and reports its position", async () => {
    assertEquals((await api.get<{ kind: string }>("screen")).kind, "wayland");
    await api.post("move", { x: 640, y: 300 });
    await reaches(gnome, 640, 300);
    await until(() => api.get("position"), (place) => JSON.stringify(place) === '{"x":640,"y":300}');
  });

  await t.step("text arrives in a program", async () => {
    await using typed = await startTyped(gnome);
    await api.post("type", { text: TEXT });
    await receives(typed.received, TEXT);
    await until(() => gnome.evaluate<number>("global.get_window_actors().length"), (count) => count > 0);
  });
}

async function viewerStep(gnome: Gnome, port: number): Promise<void> {
  await using viewer = await openLibvncclient(port);
  await using typed = await startTyped(gnome);
  await viewer.hand.move(640, 300);
  await reaches(gnome, 640, 300);
  await viewer.hand.type(TEXT);
  await receives(typed.received, TEXT);
  const path = `${gnome.env.HOME}/seen.png`;
  await showsTheSame(viewer, { width: 1280, height: 720 }, async () => {
    await gnome.screenshot(path);
    return await rgbOfFile(await Deno.readFile(path));
  });
}

/** A focused terminal that records what is typed into it. */
async function startTyped(gnome: Gnome) {
  const path = `${gnome.env.HOME}/typed`;
  const foot = gnome.spawn("foot", "sh", "-c", `stty raw -echo; : >${path}; exec cat >${path}`);
  await gnome.windows(1);
  await until(() => Deno.stat(path).then(() => true, () => false));
  await until(() => gnome.evaluate("global.display.focus_window !== null"));
  return {
    received: () => Deno.readTextFile(path),
    async [Symbol.asyncDispose]() {
      await foot[Symbol.asyncDispose]();
      await Deno.remove(path);
    },
  };
}

/** Steps about screenshots. */
async function pictureSteps(t: Deno.TestContext, { gnome, api }: Stage): Promise<void> {
  await t.step("a screenshot shows the whole screen", async () => {
    const picture = await fetch(`${api.url}/api/screenshot`);
    assertEquals([picture.status, picture.headers.get("content-type")], [200, "image/bmp"]);
    assertEquals((await picture.arrayBuffer()).byteLength, 1280 * 720 * 4 + 66);
  });

  await t.step("the page's live view shows the screen, its changes, and the pointer", async () => {
    using viewer = new LiveViewer(api.url);
    const witness = await openDesktop(gnome);
    const agree = () =>
      until(
        async () => viewer.wrongRows(await keptFrame(witness.screen, witness.screen.layout(), false)),
        (wrong) => wrong === 0,
      );
    await agree();
    const args = ["--fullscreen", "-o", "colors.background=123456", "sleep", "600"];
    await using _foot = gnome.spawn("foot", ...args);
    await until(() => api.get<{ hex: string }>("pixel?x=640&y=500"), ({ hex }) => /123456/.test(hex));
    await agree();
    const before = viewer.pictures;
    await api.post("move", { x: 200, y: 200 });
    await until(() => viewer.pictures > before);
    witness.close();
  });
}

/** Steps about recordings. */
async function recordingSteps(t: Deno.TestContext, { gnome, api }: Stage): Promise<void> {
  await t.step("actions are recorded and replayed", async () => {
    await api.send("POST", "recording/start");
    await api.post("move", { x: 100, y: 150 });
    await api.post("drag", { from: { x: 100, y: 150 }, to: { x: 400, y: 350 } });
    await api.send("POST", "recording/stop");
    const { events } = await api.get<{ events: { type: string }[] }>("recording");
    assert(events.some(({ type }) => type === "button"));
    await api.post("move", { x: 900, y: 600 });
    await reaches(gnome, 900, 600);
    assertEquals((await api.send("POST", "recording/play"))[0], 200);
    await reaches(gnome, 400, 350);
    await until(() => api.get<{ state: string }>("recording/state"), ({ state }) => state === "idle");
  });

  await t.step("a person's moves are recorded, deskhand's own once, and a replay ends there", async () => {
    const person = await openDesktop(gnome);
    await person.pointer.move({ x: 600, y: 400 });
    await until(() => api.get("position"), (place) => JSON.stringify(place) === '{"x":600,"y":400}');
    await api.send("POST", "recording/start");
    // Each move waits until the previous one is recorded: the shell reports only the latest position.
    const count = async (moves: number) =>
      await until(
        () => api.get<{ events: number }>("recording/state"),
        ({ events }) => events >= moves,
      );
    await person.pointer.move({ x: 300, y: 450 });
    await count(1);
    await api.post("move", { x: 310, y: 300 });
    await count(2);
    await person.pointer.move({ x: 500, y: 460 });
    await count(3);
    await api.send("POST", "recording/stop");
    person.close();
    const { events } = await api.get<{ events: { type: string; x: number; y: number }[] }>("recording");
    assertEquals(events.map(({ type, x, y }) => [type, x, y]), [
      ["move", 300, 450],
      ["move", 310, 300],
      ["move", 500, 460],
    ]);
    await api.post("move", { x: 900, y: 600 });
    await reaches(gnome, 900, 600);
    assertEquals((await api.send("POST", "recording/play"))[0], 200);
    await reaches(gnome, 500, 460);
    await until(() => api.get<{ state: string }>("recording/state"), ({ state }) => state === "idle");
  });
}

/** Steps about the clipboard, windows and waiting, and about the end of the shell. */
async function otherSteps(t: Deno.TestContext, { gnome, api }: Stage): Promise<void> {
  await t.step(
    "the clipboard is written and read; only windows on the accessibility bus are listed, here none",
    async () => {
      assertEquals((await api.send("PUT", "clipboard", { text: "copied €" }))[0], 200);
      assertEquals(await api.get("clipboard"), { text: "copied €", types: ["text"] });
      assertEquals(await api.send("GET", "windows"), [200, '{"windows":[]}']);
      assertEquals((await api.send("POST", "window/activate", { title: "x" }))[0], 404);
    },
  );

  await t.step("an image is found on the screen, and waiting sees a program's colour", async () => {
    const part = await fetch(`${api.url}/api/screenshot?x=0&y=0&width=100&height=27`); // "Activities"
    const headers = { "content-type": "image/bmp" };
    const found = await fetch(`${api.url}/api/find`, { method: "POST", headers, body: await part.blob() });
    assertObjectMatch(await found.json(), { matches: [{ x: 0, y: 0, width: 100, height: 27 }] });
    const waiting = api.send("POST", "wait", { pixel: { x: 640, y: 500, hex: "123456" } });
    await using _foot = gnome.spawn(
      "foot",
      "--fullscreen",
      "-o",
      "colors.background=123456",
      "sleep",
      "600",
    );
    const [status, body] = await waiting;
    assertEquals(status, 200, body);
  });

  await t.step("a shell that is gone is a 503 until it is back, and so is the live view", async () => {
    using viewer = new LiveViewer(api.url);
    await until(() => viewer.pictures);
    await gnome.kill();
    await until(() => /error/.test(viewer.told));
    const before = viewer.pictures;
    await until(() => api.send("POST", "move", { x: 5, y: 5 }), ([status]) => status === 503);
    await gnome.restart();
    await until(() => api.send("POST", "move", { x: 70, y: 80 }), ([status]) => status === 200);
    await reaches(gnome, 70, 80);
    await until(() => viewer.pictures > before);
  });
}

Deno.test(
  { name: "in a GNOME session it controls the desktop without asking anyone", ...NEEDED },
  async (t) => {
    await using gnome = await Gnome.start();
    await t.step("doctor reports the compositor, Mutter's interfaces and PipeWire", async () => {
      await using doctor = await startInSession(gnome.session, [
        "doctor",
        "--http",
        "0",
        "--files-port",
        "0",
      ]);
      const { stdout, code } = await doctor.ended();
      assertMatch(
        stdout,
        /^ok {2}compositor +gnome-shell at \S+: deskhand controls it as --desktop wayland/m,
      );
      assertMatch(stdout, /^ok {2}org\.gnome\.Mutter\.RemoteDesktop +found \d+, for pointer, keyboard/m);
      assertMatch(stdout, /^ok {2}org\.gnome\.Mutter\.ScreenCast +found \d+, for pictures/m);
      assertMatch(stdout, /^ok {2}pipewire +libpipewire-0\.3 is there$/m);
      assertMatch(stdout, /^ok {2}screen +1280x720 \(Meta-0 1280x720 at 0,0, scale 1\)$/m);
      assertEquals(code, 0);
    });

    await using program = await startInSession(gnome.session, ["--http", "0", "--vnc", "0"]);
    const api = new Api(await program.controlUrl()), port = await vncPort(program);

    await inputSteps(t, { gnome, api });

    await t.step({
      name: "a VNC viewer shows the shell's own picture pixel for pixel, and types",
      ignore: LIBVNCCLIENT.ignore,
      fn: () => viewerStep(gnome, port),
    });

    await pictureSteps(t, { gnome, api });

    await recordingSteps(t, { gnome, api });

    await otherSteps(t, { gnome, api });
  },
);
