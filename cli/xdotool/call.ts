/**
 * Whether the program is called as xdotool: by a subcommand or a link of that name. Every start loads this.
 */

export interface XdotoolCall {
  /** The name by which the program was started, for messages. */
  program: string;
  /** The value of `--desktop`; omitted if not given. */
  desktop?: string;
  /** The words after the name. */
  words: string[];
}

/**
 * Checks whether the command line is a call of xdotool. No deskhand options other than `--desktop` are
 * allowed before it, because xdotool's own options look like them.
 * @param started The name by which the program was started.
 * @returns undefined if it is not a call of xdotool.
 * @example
 * xdotoolCall(["xdotool", "key", "a"], "deskhand"); // { program: "xdotool", words: ["key", "a"] }
 * xdotoolCall(["-v"], "/usr/local/bin/xdotool"); // { program: "/usr/local/bin/xdotool", words: ["-v"] }
 * xdotoolCall(["--http"], "deskhand"); // undefined
 */
export function xdotoolCall(args: readonly string[], started: string): XdotoolCall | undefined {
  if (/(?:^|[/\\])xdotool(?:\.exe)?$/i.test(started)) return { program: started, words: [...args] };
  const joined = /^--desktop=(.*)$/s.exec(args[0] ?? "");
  const [desktop, taken] = joined ? [joined[1], 1] : args[0] === "--desktop" ? [args[1], 2] : [undefined, 0];
  if (args[taken] !== "xdotool") return undefined;
  return {
    program: "xdotool",
    ...(desktop === undefined ? {} : { desktop }),
    words: args.slice(taken + 1),
  };
}

/** The name by which this program was started, to recognize xdotool; only known for executables. */
export function startedAs(): string {
  if (!Deno.build.standalone) return "";
  if (Deno.build.os !== "linux") return Deno.execPath();
  try {
    // The system resolves links in the executable's path.
    const { name } =
      Deno.dlopen("libc.so.6", { name: { name: "program_invocation_name", type: "pointer" } }).symbols;
    const address = new Deno.UnsafePointerView(name!).getBigUint64();
    return Deno.UnsafePointerView.getCString(Deno.UnsafePointer.create(address)!);
  } catch {
    return ""; // this C library does not have the variable
  }
}

// The names of xdotool's commands, in its order: listed by `help` and completions.

export const COMMAND_NAMES = [
  "getactivewindow",
  "getwindowfocus",
  "getwindowname",
  "getwindowclassname",
  "getwindowpid",
  "getwindowgeometry",
  "getdisplaygeometry",
  "search",
  "help",
  "version",
  "click",
  "getmouselocation",
  "key",
  "keydown",
  "keyup",
  "mousedown",
  "mousemove",
  "mousemove_relative",
  "mouseup",
  "type",
  "windowactivate",
  "windowfocus",
  "windowclose",
  "windowquit",
  "windowmap",
  "windowminimize",
  "windowmove",
  "windowraise",
  "windowsize",
  "windowstate",
  "exec",
  "sleep",
] as const;

/** Names of xdotool commands that deskhand refuses, because only an X server supports what they need. */
export const REFUSED_NAMES = [
  "behave",
  "behave_screen_edge",
  "selectwindow",
  "set_window",
  "windowkill",
  "windowreparent",
  "windowlower",
  "windowunmap",
  "set_num_desktops",
  "get_num_desktops",
  "set_desktop",
  "get_desktop",
  "set_desktop_for_window",
  "get_desktop_for_window",
  "get_desktop_viewport",
  "set_desktop_viewport",
] as const;
