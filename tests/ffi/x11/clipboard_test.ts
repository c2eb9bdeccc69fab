/** X11-specific clipboard behavior, on a real X server; desktops_clipboard_test.ts tests the rest. */

import { assertEquals, assertRejects } from "@std/assert";
import { delay } from "@std/async/delay";
import { clipboardPicture } from "../../../control/actions/clipboard.ts";
import { NotFoundError, TimeLimitError } from "../../../core/errors.ts";
import { controlApi, runnerOf } from "../../support/control.ts";
import { SelectionConnection } from "../../../ffi/x11/selection_connection.ts";
import { EVENT } from "../../../ffi/x11/xcb_connection.ts";
import { SelectionOwner, X11Clipboard } from "../../../ffi/x11/clipboard.ts";
import { readSelection } from "../../../ffi/x11/selection_reading.ts";
import type { XcbConnection } from "../../../ffi/x11/xcb_connection.ts";
import { x11ClipboardTools } from "../../support/clipboard_tools.ts";
import { need } from "../../support/need.ts";
import { until } from "../../support/shell.ts";
import { Xvfb } from "../../support/xvfb.ts";

Deno.test({
  name: "a clipboard manager keeps copied text after deskhand exits",
  ...need("Xvfb", "xclip", "xfce4-clipman"),
  // The event loop ends after its test: it is woken to close the connection.
  sanitizeOps: false,
  sanitizeResources: false,
}, async () => {
  await using xvfb = await Xvfb.start();
  const clipboard = new X11Clipboard(xvfb.display), [xclip] = x11ClipboardTools(xvfb.env);
  await using _manager = xvfb.spawn("xfce4-clipman");
  const watch = new SelectionConnection(xvfb.display);
  // Clipman's history reads copied text before its manager does, but only the manager restores it.
  await until(() => watch.xcb.selectionOwner(watch.atoms.CLIPBOARD_MANAGER));
  watch.close();
  await until(async () => {
    await clipboard.write({ text: "kept – 漢字" }, "clipboard");
    return await clipboard.keep();
  });
  clipboard.close();
  await until(
    async () => new TextDecoder().decode(await xclip.paste()),
    (text) => text === "kept – 漢字",
  );
});

const X = { ...need("Xvfb"), sanitizeOps: false, sanitizeResources: false };

Deno.test({
  ...X,
  name: "a clipboard manager that has requested only TARGETS has not kept the content",
}, async () => {
  await using xvfb = await Xvfb.start();
  const clipboard = new X11Clipboard(xvfb.display);
  await clipboard.write({ text: "kept" }, "clipboard");
  const manager = new SelectionConnection(xvfb.display), { xcb, atoms } = manager;
  const takes: Promise<void>[] = [];
  let isContentAsked = false;
  const take = async () => {
    await readSelection(manager, atoms.CLIPBOARD, atoms.TARGETS);
    await delay(300); // a busy manager
    isContentAsked = true;
    await readSelection(manager, atoms.CLIPBOARD, atoms.UTF8_STRING);
  };
  // Some managers never answer the request.
  manager.listen((_, type) => type === EVENT.selectionRequest && takes.push(take()) && undefined);
  const time = await manager.timestamp();
  xcb.xcb.xcb_set_selection_owner(xcb.connection, manager.window, atoms.CLIPBOARD_MANAGER, time);
  manager.flush();
  await until(() => clipboard.keep()); // also false if the manager is too slow
  assertEquals(isContentAsked, true);
  await Promise.all(takes);
  clipboard.close();
  manager.close();
});

type SetProperty = XcbConnection["setProperty"];

/** A clipboard owner that sets each property as the test says. */
async function strangeOwner(
  display: string,
  forms: (atoms: SelectionConnection["atoms"]) => [number, Uint8Array<ArrayBuffer>][],
  give: (set: SetProperty, connection: SelectionConnection) => SetProperty,
): Promise<Disposable> {
  const connection = new SelectionConnection(display), { xcb, atoms } = connection;
  xcb.setProperty = give(xcb.setProperty.bind(xcb), connection);
  await new SelectionOwner(connection).own(atoms.CLIPBOARD, new Map(forms(atoms)));
  return { [Symbol.dispose]: () => connection.close() };
}

