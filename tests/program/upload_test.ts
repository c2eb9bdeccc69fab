import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { delay } from "@std/async/delay";
import { fromFileUrl } from "@std/path";
import { BROWSER, withBrowser } from "../support/browser.ts";
import { certificate } from "../support/certificate.ts";
import { need, needRoot } from "../support/need.ts";
import { Program, run } from "../support/program.ts";
import { temporary, until } from "../support/shell.ts";

/** Runs curl; returns the answer's status and curl's output. */
async function curl(...args: string[]): Promise<{ status: number; text: string }> {
  const { stdout } = await new Deno.Command("curl", { args: ["-s", "-w", "\n%{http_code}", ...args] })
    .output();
  const text = new TextDecoder().decode(stdout);
  return { status: Number(text.slice(text.lastIndexOf("\n") + 1)), text };
}

function taking(root: string, ...options: string[]): Program {
  const args = ["--files", root, "--files-port", "0", "--allow-upload", ...options];
  return new Program(args, { env: { DISPLAY: "" } });
}

function names(folder: string): string[] {
  return Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();
}

Deno.test({ name: "curl -T uploads a file, and resumes one", ...need("curl") }, async () => {
  await temporary(async (folder) => {
    const root = `${folder}/root`, file = `${folder}/film.bin`;
    await Deno.mkdir(root);
    const content = new Uint8Array(5_000_000).map((_, i) => i * 7 >> 3);
    await Deno.writeFile(file, content);
    await using program = taking(root);
    const url = await program.filesUrl();
    assertEquals((await curl("-T", file, `${url}/`)).status, 201);
    assertEquals(await Deno.readFile(`${root}/film.bin`), content);
    assertEquals((await curl("-T", file, `${url}/film.bin`)).status, 409);
    assertEquals((await curl("-H", "Transfer-Encoding: chunked", "-T", file, `${url}/chunked`)).status, 201);
    assertEquals(await Deno.readFile(`${root}/chunked`), content);

    const broken = new Deno.Command("curl", {
      args: ["-s", "--limit-rate", "500K", "-T", file, `${url}/resumed`],
      stdout: "null",
    }).spawn();
    const partial = () => names(root).find((name) => name.startsWith(".deskhand-upload-"));
    await until(() => partial() !== undefined && Deno.statSync(`${root}/${partial()}`).size > 0);
    broken.kill("SIGKILL");
    await broken.status;
    const question = ["-i", "-X", "PUT", "-H", "Content-Range: bytes */5000000", `${url}/resumed`];
    // The server may not have noticed yet that the client is gone.
    const { text } = await until(() => curl(...question), ({ status }) => status === 202);
    const offset = /^upload-offset: (\d+)\r$/im.exec(text)![1];
    assertNotEquals(offset, "0");
    assertEquals((await curl("-C", offset, "-T", file, `${url}/resumed`)).status, 201);
    assertEquals(await Deno.readFile(`${root}/resumed`), content);
    assertEquals(names(root), ["chunked", "film.bin", "resumed"]);
  });
});

Deno.test({
  ...need("curl", "openssl"),
  name: "over HTTPS curl -T reads a refusal's status while it sends, over HTTP/2 and HTTP/1.1",
}, async () => {
  await temporary(async (folder) => {
    const root = `${folder}/root`, file = `${folder}/film.bin`;
    await Deno.mkdir(root);
    await Deno.writeFile(file, new Uint8Array(20_000_000));
    await Deno.writeTextFile(`${root}/there.bin`, "there");
    const { cert, key } = await certificate(folder);
    await using program = taking(root, "--cert", cert, "--key", key, "--upload-limit", "19M");
    const { port } = new URL(await program.filesUrl());
    const refused = [["there.bin", 409], ["gone/film.bin", 404], ["large.bin", 413]] as const;
    for (const version of ["--http2", "--http1.1"]) {
      for (const [path, status] of refused) {
        const answer = await curl("--cacert", cert, version, "-T", file, `https://localhost:${port}/${path}`);
        assertEquals([version, path, answer.status], [version, path, status]);
      }
    }
    assertEquals(names(root), ["there.bin"]);
  });
});

