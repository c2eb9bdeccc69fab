/** Checks of the options that start servers, and of the file server's. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import type { OptionName } from "../../cli/option_table.ts";
import { unpacked } from "../../control/read/engine.ts";
import { statusOf } from "../support/uploads.ts";
import type { Program } from "../support/program.ts";
import type { LoneFile } from "./lone.ts";
import { CONTROL, type OptionCheck, shared, uploaded } from "./options_test.ts";

const FOLDER = ["--files-port", "0", "--files"];
const DROP_BOX = ["--allow-upload", "--drop-box", "--upload-auth", "owner:secret"];
const WEBDRIVER = ["--desktop", "virtual", "--webdriver", "0"];

async function webdriverUrl(program: Program): Promise<string> {
  return (await program.printed(/^WebDriver server started on port \d+\n {2}(http:\/\/\S+)/m))[1];
}

/** The security types that a VNC server offers to an RFB 3.8 viewer. */
async function vncTypes(program: Program): Promise<number[]> {
  const port = Number((await program.printed(/^VNC server started on port (\d+)$/m))[1]);
  using viewer = await Deno.connect({ hostname: "127.0.0.1", port });
  const bytes = new Uint8Array(16);
  assertEquals(await viewer.read(bytes), 12);
  await viewer.write(new TextEncoder().encode("RFB 003.008\n"));
  const length = await viewer.read(bytes);
  return [...bytes.subarray(1, length!)];
}

/** The status of deleting a new file. */
async function deleted(file: LoneFile, options: string[]): Promise<number> {
  await Deno.writeTextFile(join(file.folder, "old.txt"), "old");
  await using program = file.start([...FOLDER, file.folder, "--dav", "--allow-upload", ...options]);
  return await statusOf(fetch(`${await program.filesUrl()}/old.txt`, { method: "DELETE" }));
}

