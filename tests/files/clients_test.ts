/** The file server with programs that download from it and read its listings. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { need, needRoot } from "../support/need.ts";
import { listening } from "../support/uploads.ts";
import { Client, Xvfb } from "../support/xvfb.ts";
import { bash, mustRun, temporary, until } from "../support/shell.ts";

/** Names that listings escape, and one in a non-Latin script. */
const NAMES = [
  "a.txt",
  "b c.txt",
  "d#e?.txt",
  "f%20g.txt",
  "h'i&j.txt",
  "k:l.txt",
  "ü.txt",
  "漢.txt",
  "[m].txt",
];

/** Serves a folder with files of those names, each containing its name, and a folder in it. */
async function withNames(use: (root: string, url: string, folder: string) => Promise<void>) {
  await listening(async (root, url) => {
    for (const name of NAMES) await Deno.writeTextFile(`${root}/${name}`, name);
    await Deno.mkdir(`${root}/sub`);
    await Deno.writeTextFile(`${root}/sub/n.txt`, "n");
    await temporary((folder) => use(root, url, folder));
  });
}

/**
 * Checks that a folder has a copy of what is served. wget writes other names for those with a percent sign.
 */
function checkCopy(folder: string): void {
  for (const name of NAMES.filter((name) => !name.includes("%"))) {
    assertEquals(Deno.readTextFileSync(`${folder}/${name}`), name);
  }
  assertEquals(Deno.readTextFileSync(`${folder}/sub/n.txt`), "n");
}

for (
  const [program, command] of [
    ["wget", (url: string, to: string) => `wget -q -r -np -nH -R 'index.html*' -P ${to} ${url}/`],
    [
      "wget2",
      (url: string, to: string) => `wget2 -q -r -np -nH --no-robots -R 'index.html*' -P ${to} ${url}/`,
    ],
    ["lftp", (url: string, to: string) => `lftp -c 'mirror ${url}/ ${to}'`],
    ["rclone", (url: string, to: string) => `rclone copy --http-url ${url} :http: ${to}`],
  ] as const
) {
  Deno.test({ ...need(program), name: `${program} copies a folder from its listings` }, async () => {
    await withNames(async (_root, url, folder) => {
      await bash(command(url, `${folder}/copy`), { env: { LC_ALL: "C.UTF-8", HOME: folder } });
      checkCopy(`${folder}/copy`);
    });
  });
}

Deno.test({
  ...need("httpdirfs", "/dev/fuse").ignore ? { ignore: true } : needRoot("sh", "-c", "exec 3<>/dev/fuse"),
  name: "httpdirfs mounts the listings",
  async fn() {
    await withNames(async (_root, url, folder) => {
      const mount = `${folder}/mnt`;
      await Deno.mkdir(mount);
      const program = new Deno.Command("httpdirfs", {
        args: ["-f", `${url}/`, mount],
        env: { HOME: folder, XDG_CACHE_HOME: folder },
        stdout: "null",
        stderr: "null",
      }).spawn();
      try {
        const names = await until(
          // Never synchronously: the server runs in this process.
          () => Array.fromAsync(Deno.readDir(mount), ({ name }) => name),
          (names) => names.length > 0,
        );
        // httpdirfs shows no name with a question mark, whatever the server.
        for (const name of NAMES.filter((name) => !/[?#%]/.test(name))) {
          assert(names.includes(name), `${name}: ${names}`);
        }
        assertEquals(await Deno.readTextFile(`${mount}/a.txt`), "a.txt");
      } finally {
        await mustRun("umount", [mount]);
        await program.status;
      }
    });
  },
});

/** Where Debian's packages put Python modules; fsspec needs two others to read web pages. */
const PYTHON = "/usr/lib/python3/dist-packages";

Deno.test({
  ...need("python3", ...["fsspec", "aiohttp", "requests"].map((name) => `${PYTHON}/${name}/__init__.py`)),
  name: "fsspec lists, matches, finds and walks",
}, async () => {
  await withNames(async (_root, url) => {
    const found = await mustRun("/usr/bin/python3", [
      "-c",
      `
import fsspec, sys
fs = fsspec.filesystem("http")
print(len(fs.glob(sys.argv[1] + "/*.txt")), len(fs.find(sys.argv[1] + "/")), fs.cat(sys.argv[1] + "/sub/n.txt").decode())
print(sorted(name for _, _, names in fs.walk(sys.argv[1] + "/sub/") for name in names))`,
      url,
    ]);
    const [counts, walked] = found.trim().split("\n");
    assertEquals(counts, `${NAMES.length} ${NAMES.length + 1} n`);
    assertEquals(walked, "['n.txt']");
  });
});

/**
 * Kodi's pattern for a listing's links (xbmc/filesystem/HTTPDirectory.cpp); it accepts links that equal the
 * entry's name.
 */
const KODI = /<a href="([^"]*)"[^>]*>\s*([^<]*?)\s*<\/a>/gi;

