/** The Windows clipboard. Windows keeps copied content after deskhand has ended. */

import { delay } from "@std/async/delay";
import type {
  BmpContent,
  Clipboard,
  ClipboardContent,
  ClipboardKind,
  Selection,
} from "../../control/desktop/desktop.ts";
import type { Bytes } from "../../core/bytes.ts";
import { BusyError, DesktopUnavailableError, InputError, TimeLimitError } from "../../core/errors.ts";
import { timeByLoad } from "../../core/proc.ts";
import { isResponsive } from "./windows.ts";
import type { Libraries } from "./symbols.ts";

// Opening the clipboard, which only one program at a time can do, and the global memory that holds its
// content.

/**
 * Maximum time for another program to keep the clipboard open, longer on a busy machine, and interval between
 * attempts, in milliseconds.
 */
const OPEN_MS = 1000, RETRY_MS = 5;
/** Maximum time for the content's owner to answer, in milliseconds; longer on a busy machine. */
const ANSWER_MS = 2000;

/**
 * Opens the clipboard, and closes it afterwards.
 * @param window The window to own written content; 0 for reading.
 * @param use Runs synchronously, while the clipboard is open on this thread.
 * @returns The result of `use`.
 * @throws TimeLimitError if the content's owner is not responding; BusyError if another program keeps the
 * clipboard open.
 */
async function whileClipboardIsOpen<T>(
  libraries: Libraries,
  window: bigint,
  signal: AbortSignal | undefined,
  use: () => T,
): Promise<T> {
  const { user32 } = libraries;
  await checkOwner(user32);
  for (const end = performance.now() + timeByLoad(OPEN_MS); !user32.OpenClipboard(window);) {
    if (performance.now() >= end) throw new BusyError("another program is holding the clipboard open");
    await delay(RETRY_MS, { signal });
  }
  try {
    return use();
  } finally {
    user32.CloseClipboard();
  }
}

/**
 * Waits until the content's owner answers. Windows asks it when the clipboard is read or emptied, and that
 * call would block this thread while the program is not responding.
 */
async function checkOwner(user32: Libraries["user32"]): Promise<void> {
  const owner = user32.GetClipboardOwner();
  if (!owner) return;
  const ms = timeByLoad(ANSWER_MS);
  if (await isResponsive(user32, owner, ms) || user32.GetClipboardOwner() !== owner) return;
  throw new TimeLimitError(`the program that owns the clipboard did not answer within ${ms} ms`);
}

type Kernel32 = Libraries["kernel32"];

/** GlobalAlloc: GMEM_MOVEABLE, which the clipboard requires. */
const MOVEABLE = 2;

/** This process's memory, until {@linkcode handOver}. `using` frees it. */
class GlobalMemory implements Disposable {
  #handle: bigint;

  /** Copies bytes into new memory. */
  constructor(readonly kernel32: Kernel32, bytes: Uint8Array) {
    this.#handle = kernel32.GlobalAlloc(MOVEABLE, BigInt(Math.max(1, bytes.length)));
    const pointer = this.#handle ? kernel32.GlobalLock(this.#handle) : null;
    if (!pointer) {
      this[Symbol.dispose]();
      throw new RangeError(`Windows could not allocate ${bytes.length} bytes`);
    }
    new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(pointer, bytes.length)).set(bytes);
    kernel32.GlobalUnlock(this.#handle);
  }

