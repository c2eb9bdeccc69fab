/** The live picture: one capture for all viewers, nothing captured while nobody looks. */

import { BusyError } from "../../core/errors.ts";
import { RequestError } from "../../http/request_error.ts";
import type { Region } from "../desktop.ts";
import type { Operator } from "../operator.ts";
import { TOKEN_PROTOCOL } from "../http/access/rules.ts";
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

/** What a request for a WebSocket has, beside its method (RFC 6455 section 4.2.1). */
const HANDSHAKE: [header: string, form: RegExp][] = [
  ["upgrade", /(?:^|,)\s*websocket\s*(?:,|$)/i],
  ["connection", /(?:^|,)\s*upgrade\s*(?:,|$)/i],
  ["sec-websocket-version", /^13$/],
  ["sec-websocket-key", /./],
];

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
   * @throws RequestError 426 if it does not ask for a WebSocket as it should; BusyError if too many look.
   */
  answer(request: Request): Response {
    const lacking = lackOf(request);
    if (lacking) {
      throw new RequestError(426, `this is a WebSocket of version 13: the request lacks ${lacking}`, {
        upgrade: "websocket",
        "sec-websocket-version": "13",
      });
    }
    if (this.#viewers.size >= VIEWERS) throw new BusyError(`${VIEWERS} viewers are looking already`);
    const offered = (request.headers.get("sec-websocket-protocol") ?? "").split(",").map((name) =>
      name.trim()
    );
    const known = offered.includes(PROTOCOL) &&
      offered.every((name) => name === PROTOCOL || name.startsWith(TOKEN_PROTOCOL));
    const { socket, response } = Deno.upgradeWebSocket(request, known ? { protocol: PROTOCOL } : {});
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

/** What a request lacks to be one for a WebSocket: the runtime, which looks too, takes that for an error of ours. */
function lackOf({ method, headers }: Request): string | undefined {
  if (method !== "GET") return "the method GET";
  const lacking = HANDSHAKE.find(([name, form]) => !form.test(headers.get(name) ?? ""));
  return lacking && `a right ${lacking[0]}`;
}

function isSameRegion(a: Region, b: Region): boolean {
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
}