Deno.test({
  ...need("python3"),
  name: "a listing's links are the names, as Kodi and Python's html.parser read them",
}, async () => {
  await withNames(async (_root, url) => {
    const html = await (await fetch(`${url}/`)).text();
    const rows = [...html.matchAll(KODI)].filter(([, href]) =>
      !href.startsWith("?") && !href.startsWith(".")
    );
    const decoded = rows.map(([, href]) => decodeURIComponent(href)).sort();
    assertEquals(decoded, [...NAMES, "sub/"].sort());
    for (const [, href, text] of rows) {
      const entities: Record<string, string> = { "&amp;": "&", "&#39;": "'" };
      assertEquals(text.replace(/&amp;|&#39;/g, (entity) => entities[entity]), decodeURIComponent(href));
    }
    const python = await mustRun("/usr/bin/python3", [
      "-c",
      `
import sys, html.parser, urllib.request, urllib.parse
links = []
class Parser(html.parser.HTMLParser):
    def handle_starttag(self, tag, attributes):
        if tag == "a": links.append(urllib.parse.urljoin(sys.argv[1] + "/", dict(attributes)["href"]))
Parser().feed(urllib.request.urlopen(sys.argv[1] + "/").read().decode())
print("\\n".join(urllib.request.urlopen(link).read().decode() for link in links if not link.endswith("/")))`,
      url,
    ]);
    assertEquals(python.trim().split("\n").sort(), [...NAMES].sort());
  });
});

const KODI_PROGRAM = "/usr/lib/x86_64-linux-gnu/kodi/kodi.bin";

/**
 * Kodi's settings: its JSON-RPC over HTTP on a port, and a folder among its sources, since it lists no other.
 */
async function writeKodiHome(home: string, port: number, source: string): Promise<void> {
  const settings: Record<string, unknown> = {
    "services.esenabled": false,
    "services.webserver": true,
    "services.webserverauthentication": false,
    "services.webserverport": port,
  };
  const rows = Object.entries(settings).map(([id, value]) => `<setting id="${id}">${value}</setting>`);
  const path = `<name>served</name><path pathversion="1">${source}</path><allowsharing>true</allowsharing>`;
  await Deno.mkdir(`${home}/.kodi/userdata`, { recursive: true });
  const write = (name: string, text: string) =>
    Deno.writeTextFile(`${home}/.kodi/userdata/${name}.xml`, text);
  await write("guisettings", `<settings version="2">${rows.join("")}</settings>`);
  await write("sources", `<sources><files><source>${path}</source></files></sources>`);
}

Deno.test({ ...need("Xvfb", KODI_PROGRAM), name: "Kodi lists a folder" }, async () => {
  await withNames(async (_root, url, home) => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 }), { port } = listener.addr;
    listener.close();
    await writeKodiHome(home, port, `${url}/`);
    await using xvfb = await Xvfb.start();
    await using _kodi = new Client(KODI_PROGRAM, [], { ...xvfb.env, HOME: home, LIBGL_ALWAYS_SOFTWARE: "1" });
    const ask = async (method: string, params: object) => {
      const response = await fetch(`http://127.0.0.1:${port}/jsonrpc`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
      return (await response.json()).result;
    };
    await until(() => ask("JSONRPC.Ping", {}).catch(() => undefined));
    const { files } = await ask("Files.GetDirectory", { directory: `${url}/`, media: "files" });
    const found = files.map(({ file, label, filetype }: Record<string, string>) =>
      `${filetype} ${label} ${decodeURIComponent(file.slice(url.length + 1))}`
    );
    assertEquals(found.sort(), ["directory sub sub/", ...NAMES.map((name) => `file ${name} ${name}`)].sort());
  });
});

