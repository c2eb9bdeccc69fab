/** Consent, from a mock portal whose user answers as the test says; shared outputs and input. */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { DesktopUnavailableError, NoDesktopError } from "../../../../core/errors.ts";
import { Bus } from "../../../../ffi/linux/dbus/bus.ts";
import { portalFinding, PortalInput } from "../../../../ffi/wayland/portal/way.ts";
import { featuresOf, missingOf } from "../../../../ffi/wayland/portal/features.ts";
import {
  askConsent,
  type PortalSession,
  sharedOutputs,
  streamsOf,
} from "../../../../ffi/wayland/portal/session.ts";
import { SESSION_BUS, SessionBus } from "../../../support/session_bus.ts";
import { fromFileUrl } from "@std/path";
import { Program } from "../../../support/program.ts";
import { hang, mounted, MOUNTS, names } from "../../../support/uploads.ts";
import { temporary, until } from "../../../support/shell.ts";
import { encodeMessage } from "../../../../ffi/wayland/wire/wire.ts";

const NAME = "org.freedesktop.portal.Desktop";
const PERSON = {
  destination: NAME,
  path: "/org/freedesktop/portal/desktop",
  interface: "org.example.Person",
};
/** Passed as text: the bus's user may not be able to read the tests' folder. */
const SCRIPT = Deno.readTextFileSync(new URL("../../../support/fake_portal.py", import.meta.url));

/** Runs a test with a portal on a bus, and a folder for the token. */
async function withPortal(version: number, use: (test: Setup) => Promise<void>) {
  await temporary(async (state) => {
    const before = Deno.env.get("XDG_STATE_HOME");
    Deno.env.set("XDG_STATE_HOME", state);
    try {
      await using session = await SessionBus.start();
      await using _ = session.spawn("/usr/bin/python3", "-c", SCRIPT, String(version));
      using setup = new Setup(session.socket, `${state}/deskhand/portal-token`);
      await until(() => setup.bus.owner(NAME));
      await use(setup);
    } finally {
      if (before === undefined) Deno.env.delete("XDG_STATE_HOME");
      else Deno.env.set("XDG_STATE_HOME", before);
    }
  });
}

class Setup {
  readonly bus: Bus;
  readonly notices: string[] = [];

  constructor(readonly socket: string, readonly tokenFile: string) {
    this.bus = Bus.open([socket]);
  }

  /** Sets the user's next answer. */
  choose(answer: string): void {
    this.bus.call(PERSON, "Choose", "s", [answer], "");
  }

  /** Calls to the portal since the last time. */
  calls(): string[] {
    return this.bus.call(PERSON, "Calls", "", [], "as")[0];
  }

  async ask(ms?: number): Promise<PortalSession> {
    this.notices.length = 0;
    return await askConsent(this.bus, featuresOf(this.bus), (text) => this.notices.push(text), ms);
  }

  get token(): string | undefined {
    try {
      return Deno.readTextFileSync(this.tokenFile);
    } catch {
      return undefined;
    }
  }

  [Symbol.dispose]() {
    this.bus.close();
  }
}

const DEVICES = "SelectDevices persist_mode=2";
const SOURCES = "SelectSources cursor_mode=4 multiple=1 types=1";

Deno.test({
  name: "asks for consent once, announces it, and restores it with a token that each start replaces",
  ...SESSION_BUS,
  fn: () =>
    withPortal(2, async (test) => {
      const first = await test.ask();
      assertEquals(test.calls(), [`${DEVICES} types=3`, SOURCES, "asked"]);
      assertEquals(first.streams, [
        { node: 40, region: { x: 0, y: 0, width: 1280, height: 720 } },
        { node: 41, region: { x: 1280, y: 0, width: 800, height: 600 } },
      ]);
      assertStringIncludes(test.notices.join(), "your desktop asks for consent now");
      assertEquals([test.token, Deno.statSync(test.tokenFile).mode! & 0o777], ["token-1", 0o600]);
      first.close();

      const second = await test.ask();
      assertEquals(test.calls().slice(-3), [`${DEVICES} restore_token=token-1 types=3`, SOURCES, "restored"]);
      assertEquals(test.token, "token-2");
      second.close();
    }),
});

Deno.test({
  name: "withdrawn consent ends the session with an error, and the next start asks",
  ...SESSION_BUS,
  fn: () =>
    withPortal(2, async (test) => {
      const session = await test.ask();
      await session.notify("NotifyPointerButton", "ii", [0x110, 1]);
      assertEquals(test.calls().at(-1), "button 272 1");
      test.bus.call(PERSON, "TakeBack", "", [], "");
      await until(() => test.token === undefined);
      const error = await assertRejects(
        () => session.notify("NotifyPointerButton", "ii", [0x110, 0]),
        DesktopUnavailableError,
      );
      assertStringIncludes(error.message, "withdrew their consent");
      assertEquals(test.calls(), []);
      (await test.ask()).close();
      assert(test.calls().includes("asked"));
    }),
});

