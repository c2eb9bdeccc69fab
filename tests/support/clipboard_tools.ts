/** Other programs that copy and paste, on each kind of desktop. */

import type { Frame, Region, Screen, Selection } from "../../control/desktop/desktop.ts";
import type { Sway } from "./sway.ts";
import { Client } from "./xvfb.ts";

/** A content type as programs name it. */
type Mime = "image/png" | "text/plain;charset=utf-8";

/** A program that copies and pastes. */
export interface ClipboardTool {
  name: string;
  /** Copies; the program stays in the background, and may take over the clipboard some time later. */
  copy(content: string | Uint8Array<ArrayBuffer>, selection?: Selection, kind?: Mime): Promise<void>;
  /** Pastes; the result is empty if the clipboard has no content of this kind. */
  paste(selection?: Selection, kind?: Mime): Promise<Uint8Array>;
  /**
   * Copies a file's text in a foreground program, which the caller ends; only the first tool supports this.
   */
  own?(file: string): Client;
  /** Pastes 10 bytes and exits; only the first tool supports this. */
  pasteStart?(): Promise<void>;
}

/** xclip and xsel, on the X server in this environment. */
export function x11ClipboardTools(env: Record<string, string>): ClipboardTool[] {
  const target = (kind?: Mime) => kind === "image/png" ? ["-t", kind] : [];
  const xclip = (selection: Selection = "clipboard", kind?: Mime) => [
    ...["-selection", selection],
    ...target(kind),
  ];
  return [
    {
      name: "xclip",
      copy: (content, selection, kind) => feed(env, content, "xclip", ...xclip(selection, kind)),
      // xclip waits forever for an owner that exits while it is being queried.
      paste: (selection, kind) => outputOf(env, "timeout", "20", "xclip", "-o", ...xclip(selection, kind)),
      own: (file) => new Client("xclip", ["-selection", "clipboard", "-quiet", "-in", file], env),
      pasteStart: async () => {
        await outputOf(env, "sh", "-c", "xclip -selection clipboard -o | head -c 10");
      },
    },
    {
      name: "xsel",
      copy: (content, selection) => feed(env, content, "xsel", selection === "primary" ? "-pi" : "-bi"),
      paste: (selection) => outputOf(env, "xsel", selection === "primary" ? "-po" : "-bo"),
    },
  ];
}

/** wl-copy and wl-paste. */
export function waylandClipboardTools(sway: Sway): ClipboardTool[] {
  const options = (selection?: Selection, kind?: Mime) => [
    ...(kind ? ["-t", kind] : []),
    ...(selection === "primary" ? ["-p"] : []),
  ];
  return [{
    name: "wl-clipboard",
    copy: (content, selection, kind = "text/plain;charset=utf-8") =>
      feed(sway.env, content, "wl-copy", ...options(selection, kind)),
    paste: (selection, kind) => outputOf(sway.env, "wl-paste", "-n", ...options(selection, kind)),
    own: (file) => sway.spawn("sh", "-c", `exec wl-copy -f -t 'text/plain;charset=utf-8' <${file}`),
    pasteStart: async () => void await sway.run("sh", "-c", "wl-paste -n | head -c 10"),
  }];
}

/** Runs a program with content on its standard input. */
async function feed(
  env: Record<string, string>,
  content: string | Uint8Array<ArrayBuffer>,
  program: string,
  ...args: string[]
): Promise<void> {
  const options = { args, env, stdin: "piped", stdout: "null", stderr: "null" } as const;
  const child = new Deno.Command(program, options).spawn();
  const input = child.stdin.getWriter();
  await input.write(typeof content === "string" ? new TextEncoder().encode(content) : content);
  await input.close();
  await child.status;
}

async function outputOf(
  env: Record<string, string>,
  program: string,
  ...args: string[]
): Promise<Uint8Array> {
  return (await new Deno.Command(program, { args, env, stderr: "null" }).output()).stdout;
}

// Frames that tests keep.

/** Captures a region like {@linkcode Screen.capture}, and copies the frame. */
export function keptFrame(
  screen: Pick<Screen, "capture">,
  region: Region,
  cursor: boolean,
): Promise<Frame> {
  return screen.capture(region, cursor, (frame) => ({ ...frame, pixels: frame.pixels.slice() }));
}