Deno.test({
  ...X,
  name: "a program that sends its content in tiny pieces times out, and the next read works",
}, async () => {
  await using xvfb = await Xvfb.start();
  const clipboard = new X11Clipboard(xvfb.display, 1500);
  {
    using _owner = await strangeOwner(
      xvfb.display,
      (atoms) => [[atoms.UTF8_STRING, new Uint8Array(100 * 2 ** 20)]],
      (set, connection) => (window, property, type, format, data) => {
        if (type !== connection.atoms.UTF8_STRING) return set(window, property, type, format, data);
        setTimeout(() => {
          if (connection.isBroken) return; // the last piece is due after the owner has exited
          set(window, property, type, 8, Uint8Array.of(65));
          connection.flush();
        }, 200);
      },
    );
    await assertRejects(() => clipboard.read("text", "clipboard"), TimeLimitError, "too slowly");
  }
  const copied = new X11Clipboard(xvfb.display);
  await copied.write({ text: "next" }, "clipboard");
  assertEquals(await clipboard.read("text", "clipboard"), { text: "next" });
  copied.close();
  clipboard.close();
});

Deno.test({ ...X, name: "ignores content whose type or format does not match its name" }, async () => {
  await using xvfb = await Xvfb.start();
  const clipboard = new X11Clipboard(xvfb.display);
  const utf8 = new TextEncoder().encode("text"), bytes = Uint8Array.of(1, 2, 3);
  const cases: [
    change: (name: number, atoms: SelectionConnection["atoms"]) => Parameters<SetProperty> | undefined,
    text?: string,
  ][] = [
    // TARGETS as three bytes of text: without a list, a program is asked for the old text formats.
    [(type, { ATOM, STRING }) => type === ATOM ? [0, 0, STRING, 8, bytes] : undefined, "text"],
    [(type, { ATOM }) => type === ATOM ? [0, 0, ATOM, 8, bytes] : undefined, "text"],
    // Numbers under a text's name.
    [(type, { UTF8_STRING, ATOM }) =>
      type === UTF8_STRING ? [0, 0, ATOM, 32, Uint32Array.of(65, 66)] : undefined],
  ];
  for (const [change, text] of cases) {
    using _owner = await strangeOwner(
      xvfb.display,
      (atoms) => [[atoms.UTF8_STRING, utf8]],
      (set, { atoms }) => (window, property, type, format, data) => {
        const [, , ...changed] = change(type, atoms) ?? [0, 0, type, format, data] as const;
        set(window, property, ...changed);
      },
    );
    const content = await clipboard.read("text", "clipboard");
    assertEquals(content, text === undefined ? undefined : { text });
  }
  clipboard.close();
});

Deno.test("ignores a picture that is not a PNG file", async () => {
  const { operator, desktop } = controlApi();
  desktop.clipboard!.read = () => Promise.resolve({ png: new TextEncoder().encode("hello") });
  const caller = { signal: new AbortController().signal };
  await assertRejects(
    () => runnerOf(operator).run(clipboardPicture, {}, caller),
    NotFoundError,
    "not a valid PNG file",
  );
});

Deno.test({
  name: "sends a large text from its beginning when a program requests it again after giving up",
  ...need("Xvfb"),
  sanitizeOps: false,
  sanitizeResources: false,
}, async () => {
  await using xvfb = await Xvfb.start();
  const clipboard = new X11Clipboard(xvfb.display), text = `begin-${"x".repeat(1_000_000)}-end`;
  await clipboard.write({ text }, "clipboard");
  const asking = new SelectionConnection(xvfb.display), { atoms } = asking;
  const read = (ms: number) =>
    readSelection(asking, atoms.CLIPBOARD, atoms.UTF8_STRING, undefined, performance.now() + ms);
  await assertRejects(() => read(0), TimeLimitError); // gives up after the first piece
  const content = await read(30_000);
  assertEquals(new TextDecoder().decode(content!.data), text);
  asking.close();
  clipboard.close();
});

Deno.test({ name: "reads text in every common format", ...need("Xvfb", "xclip") }, async () => {
  await using xvfb = await Xvfb.start();
  const clipboard = new X11Clipboard(xvfb.display);
  for (const form of ["text/plain", "text/plain;charset=UTF-8", "TEXT"]) {
    const copy = new Deno.Command("xclip", {
      args: ["-selection", "clipboard", "-t", form, "-i"],
      env: xvfb.env,
      stdin: "piped",
      stdout: "null",
    }).spawn();
    const writer = copy.stdin.getWriter();
    await writer.write(new TextEncoder().encode(`by ${form}`));
    await writer.close();
    await copy.status;
    await until(
      () => clipboard.read("text", "clipboard"),
      (content) => content && "text" in content && content.text === `by ${form}` || false,
    );
  }
  clipboard.close();
});