Deno.test({
  name: "a full disk is a 507, and nothing is left behind",
  ...needRoot("unshare", "-m", "true"),
}, async () => {
  await temporary(async (folder) => {
    const root = `${folder}/root`;
    await Deno.mkdir(root);
    await Deno.writeFile(`${folder}/large`, new Uint8Array(3_000_000));
    const script = `mount -t tmpfs -o size=2m tmpfs ${root} && exec "$@"`;
    const config = fromFileUrl(new URL("../../main.ts", import.meta.url));
    const command = [
      Deno.execPath(),
      "run",
      "-A",
      config,
      "--files",
      root,
      "--files-port",
      "0",
      "--allow-upload",
    ];
    await using program = new Program(["-m", "sh", "-c", script, "sh", ...command], {
      executable: "/usr/bin/unshare",
      env: { DISPLAY: "" },
    });
    const url = await program.filesUrl();
    const known = await curl("-T", `${folder}/large`, `${url}/a`);
    assertEquals(known.status, 507);
    assertMatch(known.text, /The disk has no room for this file/);
    const chunked = await curl("-H", "Transfer-Encoding: chunked", "-T", `${folder}/large`, `${url}/a`);
    assertEquals(chunked.status, 507);
    const inside = await new Deno.Command("nsenter", {
      args: ["-m", "-t", `${program.pid}`, "ls", "-A", root],
    })
      .output();
    assertEquals(new TextDecoder().decode(inside.stdout), "");
    assertEquals(program.stderr, "");
  });
});

Deno.test("conflicting upload options are refused with a reason", async () => {
  await temporary(async (root) => {
    const cases: [string[], RegExp][] = [
      [["--allow-upload", "--upload-limit", "much"], /--upload-limit much: a size must be a number/],
      [["--allow-upload", "--read-only"], /--read-only and --allow-upload contradict each other/],
    ];
    for (const [options, message] of cases) {
      const { code, stderr } = await run(["--files", root, "--files-port", "0", ...options]);
      assertEquals(code, 2);
      assertMatch(stderr, message);
    }
  });
});

Deno.test({ name: "beyond loopback, uploads require a password", ...need("curl") }, async () => {
  await temporary(async (folder) => {
    const root = `${folder}/root`, file = `${folder}/a.txt`;
    await Deno.mkdir(root);
    await Deno.writeTextFile(file, "hello");
    const address = Deno.networkInterfaces().find(({ family, address }) =>
      family === "IPv4" && !address.startsWith("127.")
    )?.address;
    if (!address) return console.error("\n!!! SKIPPED: this machine has no address beyond loopback !!!\n");
    {
      await using program = taking(root, "--host", "0.0.0.0");
      const { port } = new URL(await program.filesUrl());
      await program.printed(
        /^files are taken from this machine alone: --upload-auth USER:PASSWORD lets others upload$/m,
      );
      assertEquals((await curl("-T", file, `http://${address}:${port}/b.txt`)).status, 403);
      assertEquals((await curl("-T", file, `http://127.0.0.1:${port}/c.txt`)).status, 201);
    }
    await using program = taking(root, "--host", "0.0.0.0", "--files-auth", "me:secret");
    const { port } = new URL(await program.filesUrl());
    assertEquals((await curl("-T", file, `http://${address}:${port}/b.txt`)).status, 401);
    assertEquals((await curl("-u", "me:secret", "-T", file, `http://${address}:${port}/b.txt`)).status, 201);
    assertEquals(names(root), ["b.txt", "c.txt"]);
  });
});

// Uploads from a folder page in Chromium.

