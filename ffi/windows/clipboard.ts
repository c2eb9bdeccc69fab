/** The clipboard of Windows. Windows keeps copied content after deskhand has ended. */

import type {
  BmpContent,
  Clipboard,
  ClipboardContent,
  ClipboardKind,
  Selection,
} from "../../control/desktop.ts";
import type { Bytes } from "../../core/bytes.ts";
import { DesktopUnavailableError, InputError } from "../../core/errors.ts";
import { globalBytes, GlobalMemory, globalSize, whileClipboardIsOpen } from "./clipboard_access.ts";
import { bmpOfDib, dibOfBmp } from "./dib.ts";
import type { Libraries } from "./libraries.ts";

/** Formats of winuser.h. Windows makes CF_UNICODETEXT of other texts, and CF_DIB of other bitmaps. */
const CF_DIB = 8;
const CF_UNICODETEXT = 13;
/** The name under which browsers and office programs exchange the bytes of PNG files. */
const PNG_FORMAT = "PNG";
/** The largest content that is read, in bytes: a bitmap of an 8K screen, and some. */
const CONTENT_LIMIT = 160 * 1024 * 1024;

/** The one clipboard of the window station. */
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
    const parts = this.#formats(content).map(([format, bytes]) => ({
      format,
      memory: memories.use(new GlobalMemory(kernel32, bytes)),
    }));
    using owner = new MessageWindow(user32);
    await whileClipboardIsOpen(this.libraries, owner.handle, undefined, () => {
      user32.EmptyClipboard();
      for (const { format, memory } of parts) {
        const isTaken = memory.handOver((handle) => user32.SetClipboardData(format, handle) !== 0n);
        if (!isTaken) throw new DesktopUnavailableError("Windows did not take what was to be copied");
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

  /** The forms of a content, the best first. */
  #formats(content: ClipboardContent): [format: number, bytes: Uint8Array][] {
    if ("text" in content) return [[CF_UNICODETEXT, encodeText(content.text)]];
    const bmp = content.asBmp?.();
    return [[this.#png, content.png], ...(bmp ? [[CF_DIB, dibOfBmp(bmp)] as [number, Bytes]] : [])];
  }

  /** The data of a format, while the clipboard is open. */
  #data(format: number): Bytes | undefined {
    const { user32, kernel32 } = this.libraries;
    if (!user32.IsClipboardFormatAvailable(format)) return undefined;
    const handle = user32.GetClipboardData(format); // the clipboard keeps owning the handle
    if (!handle) return undefined;
    if (globalSize(kernel32, handle) > CONTENT_LIMIT) {
      throw new InputError(`the clipboard holds more than ${CONTENT_LIMIT} bytes`);
    }
    return globalBytes(kernel32, handle);
  }
}

/**
 * A message-only window, which lives while content is written: only a window may own the clipboard, and one that stayed
 * would have to answer messages of other programs.
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
 * Encodes a text as CF_UNICODETEXT: UTF-16 and a zero.
 * @throws InputError if the text contains a zero, at which Windows would end it.
 */
export function encodeText(text: string): Uint8Array {
  const zero = text.indexOf("\0");
  if (zero >= 0) throw new InputError(`text has U+0000 at ${zero}, where Windows would end it`);
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
