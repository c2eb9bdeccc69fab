/** A session that plays sound, without a loudspeaker: PipeWire with a null sink, also by PulseAudio's protocol. */

import { need } from "./need.ts";
import { giveToUser } from "./ordinary_user.ts";
import { isListening } from "./bus_config.ts";
import { until } from "./until.ts";
import { UserSession } from "./user_session.ts";

/** The needs of tests with sound. */
export const SOUND = need(
  ...["pipewire", "pipewire-pulse", "wireplumber", "pw-dump", "dbus-daemon", "ffmpeg"],
  "/usr/lib/x86_64-linux-gnu/libopus.so.0",
  "/usr/lib/x86_64-linux-gnu/libpulse.so.0",
);

/** The environment in which libpipewire finds no PipeWire, and PulseAudio's protocol is left. */
export const PULSE_ALONE = { PIPEWIRE_RUNTIME_DIR: "/nonexistent" };

/** Configuration by its path below ~/.config: the sink, and no devices of this machine. */
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
   * Starts a session and waits until its sink is there.
   * @param hasSink Tells whether there is one, and PulseAudio's protocol.
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

  /** Starts the server of PulseAudio's protocol, which makes a sink where there is none. */
  async startPulse(): Promise<void> {
    this.#servers.push(this.session.launch("pipewire-pulse"));
    await until(() => isListening(`${this.session.env.XDG_RUNTIME_DIR}/pulse/native`));
  }

  /** Kills all servers and starts them anew. */
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
