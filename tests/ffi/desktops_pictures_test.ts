/** Screenshots, on every desktop of the table. */

import { assertEquals } from "@std/assert";
import { delay } from "@std/async/delay";
import { isStopped } from "../../ffi/linux/threads.ts";
import { DESKTOPS } from "../support/desktops.ts";
import { rgbOf } from "../support/pictures.ts";
import { until } from "../support/shell.ts";
import { keptFrame } from "../support/clipboard_tools.ts";

for (const { name, needs, start } of DESKTOPS) {
  Deno.test({ name: `${name}: screenshots match the system tool's pixels`, ...needs }, async () => {
    await using system = await start();
    const desktop = await system.open();
    await using _drawing = await system.draw();
    for (const [x, y, width, height] of [[0, 0, 1280, 720], [100, 100, 101, 57], [1279, 719, 1, 1]]) {
      const region = { x, y, width, height };
      await until(
        async () => {
          const seen = await system.seen(region),
            ours = rgbOf(await keptFrame(desktop.screen, region, false));
          const isPlain = width > 1 && seen.every((value, i) => value === seen[i % 3]);
          return !isPlain && seen.length === ours.length && seen.every((value, i) => value === ours[i]);
        },
        Boolean,
        () => `the pictures differ: ${JSON.stringify(region)}`,
      );
    }
    desktop.close();
  });

  Deno.test({
    name: `${name}: a capture into shared memory has the same pixels and does not block the thread`,
    ...needs,
  }, async () => {
    await using system = await start();
    await using _drawing = await system.draw();
    const desktop = await system.open(), region = { x: 20, y: 30, width: 301, height: 200 };
    await desktop.pointer.move({ x: 100, y: 100 });
    const memory = new SharedArrayBuffer(region.width * region.height * 4);
    for (const cursor of [false, true]) {
      // Both, repeatedly: the program may still be drawing.
      await until(async () => {
        await desktop.screen.captureInto!(region, cursor, memory);
        const shared = { ...region, stride: region.width * 4, pixels: new Uint8Array(memory).slice() };
        const frame = rgbOf(await keptFrame(desktop.screen, region, cursor));
        return rgbOf(shared).every((value, i) => value === frame[i]);
      });
    }
    // While the server or compositor is stopped, a capture on this thread would never return.
    Deno.kill(system.pid(), "SIGSTOP");
    await until(() => isStopped(`${system.pid()}`));
    let isDone = false;
    const capture = desktop.screen.captureInto!(region, false, memory).then(() => isDone = true);
    await delay(50);
    const wasDone = isDone;
    Deno.kill(system.pid(), "SIGCONT");
    assertEquals(wasDone, false);
    await capture;
    desktop.close();
  });

  Deno.test(
    { name: `${name}: a thousand captures of all sizes leak no memory and no files`, ...needs },
    async () => {
      await using system = await start();
      const desktop = await system.open();
      const openFiles = () => [...Deno.readDirSync("/proc/self/fd")].length;
      const capture = async (i: number) => {
        const region = { x: i % 100, y: 0, width: 1 + i % 900, height: 1 + i % 600 };
        // After a picture of another kind a compositor draws a new one, a sixtieth of a second later.
        await keptFrame(desktop.screen, region, i % 100 === 0);
      };
      for (let i = 0; i < 3; i++) await capture(i);
      const before = openFiles(), memory = Deno.memoryUsage().rss;
      for (let i = 0; i < 1000; i++) await capture(i);
      await until(openFiles, (now) => now <= before + 2, (now) => `${now} files are open, before ${before}`);
      // The next garbage collection, which new pictures trigger, frees unused ones.
      const grown = async () => {
        await capture(1);
        return Deno.memoryUsage().rss - memory;
      };
      await until(grown, (bytes) => bytes < 100e6, (bytes) => `memory grew by ${bytes} bytes`);
      desktop.close();
    },
  );
}
