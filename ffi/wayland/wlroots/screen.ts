/** The screen of one connection: its layout and its pictures. */

import {
  type Frame,
  intersection,
  type Picture,
  type Region,
  type Screen,
  type ScreenLayout,
} from "../../../control/desktop.ts";
import type { CapturedDesktop } from "../../capture/worker.ts";
import { cutOut, joined } from "../wire/compose.ts";
import { Connection } from "../wire/connection.ts";
import { layoutOf } from "../wire/geometry.ts";
import { Outputs } from "../wire/outputs.ts";
import { Registry } from "../wire/registry.ts";
import { OutputCapture } from "./capture.ts";

/** A frame, and the function that gives its memory back. */
interface Captured {
  frame: Frame;
  release(): void;
}

/** Pictures by screencopy. */
export class WaylandScreen implements Screen {
  readonly #capture: OutputCapture;

  constructor(connection: Connection, registry: Registry, readonly outputs: Outputs) {
    this.#capture = new OutputCapture(connection, registry);
  }

  layout(): ScreenLayout {
    return layoutOf(this.outputs.arrangement());
  }

  async capture<T>(region: Region, cursor: boolean, read: (frame: Frame) => T): Promise<T> {
    const { frame, release } = await this.#take(region, cursor);
    try {
      return read(frame);
    } finally {
      release();
    }
  }

  async picture(region: Region, cursor: boolean): Promise<Picture> {
    const { frame, release } = await this.#take(region, cursor);
    return { width: frame.width, height: frame.height, parts: [frame], release: once(release) };
  }

  /** Frees the memory of pictures that are released. */
  close(): void {
    this.#capture.close();
  }

  async #take(region: Region, cursor: boolean): Promise<Captured> {
    const placed = this.outputs.arrangement().outputs.filter((one) => intersection(one.region, region));
    const captured = await this.#capture.take(placed.map(({ output }) => output), cursor);
    const release = () => captured.forEach((frame) => frame.destroy());
    const pictures = captured.map((frame) => frame.picture());
    const cut = placed.length === 1 ? cutOut(pictures[0], placed[0], region) : undefined;
    if (cut) return { frame: cut, release };
    const frame = joined(pictures, placed, region);
    release();
    return { frame, release() {} };
  }
}

function once(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) run();
    isDone = true;
  };
}

/**
 * Connects to a compositor, for captures alone.
 * @param path The path of the compositor's socket.
 * @returns undefined if no compositor is there, or it refuses this user.
 * @throws DesktopUnavailableError if it does not answer.
 */
export function openCapturedScreen(path: string): CapturedDesktop | undefined {
  return Connection.openFor(path, (connection) => {
    const registry = new Registry(connection);
    const screen = new WaylandScreen(connection, registry, new Outputs(connection, registry));
    return {
      capture: screen.capture.bind(screen),
      close() {
        screen.close();
        connection.close();
      },
    };
  });
}
