/** The servers that deskhand is compared with, each in a separate process. `await using` stops them. */

import { delay } from "@std/async/delay";
import { has } from "./measure.ts";

/** A server and its address. */
interface Server extends AsyncDisposable {
  /** The address without a final slash. */
  url: string;
}

/**
 * A bare Deno.serve that answers all requests alike: with a text, or a number of zeros.
 * @param headers The headers of each response.
 */
export function constantServer(content: number | string, headers: [string, string][] = []): Promise<Server> {
  const body = typeof content === "string" ? JSON.stringify(content) : `new Uint8Array(${content})`;
  return bareServer(
    `const body = ${body}, headers = ${JSON.stringify(headers)};`,
    headers.length ? "new Response(body, { headers })" : "new Response(body)",
  );
}

/** A bare Deno.serve that sends the given number of bytes from one array of 1 MiB, piece by piece. */
export function streamServer(bytes: number): Promise<Server> {
  const piece = 2 ** 20;
  const pull = `pull(to) { left-- ? to.enqueue(piece) : to.close(); }`;
  return bareServer(
    `const piece = new Uint8Array(${piece}).fill(1);
    const headers = { "content-length": "${bytes}" };
    const stream = (left) => new ReadableStream({ ${pull} }, { highWaterMark: 0 });`,
    `new Response(stream(${bytes / piece}), { headers })`,
  );
}

/** @param response The expression for a response. */
function bareServer(before: string, response: string): Promise<Server> {
  const options = `{ port: +Deno.args[0], hostname: "127.0.0.1", onListen() {} }`;
  const code = `${before} Deno.serve(${options}, () => ${response});`;
  return started(Deno.execPath(), (port) => ["eval", code, `${port}`]);
}

/** File servers by name: those that are installed can be started on a folder. */
const FILE_SERVERS: Record<string, { program: string; start(root: string): Promise<Server> }> = {
  "nginx, one worker": { program: "nginx", start: startNginx },
  caddy: { program: "caddy", start: startCaddy },
  sirv: {
    program: "sirv",
    start: (root) => started("sirv", (port) => [root, "--port", `${port}`, "--host", "127.0.0.1", "--quiet"]),
  },
  "http-server": {
    program: "http-server",
    start: (root) => started("http-server", (port) => [root, "-p", `${port}`, "-a", "127.0.0.1", "-s"]),
  },
  serve: {
    program: "serve",
    start: (root) => started("serve", (port) => ["-L", "-l", `tcp://127.0.0.1:${port}`, root]),
  },
};

/** Starts the installed file servers. */
export async function fileServers(root: string): Promise<Map<string, Server>> {
  const servers = new Map<string, Server>();
  for (const [name, { program, start }] of Object.entries(FILE_SERVERS)) {
    if (await has(program)) servers.set(name, await start(root));
    else console.error(`${program} is not installed: it is left out`);
  }
  return servers;
}

async function startNginx(root: string): Promise<Server> {
  const home = await Deno.makeTempDir();
  const server = await started("nginx", (port) => {
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map((kind) => `${kind}_temp_path ${home};`).join(" ");
    Deno.writeTextFileSync(
      `${home}/nginx.conf`,
      `worker_processes 1; daemon off; pid ${home}/pid; error_log ${home}/error.log; user root;
events {}
http { access_log off; sendfile on; keepalive_requests 100000000; ${temporary}
server { listen 127.0.0.1:${port}; root ${root}; } }`,
    );
    return ["-c", `${home}/nginx.conf`];
  }, "SIGTERM");
  return withFolder(server, home);
}

async function startCaddy(root: string): Promise<Server> {
  const home = await Deno.makeTempDir();
  const server = await started("caddy", (port) => {
    Deno.writeTextFileSync(
      `${home}/Caddyfile`,
      `{\n\tadmin off\n\tauto_https off\n}\nhttp://127.0.0.1:${port} {\n\troot * ${root}\n\tfile_server\n}\n`,
    );
    return ["run", "--config", `${home}/Caddyfile`, "--adapter", "caddyfile"];
  });
  return withFolder(server, home);
}

function withFolder(server: Server, folder: string): Server {
  return {
    url: server.url,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Starts a program on a free port and waits until it answers. */
export async function started(
  program: string,
  args: (port: number) => string[],
  signal: Deno.Signal = "SIGKILL",
): Promise<Server> {
  const port = freePort();
  const child = new Deno.Command(program, { args: args(port), stdout: "null", stderr: "null" }).spawn();
  const url = `http://127.0.0.1:${port}`;
  for (const start = Date.now(); !await answers(url);) {
    if (Date.now() - start > 20_000) throw new Error(`${program} does not answer`);
    await delay(50);
  }
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill(signal);
      await child.status;
    },
  };
}

/** Returns an unused port of this machine. */
export function freePort(): number {
  using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  return listener.addr.port;
}

async function answers(url: string): Promise<boolean> {
  try {
    await (await fetch(url)).body?.cancel();
    return true;
  } catch {
    return false;
  }
}
