/** Clipboard actions. They are not available under --read-only, since the clipboard may hold passwords. */

import { InputError, NotFoundError, UnsupportedError } from "../../core/errors.ts";
import {
  type Clipboard,
  CLIPBOARD_KINDS,
  type Desktop,
  type Selection,
  SELECTIONS,
} from "../desktop/desktop.ts";
import type { ConverterCall } from "../image/converter.ts";
import { isPng } from "../image/bitmap.ts";
import { action, Content } from "./action.ts";
import { choice, type Field, list, optional, plainText, text } from "../schema/schema.ts";

const SELECTION = optional(
  choice(
    SELECTIONS,
    "default clipboard; primary, on X11, is the last selected text",
  ),
);

/**
 * The desktop's clipboard.
 * @throws UnsupportedError if the desktop has no clipboard, or not this selection.
 */
function clipboardOf({ clipboard, kind }: Desktop, selection: Selection): Clipboard {
  if (!clipboard) throw new UnsupportedError(`the clipboard of the ${kind} desktop is not available`);
  if (!clipboard.selections.includes(selection)) {
    throw new UnsupportedError(`the ${kind} desktop has no ${selection} selection`);
  }
  return clipboard;
}

export const clipboard = action({
  name: "clipboard",
  summary: "The text on the clipboard",
  effect: "private",
  input: { selection: SELECTION },
  output: {
    text: optional(text("The text; missing if the clipboard has none")),
    types: list(choice(CLIPBOARD_KINDS, "A kind of content"), "Kinds of content on the clipboard"),
  },
  async run({ selection = "clipboard" }, { operator, signal }) {
    return await operator.read(async (desktop) => {
      const clipboard = clipboardOf(desktop, selection);
      const types = await clipboard.kinds(selection, signal);
      const content = types.includes("text") ? await clipboard.read("text", selection, signal) : undefined;
      return { ...(content && "text" in content ? { text: content.text } : {}), types };
    });
  },
});

export const clipboardPicture = action({
  name: "clipboardPicture",
  summary: "The picture on the clipboard",
  effect: "private",
  input: { selection: SELECTION },
  output: ["image/png"],
  async run({ selection = "clipboard" }, { operator, signal }) {
    const content = await operator.read((desktop) =>
      clipboardOf(desktop, selection).read("png", selection, signal)
    );
    if (!content || "text" in content) throw new NotFoundError("there is no picture on the clipboard");
    if ("png" in content && !isPng(content.png)) {
      throw new NotFoundError("the picture on the clipboard is not a valid PNG file");
    }
    const png = "png" in content ? content.png : await convert({ file: content.bmp, to: "png" });
    return new Content("image/png", png.length, [png]);
  },
});

/** The bytes of a PNG file. */
const PNG: Field<Uint8Array<ArrayBuffer>, true> = {
  required: true,
  schema: { type: "string", contentMediaType: "image/png", description: "A picture, as a PNG file" },
  parse(value, name) {
    if (value instanceof Uint8Array && isPng(value)) return value as Uint8Array<ArrayBuffer>;
    throw new InputError(`${name} must be the bytes of a PNG file`);
  },
};

/** Converts a picture; the converter is loaded on first use, since startup does not need it. */
async function convert(call: ConverterCall): Promise<Uint8Array<ArrayBuffer>> {
  return await (await import("../image/converter.ts")).convert(call);
}

/** Maximum time to convert a picture and deliver the content, in milliseconds. */
const WRITE_MS = 20_000;

export const setClipboard = action({
  name: "setClipboard",
  summary: "Put text or a picture on the clipboard",
  effect: "act",
  input: {
    text: optional(plainText("The text; may be empty")),
    png: optional(PNG),
    selection: SELECTION,
  },
  output: {},
  async run({ text, png, selection = "clipboard" }, context) {
    if (text === undefined && png === undefined) throw new InputError("Missing text");
    if (text?.isWellFormed() === false) {
      throw new InputError("text contains an unpaired surrogate");
    }
    const content = png === undefined
      ? { text: text! }
      : { png, asBmp: () => convert({ file: png, to: "bmp" }) };
    await context.operator.run(
      (desktop) => clipboardOf(desktop, selection).write(content, selection),
      context,
      { takesMs: WRITE_MS, waitsFor: "the clipboard to take the content" },
    );
  },
});
