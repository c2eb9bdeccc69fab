/** A service manager's socket: Deno has no datagram sockets of this kind, so that Python listens. */

import { TextLineStream } from "@std/streams/text-line-stream";

/** Prints each datagram as a line of JSON, the first line when it listens. */
const LISTENER = `
import json, socket, sys
name = sys.argv[1]
listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listener.bind("\\0" + name[1:] if name.startswith("@") else name)
print(json.dumps("listening"), flush=True)
while True:
    print(json.dumps(listener.recv(4096).decode()), flush=True)
`;

/** A socket that datagrams are read from. `await using` closes it. */
export class NotifySocket {
  readonly #child: Deno.ChildProcess;
  readonly #lines: ReadableStreamDefaultReader<string>;

  private constructor(readonly folder: string, readonly name: string) {
    this.#child = new Deno.Command("python3", {
      args: ["-c", LISTENER, name],
      stdin: "null",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const lines: ReadableStream<string> = this.#child.stdout.pipeThrough(new TextDecoderStream())
      .pipeThrough(new TextLineStream());
    this.#lines = lines.getReader();
  }

  /**
   * Opens a socket for notifications.
   * @param isAbstract Whether it has a name of Linux's abstract namespace in place of a path.
   */
  static async open(isAbstract = false): Promise<NotifySocket> {
    const folder = await Deno.makeTempDir({ prefix: "deskhand-notify-" });
    const socket = new NotifySocket(folder, isAbstract ? `@${folder}` : `${folder}/socket`);
    await socket.next();
    return socket;
  }

  /** The next datagram. */
  async next(): Promise<string> {
    const { value, done } = await this.#lines.read();
    if (done) throw new Error("the listener ended");
    return JSON.parse(value);
  }

  async [Symbol.asyncDispose]() {
    this.#child.kill("SIGKILL");
    await this.#child.status;
    await this.#lines.cancel();
    await Deno.remove(this.folder, { recursive: true });
  }
}
