/** Windows in sway's tree (sway-ipc(7), "GET_TREE"). Pure. */

import type { Region, WindowChange, WindowInfo } from "../../../control/desktop/desktop.ts";
import { DesktopUnavailableError, StateError } from "../../../core/errors.ts";
import { Mutex } from "../../../core/mutex.ts";
import { timeByLoad } from "../../../core/proc.ts";
import { openLibc } from "../../linux/libc.ts";
import { type Framing, MessageSocket } from "../../linux/message_socket.ts";
import { Socket } from "../../linux/socket.ts";
import { SERVER_WAITS } from "../../reconnecting.ts";
import type { PlacedWindows } from "../way.ts";
import { OnDemand } from "../wire/background_connection.ts";
import type { Connection } from "../wire/connection.ts";
import { logicalSides, Outputs, scaledRegion } from "../wire/outputs.ts";
import { WaylandWindows } from "../wire/windows.ts";

/** A window, in logical pixels. */
interface SwayWindow {
  /** sway's own number, the same while the window exists. */
  id: number;
  title: string;
  /** The window's app_id; its class if it is a window under XWayland. */
  class: string;
  pid: number;
  isFullscreen: boolean;
  isFloating: boolean;
  isFocused: boolean;
  /** Whether sway shows it: false on other workspaces, in the scratchpad, and behind other tabs. */
  isVisible: boolean;
  /** The visible part of the window, with borders and title bar. */
  region: Region;
}

/** The fields of a node that are read. */
interface Node {
  id: number;
  type?: string;
  name?: string | null;
  app_id?: string | null;
  window_properties?: { class?: string };
  pid?: number;
  fullscreen_mode?: number;
  focused?: boolean;
  /** `xdg_shell` or `xwayland`. */
  shell?: string;
  visible?: boolean;
  rect: Region;
  deco_rect?: Region;
  focus?: number[];
  nodes?: Node[];
  floating_nodes?: Node[];
}

/** A window, and the values that determine its stacking order. */
interface Found {
  node: Node;
  isFloating: boolean;
  /** The stacking order of floating windows: greater for windows raised later. */
  floor: number;
}

/**
 * A tree's windows, topmost first: visible windows before windows on hidden workspaces and tabs, then
 * floating before tiled windows, then by most recent focus.
 * @param tree The root, as reported by sway.
 */
export function swayWindows(tree: unknown): SwayWindow[] {
  const found = windowsIn(tree as Node, false, 0);
  const rank = ({ node, isFloating, floor }: Found) =>
    [node.visible ? 1 : 0, node.fullscreen_mode ? 1 : 0, isFloating ? 1 : 0, floor] as const;
  return found
    .map((one, i) => ({ one, rank: [...rank(one), -i] }))
    .sort((a, b) => firstDifference(b.rank, a.rank))
    .map(({ one }) => windowOf(one));
}

/**
 * The process of the focused program.
 * @param tree The root, as reported by sway.
 * @returns 0 if the focus is on an empty workspace; undefined if the tree does not reveal it: the focus is on
 * a panel, a lock screen, or a window under XWayland, which gets its keys from XWayland.
 */
export function keyboardHolder(tree: unknown): number | undefined {
  const { nodes = [], floating_nodes = [], focused, type, pid, shell } = tree as Node;
  if (focused && type === "workspace") return 0;
  if (focused && pid && shell === "xdg_shell") return pid;
  for (const node of [...nodes, ...floating_nodes]) {
    const holder = keyboardHolder(node);
    if (holder !== undefined) return holder;
  }
  return undefined;
}

function firstDifference(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at < 0 ? 0 : a[at] - b[at];
}

/** A node's windows, the most recently focused one first. */
function windowsIn(node: Node, isFloating: boolean, floor: number): Found[] {
  if (node.pid && !node.nodes?.length) return [{ node, isFloating, floor }];
  const { nodes = [], floating_nodes = [], focus = [] } = node;
  const children = [
    ...nodes.map((child) => ({ child, isFloating, floor })),
    ...floating_nodes.map((child, i) => ({ child, isFloating: true, floor: i + 1 })),
  ];
  const order = new Map(focus.map((id, i) => [id, i]));
  return children
    .sort((a, b) => (order.get(a.child.id) ?? Infinity) - (order.get(b.child.id) ?? Infinity))
    .flatMap(({ child, isFloating, floor }) => windowsIn(child, isFloating, floor));
}

function windowOf(
  { node: { id, name, app_id, window_properties, pid, ...node }, isFloating }: Found,
): SwayWindow {
  return {
    id,
    title: name ?? "",
    class: app_id ?? window_properties?.class ?? "",
    pid: pid ?? 0,
    isFullscreen: Boolean(node.fullscreen_mode),
    isFloating,
    isFocused: Boolean(node.focused),
    isVisible: node.visible !== false,
    region: withTitleBar(node),
  };
}

