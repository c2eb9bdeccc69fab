/** Screens that change as those of people do, for the live picture: text, windows, pages, videos. */

import { until } from "./until.ts";
import type { Client, Xvfb } from "./xvfb.ts";

/** Shell commands that wait for a window; xdotool's own waiting ends when another window vanishes. */
function found(query: string): string {
  const search = `xdotool search --onlyvisible ${query}`;
  return `while window=$(${search} | head -1); [ -z "$window" ]; do sleep 0.2; done`;
}

/** A row of {@linkcode SCENES}. */
interface SceneRow {
  /** Programs that the scene needs. */
  needs: readonly string[];
  /** The window manager, which is started first. */
  manager?: string;
  /** A shell's commands. */
  script: string;
}

/** The scenes, by name. */
export const SCENES = {
  "terminal, without end": {
    needs: ["xterm"],
    script: "exec xterm -geometry 310x80+0+0 -e sh -c 'while :; do ls -l /usr/bin /usr/sbin; done'",
  },
  "antialiased terminal, without end": {
    needs: ["xterm"],
    script: "exec xterm -fa Monospace -fs 10 -geometry 230x60+0+0 -e sh -c " +
      "'while :; do ls -l --color /usr/bin /usr/sbin; done'",
  },
  "terminal, 50 lines a second": {
    needs: ["xterm"],
    script: "exec xterm -geometry 310x80+0+0 -e sh -c " +
      `'while :; do ls -l /usr/bin | while read line; do echo "$line"; sleep 0.02; done; done'`,
  },
  "a window is dragged": {
    needs: ["xterm", "openbox", "xev", "xprop", "xdotool", "xsetroot"],
    manager: "openbox",
    script: `
      xsetroot -solid '#336699'
      xterm -geometry 120x40+900+400 -e sh -c 'ls -l /usr/bin | head -200; sleep 9999' &
      xterm -fa Monospace -title dragged -geometry 100x30+100+100 -e sh -c 'ls -l --color /usr/bin | head -200; sleep 9999' &
      ${found("--name dragged")}
      moves=$(mktemp); trap 'rm -f "$moves"' EXIT; i=0
      while [ $i -lt 500 ]; do
        i=$((i + 1)); along=$((i * 12 % 2000))
        [ $along -gt 1000 ] && along=$((2000 - along))
        echo "windowmove $window $((100 + along)) $((50 + i * 4 % 400))"
        echo "getmouselocation"; echo "sleep 0.012" # what it asks for makes it send the move
      done > "$moves"
      while :; do xdotool "$moves"; done`,
  },
  "a page is scrolled": {
    needs: ["chromium", "openbox", "xev", "xprop", "xdotool"],
    manager: "openbox",
    script: `
      home=$(mktemp -d); trap 'rm -rf "$home"' EXIT; i=0
      { echo '<!doctype html><body style="font:16px sans-serif;margin:2em">'
        while [ $i -lt 300 ]; do i=$((i + 1))
          echo "<h2>Chapter $i</h2><div style='height:150px;background:linear-gradient($((i * 37))deg,#29f,#f$((i % 10))4,#4c$((i % 10)))'></div><p>"
          head -c 900 /usr/share/common-licenses/GPL-3 | tr '\\n' ' '; echo '</p>'
        done; } > "$home/page.html"
      chromium --no-sandbox --no-first-run --password-store=basic --user-data-dir="$home/profile" --window-position=0,0 \\
        --window-size=1900,1040 --disable-gpu "file://$home/page.html" &
      ${found("--name Chromium")}
      sleep 4; xdotool mousemove 900 600
      while :; do
        for n in $(seq 40); do xdotool click 5; sleep 0.05; done
        for n in $(seq 40); do xdotool click 4; sleep 0.05; done
      done`,
  },
  "a video": {
    needs: ["ffplay"],
    script: "exec ffplay -loglevel quiet -nostats -f lavfi -i mandelbrot=size=1280x720:rate=30 " +
      "-noborder -left 100 -top 100 -x 1280 -y 720",
  },
  "a person types": {
    needs: ["xterm", "openbox", "xev", "xprop", "xdotool", "xsetroot"],
    manager: "openbox",
    script: `
      xsetroot -solid '#336699'
      xterm -fa Monospace -geometry 100x30+100+100 -e cat &
      ${found("--class xterm")}
      sleep 1; xdotool mousemove 300 300 click 1
      while :; do for key in h e l l o space w o r l d Return; do xdotool key $key; sleep 0.1; done; done`,
  },
  "nothing changes": { needs: ["xsetroot"], script: "xsetroot -solid '#336699'; exec sleep 9999" },
} as const satisfies Record<string, SceneRow>;
/** A name of {@linkcode SCENES}. */
export type SceneName = keyof typeof SCENES;

/** A scene that plays on an X server. `await using` ends it. */
export class Scene {
  readonly #shell: Deno.ChildProcess;

  private constructor(server: Xvfb, script: string, readonly manager: Client | undefined) {
    this.#shell = new Deno.Command("sh", {
      args: ["-c", script],
      env: server.env,
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
  }

  /** Starts a scene, after its window manager. */
  static async start(server: Xvfb, name: SceneName): Promise<Scene> {
    const { script, manager }: SceneRow = SCENES[name];
    return new Scene(server, script, manager ? await server.manager(manager) : undefined);
  }

  /** Stops all of the scene's programs where they are. */
  async freeze(): Promise<void> {
    const stopped = () =>
      this.#processes().every((pid) => {
        const state = stateOf(pid);
        if (state === "T" || state === "Z" || state === undefined) return true;
        signal(pid, "SIGSTOP");
        return false;
      });
    await until(stopped); // one that was started since is found by the next look
  }

  async [Symbol.asyncDispose]() {
    await this.freeze(); // so that none starts another while they are ended
    const all = this.#processes();
    for (const pid of all) signal(pid, "SIGTERM"); // the shell removes its folder
    for (const pid of all) signal(pid, "SIGCONT");
    await until(() => all.every((pid) => [undefined, "Z"].includes(stateOf(pid)) || !signal(pid, "SIGKILL")));
    await this.#shell.status;
    await this.manager?.[Symbol.asyncDispose]();
  }

  #processes(): number[] {
    return [...processTree(this.#shell.pid), ...this.manager ? processTree(this.manager.pid) : []];
  }
}

/** A process and all that it started. */
export function processTree(pid: number): number[] {
  const found = [pid];
  try {
    for (const { name } of Deno.readDirSync(`/proc/${pid}/task`)) {
      const children = Deno.readTextFileSync(`/proc/${pid}/task/${name}/children`).trim();
      for (const child of children ? children.split(" ") : []) found.push(...processTree(Number(child)));
    }
  } catch {
    // It has ended.
  }
  return found;
}

/** The state of a process as in proc(5); undefined if it has ended. */
function stateOf(pid: number): string | undefined {
  try {
    return /\) (\S)/.exec(Deno.readTextFileSync(`/proc/${pid}/stat`))?.[1];
  } catch {
    return undefined;
  }
}

/** @returns Whether the process was still there. */
function signal(pid: number, name: Deno.Signal): boolean {
  try {
    Deno.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}
