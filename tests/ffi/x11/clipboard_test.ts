/** The clipboard of a real X server; xclip and xsel are the other programs. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { encodePng } from "../../../control/image/png.ts";
import { DesktopUnavailableError, InputError, TimeLimitError } from "../../../core/errors.ts";
import { X11Clipboard } from "../../../ffi/x11/clipboard.ts";
import { VirtualDesktop } from "../../../ffi/virtual/mod.ts";
import { need } from "../../support/need.ts";
import { until } from "../../support/until.ts";
import { ownNumber, Xvfb } from "../../support/xvfb.ts";

const TEXTS = ["plain", "héllo €5 漢字 😀 שלום", "a\r\nb\tc\n", "", "é", "\ufeffmark", "x".repeat(300_000)];
/** 10 MB: sent in pieces both ways. */
const LARGE = "0123456789äöü漢".repeat(700_000);

/** Runs a test with a clipboard on an X server of its own. */
async function withClipboard(test: (clipboard: X11Clipboard, xvfb: Xvfb) => Promise<void>) {
  await using xvfb = await Xvfb.start();
  const clipboard = new X11Clipboard(xvfb.display);
  try {
    await test(clipboard, xvfb);
  } finally {
    clipboard.close();
  }
}

/** Runs a program with a text on its standard input; it goes on in the background. */
async function pipe(xvfb: Xvfb, text: string | Uint8Array<ArrayBuffer>, program: string, ...args: string[]) {
  const child = new Deno.Command(program, {
    args,
    env: xvfb.env,
    stdin: "piped",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const input = child.stdin.getWriter();
  await input.write(typeof text === "string" ? new TextEncoder().encode(text) : text);
  await input.close();
  await child.status;
}

async function output(xvfb: Xvfb, program: string, ...args: string[]): Promise<Uint8Array> {
  return (await new Deno.Command(program, { args, env: xvfb.env, stderr: "null" }).output()).stdout;
}

/** The loop ends after its test: it is woken to close the connection. */
const options = { sanitizeOps: false, sanitizeResources: false };

Deno.test({
  name: "text that is copied here is pasted by other programs byte for byte, and the other way round",
  ...need("Xvfb", "xclip", "xsel"),
  ...options,
}, async () => {
  await withClipboard(async (clipboard, xvfb) => {
    assertEquals(await clipboard.kinds("clipboard"), []);
    assertEquals(await clipboard.read("text", "clipboard"), undefined);
    for (const text of [...TEXTS, LARGE]) {
      await clipboard.write({ text }, "clipboard");
      for (const [program, ...args] of [["xclip", "-o", "-selection", "clipboard"], ["xsel", "-bo"]]) {
        const pasted = new TextDecoder("utf-8", { ignoreBOM: true }).decode(
          await output(xvfb, program, ...args),
        );
        assertEquals(pasted.length, text.length, program);
        assert(pasted === text, `${program} pastes something else for ${text.slice(0, 20)}`);
      }
      assertEquals(await clipboard.kinds("clipboard"), ["text"]);
      assert((await clipboard.read("text", "clipboard") as { text: string }).text === text);
    }
    for (const text of [...TEXTS.filter((text) => text !== ""), LARGE]) {
      for (const command of [["xclip", "-selection", "clipboard"], ["xsel", "-bi"]]) {
        await pipe(xvfb, text, command[0], ...command.slice(1));
        // It ends before the process that it leaves behind has taken the clipboard over, and that process may be slow.
        await until(
          () => clipboard.read("text", "clipboard").catch(unlessLate),
          (read) => (read as { text: string } | undefined)?.text === text,
        );
      }
    }
  });
});

/** Passes on every error but that of a program that does not answer in time. */
function unlessLate(error: unknown): undefined {
  if (!(error instanceof TimeLimitError)) throw error;
}

Deno.test({
  name: "the primary selection is another than the clipboard",
  ...need("Xvfb", "xclip"),
  ...options,
}, async () => {
  await withClipboard(async (clipboard, xvfb) => {
    await clipboard.write({ text: "copied" }, "clipboard");
    await clipboard.write({ text: "selected" }, "primary");
    assertEquals(
      new TextDecoder("utf-8", { ignoreBOM: true }).decode(
        await output(xvfb, "xclip", "-o", "-selection", "clipboard"),
      ),
      "copied",
    );
    assertEquals(
      new TextDecoder("utf-8", { ignoreBOM: true }).decode(
        await output(xvfb, "xclip", "-o", "-selection", "primary"),
      ),
      "selected",
    );
    await pipe(xvfb, "theirs", "xclip", "-selection", "primary");
    await until(
      () => clipboard.read("text", "primary"),
      (read) => (read as { text: string }).text === "theirs",
    );
    assertEquals(await clipboard.read("text", "clipboard"), { text: "copied" });
  });
});

Deno.test({
  name: "a picture goes byte for byte both ways, and is no text",
  ...need("Xvfb", "xclip"),
  ...options,
}, async () => {
  await withClipboard(async (clipboard, xvfb) => {
    const png = await encodePng(
      new VirtualDesktop().screen.capture({ x: 0, y: 0, width: 1280, height: 720 }, true),
    );
    await clipboard.write({ png }, "clipboard");
    assertEquals(
      await output(xvfb, "xclip", "-o", "-selection", "clipboard", "-t", "image/png"),
      png,
    );
    await pipe(xvfb, png, "xclip", "-selection", "clipboard", "-t", "image/png");
    await until(() => clipboard.keep()); // xclip owns it now
    assertEquals(await clipboard.kinds("clipboard"), ["png"]);
    assertEquals(await clipboard.read("png", "clipboard"), { png });
    assertEquals(await clipboard.read("text", "clipboard"), undefined);
  });
});

Deno.test({
  name: "a program that has the clipboard and hangs ends the reading in time",
  ...need("Xvfb", "xclip"),
  ...options,
}, async () => {
  await withClipboard(async (clipboard, xvfb) => {
    await using owner = xvfb.spawn("xclip", "-selection", "clipboard", "-quiet", "-in", "/etc/hostname");
    await until(() => clipboard.kinds("clipboard"), (kinds) => kinds.length === 1);
    Deno.kill(owner.pid, "SIGSTOP");
    await assertRejects(() => clipboard.read("text", "clipboard"), TimeLimitError, "within 2000 ms");
    const abort = new AbortController();
    const read = clipboard.read("text", "clipboard", abort.signal);
    abort.abort(new Error("the client went away"));
    await assertRejects(() => read, Error, "the client went away");
    Deno.kill(owner.pid, "SIGCONT");
  });
});

Deno.test({
  name:
    "a reading that is given up and readings at the same time leave the program that has the clipboard at work",
  ...need("Xvfb", "xclip"),
  ...options,
}, async () => {
  await withClipboard(async (clipboard, xvfb) => {
    await pipe(xvfb, LARGE, "xclip", "-selection", "clipboard"); // which serves one program at a time
    await until(() => clipboard.kinds("clipboard"), (kinds) => kinds.length === 1);
    const abort = new AbortController();
    const given = clipboard.read("text", "clipboard", abort.signal);
    setTimeout(() => abort.abort(new Error("the client went away")), 4); // in the midst of it
    await assertRejects(() => given, Error, "the client went away");
    for (const content of await Promise.all([1, 2, 3].map(() => clipboard.read("text", "clipboard")))) {
      assert(content && "text" in content && content.text === LARGE);
    }
    const read = new TextDecoder("utf-8", { ignoreBOM: true }).decode(
      await output(xvfb, "timeout", "30", "xclip", "-selection", "clipboard", "-o"),
    );
    assert(read === LARGE);
  });
});

Deno.test({
  name: "content above 64 MiB is refused, and the program that has it stays at work",
  ...need("Xvfb", "xclip"),
  ...options,
}, async () => {
  await withClipboard(async (clipboard, xvfb) => {
    await pipe(xvfb, "x".repeat(70 << 20), "xclip", "-selection", "clipboard");
    await until(() => clipboard.kinds("clipboard").catch(unlessLate), (kinds) => kinds?.length === 1);
    for (let time = 0; time < 2; time++) {
      await assertRejects(() => clipboard.read("text", "clipboard"), InputError, "more than 67108864 bytes");
      assertEquals(await clipboard.kinds("clipboard"), ["text"]);
    }
  });
});

Deno.test({
  name: "what is copied is lost without a clipboard manager, and keep says so",
  ...need("Xvfb", "xclip"),
  ...options,
}, async () => {
  await withClipboard(async (clipboard, xvfb) => {
    assertEquals(await clipboard.keep(), true); // nothing is owned
    await clipboard.write({ text: "lost" }, "clipboard");
    assertEquals(await clipboard.keep(), false);
    await pipe(xvfb, "taken over", "xclip", "-selection", "clipboard");
    await until(() => clipboard.keep()); // another program owns it now
  });
});

Deno.test({
  name: "the clipboard works again after the X server was killed and started anew",
  ...need("Xvfb", "xclip"),
  ...options,
}, async () => {
  const number = ownNumber(), first = await Xvfb.start({ number });
  const clipboard = new X11Clipboard(first.display);
  try {
    await clipboard.write({ text: "before" }, "clipboard");
    await first.stop("SIGKILL");
    await assertRejects(() => clipboard.write({ text: "gone" }, "clipboard"), DesktopUnavailableError);
    await using second = await Xvfb.start({ number });
    await clipboard.write({ text: "after" }, "clipboard");
    assertEquals(
      new TextDecoder("utf-8", { ignoreBOM: true }).decode(
        await output(second, "xclip", "-o", "-selection", "clipboard"),
      ),
      "after",
    );
  } finally {
    clipboard.close();
    await first.stop();
  }
});

Deno.test({
  name: "a clipboard manager keeps what was copied when deskhand ends",
  ...need("Xvfb", "xclip", "xfce4-clipman"),
  ...options,
}, async () => {
  await withClipboard(async (clipboard, xvfb) => {
    await using _manager = xvfb.spawn("xfce4-clipman");
    await until(async () => {
      await clipboard.write({ text: "kept – 漢字" }, "clipboard");
      return await clipboard.keep(); // false until the manager is there
    });
    clipboard.close();
    await until(
      async () => new TextDecoder().decode(await output(xvfb, "xclip", "-o", "-selection", "clipboard")),
      (text) => text === "kept – 漢字",
    );
  });
});