/** Adds the title bar, which is above the rectangle that sway reports. */
function withTitleBar({ rect: { x, y, width, height }, deco_rect, fullscreen_mode }: Pick<
  Node,
  "rect" | "deco_rect" | "fullscreen_mode"
>): Region {
  const bar = fullscreen_mode ? 0 : deco_rect?.height ?? 0;
  return { x, y: y - bar, width, height: height + bar };
}

// Queries to sway over its own socket (sway-ipc(7)), which reports the positions of windows.

/** Message types (sway-ipc(7), "MESSAGES AND REPLIES"). */
const RUN_COMMAND = 0, GET_TREE = 4;
/** The magic string of each message (sway-ipc(7)), followed by its length and type of 32 bits each. */
const MAGIC = new TextEncoder().encode("i3-ipc");
const HEADER = MAGIC.length + 8;
/** Maximum size of an answer, in bytes. */
const LIMIT = 16 << 20;
/** Maximum time for sway to answer, in milliseconds: on an idle machine, and on a busy one. */
const ANSWER_MS = 2000, LONGEST_ANSWER_MS = 5000;
/** The questions that may wait for their turn. */
const MOST_WAITING = 64;

/** The framing of sway's answers, which are JSON. */
const FRAMING: Framing<unknown> = {
  lengthOf(received) {
    if (received.length < HEADER) return undefined;
    const length = new DataView(received.buffer, received.byteOffset).getUint32(MAGIC.length, true);
    if (length > LIMIT) throw new SyntaxError(`${length} bytes are too long`);
    return HEADER + length;
  },
  decode: (bytes) => JSON.parse(new TextDecoder().decode(bytes.subarray(HEADER))),
  invalid: SyntaxError,
};

/** A connection to sway. */
export class SwayIpc {
  readonly #messages: MessageSocket<unknown>;
  readonly #answers: unknown[] = [];
  readonly #turns = new Mutex(
    MOST_WAITING,
    `${MOST_WAITING} questions wait for sway already; try again later`,
  );

  private constructor(readonly socket: Socket) {
    this.#messages = new MessageSocket(socket, FRAMING, {
      handle: (answer) => this.#answers.push(answer),
      tooLate: silent,
    });
  }

  /**
   * Connects to the sway that owns a Wayland socket.
   * @param wayland A connection to the compositor, whose process must own sway's socket.
   * @returns undefined if the compositor is not sway, or the system does not report processes.
   */
  static open(wayland: Pick<Connection, "socket" | "path">): SwayIpc | undefined {
    const process = wayland.socket.peerProcess;
    if (process === undefined) return undefined;
    for (const path of socketPaths(process, wayland.path)) {
      const socket = Socket.connect(openLibc(), path, "sway");
      if (!socket) continue;
      if (socket.peerProcess === process) return new SwayIpc(socket);
      socket.close(); // this socket belongs to another sway
    }
    return undefined;
  }

  /** Whether the connection has ended and can no longer be used. */
  get isLost(): boolean {
    return this.#messages.isLost;
  }

  /**
   * The tree of outputs, workspaces and windows.
   * @throws DesktopUnavailableError if sway is gone, or does not answer; BusyError if too many questions wait.
   */
  async tree(): Promise<unknown> {
    return await this.#ask(GET_TREE, "");
  }

  /**
   * Runs a command (sway(5)).
   * @returns Why sway refuses it; undefined if it was done.
   * @throws DesktopUnavailableError if sway is gone, or does not answer.
   */
  async run(command: string): Promise<string | undefined> {
    const [answer] = await this.#ask(RUN_COMMAND, command) as { success: boolean; error?: string }[];
    return !answer || answer.success ? undefined : answer.error ?? "sway does not say why";
  }

  /** Closes the connection. Safe to call twice. */
  close(): void {
    this.#messages.end("the connection to sway is closed");
    this.socket.close();
  }

  #ask(type: number, text: string): Promise<unknown> {
    const payload = new TextEncoder().encode(text), bytes = new Uint8Array(HEADER + payload.length);
    bytes.set(MAGIC);
    const view = new DataView(bytes.buffer);
    view.setUint32(MAGIC.length, payload.length, true);
    view.setUint32(MAGIC.length + 4, type, true);
    bytes.set(payload, HEADER);
    return this.#turns.run(async () => {
      const messages = this.#messages, isAnswered = () => this.#answers.length > 0;
      messages.send(bytes, [], SERVER_WAITS.quick);
      if (!messages.shortly(isAnswered, SERVER_WAITS.quick)) {
        const end = performance.now() + timeByLoad(ANSWER_MS, LONGEST_ANSWER_MS);
        const isInTime = await messages.waitAside(isAnswered, end);
        // A late answer would be taken for the next query's.
        if (!isInTime) messages.end(silent().message);
        messages.check();
      }
      return this.#answers.shift();
    });
  }
}

