/** A session that plays sound without a loudspeaker: PipeWire with a null sink, also as PulseAudio. */

import { delay } from "@std/async/delay";
import type { Browser, Page } from "playwright-core";
import type { Desktop } from "../../control/desktop/desktop.ts";
import { need } from "./need.ts";
import { giveToUser } from "./ordinary_user.ts";
import { isListening } from "./session_bus.ts";
import { until } from "./shell.ts";
import { UserSession } from "./user_session.ts";
import type { Xvfb } from "./xvfb.ts";

/** The needs of sound tests. */
export const SOUND = need(
  ...["pipewire", "pipewire-pulse", "wireplumber", "pw-dump", "dbus-daemon", "ffmpeg"],
  "/usr/lib/x86_64-linux-gnu/libopus.so.0",
  "/usr/lib/x86_64-linux-gnu/libpulse.so.0",
);

/** Configuration by path below ~/.config: the sink, and none of this machine's devices. */
const CONFIGURATION = {
  "pipewire/pipewire.conf.d/null.conf": `context.objects = [ { factory = adapter args = {
    factory.name = support.null-audio-sink
    node.name = "null"
    media.class = Audio/Sink
    object.linger = true
    audio.position = [ FL FR ]
    monitor.channel-volumes = true
  } } ]\n`,
  "wireplumber/bluetooth.lua.d/60-none.lua": "bluez_monitor.enabled = false\n",
  "wireplumber/main.lua.d/60-none.lua": "alsa_monitor.enabled = false\nv4l2_monitor.enabled = false\n",
};

/** A running session with sound. `await using` ends it. */
export class SoundSession {
  #servers: Deno.ChildProcess[] = [];

  private constructor(readonly session: UserSession, readonly hasSink: boolean) {}