Deno.test({
  ...need("curl", "wget", "axel"),
  name: "programs without support for the extended form save files under their names",
}, async () => {
  await withNames(async (_root, url, folder) => {
    const cases: [string, string[]][] = [["curl -sOJ", NAMES], [
      "wget -q --content-disposition",
      NAMES.filter((name) => !name.includes("%")),
    ], [
      "axel -q",
      ["ü.txt", "漢.txt"],
    ]];
    for (const [command, names] of cases) {
      const cwd = `${folder}/${command.split(" ")[0]}`;
      await Deno.mkdir(cwd);
      for (const name of names) {
        await bash(`${command} '${url}/${encodeURIComponent(name).replaceAll("'", "%27")}'`, {
          cwd,
          env: { LC_ALL: "C.UTF-8" },
        });
        assertEquals(await Deno.readTextFile(`${cwd}/${name}`), name, command);
      }
    }
  });
});

Deno.test({
  ...need("dpkg-deb", "apt-get", "dpkg-scanpackages"),
  name: "apt installs from a flat repository, and from a path with two slashes",
  async fn() {
    await listening(async (root, url) => {
      await temporary(async (folder) => {
        const script = `mkdir -p pkg/DEBIAN lists/partial cache/archives/partial && touch status
          printf 'Package: deskhand-hello\\nVersion: 1\\nArchitecture: all\\nMaintainer: a <a@b>\\nDescription: a\\n' > pkg/DEBIAN/control
          dpkg-deb -b pkg ${root}/x.deb && (cd ${root} && dpkg-scanpackages -m . > Packages)
          for line in '${url}/ ./' '${url}// ./'; do
            echo "deb [trusted=yes] $line" > sources.list
            o="-o Dir::Etc::sourcelist=$PWD/sources.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$PWD/lists -o Dir::Cache=$PWD/cache -o Dir::State::status=$PWD/status -o APT::Sandbox::User=root -o Acquire::Languages=none -o Debug::NoLocking=1"
            apt-get $o update && apt-get $o download deskhand-hello && ls deskhand-hello_1_all.deb && rm deskhand-hello_1_all.deb
          done`;
        const shown = await bash(`set -e; ${script}`, { cwd: folder, env: { LC_ALL: "C.UTF-8" } });
        assertEquals(shown.match(/^deskhand-hello_1_all\.deb$/gm)?.length, 2, shown);
      });
    });
  },
});

Deno.test(
  { ...need("java", "javac", "busybox"), name: "Java and busybox read a zip as a stream" },
  async () => {
    await withNames(async (_root, url, folder) => {
      await Deno.writeTextFile(
        `${folder}/Z.java`,
        `public class Z { public static void main(String[] a) throws Exception {
      var z = new java.util.zip.ZipInputStream(java.net.URI.create(a[0]).toURL().openStream());
      for (java.util.zip.ZipEntry e; (e = z.getNextEntry()) != null; ) if (!e.isDirectory()) System.out.println(new String(z.readAllBytes(), "UTF-8")); } }`,
      );
      const java = await mustRun("java", [
        "-Dstdout.encoding=UTF-8",
        "-Dfile.encoding=UTF-8",
        `${folder}/Z.java`,
        `${url}/?archive=zip`,
      ]);
      assertEquals(java.trim().split("\n").sort(), [...NAMES, "n"].sort());
      await bash(
        `curl -s -o ${folder}/a.zip '${url}/?archive=zip' && busybox unzip -q - -d ${folder}/out < ${folder}/a.zip`,
        {
          env: { LC_ALL: "C.UTF-8" },
        },
      );
      assertEquals(
        Deno.readTextFileSync(
          Array.from(Deno.readDirSync(`${folder}/out`), ({ name }) => `${folder}/out/${name}/a.txt`)[0],
        ),
        "a.txt",
      );
    });
  },
);

