/** Fuzz targets with their own protocols: MCP, live messages, links, shares, steps, pictures. */

import { ViewerActions } from "../../control/actions/viewer_actions.ts";
import { parseViewerMessage } from "../../control/http/live/protocol.ts";
import { Viewer } from "../../control/http/live/live.ts";
import { InputError } from "../../core/errors.ts";
import { createFilesHandler } from "../../files/handler.ts";
import { until } from "../support/shell.ts";
import { guardedApi, mustBe, type Target } from "./target.ts";
import { NAMES, object, PICTURE, type Random, raw, value } from "./values.ts";

/** Headers of the owner on this machine. */
const OWNER = { host: "127.0.0.1:4000", "content-type": "application/json" };

/** Shared by all targets and runs: each API starts its own Workers, which stay for a minute. */
let shared: ReturnType<typeof madeApi> | undefined;
const api = () => shared ??= madeApi();

/** A control API, and a function that sends it a body and checks the kind of response. */
function madeApi() {
  const { operator, services, handler, reported, end } = guardedApi();
  const send = async (
    method: string,
    path: string,
    content?: unknown,
    headers: Record<string, string> = {},
  ) => {
    const text = typeof content === "string"
      ? content
      : content === undefined
      ? undefined
      : JSON.stringify(content);
    const answer = await raw(handler, method, `http://${OWNER.host}${path}`, { ...OWNER, ...headers }, text);
    mustBe(reported.length === 0, `an internal error: ${Deno.inspect(reported[0])}`);
    const said = new TextDecoder().decode(answer.bytes);
    mustBe(answer.status < 500, `status ${answer.status}: ${said}`);
    mustBe(
      answer.status < 400 || !/at file:|node_modules|\/tmp\//.test(said),
      `tells of this machine: ${said}`,
    );
    return { status: answer.status, text: said };
  };
  return { operator, services, send, end };
}

/** Replaces, removes or adds parts of a value at any depth. */
function spoiled(random: Random, whole: unknown): unknown {
  if (random.once(6)) return value(random);
  if (Array.isArray(whole)) return whole.map((one) => random.once(4) ? spoiled(random, one) : one);
  if (typeof whole !== "object" || whole === null) return whole;
  const kept = Object.entries(whole).filter(() => !random.once(12));
  return {
    ...Object.fromEntries(kept.map(([name, one]) => [name, random.once(3) ? spoiled(random, one) : one])),
    ...(random.once(8) ? object(random) : {}),
  };
}

/** Arguments of tools and steps: places, keys, texts. */
function fields(random: Random): Record<string, unknown> {
  const point = () => ({ x: random.below(1400) - 60, y: random.below(800) - 40 });
  return {
    ...point(),
    button: random.pick(["left", "right", "middle", random.text(4)]),
    keys: random.pick(["a", "ctrl+s", "shift+f5", random.text(5)]),
    key: random.pick(["a", "shift", random.text(3)]),
    text: random.text(12),
    direction: random.pick(["up", "down"]),
    amount: random.below(12),
    from: point(),
    to: point(),
    timeout_ms: 1 + random.below(20),
    wait_ms: random.below(20),
    image: PICTURE,
    hold_ms: random.below(5),
  };
}

/** A copy of an object with about half of its fields. */
function some(random: Random, all: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(all).filter(() => !random.once(2)));
}

/** MCP: JSON-RPC messages, mostly tool calls. */
export function mcpTarget(): Target {
  const { send, end } = api();
  const tools = [
    "see",
    "act",
    "open",
    "files",
    "screenshot",
    "click",
    "type",
    "key",
    "do",
    "wait",
    "find",
    "elements",
  ];
  return {
    async run(random, note) {
      const params = random.pick([
        () => ({ name: random.pick(tools), arguments: spoiled(random, some(random, fields(random))) }),
        () => ({
          name: "act",
          arguments: { do: Array.from({ length: random.below(4) }, () => random.text(20)) },
        }),
        () => ({
          protocolVersion: random.text(8),
          capabilities: {},
          clientInfo: { name: random.text(9), version: "1" },
        }),
        () => value(random),
      ])();
      const method = random.pick([
        "tools/call",
        "tools/call",
        "tools/list",
        "initialize",
        "ping",
        random.text(9),
      ]);
      const message = spoiled(random, {
        jsonrpc: "2.0",
        id: random.pick([1, "a", null, 1.5]),
        method,
        params,
      });
      const content = random.once(9) ? [message, message] : message;
      note(`/mcp ${JSON.stringify(content)?.slice(0, 500)}`);
      await send("POST", "/mcp", content, { accept: "application/json, text/event-stream" });
    },
    end,
  };
}

