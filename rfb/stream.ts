/** A connection as a stream of bytes that can be upgraded to TLS, with bounds on memory and time. */

import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { nodeModule } from "../core/path.ts";

/** Bytes that may wait to be read, beside what is being waited for, before the peer is held up. */
const UNREAD = 1024 * 1024;
/** The time that a socket may take to send what is left at its end, in milliseconds. */
const LINGER_MS = 1000;

/** The peer of a connection is gone, or the connection was ended. */
export class StreamEnded extends Error {
  override name = "StreamEnded";
}

/** A connection. */
export class ByteStream {
  #chunks: Uint8Array[] = [];
  #have = 0;
  #wanted = 0;
  #wake: (() => void) | undefined;
  #ended: Error | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #socket: Socket | TLSSocket;
  readonly #over = Promise.withResolvers<void>();
  readonly #onData = (data: Uint8Array) => this.#push(data);

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    this.#listen(socket);
  }

  /** The peer's address. */
  get peer(): string {
    return this.#socket.remoteAddress ?? "";
  }

  /** Resolves when the stream has ended. */
  get ended(): Promise<void> {
    return this.#over.promise;
  }

  /** The bytes that the peer has not taken yet. */
  get backlog(): number {
    return this.#socket.writableLength;
  }

  /**
   * Sets the time by which something must be done; the stream ends when it is over.
   * @param ms Milliseconds from now; left out for no such time.
   */
  expire(ms?: number, message = "the peer is not responding"): void {
    clearTimeout(this.#timer);
    if (ms !== undefined) this.#timer = setTimeout(() => this.destroy(new StreamEnded(message)), ms);
  }

  /**
   * Reads bytes.
   * @param count How many; the caller has bounded them.
   * @throws StreamEnded if the stream ends before.
   */
  async take(count: number): Promise<Uint8Array> {
    while (this.#have < count) {
      if (this.#ended) throw this.#ended;
      this.#wanted = count;
      this.#socket.resume();
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
    this.#wanted = 0;
    return this.#next(count);
  }

  /** Sends bytes. @param taken Called once the system has taken them all, unless the stream ends before. */
  write(bytes: Uint8Array, taken = () => {}): void {
    if (!this.#ended) this.#socket.write(bytes, (error) => error || taken());
  }

  /** Calls a function once the peer has taken everything, where so much waits that a socket reports it. */
  onDrain(run: () => void): void {
    this.#socket.once("drain", run);
  }

  /**
   * Makes the rest of the connection TLS, as its server.
   * @throws StreamEnded if the handshake fails.
   */
  async secureAsServer({ cert, key }: { cert: string; key: string }): Promise<void> {
    const tls = nodeModule("node:tls");
    await this.#secure(
      (socket) =>
        new tls.TLSSocket(socket, { isServer: true, secureContext: tls.createSecureContext({ cert, key }) }),
      "secure",
    );
  }

  /**
   * Makes the rest of the connection TLS, as its client.
   * @param host The server's name. An address is no server name of TLS.
   * @returns The SHA-256 of the server's certificate, in lower case without colons, and whether the system's
   * authorities vouch for it under this name.
   * @throws StreamEnded if the handshake fails.
   */
  async secureAsClient(host: string): Promise<{ fingerprint: string; isTrusted: boolean }> {
    const tls = nodeModule("node:tls"), isAddress = nodeModule("node:net").isIP(host) !== 0;
    // The certificate is checked by the caller, who may know its fingerprint.
    const secure = await this.#secure(
      (socket) =>
        tls.connect({ socket, ...isAddress ? {} : { servername: host }, host, rejectUnauthorized: false }),
      "secureConnect",
    );
    const { fingerprint256 = "" } = secure.getPeerCertificate() ?? {};
    return {
      fingerprint: String(fingerprint256).replaceAll(":", "").toLowerCase(),
      isTrusted: secure.authorized,
    };
  }

  /** Ends the connection once everything is sent. */
  end(): void {
    this.#finish(new StreamEnded("the connection was ended"));
    const socket = this.#socket;
    socket.end();
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once("close", () => clearTimeout(timer));
  }

  /** Ends the connection at once. @param reason What readers get. */
  destroy(reason: Error = new StreamEnded("the connection was ended")): void {
    this.#finish(reason);
    this.#socket.destroy();
  }

  #listen(socket: Socket | TLSSocket): void {
    const end = () => this.#finish(new StreamEnded("the peer ended the connection"));
    socket.on("data", this.#onData);
    socket.on("close", end);
    socket.on("end", end); // a TLSSocket sends no `close` when its peer ends (Deno 2.9.6)
    socket.on("error", (error: Error) => this.#finish(new StreamEnded(error.message, { cause: error })));
  }

  async #secure(wrap: (socket: Socket) => TLSSocket, event: string): Promise<TLSSocket> {
    if (this.#have) throw new Error("the peer sent data before TLS");
    const socket = this.#socket as Socket;
    socket.off("data", this.#onData);
    const secure = wrap(socket), { promise, resolve, reject } = Promise.withResolvers<void>();
    secure.once(event, () => resolve());
    secure.once("error", reject);
    const ended = () =>
      reject(this.#ended ?? new StreamEnded("the peer ended the connection in its TLS handshake"));
    socket.once("close", ended);
    secure.once("close", ended);
    await promise.catch((cause: Error) => {
      throw new StreamEnded(`TLS failed: ${cause.message}`, { cause });
    });
    this.#socket = secure;
    this.#listen(secure);
    return secure;
  }

  #push(data: Uint8Array): void {
    this.#chunks.push(data);
    this.#have += data.length;
    if (this.#have > this.#wanted + UNREAD) this.#socket.pause();
    if (this.#have >= this.#wanted) this.#awake();
  }

  #finish(reason: Error): void {
    this.#ended ??= reason;
    this.#over.resolve();
    clearTimeout(this.#timer);
    this.#awake();
  }

  #awake(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  #next(count: number): Uint8Array {
    this.#have -= count;
    const [first] = this.#chunks;
    if (first && first.length > count) {
      this.#chunks[0] = first.subarray(count);
      return first.subarray(0, count);
    }
    if (first?.length === count) return this.#chunks.shift()!;
    const joined = new Uint8Array(count);
    let at = 0, whole = 0;
    for (; at + (this.#chunks[whole]?.length ?? Infinity) <= count; whole++) {
      joined.set(this.#chunks[whole], at);
      at += this.#chunks[whole].length;
    }
    this.#chunks.splice(0, whole);
    if (at < count) {
      joined.set(this.#chunks[0].subarray(0, count - at), at);
      this.#chunks[0] = this.#chunks[0].subarray(count - at);
    }
    return joined;
  }
}
