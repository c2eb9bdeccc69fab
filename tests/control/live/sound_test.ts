/** Listeners of the desktop's sound: who receives it, when it is captured, and the messages to listeners. */

import { assertEquals, assertThrows } from "@std/assert";
import { LiveSound } from "../../../control/http/live/sound.ts";
import type { SoundRun, SoundSource } from "../../../control/desktop/screen.ts";
import { DesktopUnavailableError } from "../../../core/errors.ts";
import { controlApi } from "../../support/control.ts";
import { until } from "../../support/shell.ts";

/** A source whose runs a test drives. */
class Source implements SoundSource {
  readonly runs: { send: (byte: number) => void; fail: (error: Error) => void; isStopped: boolean }[] = [];
  missing: string | undefined;

  check(): Promise<void> {
    return this.missing === undefined
      ? Promise.resolve()
      : Promise.reject(new DesktopUnavailableError(this.missing));
  }

  start(report: (message: Uint8Array<ArrayBuffer>) => void): SoundRun {
    const { promise: done, reject, resolve } = Promise.withResolvers<void>();
    const run = { send: (byte: number) => report(Uint8Array.of(byte)), fail: reject, isStopped: false };
    this.runs.push(run);
    return {
      done,
      stop() {
        run.isStopped = true;
        resolve();
      },
    };
  }
}

/** A listener's side of its connection. */
class Client extends EventTarget {
  readyState: number = WebSocket.CONNECTING;
  bufferedAmount = 0;
  readonly got: unknown[] = [];
  code = 0;

  /** A message to the listener. */
  send(message: string | Uint8Array) {
    this.got.push(typeof message === "string" ? JSON.parse(message).message : message[0]);
  }

  /** The server closes the connection. */
  close(code: number) {
    this.code = code;
    this.end();
  }

  open() {
    this.readyState = WebSocket.OPEN;
    this.dispatchEvent(new Event("open"));
  }

  end() {
    this.readyState = WebSocket.CLOSED;
    this.dispatchEvent(new Event("close"));
  }
}

/** Adds a listener. */
function listening(sound: LiveSound, guest?: Parameters<LiveSound["add"]>[1]): Client {
  const client = new Client();
  sound.add(client as unknown as WebSocket, guest);
  client.open();
  return client;
}

Deno.test("sound is captured while someone listens, for all of them, and dropped for stalled readers", () => {
  const source = new Source(), sound = new LiveSound(source);
  assertEquals(source.runs.length, 0);
  const first = listening(sound), second = listening(sound);
  assertEquals(source.runs.length, 1);
  source.runs[0].send(1);
  second.bufferedAmount = 10_000;
  source.runs[0].send(2);
  second.bufferedAmount = 0;
  source.runs[0].send(3);
  assertEquals([first.got, second.got], [[1, 2, 3], [1, 3]]);
  first.end();
  assertEquals(source.runs[0].isStopped, false);
  second.end();
  assertEquals([source.runs[0].isStopped, sound.count], [true, 0]);
  const third = listening(sound);
  source.runs[0].send(4); // late, of an earlier run
  source.runs[1].send(5);
  assertEquals(third.got, [5]);
  sound.close();
  assertEquals([source.runs[1].isStopped, third.code], [true, 1001]);
});

Deno.test("what ends the sound is reported once, also to later listeners, and sound is retried", async () => {
  const source = new Source(), sound = new LiveSound(source), client = listening(sound);
  source.runs[0].fail(new DesktopUnavailableError("the server has gone"));
  await until(() => client.got.length);
  await until(() => source.runs.length === 2);
  source.runs[1].fail(new DesktopUnavailableError("the server has gone"));
  await until(() => source.runs.length === 3);
  const later = listening(sound);
  assertEquals([client.got, later.got], [["the server has gone"], ["the server has gone"]]);
  source.runs[2].send(1);
  source.runs[2].fail(new DesktopUnavailableError("the server has gone"));
  await until(() => client.got.length === 3);
  assertEquals(client.got, ["the server has gone", 1, "the server has gone"]);
  sound.close();
});

Deno.test("a guest whose link ends hears no more, and a ninth listener is refused", () => {
  const sound = new LiveSound(new Source()), guest = { name: "Ada", rights: "look" } as const;
  const guests = [listening(sound, guest), listening(sound, { ...guest })], own = listening(sound);
  sound.leave(guest);
  assertEquals([...guests, own].map(({ code }) => code), [1008, 0, 0]);
  for (let i = sound.count; i < 8; i++) {
    sound.checkRoom();
    listening(sound);
  }
  assertThrows(() => sound.checkRoom(), Error, "8 listeners");
  sound.close();
});

Deno.test("the availability of sound is checked each time", async () => {
  const source = new Source(), sound = new LiveSound(source);
  source.missing = "no server";
  assertEquals(await sound.state(), { missing: "no server" });
  source.missing = undefined;
  assertEquals(await sound.state(), {});
  assertEquals(await new LiveSound("never").state(), { missing: "never" });
});

Deno.test("the API says why there is no sound, and refuses listeners with that reason", async () => {
  const { request } = controlApi();
  const state = await request("GET", "/api/sound");
  assertEquals([state.status, await state.json()], [200, {
    offered: false,
    reason: "no sound in this test",
  }]);
  const refused = await request("GET", "/api/listen");
  assertEquals([refused.status, await refused.json()], [409, { error: "no sound in this test" }]);
});