/** Viewer messages: parsed, then executed by a viewer. */
export function liveTarget(): Target {
  const { services, end } = api();
  const socket = new EventTarget() as EventTarget & Partial<WebSocket>;
  const errors: string[] = [];
  let answered = 0;
  const heard = {
    acknowledged: () => answered++,
    answered: () => answered++,
    chosen: () => answered++,
  };
  // A successful action sends the viewer nothing.
  const queue = ViewerActions.prototype.queue;
  ViewerActions.prototype.queue = function (run, onError) {
    queue.call(this, () => run().finally(() => answered++), onError);
  };
  Object.assign(socket, { readyState: WebSocket.OPEN, bufferedAmount: 0, close: () => {} });
  socket.send = (message) => void errors.push(String(message));
  const viewer = new Viewer(socket as WebSocket, services.runner, undefined, heard);
  return {
    async run(random, note) {
      const type = random.pick([
        "move",
        "button",
        "scroll",
        "key",
        "text",
        "release",
        "ack",
        "pong",
        "quality",
        random.text(5),
      ]);
      const message = spoiled(random, {
        type,
        ...some(random, {
          ...fields(random),
          down: random.once(2),
          held: random.below(90),
          quality: "sharp",
        }),
      });
      const data = random.once(9) ? random.text(40) : JSON.stringify(message) ?? "";
      note(data);
      try {
        parseViewerMessage(data);
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
      }
      const before = answered + errors.length;
      socket.dispatchEvent(new MessageEvent("message", { data }));
      await until(
        () => answered + errors.length > before,
        (is) => is,
        () => "the message has neither an effect nor an error",
      );
      errors.length = 0;
    },
    end() {
      viewer.close();
      ViewerActions.prototype.queue = queue;
      end();
    },
  };
}

