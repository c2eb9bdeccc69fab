/** A page that reports its events: a text field on the left, a pad for the pointer on the right. */

import { mustCome } from "./waiting.ts";

export interface PageEvent {
  type: string;
  /** Pointer position, in screen pixels from the page's corner. */
  x: number;
  y: number;
  button: number;
  deltaX: number;
  deltaY: number;
  /** The key's name, preceded by its modifiers, such as `ctrl+shift+Y`. */
  key: string;
}

const HTML = `<!doctype html><meta charset="utf-8"><title>Witness page</title>
<style>body{margin:0;display:flex;height:100vh;overflow:hidden}
textarea{width:50%;border:0;font:16px sans-serif}#pad{flex:1;overflow:hidden;background:#123456}
canvas{display:block;image-rendering:pixelated}</style>
<textarea id="field" autofocus spellcheck="false"></textarea><div id="pad"><canvas width="256" height="256"></canvas></div>
<script>
const field = document.getElementById("field"), pad = document.getElementById("pad");
const send = (report) => fetch("/report", { method: "POST", body: JSON.stringify(report) });
let queue = Promise.resolve();
const tell = (report) => queue = queue.then(() => send(report)).catch(() => {});
const context = document.querySelector("canvas").getContext("2d");
for (let x = 0; x < 256; x += 8) for (let y = 0; y < 256; y += 8) {
  context.fillStyle = "rgb(" + [x, y, (x * y) % 256] + ")";
  context.fillRect(x, y, 8, 8);
}
const names = (e) => [e.ctrlKey && "ctrl", e.altKey && "alt", e.shiftKey && "shift", e.metaKey && "super"].filter(Boolean);
for (const type of ["mousedown", "mouseup", "click", "dblclick", "auxclick", "contextmenu", "wheel", "mousemove"]) {
  pad.addEventListener(type, (e) => {
    if (type !== "mousemove") e.preventDefault();
    tell({ event: { type, x: Math.round(e.clientX * devicePixelRatio), y: Math.round(e.clientY * devicePixelRatio), button: e.button, deltaX: e.deltaX ?? 0, deltaY: e.deltaY ?? 0, key: "" } });
    if (type === "mousedown") field.focus();
  }, { passive: false });
}
addEventListener("keydown", (e) => {
  if (["Control", "Shift", "Alt", "Meta"].includes(e.key)) return;
  tell({ event: { type: "keydown", x: 0, y: 0, button: 0, deltaX: 0, deltaY: 0, key: [...names(e), e.code].join("+") } });
  if (e.altKey || e.ctrlKey && e.shiftKey) e.preventDefault();
});
field.addEventListener("input", () => tell({ value: field.value }));
(async () => {
  for (;;) {
    const { colour } = await (await fetch("/orders")).json();
    pad.style.background = colour;
    requestAnimationFrame(() => requestAnimationFrame(() => tell({ shown: colour })));
  }
})();
field.focus();
tell({ value: "" });
</script>`;

/** The page's server. */
export class WitnessPage {
  /** The field's text; undefined before the page is loaded. */
  value: string | undefined;
  events: PageEvent[] = [];
  readonly #server: Deno.HttpServer;
  #colour = "";
  #shown = "";
  #order: ((colour: string) => void) | undefined;

  constructor() {
    const options = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
    this.#server = Deno.serve(options, (request) => this.#answer(request));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.addr as Deno.NetAddr).port}/`;
  }

  /** Discards the reported events. */
  clear(): void {
    this.value = undefined;
    this.events = [];
  }

  /** Shows a colour on the pad and waits until it is drawn. @param colour Such as `#123456`. */
  async show(colour: string): Promise<void> {
    this.#colour = colour;
    this.#order?.(colour);
    await mustCome("the page did not draw", () => this.#shown === colour);
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/report") {
      const { event, value, shown } = await request.json();
      if (event) this.events.push(event);
      if (value !== undefined) this.value = value;
      if (shown !== undefined) this.#shown = shown;
      return new Response("");
    }
    if (pathname === "/orders") return Response.json({ colour: await this.#next() });
    if (pathname !== "/") return new Response("", { status: 404 });
    return new Response(HTML, { headers: { "content-type": "text/html" } });
  }

  /** The next colour, which a request from the page waits for. */
  async #next(): Promise<string> {
    if (this.#colour && this.#colour !== this.#shown) return this.#colour;
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#order = resolve;
    return await promise;
  }
}