function silent(): DesktopUnavailableError {
  return new DesktopUnavailableError("sway is not responding");
}

/**
 * Lists the sockets of the sway with a given process: the one named by the session, or sway's own default
 * (sway/ipc-server.c).
 */
function socketPaths(process: number, wayland: string): string[] {
  const folder = wayland.slice(0, wayland.lastIndexOf("/")), named = Deno.env.get("SWAYSOCK");
  return [...named ? [named] : [], `${folder}/sway-ipc.${Deno.uid()}.${process}.sock`];
}

// sway's windows; no other compositor of its kind reports to programs where windows are.

/** Lists and changes windows through sway's own socket. */
class SwayWindows {
  /**
   * @param ipc Closed by the caller.
   * @param scale Returns the number of desktop pixels per logical pixel.
   */
  constructor(readonly ipc: SwayIpc, readonly scale: () => number) {}

  /** Every window, topmost first. */
  async list(): Promise<WindowInfo[]> {
    const scale = this.scale();
    return swayWindows(await this.ipc.tree()).map((window) => ({
      id: idOf(window),
      title: window.title,
      class: window.class,
      ...(window.pid ? { pid: window.pid } : {}),
      state: window.isFullscreen ? "fullscreen" : "normal",
      ...(window.isVisible ? {} : { elsewhere: true }),
      active: window.isFocused,
      ...scaledRegion(window.region, scale),
    }));
  }

  /** @throws StateError with the reason if the change cannot be made. */
  async change(window: WindowInfo, change: WindowChange): Promise<void> {
    if (change.to === "placed") return await this.#place(window, change.region);
    const command = COMMANDS[change.to];
    if (!command) {
      throw new StateError(
        `the compositor did not make this window ${change.to}; it is still ${window.state}`,
      );
    }
    await this.#run(window, command);
  }

  async #place(window: WindowInfo, region: Partial<Region>): Promise<void> {
    if (window.state === "fullscreen") await this.#run(window, "fullscreen disable");
    const before = swayWindows(await this.ipc.tree()).find((one) => idOf(one) === window.id);
    if (!before) return; // the window has already been closed
    if (!before.isFloating) {
      const remedy = `swaymsg '[con_id=${before.id}] floating enable'`;
      throw new StateError(`sway tiles this window; only floating windows can be moved: ${remedy}`);
    }
    const { x, y, width, height }: Region = { ...before.region, ...logicalSides(region, this.scale()) };
    // sway resizes a window around its center, which the move corrects.
    await this.#run(window, `resize set ${width} px ${height} px`);
    await this.#run(window, `move absolute position ${x} px ${y} px`);
  }

  async #run({ id }: WindowInfo, command: string): Promise<void> {
    const refused = await this.ipc.run(`[con_id=${Number(id)}] ${command}`);
    // sway reports a window that has already been closed as no match.
    if (refused !== undefined && !/no matching node/i.test(refused)) throw new StateError(`sway: ${refused}`);
  }
}

/** The command for each change (sway(5)). */
const COMMANDS: Partial<Record<WindowChange["to"], string>> = {
  active: "focus",
  closed: "kill",
  fullscreen: "fullscreen enable",
  normal: "fullscreen disable",
};

function idOf({ id }: SwayWindow): string {
  return `0x${id.toString(16)}`;
}

// The windows of a compositor with the wlroots protocols: sway reports their positions, others do not.

/** Lists and changes windows through sway's own socket if there is one, otherwise as toplevels. */
export class WlrootsWindows implements PlacedWindows {
  readonly #toplevels: WaylandWindows;
  /** Facts about the compositor, read when windows are first requested, and after it comes back. */
  readonly #compositor: OnDemand<{ outputs: Outputs; sway: SwayWindows | undefined }>;
  #ipc: SwayIpc | undefined;

  /** @param path The path of the compositor's socket. */
  constructor(path: string) {
    this.#toplevels = new WaylandWindows(path);
    this.#compositor = new OnDemand(path, async ({ connection, registry }) => {
      this.#ipc?.close();
      this.#ipc = SwayIpc.open(connection);
      const outputs = await Outputs.open(connection, registry), scale = () => outputs.arrangement().scale;
      return { outputs, sway: this.#ipc && new SwayWindows(this.#ipc, scale) };
    });
  }

  async scale(): Promise<number> {
    return (await this.#compositor.get()).outputs.arrangement().scale;
  }

  async list(): Promise<WindowInfo[]> {
    return await (await this.#windows()).list();
  }

  async change(window: WindowInfo, change: WindowChange): Promise<void> {
    await (await this.#windows()).change(window, change);
  }

  async #windows(): Promise<SwayWindows | WaylandWindows> {
    if (this.#ipc?.isLost) this.#compositor.close();
    return (await this.#compositor.get()).sway ?? this.#toplevels;
  }

  close(): void {
    this.#ipc?.close();
    this.#compositor.close();
    this.#toplevels.close();
  }
}
