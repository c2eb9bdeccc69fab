/** The configurations of docs/proxy.md, in front of deskhand: page, links, files and client addresses. */

import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { BROWSER, withBrowser } from "../support/browser.ts";
import { certificate } from "../support/certificate.ts";
import { need } from "../support/need.ts";
import { opened, shows } from "../page/page.ts";
import { freePort, Program } from "../support/program.ts";
import { until } from "../support/shell.ts";

const PAGE = new URL("../../docs/proxy.md", import.meta.url);

/** The configuration that the docs page shows for a proxy. */
function shown(language: string): string {
  return new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(Deno.readTextFileSync(PAGE))![1];
}

/** The addresses where the parts of a run listen. */
interface Ports {
  proxy: number;
  http: number;
  files: number;
}

/** A proxy on the docs page: the command that runs its configuration with this test's ports and folders. */
interface Proxy {
  program: string;
  start(folder: string, ports: Ports): Promise<{ args: string[]; env?: Record<string, string> }>;
}

/** The docs page's configuration with deskhand's ports replaced. */
function withPorts(text: string, { http, files }: Ports): string {
  return text.replaceAll("127.0.0.1:4000", `127.0.0.1:${http}`).replaceAll(
    "127.0.0.1:4001",
    `127.0.0.1:${files}`,
  );
}

const PROXIES: Record<string, Proxy> = {
  nginx: {
    program: "nginx",
    async start(folder, ports) {
      const { cert, key } = await certificate(folder);
      const server = withPorts(shown("nginx"), ports)
        .replace("listen 443 ssl", `listen 127.0.0.1:${ports.proxy} ssl`)
        .replace("/etc/ssl/desk.example.org.pem", cert)
        .replace("/etc/ssl/desk.example.org.key", key)
        .replace("server_name desk.example.org", "server_name localhost");
      const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map((name) => `${name}_temp_path ${folder}/${name};\n`).join("");
      const config = join(folder, "nginx.conf");
      await Deno.writeTextFile(
        config,
        `daemon off;\npid ${folder}/nginx.pid;\nerror_log stderr;\nevents {}\n` +
          `${Deno.uid() === 0 ? "user root;\n" : ""}http {\naccess_log off;\n${paths}${server}}\n`,
      );
      return { args: ["-p", folder, "-c", config] };
    },
  },
  caddy: {
    program: "caddy",
    async start(folder, ports) {
      const config = join(folder, "Caddyfile");
      const site = withPorts(shown("caddy"), ports).replace(
        "desk.example.org",
        `https://localhost:${ports.proxy}`,
      );
      await Deno.writeTextFile(
        config,
        `{\n  admin off\n  local_certs\n  skip_install_trust\n  auto_https disable_redirects\n}\n${site}`,
      );
      const env = { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder };
      return { args: ["run", "--adapter", "caddyfile", "--config", config], env };
    },
  },
};

const TOKEN = "a-token-of-the-proxy-tests";

