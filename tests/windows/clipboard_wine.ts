/** The Windows clipboard, with other programs that use it. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { fromFileUrl } from "@std/path";
import type { ClipboardContent } from "../../control/desktop/desktop.ts";
import { bmpOfPng, pngOfBmp } from "../../control/image/read_picture.ts";
import { encodePng } from "../../control/image/png.ts";
import { readPng } from "../../control/image/read_png.ts";
import { BusyError, InputError, TimeLimitError } from "../../core/errors.ts";
import { openWindows } from "../../ffi/windows/mod.ts";
import { Program, run } from "../support/program.ts";
import { until } from "../support/shell.ts";
import { Notepad } from "./dialog_program.ts";
import { openReference } from "./witness.ts";

const WITNESS = fromFileUrl(new URL("clipboard_witness.ts", import.meta.url));

/** Content that another program reads: each format's SHA-256, or a short bitmap itself. */
interface Witnessed {
  text?: string;
  png?: string;
  bitmap?: string;
}

/** Starts another program that uses the clipboard; see clipboard_witness.ts. */
function startWitness(...args: string[]): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--cached-only", WITNESS, ...args],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
}

async function witness(...args: string[]): Promise<Witnessed> {
  const child = startWitness(...args);
  await child.stdin.close();
  const { success, stdout } = await child.output();
  assert(success);
  return JSON.parse(new TextDecoder().decode(stdout));
}

/** Makes another program hold the clipboard open until it is disposed of. */
async function held(): Promise<AsyncDisposable & { release(): Promise<void> }> {
  const child = startWitness("hold"), lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  assertEquals((await lines.read()).value?.trim(), '"held"');
  const release = async () => {
    if (!child.stdin.locked) await child.stdin.close().catch(() => {});
    await child.status;
    await lines.cancel();
  };
  return { release, [Symbol.asyncDispose]: release };
}