  /**
   * Hands the memory over to another owner.
   * @param take Receives the handle; returns whether it has taken over the memory.
   * @returns The result of `take`.
   */
  handOver(take: (handle: bigint) => boolean): boolean {
    const isTaken = take(this.#handle);
    if (isTaken) this.#handle = 0n;
    return isTaken;
  }

  [Symbol.dispose](): void {
    if (this.#handle) this.kernel32.GlobalFree(this.#handle);
    this.#handle = 0n;
  }
}

/** The size of a handle's memory, in bytes. */
function globalSize(kernel32: Kernel32, handle: bigint): number {
  return Number(kernel32.GlobalSize(handle));
}

/** Copies the content of a handle's memory. */
function globalBytes(kernel32: Kernel32, handle: bigint): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(globalSize(kernel32, handle));
  const pointer = kernel32.GlobalLock(handle);
  if (!pointer) return new Uint8Array();
  new Deno.UnsafePointerView(pointer).copyInto(bytes);
  kernel32.GlobalUnlock(handle);
  return bytes;
}

// Pictures in the clipboard's format (CF_DIB): a BMP file without its initial BITMAPFILEHEADER (wingdi.h).
// Pure.

/** BITMAPFILEHEADER: its size, and offsets of bfSize and bfOffBits. */
const FILE_HEADER = { size: 14, fileSize: 2, start: 10 } as const;
/** BITMAPCOREHEADER: its size, the offset of bcBitCount, and the size of a palette entry. */
const CORE = { size: 12, depth: 10, entry: 3 } as const;
/** BITMAPINFOHEADER and all later headers: the size, and offsets of biBitCount, biCompression and biClrUsed. */
const INFO = { size: 40, depth: 14, compression: 16, colors: 32, entry: 4 } as const;
/**
 * biCompression values with masks after a BITMAPINFOHEADER (later headers contain them), and their size in
 * bytes.
 */
const MASK_BYTES: Record<number, number> = { 3: 12, 6: 16 };

/**
 * Creates a BMP file.
 * @returns undefined if the bytes are not a DIB.
 */
export function bmpOfDib(dib: Bytes): Bytes | undefined {
  const view = new DataView(dib.buffer, dib.byteOffset, dib.length);
  const size = dib.length < INFO.size ? 0 : view.getUint32(0, true);
  if (size !== CORE.size && size < INFO.size) return undefined;
  const file = new Uint8Array(FILE_HEADER.size + dib.length), header = new DataView(file.buffer);
  file.set([0x42, 0x4d]); // bfType: "BM"
  header.setUint32(FILE_HEADER.fileSize, file.length, true);
  header.setUint32(FILE_HEADER.start, FILE_HEADER.size + size + extraBytes(view, size), true);
  file.set(dib, FILE_HEADER.size);
  return file;
}

/** The DIB in a BMP file. */
export function dibOfBmp(file: Bytes): Bytes {
  return file.subarray(FILE_HEADER.size);
}

/** Size of the masks and palette between the header and the pixels, in bytes. */
function extraBytes(view: DataView, size: number): number {
  if (size === CORE.size) return paletteSize(view.getUint16(CORE.depth, true), 0) * CORE.entry;
  const masks = size === INFO.size ? MASK_BYTES[view.getUint32(INFO.compression, true)] ?? 0 : 0;
  const colors = view.getUint32(INFO.colors, true);
  return masks + paletteSize(view.getUint16(INFO.depth, true), colors) * INFO.entry;
}

/** Number of palette entries: as many as a pixel can select, unless the header specifies it. */
function paletteSize(depth: number, colors: number): number {
  return colors || (depth <= 8 ? 2 ** depth : 0);
}

/** Formats in winuser.h. Windows derives CF_UNICODETEXT from other texts, and CF_DIB from other bitmaps. */
const CF_DIB = 8;
const CF_UNICODETEXT = 13;
/** The format name under which browsers and office programs exchange PNG files. */
const PNG_FORMAT = "PNG";
/** Maximum size of content to read, in bytes: a bitmap of an 8K screen, with some margin. */
const CONTENT_LIMIT = 160 * 1024 * 1024;

/** The window station's only clipboard. */
export class WindowsClipboard implements Clipboard {
  readonly selections = ["clipboard"] as const;
  #pngFormat: number | undefined;

  constructor(readonly libraries: Libraries) {}

