/**
 * Another program that uses the clipboard, in a separate process. It prints a line of JSON.
 *
 *     clipboard_witness.ts hold           opens it, prints "held", and closes it when its standard input ends
 *     clipboard_witness.ts read           prints the contents: the text, and each format's SHA-256
 *     clipboard_witness.ts bitmap HEX...  writes a bitmap (CF_DIB) of these bytes
 */

const CF_DIB = 8, CF_UNICODETEXT = 13;
const GMEM_MOVEABLE = 2;
const HWND_MESSAGE = BigInt.asUintN(64, -3n);

const user32 = Deno.dlopen("user32.dll", {
  OpenClipboard: { parameters: ["usize"], result: "i32" },
  CloseClipboard: { parameters: [], result: "i32" },
  EmptyClipboard: { parameters: [], result: "i32" },
  SetClipboardData: { parameters: ["u32", "usize"], result: "usize" },
  GetClipboardData: { parameters: ["u32"], result: "usize" },
  RegisterClipboardFormatW: { parameters: ["buffer"], result: "u32" },
  CreateWindowExW: {
    parameters: [
      ...["u32", "buffer", "buffer", "u32", "i32", "i32", "i32", "i32"] as const,
      ...["usize", "usize", "usize", "usize"] as const,
    ],
    result: "usize",
  },
}).symbols;
const kernel32 = Deno.dlopen("kernel32.dll", {
  GlobalAlloc: { parameters: ["u32", "usize"], result: "usize" },
  GlobalLock: { parameters: ["usize"], result: "pointer" },
  GlobalUnlock: { parameters: ["usize"], result: "i32" },
  GlobalSize: { parameters: ["usize"], result: "usize" },
}).symbols;

const wide = (text: string) => Uint16Array.from(`${text}\0`, (unit) => unit.charCodeAt(0));

/** The bytes in a format; undefined if there are none. */
function dataIn(format: number): Uint8Array<ArrayBuffer> | undefined {
  const handle = user32.GetClipboardData(format);
  if (!handle) return undefined;
  const bytes = new Uint8Array(Number(kernel32.GlobalSize(handle)));
  new Deno.UnsafePointerView(kernel32.GlobalLock(handle)!).copyInto(bytes);
  kernel32.GlobalUnlock(handle);
  return bytes;
}

async function digest(bytes: Uint8Array<ArrayBuffer> | undefined): Promise<string | undefined> {
  return bytes && new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

function put(bytes: Uint8Array): void {
  user32.EmptyClipboard();
  const handle = kernel32.GlobalAlloc(GMEM_MOVEABLE, BigInt(bytes.length));
  const memory = kernel32.GlobalLock(handle)!;
  new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(memory, bytes.length)).set(bytes);
  kernel32.GlobalUnlock(handle);
  if (!user32.SetClipboardData(CF_DIB, handle)) throw new Error("SetClipboardData failed");
}

const [command, hex] = Deno.args;
const args = [0, 0, 0, 0, 0] as const;
const window = user32.CreateWindowExW(0, wide("STATIC"), wide(""), ...args, HWND_MESSAGE, 0n, 0n, 0n);
if (!user32.OpenClipboard(window)) throw new Error("the clipboard cannot be opened");
if (command === "hold") {
  console.log(JSON.stringify("held"));
  await Array.fromAsync(Deno.stdin.readable);
  user32.CloseClipboard();
} else if (command === "bitmap") {
  put(Uint8Array.fromHex(hex));
  user32.CloseClipboard();
  console.log(JSON.stringify("put"));
} else {
  const [text, png, bitmap] = [
    dataIn(CF_UNICODETEXT),
    dataIn(user32.RegisterClipboardFormatW(wide("PNG"))),
    dataIn(CF_DIB),
  ];
  user32.CloseClipboard();
  console.log(JSON.stringify({
    text: await digest(text),
    png: await digest(png),
    bitmap: bitmap && bitmap.length < 1000 ? bitmap.toHex() : await digest(bitmap),
  }));
}