/** The checks by option. */
export const SERVED_CASES = {
  async "public-url"(file) {
    const address = "https://desk.example.org/desk", token = "a-secret-of-enough-letters";
    await using program = file.start([...CONTROL, "--token", token, "--public-url", `${address}/`]);
    const links = `${await program.controlUrl()}/api/links`, headers = { authorization: `Bearer ${token}` };
    assertEquals(await statusOf(fetch(links, { method: "POST", body: "{}" })), 401);
    const answer = await fetch(links, { method: "POST", body: "{}", headers });
    assertStringIncludes((await answer.json()).links[0], `${address}/#token=`);
  },
  async "trust-proxy"(file) {
    const log = join(file.folder, "log"), headers = { "x-forwarded-for": "192.0.2.7" };
    for (const [address, caller] of [["127.0.0.1", "192.0.2.7"], ["10.0.0.0/8", "127.0.0.1"]]) {
      await using program = file.start([...FOLDER, file.alone, "--trust-proxy", address, "--log", log]);
      await statusOf(fetch(`${await program.filesUrl()}/`, { headers }));
      assertStringIncludes(
        (await Deno.readTextFile(log)).trim().split("\n").at(-1)!,
        ` files ${caller} GET / `,
      );
    }
  },
  async "files-public-url"(file) {
    const options = ["--files-public-url", "https://files.example.org/"];
    await using program = file.start([...FOLDER, file.alone, ...options]);
    await program.printed(/^ {2}https:\/\/files\.example\.org\/$/m);
  },
  async http(file) {
    await using program = file.start([...CONTROL]);
    const answer = await fetch(`${await program.controlUrl()}/api/position`);
    assertEquals(Object.keys(await answer.json()), ["x", "y"]);
  },
  async files(file) {
    await Deno.writeTextFile(join(file.alone, "notes.txt"), "two servers");
    for (const folder of [[], [file.alone]]) {
      await using program = file.start(["--files-port", "0", "--files", ...folder]);
      assertEquals(await (await fetch(`${await program.filesUrl()}/notes.txt`)).text(), "two servers");
    }
    const missing = await file.run(["--files", "missing", "--files-port", "0"]);
    assertEquals(missing.code, 2);
    assertStringIncludes(missing.stderr, "missing");
  },
  async "files-port"(file) {
    await using program = file.start(["--files", "--files-port", "0"]);
    const { port } = new URL(await program.filesUrl());
    const taken = await file.run(["--files", "--files-port", port]);
    assertEquals(taken.code, 2);
    assertStringIncludes(taken.stderr, port);
  },
  async "files-auth"(file) {
    await using program = file.start(["--files", "--files-port", "0", "--files-auth", "me:secret"]);
    const url = await program.filesUrl();
    for (
      const [headers, status] of [[{}, 401], [{ authorization: `Basic ${btoa("me:secret")}` }, 200]] as const
    ) {
      assertEquals(await statusOf(fetch(url, { headers })), status);
    }
  },
  async index(file) {
    await Deno.mkdir(join(file.folder, "site"));
    await Deno.writeTextFile(join(file.folder, "site", "index.html"), "<p>here</p>");
    for (const [index, text] of [[[], "Directory listing: /"], [["--index"], "<p>here</p>"]] as const) {
      await using program = file.start(["--files", join(file.folder, "site"), "--files-port", "0", ...index]);
      assertStringIncludes(await (await fetch(await program.filesUrl())).text(), text);
    }
  },
  async "no-hidden"(file) {
    await Deno.writeTextFile(join(file.folder, ".env"), "hidden");
    for (const [hidden, status] of [[[], 200], [["--no-hidden"], 404]] as const) {
      await using program = file.start(["--files", file.folder, "--files-port", "0", ...hidden]);
      assertEquals(await statusOf(fetch(`${await program.filesUrl()}/.env`)), status);
    }
  },
  async "files-cors"(file) {
    for (const [cors, origin] of [[[], null], [["--files-cors"], "*"]] as const) {
      await using program = file.start(["--files", file.folder, "--files-port", "0", ...cors]);
      const answer = await fetch(await program.filesUrl());
      await answer.body?.cancel();
      assertEquals(answer.headers.get("access-control-allow-origin"), origin);
    }
  },
  async "allow-upload"(file) {
    assertEquals(await uploaded(file, "new.txt", []), 405);
    assertEquals(await uploaded(file, "new.txt", ["--allow-upload"]), 201);
    assertEquals(await Deno.readTextFile(join(file.folder, "new.txt")), "mine");
  },
  async "upload-auth"(file) {
    const auth = ["--allow-upload", "--upload-auth", "me:secret"];
    assertEquals(await uploaded(file, "theirs.txt", auth), 401);
    const headers = { authorization: `Basic ${btoa("me:secret")}` };
    assertEquals(await uploaded(file, "theirs.txt", auth, headers), 201);
  },
  async "drop-box"(file) {
    await using program = file.start([...FOLDER, file.folder, ...DROP_BOX]);
    await Deno.writeTextFile(join(file.folder, "theirs.txt"), "theirs");
    assertEquals(await statusOf(fetch(`${await program.filesUrl()}/theirs.txt`)), 401);
    assertEquals(await uploaded(file, "dropped.txt", DROP_BOX), 201);
  },
  async dav(file) {
    for (const [dav, status] of [[[], 405], [["--dav"], 207]] as const) {
      await using program = file.start([...FOLDER, file.folder, ...dav]);
      const asked = fetch(await program.filesUrl(), { method: "PROPFIND", headers: { depth: "0" } });
      assertEquals(await statusOf(asked), status);
    }
  },
  async "allow-delete"(file) {
    assertEquals(await deleted(file, []), 405);
    assertEquals(await deleted(file, ["--allow-delete"]), 204);
    assertEquals(
      Array.from(Deno.readDirSync(file.folder)).some(({ name }) => name === ".deskhand-trash"),
      true,
    );
  },
  async "no-trash"(file) {
    await Deno.remove(join(file.folder, ".deskhand-trash"), { recursive: true });
    assertEquals(await deleted(file, ["--allow-delete", "--no-trash"]), 204);
    assertEquals(
      Array.from(Deno.readDirSync(file.folder)).some(({ name }) => name === ".deskhand-trash"),
      false,
    );
  },
  async collect(file) {
    await shared(file, "in", ["--collect"], async ({ link }) => {
      assertEquals(await statusOf(fetch(`${link}new.txt`, { method: "PUT", body: "handed in" })), 201);
      assertEquals(await statusOf(fetch(`${link}new.txt`)), 404); // an upload share shows nothing
      assertStringIncludes(await (await fetch(link)).text(), "Files for the owner of this page");
    });
    assertEquals(await Deno.readTextFile(join(file.folder, "to-share", "in", "new.txt")), "handed in");
  },
  async "allow-share"(file) {
    await shared(file, "shared.txt", [], async ({ link, list }) => {
      assertMatch(list, /^[0-9a-f]{8} {2}\/shared\.txt {2}ends /);
      assertEquals(await (await fetch(link)).text(), "shared");
    });
  },
  async password(file) {
    await shared(file, "shared.txt", ["--password", "word"], async ({ link, list }) => {
      assertMatch(list, /password required$/m);
      assertEquals(await statusOf(fetch(link)), 401);
    });
  },
  async count(file) {
    await shared(file, "shared.txt", ["--count", "1"], async ({ link, list }) => {
      assertMatch(list, / or after 1 download$/m);
      for (const status of [200, 404]) assertEquals(await statusOf(fetch(link)), status);
    });
  },
  async "allow-overwrite"(file) {
    await Deno.writeTextFile(join(file.folder, "old.txt"), "first");
    assertEquals(await uploaded(file, "old.txt", ["--allow-upload"]), 409);
    assertEquals(await uploaded(file, "old.txt", ["--allow-upload", "--allow-overwrite"]), 200);
  },
  async "upload-limit"(file) {
    assertEquals(await uploaded(file, "limited.txt", ["--allow-upload", "--upload-limit", "3"]), 413);
  },
  async "trust-html"(file) {
    await Deno.writeTextFile(join(file.folder, "page.html"), "<p>here</p>");
    for (
      const [trust, policy] of [
        [[], "sandbox allow-scripts; frame-ancestors 'self'"],
        [["--trust-html"], "frame-ancestors 'self'"],
      ] as const
    ) {
      await using program = file.start(["--files", file.folder, "--files-port", "0", ...trust]);
      const answer = await fetch(`${await program.filesUrl()}/page.html`);
      await answer.body?.cancel();
      assertEquals(answer.headers.get("content-security-policy"), policy);
    }
  },
  async vnc(file) {
    await using program = file.start(["--desktop", "virtual", "--vnc", "0"]);
    assertEquals(await vncTypes(program), [1]);
  },
  async "vnc-password-file"(file) {
    const path = join(file.folder, "vnc-password");
    await Deno.writeTextFile(path, "letmein\n");
    await using program = file.start(["--desktop", "virtual", "--vnc", "0", "--vnc-password-file", path]);
    assertEquals(await vncTypes(program), [2, 19]);
  },
  async webdriver(file) {
    await using program = file.start(WEBDRIVER);
    const { value } = await (await fetch(`${await webdriverUrl(program)}/status`)).json();
    assertEquals(value.ready, true);
  },
  async "webdriver-open"(file) {
    const body = JSON.stringify({ capabilities: { alwaysMatch: { "appium:app": "/bin/true" } } });
    await using program = file.start([...WEBDRIVER, "--webdriver-open", "other"]);
    const answer = await fetch(`${await webdriverUrl(program)}/session`, { method: "POST", body });
    assertStringIncludes((await answer.json()).value.message, "--webdriver-open");
  },
  async "webdriver-wait"(file) {
    const body = JSON.stringify({ capabilities: {} });
    await using program = file.start([...WEBDRIVER, "--webdriver-wait", "3"]);
    const answer = await fetch(`${await webdriverUrl(program)}/session`, { method: "POST", body });
    assertEquals((await answer.json()).value.capabilities.timeouts.implicit, 3000);
  },
  async size(file) {
    await using program = file.start([...CONTROL, "--size", "800x600"]);
    const { width, height } = await (await fetch(`${await program.controlUrl()}/api/screen`)).json();
    assertEquals([width, height], [800, 600]);
  },
  async languages(file) {
    const missing = await file.run([...CONTROL, "--languages", "eng,zzz"]);
    assertEquals(missing.code, 2);
    assertStringIncludes(missing.stderr, 'language "zzz" is missing');
    // English under another name, from a file: the executable reads the window titles.
    const english = await unpacked(
      new URL("../../control/read/tesseract/eng.traineddata.gz", import.meta.url),
    );
    const path = join(file.folder, "own.traineddata");
    await Deno.writeFile(path, english);
    for (const languages of [[], ["--languages", path]]) {
      await using program = file.start([...CONTROL, ...languages]);
      const text = await fetch(`${await program.controlUrl()}/api/text?format=text`);
      assertMatch(await text.text(), /^note/im);
    }
  },
} satisfies Partial<Record<OptionName, OptionCheck>>;