  kinds(): Promise<ClipboardKind[]> {
    const { user32 } = this.libraries;
    const has = (format: number) => user32.IsClipboardFormatAvailable(format) !== 0;
    const kinds: ClipboardKind[] = [];
    if (has(CF_UNICODETEXT)) kinds.push("text");
    if (has(this.#png) || has(CF_DIB)) kinds.push("png");
    return Promise.resolve(kinds);
  }

  async read(
    kind: ClipboardKind,
    _selection: Selection,
    signal?: AbortSignal,
  ): Promise<ClipboardContent | BmpContent | undefined> {
    if (!(await this.kinds()).includes(kind)) return undefined;
    return await whileClipboardIsOpen(this.libraries, 0n, signal, () => {
      if (kind === "text") {
        const data = this.#data(CF_UNICODETEXT);
        return data && { text: decodeText(data) };
      }
      const png = this.#data(this.#png);
      if (png) return { png };
      const dib = this.#data(CF_DIB), bmp = dib && bmpOfDib(dib);
      return bmp && { bmp };
    });
  }

  async write(content: ClipboardContent): Promise<void> {
    const { user32, kernel32 } = this.libraries;
    using memories = new DisposableStack();
    const parts = (await this.#formats(content)).map(([format, bytes]) => ({
      format,
      memory: memories.use(new GlobalMemory(kernel32, bytes)),
    }));
    using owner = new MessageWindow(user32);
    await whileClipboardIsOpen(this.libraries, owner.handle, undefined, () => {
      user32.EmptyClipboard();
      for (const { format, memory } of parts) {
        const isTaken = memory.handOver((handle) => user32.SetClipboardData(format, handle) !== 0n);
        if (!isTaken) throw new DesktopUnavailableError("Windows did not accept the clipboard content");
      }
    });
  }

  /** Windows keeps the content. */
  keep(): Promise<boolean> {
    return Promise.resolve(true);
  }

  get #png(): number {
    return this.#pngFormat ??= this.libraries.user32.RegisterClipboardFormatW(wide(PNG_FORMAT));
  }

  /** A content's formats, in order of preference. */
  async #formats(content: ClipboardContent): Promise<[format: number, bytes: Uint8Array][]> {
    if ("text" in content) return [[CF_UNICODETEXT, encodeText(content.text)]];
    const bmp = await content.asBmp?.();
    return [[this.#png, content.png], ...(bmp ? [[CF_DIB, dibOfBmp(bmp)] as [number, Bytes]] : [])];
  }

  /** A format's data, while the clipboard is open. */
  #data(format: number): Bytes | undefined {
    const { user32, kernel32 } = this.libraries;
    if (!user32.IsClipboardFormatAvailable(format)) return undefined;
    const handle = user32.GetClipboardData(format); // the clipboard still owns the handle
    if (!handle) return undefined;
    if (globalSize(kernel32, handle) > CONTENT_LIMIT) {
      throw new InputError(`the clipboard holds more than ${CONTENT_LIMIT} bytes`);
    }
    return globalBytes(kernel32, handle);
  }
}

/**
 * A message-only window, which exists while content is written: only a window may own the clipboard, and a
 * permanent one would have to answer other programs' messages.
 */
class MessageWindow implements Disposable {
  readonly handle: bigint;

  constructor(readonly user32: Libraries["user32"]) {
    const HWND_MESSAGE = BigInt.asUintN(64, -3n);
    this.handle = user32.CreateWindowExW(
      0,
      wide("STATIC"),
      wide(""),
      0,
      0,
      0,
      0,
      0,
      HWND_MESSAGE,
      null,
      null,
      null,
    );
  }

  [Symbol.dispose](): void {
    this.user32.DestroyWindow(this.handle);
  }
}

/**
 * Encodes a text as CF_UNICODETEXT: UTF-16 with a terminating zero.
 * @throws InputError if the text contains a zero, where Windows would end it.
 */
export function encodeText(text: string): Uint8Array {
  const zero = text.indexOf("\0");
  if (zero >= 0) {
    throw new InputError(`text contains U+0000 (at index ${zero}), which Windows does not support`);
  }
  return new Uint8Array(wide(text).buffer);
}

/** The text up to the zero. */
export function decodeText(data: Bytes): string {
  const units = new Uint16Array(data.buffer, 0, data.length >> 1), zero = units.indexOf(0);
  return new TextDecoder("utf-16le", { ignoreBOM: true }).decode(zero < 0 ? units : units.subarray(0, zero));
}

function wide(text: string): Uint16Array<ArrayBuffer> {
  const units = new Uint16Array(text.length + 1);
  for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i);
  return units;
}
