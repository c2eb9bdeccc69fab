/** Finding pictures and waiting for the screen, on every desktop of the table. */

import { assert, assertEquals } from "@std/assert";
import { hexOf } from "../../control/operator/wait.ts";
import type { Region } from "../../control/desktop/desktop.ts";
import { DESKTOPS, type TestDesktop } from "../support/desktops.ts";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { temporary, until } from "../support/shell.ts";
import { PATIENCE_MS } from "../support/waits.ts";

/** Unique parts of the drawing. */
const PARTS = [[150, 100, 64, 48], [40, 50, 100, 60], [180, 140, 81, 33]] as const;
/** The part that the other steps search for. */
const PART = { x: 100, y: 80, width: 120, height: 90 };
const CONVERT = need("convert");

for (const { name, needs, start } of DESKTOPS) {
  Deno.test(
    {
      name: `${name}: finds pictures that other programs cut from the screen, and waits for them`,
      ignore: needs.ignore || CONVERT.ignore,
    },
    (t) =>
      temporary(async (folder) => {
        await using system = await start();
        await using program = new Program(["--http", "0"], { env: system.env });
        const url = await program.controlUrl();
        const drawing = await system.draw();
        await settled(url);
        const part = `${folder}/part of it.png`, changed = `${folder}/changed.png`;
        await saveSeen(system, PART, `PNG24:${part}`);
        await convert(part, "-fill", "red", "-draw", "rectangle 0,0 9,9", changed);
        await t.step("at their positions, in every file format", () => everyKind(system, url, folder));
        await t.step("even changed and recolored, within the tolerance", async () => {
          const blurred = `${folder}/blurred.png`;
          await convert(part, "+dither", "-colors", "64", "-evaluate", "add", "2%", blurred);
          assertEquals((await find(url, changed)).matches, []);
          const [share] = (await find(url, changed, "?match=0.9")).matches;
          assertEquals([share.x, share.y, share.match > 0.9 && share.match < 1], [PART.x, PART.y, true]);
          const [near] = (await find(url, blurred, "?tolerance=10&match=0.95")).matches;
          assertEquals([near.x, near.y], [PART.x, PART.y]);
        });
        await t.step("at the prompt, which prints their centers", async () => {
          const found = await prompt(system, `find ${part}`, `find ${part} 10`);
          assertEquals([found.code, found.stdout, found.stderr], [0, "160 125\n160 125\n", ""]);
        });
        const drawn = await system.seen(PART);
        await t.step("until they are gone", async () => {
          const gone = find(url, changed, `?match=0.9&gone=true&timeout_ms=${PATIENCE_MS}`);
          await drawing[Symbol.asyncDispose]();
          assertEquals(await gone, { status: 200, matches: [] });
          const { code, stdout, stderr } = await prompt(system, `find ${part}`);
          assertEquals([code, stdout, stderr], [1, "", "the picture is not on the screen\n"]);
        });
        await waits(t, system, url, part, drawn);
      }),
  );
}

async function find(url: string, file: string, query = "") {
  const body = await Deno.readFile(file);
  const response = await fetch(`${url}/api/find${query}`, { method: "POST", body });
  return { status: response.status, ...await response.json() };
}

async function wait(url: string, kinds: unknown) {
  const body = JSON.stringify({ timeout_ms: PATIENCE_MS, ...kinds as object });
  const response = await fetch(`${url}/api/wait`, { method: "POST", body });
  return { status: response.status, ...await response.json() };
}

/** Waits until the screen is still: a window is drawn some time after it is mapped. */
async function settled(url: string): Promise<void> {
  const { status, ms } = await wait(url, { still: { ms: 500 } });
  assertEquals([status, ms >= 500], [200, true]);
}

async function prompt(system: TestDesktop, ...lines: string[]) {
  await using program = new Program(["-c", lines.join(";")], { env: system.env });
  return await program.ended();
}

async function convert(...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command("convert", { args }).output();
  assert(success, new TextDecoder().decode(stderr));
}

/** Saves a part of the screen with the system's tool, to ImageMagick's `KIND:path`. */
async function saveSeen(system: TestDesktop, region: Region, to: string): Promise<void> {
  const raw = await Deno.makeTempFile();
  try {
    await Deno.writeFile(raw, await system.seen(region));
    const size = `${region.width}x${region.height}`;
    await convert("-size", size, "-depth", "8", `rgb:${raw}`, "-compress", "none", to);
  } finally {
    await Deno.remove(raw);
  }
}

async function everyKind(system: TestDesktop, url: string, folder: string): Promise<void> {
  for (const [x, y, width, height] of PARTS) {
    const region = { x, y, width, height };
    const match = { ...region, match: 1, center: { x: x + (width >> 1), y: y + (height >> 1) } };
    for (const format of ["PNG24:a.png", "PNG8:b.png", "BMP3:c.bmp", "BMP:d.bmp"]) {
      const [kind, name] = format.split(":"), file = `${folder}/${name}`;
      await saveSeen(system, region, `${kind}:${file}`);
      assertEquals(await find(url, file), { status: 200, matches: [match] }, `${format} ${x} ${y}`);
    }
  }
}

/** Clears the screen, and waits until the drawing is back. */
async function waits(
  t: Deno.TestContext,
  system: TestDesktop,
  url: string,
  part: string,
  drawn: Uint8Array,
): Promise<void> {
  await t.step("until a pixel has its color", async () => {
    const empty = await system.seen(PART);
    const at = 3 *
      Array.from({ length: drawn.length / 3 }).findIndex((_, i) =>
        [0, 1, 2].some((part) => Math.abs(drawn[3 * i + part] - empty[3 * i + part]) > 100)
      );
    const hex = hexOf(drawn[at] << 16 | drawn[at + 1] << 8 | drawn[at + 2]);
    const place = { x: PART.x + at / 3 % PART.width, y: PART.y + Math.floor(at / 3 / PART.width) };
    const waiting = wait(url, { pixel: { ...place, hex } });
    await using _drawing = await system.draw();
    assertEquals((await waiting).status, 200);
  });
  await t.step("until a picture appears", async () => {
    const waiting = find(url, part, `?timeout_ms=${PATIENCE_MS}`);
    await using _drawing = await system.draw();
    const { x, y } = (await waiting).matches[0];
    assertEquals([x, y], [PART.x, PART.y]);
  });
  await t.step("until a region changes", async () => {
    let status: number | undefined;
    const waiting = wait(url, { change: PART }).then((answer) => status = answer.status);
    // Repeatedly: the first change may precede the first look at the region.
    await until(async () => {
      await using _drawing = await system.draw();
      await settled(url);
      return status !== undefined;
    });
    assertEquals(await waiting, 200);
  });
}
