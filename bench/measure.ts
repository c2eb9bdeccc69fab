/** What the benchmarks share: load by wrk, processes, and the servers they are compared with. */

/** Requests a second of a URL under load. */
export async function wrk(url: string, connections: number, headers: string[] = []): Promise<number> {
  const args = ["-t1", `-c${connections}`, "-d3s", ...headers.flatMap((header) => ["-H", header]), url];
  const { stdout } = await new Deno.Command("wrk", { args }).output();
  const match = /Requests\/sec:\s+([\d.]+)/.exec(new TextDecoder().decode(stdout));
  if (!match) throw new Error(`wrk ${args.join(" ")} failed`);
  return Number(match[1]);
}

/** Times a second that something can be done in turn, for about two seconds. */
export async function perSecond(act: () => Promise<unknown>): Promise<number> {
  await act();
  const start = performance.now();
  let count = 0;
  while (performance.now() - start < 2000 || count < 3) {
    await act();
    count++;
  }
  return count / ((performance.now() - start) / 1000);
}

/** Runs a command to its end, its output thrown away. */
export async function command(name: string, args: string[], env: Record<string, string> = {}): Promise<void> {
  const { success } = await new Deno.Command(name, { args, env, stdout: "null", stderr: "null" }).output();
  if (!success) throw new Error(`${name} failed`);
}

/** Whether a program is on the PATH. */
export async function has(program: string): Promise<boolean> {
  return (await new Deno.Command("sh", { args: ["-c", `command -v ${program}`], stdout: "null" }).output())
    .success;
}

/** Resident memory of a process, in MB. */
export async function residentMb(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024);
}

/** A bare Deno.serve in a process of its own that answers one constant. `await using` ends it. */
export async function constantServer(bytes: number | string) {
  const body = typeof bytes === "string" ? JSON.stringify(bytes) : `new Uint8Array(${bytes})`;
  const code =
    `const body = ${body}; Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: (a) => console.log(a.port) }, () => new Response(body));`;
  const child = new Deno.Command(Deno.execPath(), { args: ["eval", code], stdout: "piped", stderr: "null" })
    .spawn();
  const { value } = await child.stdout.getReader().read();
  const port = Number(new TextDecoder().decode(value));
  return {
    url: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.status;
    },
  };
}

/** An nginx with one worker on a folder. `await using` ends it. */
export async function nginxServer(root: string) {
  const home = await Deno.makeTempDir();
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = listener.addr;
  listener.close();
  await Deno.writeTextFile(
    `${home}/nginx.conf`,
    `worker_processes 1; daemon off; pid ${home}/pid; error_log ${home}/error.log; user root;
events {}
http { access_log off; sendfile on; client_body_temp_path ${home}; proxy_temp_path ${home}; fastcgi_temp_path ${home};
uwsgi_temp_path ${home}; scgi_temp_path ${home}; keepalive_requests 100000000;
server { listen 127.0.0.1:${port}; root ${root}; } }`,
  );
  const child = new Deno.Command("nginx", {
    args: ["-c", `${home}/nginx.conf`],
    stdout: "null",
    stderr: "null",
  }).spawn();
  for (let i = 0; i < 100; i++) {
    if (
      await fetch(`http://127.0.0.1:${port}/4k.bin`).then(
        (r) => r.body?.cancel().then(() => r.ok),
        () => false,
      )
    ) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.status;
      await Deno.remove(home, { recursive: true });
    },
  };
}