async function digest(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

/** Zero-terminated text, as on Windows. */
const utf16 = (text: string) =>
  new Uint8Array(Uint16Array.from({ length: text.length + 1 }, (_, i) => text.charCodeAt(i)).buffer);

function openClipboard() {
  const desktop = openWindows(), { clipboard } = desktop;
  return {
    desktop,
    clipboard,
    read: (kind: "text" | "png") => clipboard.read(kind, "clipboard"),
    write: (content: ClipboardContent) => clipboard.write(content),
    kinds: () => clipboard.kinds(),
    [Symbol.dispose]: () => desktop.close(),
  };
}

Deno.test("text survives byte for byte, and other programs read the same", async () => {
  using opened = openClipboard();
  const { read, write, kinds } = opened;
  const long = "0123456789 äöü€ 漢字 😀 שלום\r\n\t".repeat(260_000);
  assert(new TextEncoder().encode(long).length > 10_000_000);
  for (const text of ["héllo €5 漢字 😀\r\n\tend\n", "", "\ufeffmark", "x".repeat(4096), long]) {
    await write({ text });
    assertEquals(await kinds(), ["text"]);
    const content = await read("text");
    assert(content && "text" in content && content.text === text, text.slice(0, 20));
    assertEquals((await witness("read")).text, await digest(utf16(text)), text.slice(0, 20));
  }
  assertEquals(await read("png"), undefined);
  await assertRejects(() => write({ text: "a\0b" }), InputError, "text contains U+0000 (at index 1)");
});

Deno.test("notepad pastes written text, and what it copies is read", async () => {
  using opened = openClipboard();
  using reference = openReference();
  const { desktop, read, write } = opened;
  const text = "eins äöü, zwei 漢字";
  await using notepad = await Notepad.open("pasted", "");
  const window = await until(async () =>
    (await desktop.windows.list()).find(({ title }) => title === notepad.title)
  );
  await desktop.windows.change(window!, { to: "active" });
  const press = async (...keys: string[]) => {
    for (const key of keys) await desktop.keyboard.key(key, true);
    for (const key of keys.reverse()) await desktop.keyboard.key(key, false);
  };
  await write({ text });
  await press("ctrl", "v");
  await until(() => reference.editedLength(BigInt(window!.id)) === text.length);
  await write({ text: "something else" });
  await press("ctrl", "a");
  await press("ctrl", "c");
  await until(
    () => read("text"),
    (content) => content !== undefined && "text" in content && content.text === text,
  );

  // It now owns the clipboard, and does not respond.
  notepad.suspend();
  const message = "the program that owns the clipboard did not answer within ";
  // A thread that was about to answer may still do so.
  await until(
    () => read("text").then(() => undefined, (error: unknown) => error),
    (error) => error instanceof TimeLimitError && error.message.includes(message),
  );
  await assertRejects(() => write({ text: "x" }), TimeLimitError, message);
  notepad.resume();
  await write({ text: "y" });
  assertEquals(await read("text"), { text: "y" });
});

/** Three pixels by two: red, green, blue; black, white, gray. */
const PIXELS = [0xff0000, 0x00ff00, 0x0000ff, 0x000000, 0xffffff, 0x808080];
const picture = () =>
  encodePng({ width: 3, height: 2, stride: 12, pixels: new Uint8Array(Uint32Array.from(PIXELS).buffer) });

Deno.test("writes a picture as PNG and as a bitmap, and reads it byte for byte", async () => {
  using opened = openClipboard();
  const { read, write, kinds } = opened;
  const png = await picture();
  await write({ png, asBmp: () => bmpOfPng(png) });
  assertEquals(await kinds(), ["png"]);
  assertEquals(await read("png"), { png });
  assertEquals(await read("text"), undefined);
  const { png: bytes, bitmap, text } = await witness("read");
  assertEquals([bytes, text], [await digest(png), undefined]);
  const pixels = (row: number[]) => new Uint8Array(Uint32Array.from(row).buffer).toHex(); // blue, green, red, 0
  assert(bitmap!.endsWith(pixels(PIXELS.slice(3)) + pixels(PIXELS.slice(0, 3))), bitmap);
});

Deno.test("reads another program's bitmap as a picture", async () => {
  using opened = openClipboard();
  const { read, kinds } = opened;
  // BITMAPINFOHEADER: 2x2, 24 bits; rows from the bottom up, each padded to 4 bytes
  const header = "28000000" + "02000000" + "02000000" + "0100" + "1800" + "00".repeat(24);
  await witness("bitmap", header + "ff0000" + "00ff00" + "0000" + "0000ff" + "332211" + "0000");
  assertEquals(await kinds(), ["png"]);
  const content = await read("png");
  if (!content || !("bmp" in content)) throw new Error("no bitmap was read");
  const { width, height, pixels } = readPng(await pngOfBmp(content.bmp));
  assertEquals([width, height, ...pixels], [2, 2, 0xff0000, 0x112233, 0x0000ff, 0x00ff00]);
});

Deno.test("waits for a program that holds the clipboard open, but with a timeout", async () => {
  using opened = openClipboard();
  const { read, write } = opened;
  await write({ text: "before" });
  await using other = await held();
  await assertRejects(() => read("text"), BusyError, "another program is holding the clipboard open");
  await assertRejects(() => write({ text: "x" }), BusyError, "another program is holding the clipboard open");
  const written = write({ text: "after" });
  await other.release();
  await written;
  assertEquals(await read("text"), { text: "after" });
});

Deno.test("HTTP and the prompt share the clipboard, and it outlives the program", async () => {
  const copied = await run(["--desktop", "windows", "-c", "copy eins 漢字"]);
  assertEquals([copied.code, copied.stderr], [0, ""]);
  await using program = new Program(["--desktop", "windows", "--http", "0"]);
  const url = `${await program.controlUrl()}/api/clipboard`;
  assertEquals(await (await fetch(url)).json(), { text: "eins 漢字", types: ["text"] });
  const png = await picture();
  assertEquals((await fetch(url, { method: "PUT", body: png })).status, 200);
  assertEquals(await (await fetch(`${url}?format=png`)).bytes(), png);
  const damaged = await fetch(url, { method: "PUT", body: png.subarray(0, 40) });
  assertEquals([damaged.status, (await damaged.json()).error.slice(0, 20)], [400, "cannot read the PNG:"]);
  const primary = await fetch(`${url}?selection=primary`);
  assertEquals([primary.status, (await primary.json()).error], [
    409,
    "the windows desktop has no primary selection",
  ]);
  await using _other = await held();
  const busy = await fetch(`${url}?format=png`);
  assertEquals([busy.status, (await busy.json()).error], [
    503,
    "another program is holding the clipboard open",
  ]);
});