for (const [name, { program, start }] of Object.entries(PROXIES)) {
  Deno.test({
    name: `the page, its links and the files work below paths of ${name}, as docs/proxy.md configures it`,
    ...BROWSER,
    ignore: BROWSER.ignore || need(program).ignore,
  }, async () => {
    const folder = await Deno.makeTempDir({ prefix: "deskhand-proxy-" }), served = join(folder, "served");
    await Deno.mkdir(join(served, "in", "deep"), { recursive: true });
    await Deno.writeTextFile(join(served, "in", "a b.txt"), "text");
    const proxy = freePort(), base = `https://localhost:${proxy}`, log = join(folder, "log");
    await using deskhand = new Program([
      ...["--desktop", "virtual", "--http", "0", "--token", TOKEN, "--trust-proxy", "127.0.0.1"],
      ...["--public-url", `${base}/desk/`, "--files", served, "--files-port", "0"],
      ...[
        "--files-public-url",
        `${base}/files`,
        "--allow-share",
        "--allow-upload",
        "--files-auth",
        "ann:secret",
      ],
      ...["--log", log, "--log-format", "json"],
    ]);
    const portOf = (url: string) => Number(new URL(url).port);
    const ports = {
      proxy,
      http: portOf(await deskhand.controlUrl()),
      files: portOf(await deskhand.filesUrl()),
    };
    const { args, env } = await start(folder, ports);
    const child = new Deno.Command(program, { args, env, stdout: "null", stderr: "null" }).spawn();
    try {
      const curl = async (...args: string[]) => {
        const { stdout } = await new Deno.Command("curl", { args: ["-sk", "--max-time", "60", ...args] })
          .output();
        return new TextDecoder().decode(stdout);
      };
      const bearer = ["-H", `Authorization: Bearer ${TOKEN}`], basic = ["-u", "ann:secret"];
      await until(() => curl(...bearer, `${base}/desk/api/position`), (text) => text.includes('"x"'));

      // Without the token no client gets in, not even one that forges an address of this machine.
      assertMatch(
        await curl("-H", "X-Forwarded-For: 127.0.0.1", `${base}/desk/api/position`),
        /needs? the token/,
      );
      assertMatch(
        await (await fetch(`http://127.0.0.1:${ports.http}/api/position`)).text(),
        /needs the token/,
      );

      const { links } = JSON.parse(await curl(...bearer, "-d", '{"rights":"act"}', `${base}/desk/api/links`));
      assertEquals(links.map((link: string) => link.split("#")[0]), [`${base}/desk/`]);
      await withBrowser(async (browser) => {
        const page = await opened(browser, links[0]);
        const faults: string[] = [];
        page.on("response", (answer) => answer.status() >= 400 && faults.push(answer.url()));
        await page.mouse.click(300, 300);
        await shows(page, "document.querySelector('#log').textContent.includes('/desk/api/')");
        const owner = await opened(browser, `${base}/desk/#token=${TOKEN}`);
        owner.on("response", (answer) => answer.status() >= 400 && faults.push(answer.url()));
        await owner.evaluate("document.querySelector('#share').click()");
        await shows(owner, "document.querySelector('#share-viewers').textContent.includes('a guest')");
        await owner.evaluate("document.querySelector('#share-form').requestSubmit()");
        await shows(owner, `document.querySelector('#share-link').value.startsWith('${base}/desk/#token=')`);
        assertEquals(faults, []);

        // Files: a folder, a subfolder, a file, and the way back, through the pages' links.
        const context = await browser.newContext({
          ignoreHTTPSErrors: true,
          httpCredentials: { username: "ann", password: "secret" },
        });
        const files = await context.newPage();
        await files.goto(`${base}/files/`);
        await files.click("a[href='in/']");
        await files.waitForURL(`${base}/files/in/`);
        await files.click("a[href='deep/']");
        await files.waitForURL(`${base}/files/in/deep/`);
        await files.click("nav[aria-label='Path'] a >> nth=0");
        await files.waitForURL(`${base}/files/`);
        assertEquals(await curl(...basic, `${base}/files/in/a%20b.txt`), "text");
      });

      assertMatch(await curl(...basic, "-T", PAGE.pathname, `${base}/files/in/`), /proxy\.md/);
      assertEquals(await Deno.readTextFile(join(served, "in", "proxy.md")), await Deno.readTextFile(PAGE));
      const share = await curl(...basic, "-d", '{"path":"/in/a b.txt"}', `${base}/files/.share`);
      const [url] = JSON.parse(share).urls;
      assertMatch(url, new RegExp(`^${base}/files/\\.share/`));
      assertEquals(await curl(url), "text");

      // Too many wrong tokens delay only the client that sent them, whatever name it claims.
      const wrong = (from: string, claim: string) =>
        curl(
          ...["--interface", from, "-H", `X-Forwarded-For: ${claim}`, "-H", "Authorization: Bearer wrong"],
          ...["-4", `${base}/desk/api/position`],
        );
      for (let i = 0; i < 11; i++) await wrong("127.0.0.2", `192.0.2.${i}`);
      assertMatch(await wrong("127.0.0.2", "192.0.2.99"), /too many wrong tokens/);
      assertMatch(await wrong("127.0.0.3", "127.0.0.2"), /the token is wrong/);
      // Requests are logged after their answers, and the browser's streams may end later.
      const requests = async () => {
        const lines = (await Deno.readTextFile(log)).trim().split("\n").map((line) => JSON.parse(line).peer);
        return ["127.0.0.2", "127.0.0.3"].map((from) => lines.filter((peer) => peer === from).length);
      };
      assertEquals(await until(requests, ([two, three]) => two >= 12 && three >= 1), [12, 1]);
    } finally {
      child.kill("SIGTERM");
      await child.status;
      await Deno.remove(folder, { recursive: true });
    }
  });
}