/** Asks for consent, and prints again and again whether it lasts. @param socket The path of the bus's socket. */
const lastingConsent = (socket: string) => `
import { Bus } from "${new URL("../../../../ffi/linux/dbus/bus.ts", import.meta.url)}";
import { featuresOf } from "${new URL("../../../../ffi/wayland/portal/features.ts", import.meta.url)}";
import { askConsent } from "${new URL("../../../../ffi/wayland/portal/session.ts", import.meta.url)}";
const bus = Bus.open(["${socket}"]), session = await askConsent(bus, featuresOf(bus), () => {});
setInterval(() => {
  try {
    session.check();
    console.log("shared");
  } catch {
    console.log("ended");
  }
}, 100);
`;

Deno.test({
  name: "consent can be withdrawn while the folder of its token hangs",
  ignore: SESSION_BUS.ignore || MOUNTS.ignore,
  fn: () =>
    withPortal(2, (test) =>
      temporary(async (folder) => {
        const far = `${folder}/far`, state = `${folder}/state`;
        for (const path of [far, state, `${far}/deskhand`]) await Deno.mkdir(path, { mode: 0o700 });
        await mounted(far, state, ["--vfs-cache-mode", "writes"], async ({ pid }) => {
          const config = fromFileUrl(new URL("../../../../deno.json", import.meta.url));
          await using program = new Program(
            ["eval", "--config", config, lastingConsent(test.socket)],
            { executable: Deno.execPath(), env: { XDG_STATE_HOME: state } },
          );
          using _continued = { [Symbol.dispose]: () => Deno.kill(pid, "SIGCONT") };
          await program.printed(/^shared$/m);
          assertEquals(names(`${state}/deskhand`), ["portal-token"]);
          await hang(pid);
          test.bus.call(PERSON, "TakeBack", "", [], "");
          await program.printed(/^ended$/m);
        });
      })),
});

Deno.test({
  name: "explains a refusal, a closed dialog and insufficient consent, and stores none",
  ...SESSION_BUS,
  fn: () =>
    withPortal(2, async (test) => {
      for (
        const [answer, message] of [
          [
            "refuse",
            "consent was denied in the desktop's dialog, or the dialog was closed; start deskhand again",
          ],
          [
            "end",
            "the desktop withdrew its consent dialog: it was closed or cannot be shown now; start deskhand again",
          ],
          [
            "no devices",
            "you did not allow control of the keyboard and the pointer: start deskhand again and turn on remote interaction",
          ],
          ["no screen", "no screen was shared in the dialog; start deskhand again"],
        ]
      ) {
        test.choose(answer);
        const error = await assertRejects(() => test.ask(), NoDesktopError);
        assertStringIncludes(error.message, message);
        assertEquals(test.token, undefined);
        await until(() => test.calls().includes("Session.Close"));
      }
      test.choose("wait");
      await assertRejects(
        () => test.ask(300),
        DesktopUnavailableError,
        "did not answer within 0.3 s (Start)",
      );
      await until(() => test.calls().includes("Request.Close"));
    }),
});

Deno.test({
  name: "a version 1 portal has no token and asks at each start",
  ...SESSION_BUS,
  fn: () =>
    withPortal(1, async (test) => {
      for (let i = 0; i < 2; i++) {
        (await test.ask()).close();
        const calls = test.calls();
        assert(calls.includes("asked") && calls.includes("SelectDevices types=3"), calls.join());
        assertEquals(test.token, undefined);
      }
    }),
});

Deno.test({
  name: "does not use a stored token that others can write",
  ...SESSION_BUS,
  fn: () =>
    withPortal(2, async (test) => {
      (await test.ask()).close();
      Deno.chmodSync(test.tokenFile, 0o666);
      (await test.ask()).close();
      assertStringIncludes(test.notices[0], "can be written by other users");
      assert(!test.calls().includes("restored"));
      assertEquals(Deno.statSync(test.tokenFile).mode! & 0o777, 0o600);
    }),
});

Deno.test({
  name: "says what a portal lacks and what helps",
  ...SESSION_BUS,
  fn: () =>
    withPortal(0, (test) => {
      assertStringIncludes(missingOf(featuresOf(test.bus))!, "a desktop portal without RemoteDesktop");
      const all = { owner: ":1.1", remoteDesktop: 2, screenCast: 4, devices: 3, sources: 1, cursorModes: 7 };
      assertEquals(missingOf(all), undefined);
      assertStringIncludes(missingOf({ ...all, owner: undefined })!, "install xdg-desktop-portal");
      assertStringIncludes(missingOf({ ...all, devices: 2 })!, "does not support both pointer and keyboard");
      assertStringIncludes(missingOf({ ...all, sources: 2 })!, "cannot share whole screens");
      return Promise.resolve();
    }),
});

