/** Screenshots of a changing screen, for readers of all kinds. */

import { assert, assertEquals } from "@std/assert";
import { delay } from "@std/async/delay";
import { fromFileUrl } from "@std/path";
import { need, needRoot } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { Xvfb } from "../support/xvfb.ts";
import { temporary, until } from "../support/shell.ts";

const MAIN = fromFileUrl(new URL("../../main.ts", import.meta.url));
const BMP_HEADER = 66;

/** An answer's body, read with pauses. */
async function readSlowly(url: string, pauseMs: number): Promise<Uint8Array> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of (await fetch(url)).body!) {
    parts.push(chunk.slice());
    await delay(pauseMs);
  }
  return await new Blob(parts).bytes();
}

/** The colours of a BMP file of 32 bits per pixel. */
function colors(file: Uint8Array): Set<number> {
  // A copy, since the header's length is not a multiple of 4.
  const pixels = new Uint32Array(file.slice(BMP_HEADER).buffer), found = new Set<number>();
  let last = -1;
  for (const pixel of pixels) {
    const color = pixel & 0xffffff;
    if (color !== last) found.add(last = color);
  }
  return found;
}

Deno.test(
  { name: "a screenshot shows one moment, however slowly it is read", ...need("Xvfb", "xsetroot") },
  async () => {
    await using server = await Xvfb.start({ width: 1280, height: 720 });
    await server.run("xsetroot", "-solid", "#000000");
    await using program = new Program(["--http", "0"], { env: server.env });
    const url = `${await program.controlUrl()}/api/screenshot`;
    let painting = true, number = 0;
    const painted = (async () => {
      while (painting) {
        number++;
        await server.run("xsetroot", "-solid", `#${number.toString(16).padStart(6, "0")}`);
        await delay(10); // endless painting uses as much of the processor as everything else here
      }
    })();
    const length = 1280 * 720 * 4 + BMP_HEADER;
    // More than the screenshots that the memory shared with the X server can hold.
    const seen = new Set<number>();
    for (let round = 0; round < 2; round++) {
      const files = await Promise.all(Array.from({ length: 20 }, (_, i) => readSlowly(url, i)));
      for (const file of files) {
        assertEquals(file.length, length);
        const found = [...colors(file)];
        assertEquals(found.length, 1, `${found.length} moments in one picture`);
        seen.add(found[0]);
      }
    }
    painting = false;
    await painted;
    assert(seen.size > 1, "the screen changed between the pictures");
    // Clients that leave, or only ask for headers, leave nothing behind.
    for (let i = 0; i < 30; i++) {
      const head = await fetch(url, { method: "HEAD" });
      assertEquals(head.headers.get("content-length"), String(length));
      const reader = (await fetch(url)).body!.getReader();
      await reader.read();
      await reader.cancel();
    }
    const shared = async () =>
      (await Deno.readTextFile(`/proc/${program.pid}/maps`)).match(/SYSV/g)?.length ?? 0;
    await until(shared, (count) => count <= 5, (count) => `${count} pieces of memory are shared`);
    assertEquals((await (await fetch(url)).bytes()).length, length);
  },
);

Deno.test(
  {
    name: "a server that shares no memory with the program returns screenshots too",
    ignore: need("Xvfb", "xsetroot").ignore || needRoot("unshare", "--ipc", "true").ignore,
  },
  async () => {
    await using server = await Xvfb.start({ width: 320, height: 200 });
    await server.run("xsetroot", "-solid", "#123456");
    // Memory of one IPC namespace is unknown in another, as in a container. The server does not refuse shared
    // memory there, but fails when it writes to it.
    await temporary(async (folder) => {
      const start = `${folder}/start`;

      await Deno.writeTextFile(
        start,
        `#!/bin/sh\nexec unshare --ipc ${Deno.execPath()} run -A ${MAIN} "$@"\n`,
        { mode: 0o755 },
      );
      await using program = new Program(["--http", "0"], { env: server.env, executable: start });
      const url = `${await program.controlUrl()}/api/screenshot`;
      for (let i = 0; i < 2; i++) {
        assertEquals([...colors(await (await fetch(url)).bytes())], [0x123456]);
        assertEquals((await (await fetch(`${url}?format=png`)).bytes()).length > 100, true);
      }
    });
  },
);