Deno.test({ ...BROWSER, name: "files are uploaded from a folder's page: chosen, and dropped" }, async () => {
  await temporary(async (folder) => {
    const root = `${folder}/root`, film = `${folder}/film é#.bin`;
    await Deno.mkdir(`${root}/sub`, { recursive: true });
    await Deno.writeTextFile(`${root}/sub/there.txt`, "first");
    const args = ["--files", root, "--files-port", "0", "--allow-upload"];
    await using program = new Program(args, { env: { DISPLAY: "" } });
    const url = await program.filesUrl();
    await withBrowser(async (browser) => {
      const page = await browser.newPage(), problems: string[] = [];
      page.on("console", (message) => {
        // The 409 answer to an existing file is such a line.
        if (message.type() === "error" && !message.text().includes("409")) problems.push(message.text());
      });
      page.on("pageerror", ({ message }) => problems.push(message));
      await page.goto(`${url}/sub/`);
      const content = new Uint8Array(3_000_000).map((_, i) => i);
      await Deno.writeFile(film, content);
      await page.getByLabel("Upload files").setInputFiles(film);
      await page.getByRole("link", { name: "film é#.bin", exact: true }).waitFor(); // the page has reloaded
      await page.locator("summary", { hasText: "Upload" }).waitFor(); // its script shows it
      assertEquals(await Deno.readFile(`${root}/sub/film é#.bin`), content);

      await page.evaluate(`{
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(["dropped"], "dropped.txt"));
        dataTransfer.items.add(new File(["second"], "there.txt"));
        document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
      }`);
      const rows = () => page.locator(".uploads li").allTextContents();
      // The page reloads, so that its list is current, and says what was refused.
      const [refused] = await until(
        async () => await page.getByRole("link", { name: "dropped.txt", exact: true }).count() ? rows() : [],
        (texts) => texts.length === 1,
      );
      assertMatch(refused, /^there\.txt: A file with that name exists/);
      assertEquals(await Deno.readTextFile(`${root}/sub/dropped.txt`), "dropped");
      assertEquals(await Deno.readTextFile(`${root}/sub/there.txt`), "first");
      await page.goto(`${url}/?view=gallery`);
      await page.locator("summary", { hasText: "Upload" }).waitFor();
      assertEquals(problems, []);
    });
  });
});