Deno.test({
  name: "doctor reports the portal's versions, and whether the next start asks",
  ...SESSION_BUS,
  async fn() {
    const detail = (test: Setup) => portalFinding([test.socket], missingOf(featuresOf(test.bus))).detail;
    await withPortal(2, async (test) => {
      assertStringIncludes(detail(test), "RemoteDesktop 2, ScreenCast 4: a dialog");
      (await test.ask()).close();
      assertStringIncludes(detail(test), "a consent is kept, so that the next start does not ask");
    });
    await withPortal(1, (test) => {
      assertStringIncludes(detail(test), "asks for consent at each start");
      return Promise.resolve();
    });
    await withPortal(0, (test) => {
      assertEquals(portalFinding([test.socket], missingOf(featuresOf(test.bus))).ok, false);
      assertStringIncludes(detail(test), "without RemoteDesktop");
      return Promise.resolve();
    });
  },
});

// A compositor's shared outputs, and positions on them.

const LEFT = {
  name: "A",
  mode: { width: 1920, height: 1080 },
  transform: 1,
  logical: { x: 0, y: 0, width: 1080, height: 1920 },
};
const RIGHT = {
  name: "B",
  mode: { width: 1600, height: 1200 },
  transform: 0,
  logical: { x: 1080, y: 0, width: 800, height: 600 },
};

Deno.test("reads streams from the portal's answer, and skips what is not a stream", () => {
  const place = new Map<string, unknown>([["position", [1080, 0]], ["size", [800, 600]]]);
  assertEquals(streamsOf([[7, place], [8, new Map()], "no stream", [new Map()]]), [
    { node: 7, region: RIGHT.logical },
    { node: 8 },
  ]);
  assertEquals(streamsOf(undefined), []);
});

Deno.test("a stream belongs to the output at its position, and its pictures are upright", () => {
  const known = new Map<number, string>();
  const shared = sharedOutputs([{ node: 7, region: LEFT.logical }], [RIGHT, LEFT], known);
  assertEquals(shared, [{ ...LEFT, mode: { width: 1080, height: 1920 }, transform: 0, node: 7 }]);
  assertEquals(sharedOutputs([{ node: 9, region: RIGHT.logical }], [RIGHT, LEFT], known)[0].mode, RIGHT.mode);
});

Deno.test("a stream keeps an output that has moved, but not one that is gone", () => {
  const known = new Map<number, string>(), streams = [{ node: 7, region: RIGHT.logical }];
  sharedOutputs(streams, [LEFT, RIGHT], known);
  const moved = { ...RIGHT, logical: { ...RIGHT.logical, x: 0 } };
  assertEquals(sharedOutputs(streams, [moved], known)[0].logical, moved.logical);
  assertEquals(sharedOutputs(streams, [LEFT], known), []);
});

Deno.test("a stream without a position is the only output's; one without an output is a display", () => {
  assertEquals(sharedOutputs([{ node: 7 }], [RIGHT], new Map())[0].name, "B");
  assertEquals(sharedOutputs([{ node: 7 }], [LEFT, RIGHT], new Map()), []);
  const region = { x: 5000, y: 0, width: 640, height: 480 };
  assertEquals(sharedOutputs([{ node: 7, region }], [LEFT], new Map()), [
    { name: "screen 1", mode: { width: 640, height: 480 }, transform: 0, logical: region, node: 7 },
  ]);
});

Deno.test("sends positions in logical pixels, and to GNOME in the picture's", async () => {
  for (const [countsPixels, place] of [[false, [400, 150]], [true, [800, 300]]] as const) {
    const sent: unknown[] = [];
    const session = { notify: (...call: unknown[]) => Promise.resolve(void sent.push(call)) };
    const output = { ...RIGHT, node: 7 }, placed = { output, scale: 2, region: RIGHT.logical };
    await new PortalInput(session, "", countsPixels).move(placed, { x: 0.5, y: 0.25 });
    assertEquals(sent, [["NotifyPointerMotionAbsolute", "udd", [7, ...place]]]);
  }
});

// Input through the portal, with a fake session and compositor.

Deno.test({
  name: "a compositor that does not expose its seat fails one key, but not the next",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    temporary(async (folder) => {
      const path = `${folder}/wayland-9`, sent: unknown[] = [];
      const notify = (member: string, _: string, args: readonly unknown[]) =>
        Promise.resolve(void sent.push([member, ...args]));
      const input = new PortalInput({ notify }, path, false);
      // On a separate thread, since the key waits for it on this one.
      const worker = new Worker(new URL("../wire/fake_compositor_worker.ts", import.meta.url), {
        type: "module",
      });
      const listening = new Promise((resolve) => worker.onmessage = resolve);
      worker.postMessage({ path, answer: encodeMessage(1, 0, [1, 2, "not now"]) });
      await listening;
      await assertRejects(() => input.key(30, true), DesktopUnavailableError, "not now");
      worker.terminate();
      await Deno.remove(path).catch((error) => { // the Worker may have removed it on exit
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      });
      await input.key(30, true);
      assertEquals(sent, [["NotifyKeyboardKeycode", 30, 1]]);
    }),
});
