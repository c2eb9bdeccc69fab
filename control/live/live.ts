/** The live picture: one capture for all viewers, nothing captured while nobody looks. */

import { RequestError } from "../../errors.ts";
import type { Region } from "../desktop.ts";
import type { Operator } from "../operator.ts";
import { TOKEN_PROTOCOL } from "../access/rules.ts";
import { TiledScreen } from "./tiles.ts";
import { Viewer } from "./viewer.ts";

/** Who may look at once. */
const VIEWERS = 8;
/** Between two looks at a screen that changes, and at most at one that does not, in milliseconds. */
const INTERVAL = { changing: 33, still: 500 } as const;
/** How much longer each look at a still screen is waited for than the one before. */
const BACKING_OFF = 1.3;
/** The subprotocol that a page asks for beside its token's. */
const PROTOCOL = "deskhand";

/** See the module's comment. */
export class LiveView {
  readonly #viewers = new Set<Viewer>();
  #screen: TiledScreen | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When the next look is, on the scale of `performance.now()`. */
  #due = 0;
  #interval: number = INTERVAL.changing;

  /** @param readOnly Whether viewers may only look. */
  constructor(readonly operator: Operator, readonly readOnly: boolean) {}

  /**
   * Makes a viewer of a client.
   * @throws RequestError 426 if it does not ask for a WebSocket, 400 if it does so wrongly, 503 if too many look.
   */
  answer(request: Request): Response {
    if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") {
      throw new RequestError(426, "this is a WebSocket", { upgrade: "websocket" });
    }
    if (this.#viewers.size >= VIEWERS) throw new RequestError(503, `${VIEWERS} viewers are looking already`);
    const offered = (request.headers.get("sec-websocket-protocol") ?? "").split(",").map((name) =>
      name.trim()
    );
    const known = offered.includes(PROTOCOL) &&
      offered.every((name) => name === PROTOCOL || name.startsWith(TOKEN_PROTOCOL));
    const { socket, response } = upgraded(request, known ? PROTOCOL : undefined);
    const viewer = new Viewer(socket, this.operator, this.readOnly, () => this.#hurry());
    this.#viewers.add(viewer); // from now on, so that those who come meanwhile are counted
    socket.addEventListener("open", () => {
      if (this.#screen) viewer.show(this.#screen);
      this.#hurry();
    });
    const leave = () => {
      this.#viewers.delete(viewer);
      viewer.close();
    };
    socket.addEventListener("close", leave);
    socket.addEventListener("error", leave);
    return response;
  }

  /** Looks soon: somebody did something, or can take the next picture. */
  #hurry() {
    this.#interval = INTERVAL.changing;
    if (this.#timer === undefined || this.#due - performance.now() > this.#interval) this.#schedule();
  }

  #schedule() {
    clearTimeout(this.#timer);
    this.#due = performance.now() + this.#interval;
    this.#timer = setTimeout(() => this.#look(), this.#interval);
  }

  #look() {
    this.#timer = undefined;
    if (!this.#viewers.size) {
      this.#screen = undefined; // its memory is for viewers alone
      return;
    }
    // A picture that nobody can take yet would be taken for nothing.
    if ([...this.#viewers].some((viewer) => viewer.ready)) this.#capture();
    this.#schedule();
  }

  #capture() {
    try {
      const place = this.operator.screen();
      if (!this.#screen || !isSameRegion(this.#screen.place, place)) {
        this.#screen = new TiledScreen(place);
        for (const viewer of this.#viewers) viewer.show(this.#screen);
      }
      const changed = this.#screen.update(this.operator.capture({}, true));
      for (const viewer of this.#viewers) viewer.changed(changed);
      this.#interval = changed.length
        ? INTERVAL.changing
        : Math.min(INTERVAL.still, this.#interval * BACKING_OFF);
    } catch (error) {
      for (const viewer of this.#viewers) viewer.tell((error as Error).message);
      this.#interval = INTERVAL.still;
    }
  }
}

/** @throws RequestError 400 if the request lacks what a WebSocket needs (RFC 6455 section 4.2.1). */
function upgraded(request: Request, protocol: string | undefined): Deno.WebSocketUpgrade {
  try {
    return Deno.upgradeWebSocket(request, { protocol });
  } catch (error) {
    if (error instanceof TypeError) throw new RequestError(400, `this is no WebSocket yet: ${error.message}`);
    throw error;
  }
}

function isSameRegion(a: Region, b: Region): boolean {
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
}