Deno.test(
  { ...BROWSER, name: "whole folders are uploaded, and an upload waits for the network" },
  async () => {
    await temporary(async (folder) => {
      const root = `${folder}/root`, album = `${folder}/album é`;
      await Deno.mkdir(`${album}/deep/deeper`, { recursive: true });
      await Deno.mkdir(root);
      const files = { "a.txt": "a", "deep/b #1.txt": "b", "deep/deeper/c.bin": "c".repeat(300_000) };
      for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${album}/${name}`, text);
      const args = ["--files", root, "--files-port", "0", "--allow-upload"];
      await using program = new Program(args, { env: { DISPLAY: "" } });
      const url = await program.filesUrl();
      await withBrowser(async (browser) => {
        const page = await browser.newPage();
        await page.goto(`${url}/`);
        await page.getByLabel("Upload a folder").setInputFiles(album);
        await page.getByRole("link", { name: "album é/", exact: true }).waitFor();
        for (const [name, text] of Object.entries(files)) {
          assertEquals(await Deno.readTextFile(`${root}/album é/${name}`), text, name);
        }
        // A dropped folder, as a browser reports it: its entries in batches.
        await page.locator("summary", { hasText: "Upload" }).waitFor();
        await page.evaluate(`{
        const file = (name) => ({ name, isFile: true, file: (got) => got(new File([name], name)) });
        const folder = (name, ...pieces) => ({ name, isFile: false, createReader: () => ({
          readEntries: (got) => got(pieces.shift() ?? []),
        }) });
        const entry = folder("dropped", [file("one")], [folder("in", [file("two")])]);
        const event = new Event("drop", { bubbles: true, cancelable: true });
        const item = { kind: "file", webkitGetAsEntry: () => entry, getAsFile: () => null };
        event.dataTransfer = { types: ["Files"], items: [item] };
        dispatchEvent(event);
      }`);
        await page.getByRole("link", { name: "dropped/", exact: true }).waitFor();
        assertEquals(await Deno.readTextFile(`${root}/dropped/one`), "one");
        assertEquals(await Deno.readTextFile(`${root}/dropped/in/two`), "two");

        await page.locator("summary", { hasText: "Upload" }).waitFor();
        await page.context().setOffline(true);
        const large = `${folder}/large.bin`;
        await Deno.writeFile(large, new Uint8Array(2_000_000));
        await page.getByLabel("Upload files").setInputFiles(large);
        await page.getByText("waiting for the network").waitFor();
        await page.context().setOffline(false);
        await page.getByRole("link", { name: "large.bin", exact: true }).waitFor();
        assertEquals((await Deno.stat(`${root}/large.bin`)).size, 2_000_000);
      });
    });
  },
);

Deno.test("the virtual desktop's editor opens and saves files in the served folder", async () => {
  await temporary(async (root) => {
    await Deno.writeTextFile(`${root}/list.txt`, "Paper\n");
    await Deno.mkdir(`${root}/folder`);
    await using program = taking(root, "--http", "0", "--desktop", "virtual");
    const url = await program.controlUrl(), headers = { "Content-Type": "application/json" };
    const post = async (path: string, body: unknown) => {
      const answer = await fetch(`${url}/api/${path}`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      assertEquals(answer.status, 200, `${path}: ${await answer.text()}`);
    };
    const named = async (role: string, fits: (names: string[]) => boolean) =>
      await until(async () => {
        const { elements } = await (await fetch(`${url}/api/elements?role=${role}`)).json();
        return elements.map(({ name }: { name: string }) => name);
      }, fits);
    await post("window/activate", { title: "Notes" });
    await post("key", { keys: "ctrl+o" });
    await named("option", (names) => names.join() === "list.txt");
    await post("element/click", { role: "option", name: "list.txt" });
    await post("element/click", { role: "button", name: "Open" });
    await named("status", ([text]) => text.startsWith("list.txt · line 1"));
    await post("key", { keys: "ctrl+end" });
    await post("type", { text: "Ink" });
    await post("key", { keys: "ctrl+s" });
    await named("status", ([text]) => text.startsWith("Not saved: A file with that name exists"));
    await post("key", { keys: "ctrl+shift+s" });
    await post("element/set", { role: "textbox", name: "File name", text: "longer.txt" });
    await post("element/click", { role: "button", name: "Save" });
    await named("status", ([text]) => text.startsWith("Saved longer.txt"));
    assertEquals(await Deno.readTextFile(`${root}/longer.txt`), "Paper\nInk");
    assertEquals(await Deno.readTextFile(`${root}/list.txt`), "Paper\n");
  });
});

Deno.test("SIGTERM lets uploads finish, and refuses new requests meanwhile", async () => {
  await temporary(async (root) => {
    await using program = taking(root, "--http", "0", "--desktop", "virtual", "--log", "-");
    const control = new URL(await program.controlUrl()), files = new URL(await program.filesUrl());
    const length = 1_000_000, half = new Uint8Array(length / 2).fill(97);
    const sent = await Promise.all(
      ([[files, "/by-files"], [control, "/api/file?name=by-control"]] as const).map(async ([url, path]) => {
        const connection = await Deno.connect({ hostname: url.hostname, port: Number(url.port) });
        const writer = connection.writable.getWriter();
        const head = `PUT ${path} HTTP/1.1\r\nHost: ${url.host}\r\nContent-Length: ${length}\r\n\r\n`;
        await writer.write(new TextEncoder().encode(head));
        await writer.write(half);
        return { connection, writer };
      }),
    );
    const partial = () => names(root).filter((name) => name.startsWith(".deskhand-upload-"));
    await until(partial, ({ length }) => length === 2);
    program.kill("SIGTERM");
    let isAsked = false;
    const sending = sent.map(async ({ writer }) => { // a client that sends nothing would be refused
      let bytes = 0;
      for (; !isAsked; bytes++, await delay(20)) await writer.write(half.subarray(0, 1));
      await writer.write(half.subarray(bytes));
    });
    const asked = (url: URL) => async () => {
      const answer = await fetch(url);
      return [answer.status, answer.headers.get("connection"), await answer.text()] as const;
    };
    const [, closes, page] = await until(asked(files), ([status]) => status === 503);
    assertEquals(closes, "close");
    assertMatch(page, /<p>deskhand is stopping\.<\/p>/);
    const [, , error] = await until(asked(control), ([status]) => status === 503);
    assertEquals(JSON.parse(error), { error: "deskhand is stopping" });
    isAsked = true;
    await Promise.all(sending);
    for (const { connection, writer } of sent) {
      const answer = await connection.readable.pipeThrough(new TextDecoderStream()).getReader().read();
      assertMatch(answer.value!, /^HTTP\/1\.1 201 /);
      await writer.close();
    }
    const { code, stdout } = await program.ended();
    assertEquals(code, 0);
    assertMatch(stdout, /^\S+ files 127\.0\.0\.1 GET \/ 503 /m);
    assertEquals(names(root), ["by-control", "by-files"]);
    for (const name of names(root)) assertEquals((await Deno.stat(`${root}/${name}`)).size, length);
  });
});
