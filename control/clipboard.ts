/** The clipboard as a part of a desktop; `desktop.ts` joins the parts. */

/** The places of copied content; only X11 and Wayland have the primary selection. */
export const SELECTIONS = ["clipboard", "primary"] as const;
/** A selection: one of {@linkcode SELECTIONS}. */
export type Selection = typeof SELECTIONS[number];

/** Content of the clipboard: a text, or a picture as the bytes of a PNG file. */
export type ClipboardContent = { text: string } | {
  png: Uint8Array<ArrayBuffer>;
  /**
   * Makes a BMP file of the same picture, for systems on which many programs take no PNG.
   * @throws InputError if the PNG file is damaged, or its picture too large.
   */
  asBmp?(): Uint8Array<ArrayBuffer>;
};
/** A picture as the bytes of a BMP file, if its program offers no other format. */
export interface BmpContent {
  bmp: Uint8Array<ArrayBuffer>;
}
/** The kinds of {@linkcode ClipboardContent}. */
export const CLIPBOARD_KINDS = ["text", "png"] as const;
/** One of {@linkcode CLIPBOARD_KINDS}. */
export type ClipboardKind = typeof CLIPBOARD_KINDS[number];

/** The clipboard. */
export interface Clipboard {
  /** The selections that this system has. */
  readonly selections: readonly Selection[];

  /** The kinds of content that there are now. */
  kinds(selection: Selection, signal?: AbortSignal): Promise<ClipboardKind[]>;

  /**
   * Reads the clipboard.
   * @returns undefined if the clipboard has no content of this kind; a picture may come as a BMP file.
   * @throws TimeLimitError if the program that has the content does not hand it over; BusyError if another program
   *   keeps the clipboard open; InputError if there is too much.
   */
  read(
    kind: ClipboardKind,
    selection: Selection,
    signal?: AbortSignal,
  ): Promise<ClipboardContent | BmpContent | undefined>;

  /** Takes content over; on X11 deskhand hands it to each program that pastes. */
  write(content: ClipboardContent, selection: Selection): Promise<void>;

  /**
   * Hands the content of {@linkcode write} to a clipboard manager, at the end of the program.
   * @returns false if the content is lost with the program.
   */
  keep(): Promise<boolean>;
}