  /**
   * Starts a session and waits until its sink exists.
   * @param hasSink Whether it has a sink, and the PulseAudio protocol.
   */
  static async start(hasSink = true): Promise<SoundSession> {
    const sound = new SoundSession(await UserSession.start("sound"), hasSink);
    try {
      sound.session.set("DBUS_SYSTEM_BUS_ADDRESS", "disabled:");
      for (const [path, text] of Object.entries(CONFIGURATION)) {
        if (hasSink || !path.startsWith("pipewire/")) await configure(sound.session, path, text);
      }
      await sound.#startServers();
      return sound;
    } catch (error) {
      await sound[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Starts the server of the PulseAudio protocol, which creates a sink if there is none. */
  async startPulse(): Promise<void> {
    this.#servers.push(this.session.launch("pipewire-pulse"));
    await until(() => isListening(`${this.session.env.XDG_RUNTIME_DIR}/pulse/native`));
  }

  /** Kills all servers and restarts them. */
  async restart(): Promise<void> {
    for (const server of this.#servers) server.kill("SIGKILL");
    await Promise.all(this.#servers.splice(0).map(({ status }) => status));
    await this.#startServers();
  }

  async [Symbol.asyncDispose]() {
    await this.session[Symbol.asyncDispose]();
  }

  async #startServers(): Promise<void> {
    const { session } = this;
    this.#servers.push(session.launch("pipewire"));
    await until(() => isListening(`${session.env.XDG_RUNTIME_DIR}/pipewire-0`));
    this.#servers.push(session.launch("wireplumber"));
    if (!this.hasSink) return;
    await this.startPulse();
    await until(async () => (await session.run("pw-dump")).includes('"Audio/Sink"'));
  }
}

async function configure({ env: { HOME } }: UserSession, path: string, text: string): Promise<void> {
  let folder = `${HOME}/.config`;
  const parts = path.split("/"), name = parts.pop();
  for (const part of ["", ...parts]) {
    if (part) folder += `/${part}`;
    await Deno.mkdir(folder, { recursive: true });
    await giveToUser(folder);
  }
  await Deno.writeTextFile(`${folder}/${name}`, text);
}

// Measures the delays of sound and picture: a program on the desktop flashes and beeps at the same time;
// witnesses next to deskhand record when the flash is on the screen and the beep at the sink's monitor, and
// others when the page has them.

/** Interval between flashes, in milliseconds; every delay is far shorter. */
const PERIOD_MS = 1200;
/** Duration of flash and beep, in milliseconds. */
const LAST_MS = 150;
/** Minimum loudness of a beep, from 0 to 1. */
const LOUD = 0.1;
/** Samples per second of the witness at the monitor, and bytes per sample: a float. */
const RATE = 48_000, SAMPLE_BYTES = 4;
/** Minimum blue value of a pixel that counts as a flash. */
const BRIGHT = 128;

/**
 * The program: a page that flashes and beeps.
 * @param hums Whether a far quieter sound continues between the beeps, instead of silence.
 */
function program(hums: boolean): string {
  return `<!doctype html><title>Flashes</title><body style="background:#000"><script>
    const context = new AudioContext({ latencyHint: "interactive" });
    const tone = (level, frequency) => {
      const gain = new GainNode(context, { gain: level }), tone = new OscillatorNode(context, { frequency });
      tone.connect(gain).connect(context.destination);
      tone.start();
      return gain.gain;
    };
    const beep = tone(0, 1000);
    if (${hums}) tone(0.01, 200);
    setInterval(() => requestAnimationFrame(() => {
      document.body.style.background = "#fff";
      beep.setValueAtTime(0.5, context.currentTime);
      beep.setValueAtTime(0, context.currentTime + ${LAST_MS / 1000});
      setTimeout(() => document.body.style.background = "#000", ${LAST_MS});
    }), ${PERIOD_MS});
  </script>`;
}

/** A script for the browser's audio thread, which reports when a beep is played, by the machine's clock. */
const EAR = `registerProcessor("ear", class extends AudioWorkletProcessor {
  quiet = 0;
  process([[channel]]) {
    if (channel?.some((sample) => Math.abs(sample) > ${LOUD})) {
      if (this.quiet > 0.3 * sampleRate) this.port.postMessage(Date.now());
      this.quiet = 0;
    } else this.quiet += 128;
    return true;
  }
});`;

/** A script for deskhand's page, run before its own ones, which records played beeps and shown flashes. */
const EYES_AND_EARS = `
  globalThis.noted = { beeps: [], flashes: [] };
  const connect = AudioNode.prototype.connect;
  AudioWorkletNode.prototype.connect = function (...to) {
    const { context } = this, url = URL.createObjectURL(new Blob([${
  JSON.stringify(EAR)
}], { type: "text/javascript" }));
    context.audioWorklet.addModule(url).then(() => {
      const ear = new AudioWorkletNode(context, "ear");
      ear.port.onmessage = ({ data }) => noted.beeps.push(data);
      connect.call(this, ear);
      connect.call(ear, context.destination);
    });
    return connect.apply(this, to);
  };
  let wasBright = false;
  requestAnimationFrame(function look() {
    requestAnimationFrame(look);
    const canvas = document.querySelector("#screen");
    if (!canvas || canvas.width < 100) return;
    const { data } = canvas.getContext("2d").getImageData(canvas.width / 4, canvas.height / 2, 1, 1);
    const isBright = data[2] > ${BRIGHT};
    if (isBright && !wasBright) noted.flashes.push(Date.now());
    wasBright = isBright;
  });
`;

/** Delays of one flash and beep, in milliseconds. */
export interface Delays {
  /** From the beep at the monitor to the page. */
  sound: number;
  /** From the flash on the screen to the page. */
  picture: number;
  /** From the page's flash to its beep, in excess of the desktop's own delay. */
  skew: number;
  /** The desktop's own delay of the beep. */
  own: number;
}

/** Recorded times, in milliseconds since 1970. */
interface Noted {
  beeps: number[];
  flashes: number[];
}

/** The context of a measurement. */
interface Measured {
  session: UserSession;
  server: Xvfb;
  /** The server's desktop, as observed by this process. */
  desktop: Desktop;
  browser: Browser;
  /** The address of the control API of a deskhand with sound. */
  url: string;
}

/** A running measurement. `await using` ends it. */
export class SoundDelay {
  readonly #source: Noted = { beeps: [], flashes: [] };
  readonly #stack = new AsyncDisposableStack();
  #page!: Page;

  private constructor(readonly desktop: Desktop) {}

  /**
   * Starts the program, the witnesses and the page.
   * @param hums Whether the program's sound continues between the beeps.
   */
  static async start(measured: Measured, hums: boolean): Promise<SoundDelay> {
    const { session, server, desktop, browser, url } = measured;
    const delays = new SoundDelay(desktop);
    try {
      delays.#listen(session);
      await delays.#play(session, server, hums);
      delays.#watch();
      const page = delays.#page = await browser.newPage({ bypassCSP: true });
      delays.#stack.defer(() => page.close());
      await page.addInitScript(EYES_AND_EARS);
      await page.goto(url);
      await page.click("#more");
      await page.click("#sound");
      return delays;
    } catch (error) {
      await delays[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The delays of all flashes and beeps so far that were recorded completely. */
  async delays(): Promise<Delays[]> {
    const page = await this.#page.evaluate("noted") as Noted, { beeps, flashes } = this.#source;
    return flashes.flatMap((shown) => {
      const beep = next(beeps, shown - PERIOD_MS / 4), seen = next(page.flashes, shown);
      const heard = beep && next(page.beeps, beep);
      if (!beep || !seen || !heard) return [];
      const sound = heard - beep, picture = seen - shown;
      return { sound, picture, skew: sound - picture, own: beep - shown };
    });
  }

  async [Symbol.asyncDispose]() {
    await this.#stack.disposeAsync();
  }

  /** Records beeps at the sink's monitor, from samples received through the PulseAudio protocol. */
  #listen(session: UserSession): void {
    const { beeps } = this.#source, bytesOf = (samples: number) => samples * SAMPLE_BYTES;
    const ffmpeg = session.produce(
      "ffmpeg",
      ...["-loglevel", "error", "-f", "pulse", "-channels", "1", "-sample_rate", String(RATE)],
      ...["-fragment_size", String(bytesOf(RATE / 100)), "-i", "@DEFAULT_MONITOR@"],
      ...["-f", "f32le", "-flush_packets", "1", "-"],
    );
    const done = (async () => {
      for await (const bytes of ffmpeg.stdout) {
        const now = Date.now(), samples = new Float32Array(bytes.slice().buffer, 0, bytes.length >> 2);
        const loud = samples.findIndex((sample) => Math.abs(sample) > LOUD);
        const at = now - 1000 * (samples.length - loud) / RATE;
        if (loud >= 0 && at > (beeps.at(-1) ?? 0) + PERIOD_MS / 2) beeps.push(at);
      }
    })();
    this.#stack.defer(async () => {
      ffmpeg.kill("SIGKILL");
      await Promise.all([done, ffmpeg.status]);
    });
  }

  /** Starts the program, and waits until its sound is heard. */
  async #play(session: UserSession, server: Xvfb, hums: boolean): Promise<void> {
    const path = `${session.env.HOME}/flashes.html`;
    await Deno.writeTextFile(path, program(hums));
    const environment = Object.entries(server.env).map(([name, value]) => `${name}=${value}`);
    this.#stack.use(session.spawn(
      "env",
      ...[...environment, "chromium", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"],
      ...["--disable-background-networking", "--autoplay-policy=no-user-gesture-required"],
      ...["--window-position=0,0", "--window-size=640,480", `--app=file://${path}`],
    ));
    await until(
      () => this.#source.beeps.length > 1,
      Boolean,
      () => "the program is not heard at the monitor",
    );
  }

  /** Records flashes on the screen. */
  #watch(): void {
    const { desktop } = this, { width, height } = desktop.screen.layout();
    const place = { x: width / 4, y: height / 2, width: 1, height: 1 }; // the pointer is in the middle
    let wasBright = false;
    this.#stack.use(polled(async () => {
      const isBright = await desktop.screen.capture(place, false, ({ pixels }) => pixels[0] > BRIGHT);
      if (isBright && !wasBright) this.#source.flashes.push(Date.now());
      wasBright = isBright;
    }, 2));
  }
}

/** The first time at or after a given one, and less than half a period later. */
function next(times: readonly number[], from: number): number | undefined {
  return times.find((time) => time >= from && time < from + PERIOD_MS / 2);
}

/** Calls a function at an interval in milliseconds, until disposed of. */
function polled(what: () => void | Promise<void>, ms: number): AsyncDisposable {
  let isOver = false;
  const done = (async () => {
    while (!isOver) {
      await what();
      await delay(ms);
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      isOver = true;
      await done;
    },
  };
}

/** Returns the median of numbers. */
export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
}
