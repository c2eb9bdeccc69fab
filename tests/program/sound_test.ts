/**
 * `--sound` from outside: its message if there is no sound, its listeners, and its recovery after a failure.
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { need } from "../support/need.ts";
import { Program, run } from "../support/program.ts";
import { SOUND, SoundSession } from "../support/sound_session.ts";
import { temporary, until } from "../support/shell.ts";
import { startInSession } from "../support/ordinary_user.ts";
import { endProcess, type UserSession } from "../support/user_session.ts";
import { Xvfb } from "../support/xvfb.ts";

const XVFB = need("Xvfb");
const NEEDED = { ignore: SOUND.ignore || XVFB.ignore };

/** An answer of `GET /api/sound`. */
async function stateOf(url: string): Promise<{ offered: boolean; reason?: string }> {
  return await (await fetch(`${url}/api/sound`)).json();
}

/** A listener: the packets received with their times, and the messages to it. */
class Listener implements Disposable {
  readonly packets: { at: number; bytes: number }[] = [];
  readonly told: string[] = [];
  code = 0;
  readonly #socket: WebSocket;

  /** @param token A link's token. */
  constructor(url: string, token?: string) {
    const protocols = token ? ["deskhand", `deskhand.token.${btoa(token).replaceAll("=", "")}`] : [];
    const socket = this.#socket = new WebSocket(`${url.replace("http", "ws")}/api/listen`, protocols);
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }) => {
      if (typeof data === "string") return this.told.push(JSON.parse(data).message);
      this.packets.push({ at: new DataView(data).getFloat64(0, true), bytes: data.byteLength - 8 });
    };
    socket.onclose = ({ code }) => this.code = code;
  }

  /** Waits until the listener hears sound played from now on. */
  async hears(): Promise<void> {
    const { length } = this.packets;
    await until(() => this.packets.length > length + 50, Boolean, () => `silence: ${this.told.join("; ")}`);
  }

  [Symbol.dispose]() {
    this.#socket.close();
  }
}

/** Plays a tone until disposed, restarting it after the sound server has ended. */
function play(session: UserSession): AsyncDisposable {
  const tone = ["-re", "-f", "lavfi", "-i", "sine=frequency=440", "-f", "pulse", "tone"];
  let ffmpeg: Deno.ChildProcess, isOver = false;
  const done = (async () => {
    while (!isOver) await (ffmpeg = session.launch("ffmpeg", ...tone)).status;
  })();
  return {
    async [Symbol.asyncDispose]() {
      isOver = true;
      endProcess(ffmpeg.pid);
      await done;
    },
  };
}

/** Whether a PipeWire stream captures sound. */
async function isCapturing(session: UserSession): Promise<boolean> {
  return (await session.run("pw-dump")).includes('"Stream/Input/Audio"');
}

Deno.test("without --sound, and on a virtual desktop, it says why there is no sound", async () => {
  for (
    const [options, reason] of [[[], "without --sound"], [
      ["--sound"],
      "the virtual desktop is silent",
    ]] as const
  ) {
    await using program = new Program(["--desktop", "virtual", "--http", "0", ...options]);
    const url = await program.controlUrl();
    if (options.length) await program.printed(/^no sound: the virtual desktop is silent/m);
    const { offered, reason: told } = await stateOf(url);
    assert(!offered && told?.includes(reason), told);
    assertEquals((await fetch(`${url}/api/listen`)).status, 409);
  }
});

Deno.test(
  { name: "without a sound server, startup and doctor say so, and deskhand goes on", ...XVFB },
  () =>
    temporary(async (folder) => {
      await using server = await Xvfb.start();
      const env = { ...server.env, XDG_RUNTIME_DIR: folder, PULSE_SERVER: "", HOME: folder };
      await using program = new Program(["--http", "0", "--sound"], { env });
      const url = await program.controlUrl();
      await program.printed(
        /^no sound: no sound server is running: .* has a socket at .*\/pulse\/native/m,
      );
      assertEquals((await stateOf(url)).offered, false);
      assertEquals((await fetch(`${url}/api/position`)).status, 200);
      const { stdout } = await run(["doctor"], "", { env });
      assertMatch(stdout, /^-- {2}sound +none for --sound \(optional\): no sound server is running: /m);
      const left = [...Deno.readDirSync(folder)].map(({ name }) => name);
      assert(!left.includes("pulse"), "libpulse made a folder for a server");
    }),
);

Deno.test(
  { name: "without libopus, startup names its package", ...XVFB },
  () =>
    temporary(async (folder) => {
      await Deno.writeTextFile(`${folder}/libopus.so.0`, "no library");
      await using server = await Xvfb.start();
      const env = { ...server.env, LD_LIBRARY_PATH: folder };
      await using program = new Program(["--http", "0", "--sound"], { env });
      await program.printed(/^no sound: sound is sent as Opus, and libopus\.so\.0 .*: libopus0;/m);
    }),
);

Deno.test(
  { name: "a PipeWire without its Pulse server is ignored, and found once it has the server", ...NEEDED },
  async () => {
    await using sound = await SoundSession.start(false);
    const { session } = sound;
    await using server = await Xvfb.start();
    const options = { env: { ...server.env } };
    await using program = await startInSession(session, ["--http", "0", "--sound"], options);
    const url = await program.controlUrl();
    assertMatch((await stateOf(url)).reason!, /no sound server is running: /);
    await sound.startPulse();
    await until(async () => (await stateOf(url)).offered);
  },
);

Deno.test({
  name: "guests of a look link hear sound until it ends; sound is captured only while someone listens",
  ...NEEDED,
}, async () => {
  await using sound = await SoundSession.start();
  const { session } = sound;
  await using server = await Xvfb.start();
  const options = { env: { ...server.env } };
  await using program = await startInSession(session, ["--http", "0", "--sound"], options);
  const url = await program.controlUrl();
  assertEquals(await stateOf(url), { offered: true });
  await using _tone = play(session);
  const made = await fetch(`${url}/api/links`, { method: "POST", body: '{"rights":"look"}' });
  const { id, links: [link] } = await made.json();
  using guest = new Listener(url, new URL(link).hash.slice("#token=".length)), own = new Listener(url);
  await guest.hears();
  await own.hears();
  assert(await isCapturing(session));
  const { packets } = own;
  assertEquals(packets.slice(1).filter(({ at }, i) => at < packets[i].at - 20).length, 0, "times go back");
  assert(packets.every(({ bytes }) => bytes > 2 && bytes < 1276));
  await fetch(`${url}/api/links?id=${id}`, { method: "DELETE" });
  await until(() => guest.code, (code) => code === 1008);
  await own.hears();
  own[Symbol.dispose]();
  await until(async () => !await isCapturing(session));
});

Deno.test({ name: "sound comes back with its server", ...NEEDED }, async () => {
  await using sound = await SoundSession.start();
  const { session } = sound;
  await using server = await Xvfb.start();
  await using program = await startInSession(session, ["--http", "0", "--sound"], { env: { ...server.env } });
  const url = await program.controlUrl();
  await using _tone = play(session);
  using listener = new Listener(url);
  await listener.hears();
  await sound.restart();
  await until(() => listener.told.length);
  await listener.hears();
});
