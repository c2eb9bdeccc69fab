/** A connection as a stream of bytes that can be upgraded to TLS, with limits on memory and time. */

import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { nodeModule } from "../core/path.ts";

/** Maximum number of unread bytes, beyond those being waited for, before the peer is throttled. */
const UNREAD = 1024 * 1024;
/**
 * Maximum memory for answers that the peer has not accepted, such as a clipboard text, and the overhead of
 * each answer, in bytes.
 */
const UNACCEPTED = 4 * UNREAD, ANSWER = 1024;
/** Idle time after which the system checks whether the peer is still there, in milliseconds. */
const IDLE_MS = 60_000;
/** How long a closing socket may take to send the remaining data, in milliseconds. */
const LINGER_MS = 1000;

/** The peer has disconnected, or the connection was closed. */
export class StreamEnded extends Error {
  override name = "StreamEnded";
}

/** A connection. */
export class ByteStream {
  #chunks: Uint8Array[] = [];
  #have = 0;
  #wanted = 0;
  #unaccepted = 0;
  #wake: (() => void) | undefined;
  #ended: Error | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #socket: Socket | TLSSocket;
  readonly #over = Promise.withResolvers<void>();
  readonly #onData = (data: Uint8Array) => this.#push(data);

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.setKeepAlive(true, IDLE_MS); // a machine that is gone sends nothing, not even an end
    this.#listen(socket);
  }

  /** The peer's address. */
  get peer(): string {
    return this.#socket.remoteAddress ?? "";
  }

  /** Resolves once the stream has ended. */
  get ended(): Promise<void> {
    return this.#over.promise;
  }

  /** Number of bytes received but not yet taken. */
  get received(): number {
    return this.#have;
  }

  /** Number of bytes queued for the peer. */
  get backlog(): number {
    return this.#socket.writableLength;
  }

  /**
   * Sets a deadline, after which the stream is destroyed.
   * @param ms Milliseconds from now; omitted for no deadline.
   */
  expire(ms?: number, message = "the peer is not responding"): void {
    clearTimeout(this.#timer);
    if (ms !== undefined) this.#timer = setTimeout(() => this.destroy(new StreamEnded(message)), ms);
  }

  /**
   * Reads bytes.
   * @param count The number of bytes, which the caller must have limited.
   * @throws StreamEnded if the stream ends first.
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

  /** Sends bytes. @param taken Called once the system has accepted them all, unless the stream ends first. */
  write(bytes: Uint8Array, taken = () => {}): void {
    if (!this.#ended) this.#socket.write(bytes, (error) => error || taken());
  }

  /** Sends bytes that the peer requested. A peer that requests and does not read is disconnected. */
  answer(bytes: Uint8Array): void {
    if (this.#ended) return;
    const size = bytes.length + ANSWER;
    this.#unaccepted += size;
    if (this.#unaccepted > UNACCEPTED) {
      return this.destroy(new RangeError("the peer requests more than it reads"));
    }
    this.write(bytes, () => this.#unaccepted -= size);
  }

  /**
   * Calls a function once the peer has accepted everything, if so much is queued that a socket reports it.
   */
  onDrain(run: () => void): void {
    this.#socket.once("drain", run);
  }

  /**
   * Upgrades the connection to TLS, as the server.
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
   * Upgrades the connection to TLS, as the client.
   * @param host The server's name. TLS does not accept an address as a server name.
   * @returns The SHA-256 digest of the server's certificate, in lower case without colons, and whether the
   * system's certificate authorities confirm it for this name.
   * @throws StreamEnded if the handshake fails.
   */
  async secureAsClient(host: string): Promise<{ fingerprint: string; isTrusted: boolean }> {
    const tls = nodeModule("node:tls"), isAddress = nodeModule("node:net").isIP(host) !== 0;
    // The caller checks the certificate, because it may know its fingerprint.
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

  /** Closes the connection once everything has been sent. */
  end(): void {
    this.#finish(new StreamEnded("the connection was ended"));
    const socket = this.#socket;
    socket.end();
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once("close", () => clearTimeout(timer));
  }

  /** Closes the connection immediately; what was received is dropped. @param reason The error for readers. */
  destroy(reason: Error = new StreamEnded("the connection was ended")): void {
    [this.#chunks, this.#have] = [[], 0];
    this.#finish(reason);
    this.#socket.destroy();
  }

  #listen(socket: Socket | TLSSocket): void {
    const end = () => this.#finish(new StreamEnded("the peer ended the connection"));
    socket.on("data", this.#onData);
    socket.on("close", end);
    socket.on("end", end); // a TLSSocket emits no `close` when its peer disconnects (Deno 2.9.6)
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
