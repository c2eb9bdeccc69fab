/** Checks that the executable obeys the options that start servers, and those of files. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import type { OptionName } from "../../cli/option_table.ts";
import { unpacked } from "../../control/read/engine.ts";
import { statusOf } from "../support/uploads.ts";
import { CONTROL, type OptionCheck, shared, uploaded } from "./options_test.ts";

/** The checks, by option. */
export const SERVED_CASES = {
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
  async "allow-share"(file) {
    assertMatch(await shared(file), /^[0-9a-f]{8} {2}\/shared\.txt {2}ends /);
  },
  async password(file) {
    assertMatch(await shared(file, "--password", "word"), /asks for its password$/m);
  },
  async count(file) {
    assertMatch(await shared(file, "--count", "3"), /after 3 downloads at the latest/);
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
  async languages(file) {
    const missing = await file.run([...CONTROL, "--languages", "eng,zzz"]);
    assertEquals(missing.code, 2);
    assertStringIncludes(missing.stderr, 'language "zzz" is missing');
    // English by another name, from a file: the executable reads the titles of the windows.
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