Deno.test({ ...need("aria2c", "curl"), name: "sixteen ranges of a zip are the zip" }, async () => {
  await listening(async (root, url) => {
    for (let i = 0; i < 4; i++) {
      await Deno.writeFile(
        `${root}/${i}.bin`,
        new Uint8Array(12_000_000).map((_, at) => (at * 7 + i) >> 3),
      );
    }
    await temporary(async (folder) => {
      await mustRun("curl", ["-s", "-o", `${folder}/one.zip`, `${url}/?archive=zip`]);
      await mustRun("aria2c", [
        "-q",
        "-x16",
        "-s16",
        "-k1M",
        "-d",
        folder,
        "-o",
        "many.zip",
        `${url}/?archive=zip`,
      ]);
      await mustRun("cmp", [`${folder}/one.zip`, `${folder}/many.zip`]);
      assertStringIncludes(await mustRun("unzip", ["-tq", `${folder}/many.zip`]), "No errors");
    });
  });
});

Deno.test({ ...need("curl"), name: "a growing log downloads completely, ten times out of ten" }, async () => {
  await listening(async (root, url) => {
    await Deno.writeFile(`${root}/a.log`, new Uint8Array(20_000_000).fill(65));
    const grow = setInterval(() => Deno.writeTextFileSync(`${root}/a.log`, "a line\n", { append: true }), 20);
    try {
      for (let i = 0; i < 10; i++) {
        const size = await mustRun("curl", [
          "-sf",
          "-o",
          "/dev/null",
          "-w",
          "%{size_download}",
          `${url}/a.log`,
        ]);
        assert(Number(size) >= 20_000_000);
      }
    } finally {
      clearInterval(grow);
    }
  });
});

Deno.test(
  { ...need("wget"), name: "wget -N downloads a file from the future once, compressed or not" },
  async () => {
    await listening(async (root, url) => {
      await Deno.writeTextFile(`${root}/a.txt`, "a ".repeat(5000));
      await Deno.utime(`${root}/a.txt`, 4e9, 4e9);
      await temporary(async (folder) => {
        for (const options of [[], ["--compression=auto"]]) {
          const run = async () => {
            const { stderr } = await new Deno.Command("wget", {
              args: ["-N", ...options, `${url}/a.txt`],
              cwd: folder,
            }).output();
            return new TextDecoder().decode(stderr);
          };
          await run();
          const again = await run();
          assert(/304 Not Modified|not retrieving|Server file no newer/.test(again), again);
          assert(!/Last-modified header missing/.test(again), again);
          Deno.removeSync(`${folder}/a.txt`);
        }
      });
    });
  },
);

Deno.test(
  { ...need("curl"), name: "names that are not Unicode are counted, and a backslash is ordinary" },
  async () => {
    await listening(async (root, url) => {
      await bash(`cd ${root} && echo a > $'caf\\xe9.txt' && echo b > 'a\\b.txt' && echo c > ok.txt`);
      const listed = await (await fetch(`${url}/?format=json`)).json();
      assertEquals([listed.nameless, listed.entries.map(({ name }: { name: string }) => name)], [1, [
        "a\\b.txt",
        "ok.txt",
      ]]);
      assertStringIncludes(
        await (await fetch(`${url}/`)).text(),
        "1 entry has a name that is not Unicode: deskhand neither shows nor archives it.",
      );
      assertEquals(await (await fetch(`${url}/a%5Cb.txt`)).text(), "b\n");
      const members = await bash(`curl -s '${url}/?archive=tar' | tar -t --quoting-style=literal`);
      assertStringIncludes(members, "a\\b.txt");
      assertEquals((await fetch(`${url}/c%5Cd.txt`, { method: "PUT", body: "x" })).status, 405);
    });
  },
);
