/** A service manager's socket: Deno has no datagram sockets of this kind, so Python listens. */

import { TextLineStream } from "@std/streams/text-line-stream";

/** Prints each datagram as a line of JSON; the first line says that it is listening. */
const LISTENER = `
import json, socket, sys
name = sys.argv[1]
listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listener.bind("\\0" + name[1:] if name.startswith("@") else name)
print(json.dumps("listening"), flush=True)
while True:
    print(json.dumps(listener.recv(4096).decode()), flush=True)
`;

/** A socket from which datagrams are read. `await using` closes it. */
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
   * @param isAbstract Whether to use a name in Linux's abstract namespace instead of a path.
   */
  static async open(isAbstract = false): Promise<NotifySocket> {
    const folder = await Deno.makeTempDir({ prefix: "deskhand-notify-" });
    const socket = new NotifySocket(folder, isAbstract ? `@${folder}` : `${folder}/socket`);
    await socket.next();
    return socket;
  }

  /** Returns the next datagram. */
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

// Requests as bytes, which HTTP clients would never send.

/** The rest of a WebSocket upgrade request, after its Host (RFC 6455 section 1.2). */
export const UPGRADE = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

/** Time limit of a request in milliseconds, generous because tests run on busy machines. */
const PATIENCE_MS = 60_000;

/**
 * Reads until the server closes, or everything expected has arrived.
 * @param isWhole Whether the text read so far is complete.
 * @throws Error with the text read so far, if nothing more arrives for a minute.
 */
export async function readUntil(
  connection: Deno.Conn,
  isWhole: (text: string) => boolean = () => false,
): Promise<string> {
  let answer = "", isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    connection.close();
  }, PATIENCE_MS);
  try {
    const decoder = new TextDecoder(), buffer = new Uint8Array(64 * 1024);
    while (!isWhole(answer)) {
      const read = await connection.read(buffer);
      if (read === null) break;
      answer += decoder.decode(buffer.subarray(0, read), { stream: true });
    }
    return answer;
  } catch (error) {
    throw isLate ? new Error(`no whole answer came: ${JSON.stringify(answer)}`) : error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Sends bytes and reads until the server closes, or the expected end has arrived.
 * @param request The whole request; it should ask for `Connection: close`.
 * @param end The end of the response, for an incomplete request, after which the server would wait for the
 * rest.
 */
export async function sendRaw(url: string, request: string, end?: string): Promise<string> {
  const { hostname, port } = new URL(url);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  await connection.write(new TextEncoder().encode(request));
  return await readUntil(connection, (answer) => end !== undefined && answer.endsWith(end));
}

/** The status of a raw response. */
export function rawStatus(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
}
