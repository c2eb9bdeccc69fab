import { assertEquals } from "@std/assert";
import { EventRing, ringMemory } from "../../../ffi/windows/event_ring.ts";

const event = (n: number) => ({ message: n, data: [n, -n, n << 8, 0, 0x7fffffff, 0, 0], at: n + 0.5 });

Deno.test("events come out as they went in, also around the end of the memory and of the counters", () => {
  for (const count of [0, 2 ** 31 - 5, -5]) { // where counting begins: a counter has 32 bits
    const memory = ringMemory(4, count);
    const [writer, reader] = [new EventRing(memory), new EventRing(memory)];
    for (let n = 0; n < 30; n += 3) {
      for (const i of [n, n + 1, n + 2]) writer.write(event(i));
      assertEquals(reader.drain(), { events: [event(n), event(n + 1), event(n + 2)], lost: 0 });
    }
    for (let n = 0; n < 6; n++) writer.write(event(n));
    assertEquals(reader.drain(), { events: [event(0), event(1), event(2), event(3)], lost: 2 });
  }
});

Deno.test("the reader is woken once for all that waits", () => {
  const ring = new EventRing(ringMemory(4));
  assertEquals([ring.write(event(1)), ring.write(event(2)), ring.write(event(3))], [true, false, false]);
  ring.drain();
  assertEquals([ring.write(event(4)), ring.write(event(5))], [true, false]);
});

Deno.test("a full ring keeps what it has and counts the rest", () => {
  const ring = new EventRing(ringMemory(4));
  for (let n = 0; n < 10; n++) ring.write(event(n));
  assertEquals(ring.drain(), { events: [event(0), event(1), event(2), event(3)], lost: 6 });
  ring.write(event(11));
  assertEquals(ring.drain(), { events: [event(11)], lost: 0 });
});

Deno.test("two threads at once lose and mix nothing", async () => {
  const memory = ringMemory(64);
  const reader = new EventRing(memory);
  const module = new URL("../../../ffi/windows/event_ring.ts", import.meta.url).href;
  const source = `import { EventRing } from ${JSON.stringify(module)};
    self.onmessage = ({ data }) => {
      const ring = new EventRing(data);
      for (let n = 1; n <= 20000; n++) {
        ring.write({ message: n, data: [n, -n, n, -n, n, -n, n], at: n });
        if (n % 16 === 0) for (let i = 0; i < 2000; i++);
      }
      self.postMessage("done");
    };`;
  const worker = new Worker(`data:text/javascript,${encodeURIComponent(source)}`, { type: "module" });
  try {
    let [done, lost, last] = [false, 0, 0];
    const ended = new Promise<void>((resolve) =>
      worker.onmessage = () => {
        done = true;
        resolve();
      }
    );
    worker.postMessage(memory);
    let seen = 0;
    const take = () => {
      const drained = reader.drain();
      lost += drained.lost;
      seen += drained.events.length;
      for (const { message, data, at } of drained.events) {
        assertEquals(message > last, true);
        const [n, m] = [message, -message];
        assertEquals([at, ...data], [n, n, m, n, m, n, m, n]);
        last = message;
      }
    };
    while (!done) {
      take();
      await new Promise((resolve) => setTimeout(resolve));
    }
    await ended;
    take();
    assertEquals(seen + lost, 20000);
  } finally {
    worker.terminate();
  }
});
