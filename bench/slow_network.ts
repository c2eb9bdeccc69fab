/**
 * A slow network on one machine: a proxy that limits bytes per second in each direction, and delays them. It
 * buffers waiting bytes, like a router with much memory. It replaces the kernel's netem, which not every
 * kernel supports.
 */

import { attempt } from "../core/errors.ts";
import { delay } from "@std/async/delay";

/** Bytes forwarded together: the payload of an Ethernet packet. */
const PACKET = 1448;

export interface Speed {
  bytesPerSecond: number;
  /** Delay in one direction, in milliseconds. */
  delayMs: number;
}

/** One direction through the network, shared by all connections. */
class Way {
  /** When the last packet has passed, in milliseconds. */
  #passed = 0;

  constructor(readonly speed: Speed) {}

  /** Forwards bytes from one connection to another until its end. */
  async carry(from: Deno.Conn, to: Deno.Conn): Promise<void> {
    let arrived = Promise.resolve();
    try {
      for await (const bytes of from.readable) {
        for (let at = 0; at < bytes.length; at += PACKET) {
          const packet = bytes.subarray(at, at + PACKET), due = this.#dueAfter(packet.length);
          arrived = arrived.then(async () => {
            await delay(Math.max(0, due - performance.now()));
            for (let sent = 0; sent < packet.length;) sent += await to.write(packet.subarray(sent));
          });
          arrived.catch(() => {}); // the last one reports it
        }
      }
      await arrived;
      await to.closeWrite();
    } catch {
      attempt(() => to.close()); // one side has closed, so the other does too
    }
  }

  /** When a packet sent now arrives. */
  #dueAfter(bytes: number): number {
    const { bytesPerSecond, delayMs } = this.speed;
    this.#passed = Math.max(this.#passed, performance.now()) + bytes / bytesPerSecond * 1000;
    return this.#passed + delayMs;
  }
}

/**
 * Opens a slow network to a port on this machine.
 * @returns The port that leads through it.
 */
export function openSlowNetwork(port: number, speed: Speed): Disposable & { port: number } {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const there = new Way(speed), back = new Way(speed);
  (async () => {
    for await (const client of listener) {
      const server = await Deno.connect({ hostname: "127.0.0.1", port });
      for (const side of [client, server]) side.setNoDelay(true);
      there.carry(client, server);
      back.carry(server, client);
    }
  })();
  return { port: listener.addr.port, [Symbol.dispose]: () => listener.close() };
}