/** Links: created, listed, used by guests and revoked. */
export function linksTarget(): Target {
  const { send, services, end } = api();
  const tokens: string[] = [];
  return {
    async run(random, note) {
      const guest = random.once(2) && tokens.length
        ? { authorization: `Bearer ${random.pick(tokens)}` }
        : undefined;
      const { method, path, content } = random.pick([
        () => ({
          method: "POST",
          path: "/api/links",
          content: spoiled(random, {
            rights: random.pick(["look", "act"]),
            hours: random.pick([0.02, 2, 720]),
            name: random.text(70),
          }),
        }),
        () => ({
          method: "DELETE",
          path: `/api/links?id=${encodeURIComponent(random.text(8).toWellFormed())}`,
          content: undefined,
        }),
        () => ({ method: "GET", path: "/api/links", content: undefined }),
        () => ({
          method: "POST",
          path: "/api/click",
          content: spoiled(random, { x: 5, y: 5, button: "left" }),
        }),
        () => ({
          method: "GET",
          path: random.pick(["/api/position", "/api/recording", "/api/traces"]),
          content: undefined,
        }),
      ])();
      note(`${method} ${path} ${guest ? "by a guest" : ""} ${JSON.stringify(content)}`);
      const { status, text } = await send(method, path, content, guest);
      if (guest && /links|traces/.test(path)) {
        mustBe(status === 403 || status === 400 || status === 401, `a guest got ${status}: ${text}`);
      }
      if (method !== "POST" || path !== "/api/links" || status !== 200) return;
      const { id, links } = JSON.parse(text);
      tokens.push(new URL(links[0]).hash.replace(/^.*=/, "").replace(/^#/, ""));
      if (tokens.length > 5) {
        tokens.shift();
        services.links.revoke(id);
      }
    },
    end,
  };
}

/** Shares: created, listed, revoked and opened. */
export function sharesTarget(root: string): Target {
  const reported: unknown[] = [];
  let kept: string | undefined;
  const keeper = { read: () => kept, write: (text: string) => void (kept = text) };
  const handler = createFilesHandler({
    root,
    report: (error) => reported.push(error),
    shares: { keeper, hasPassword: false, addresses: () => ["http://127.0.0.1:4001"] },
  });
  let path = "/.share/x";
  return {
    async run(random, note) {
      const content = JSON.stringify(spoiled(random, {
        path: random.pick(["/a.txt", "/sub/", "/../secret.txt", "/big.bin", `/${random.text(9)}`]),
        hours: random.pick([1, 0, 1e9, "2"]),
        count: random.pick([1, 3, -1]),
        password: random.once(9) ? random.text(5) : undefined,
        revoke: random.once(5) ? random.text(8) : undefined,
      })) ?? "";
      const isOwner = random.once(2), method = isOwner ? "POST" : random.pick(["GET", "HEAD", "POST", "PUT"]);
      const url = isOwner
        ? "/.share"
        : random.once(3)
        ? `/.share/${random.text(12)}`
        : `${path}${random.pick(["", "/", "/a.txt", "/../../secret.txt", `/${random.text(5)}`])}`;
      note(`${method} ${url} ${content}`);
      const answer = await raw(
        handler,
        method,
        `http://127.0.0.1:4001${url}`,
        { host: "127.0.0.1:4001" },
        content,
      );
      const text = new TextDecoder().decode(answer.bytes);
      mustBe(reported.length === 0, `an internal error: ${Deno.inspect(reported[0])}`);
      mustBe(answer.status < 500, `status ${answer.status}: ${text}`);
      mustBe(!text.includes("the secret"), "a file outside the folder was sent");
      path = /http:\/\/127\.0\.0\.1:4001(\/[^"\s]*)/.exec(text)?.[1] ?? path;
    },
  };
}

/** Step lists, as accepted by `POST /api/steps` and `deskhand do`, and actions in models' dialects. */
export function stepsTarget(): Target {
  const { send, end } = api();
  const names = [
    "move",
    "click",
    "scroll",
    "press",
    "release",
    "drag",
    "key",
    "type",
    "activateWindow",
    ...NAMES.slice(0, 3),
  ];
  return {
    async run(random, note) {
      const steps = Array.from({ length: random.below(6) }, () => ({
        action: random.pick(names),
        ...some(random, { ...fields(random), hold_ms: undefined }),
      }));
      const isAct = random.once(3);
      const content = isAct
        ? spoiled(random, {
          dialect: random.pick(["anthropic", "openai", "google"]),
          action: {
            action: random.pick(["left_click", "type", "key", "scroll", random.text(4)]),
            type: random.pick(["click", "keypress", "wait"]),
            coordinate: [random.below(1300), random.below(800)],
            ...some(random, fields(random)),
          },
        })
        : spoiled(random, { steps });
      const path = isAct ? "/api/act" : "/api/steps";
      note(`${path} ${JSON.stringify(content)?.slice(0, 800)}`);
      await send("POST", path, content);
      await send("POST", "/api/release", {});
    },
    end,
  };
}

/** Pictures to find and compare: whole, truncated, and with changed bytes. */
export function picturesTarget(): Target {
  const { send, end } = api();
  return {
    async run(random, note) {
      const bytes = Uint8Array.fromBase64(PICTURE);
      for (let i = random.below(4); i > 0; i--) bytes[random.below(bytes.length)] = random.below(256);
      const cut = bytes.subarray(0, random.once(4) ? random.below(bytes.length) : bytes.length);
      const query = random.pick([
        "",
        "?match=0.9",
        "?tolerance=9&limit=3",
        "?best=true",
        `?${random.text(9)}`,
      ]);
      const image = {
        image: cut.toBase64(),
        ...some(random, { match: 0.9, tolerance: 3, limit: random.below(9) }),
      };
      const content = spoiled(random, random.once(3) ? { picture: image, timeout_ms: 5 } : image);
      const path = random.once(3) ? "/api/wait" : `/api/find${query}`;
      note(`${path} ${JSON.stringify(content)}`);
      await send("POST", path, content);
    },
    end,
  };
}
