/** Folders that hold more than their owner may want to share. */

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { exposureNotice } from "../../files/exposure.ts";
import { temporary } from "../support/temporary.ts";

Deno.test("a home folder, and a folder with .ssh, .gnupg, .env or .git, has a notice", async () => {
  await temporary(async (root) => {
    for (const path of ["home/me", "plain", "work/.git", "work/.ssh"]) {
      await Deno.mkdir(join(root, path), { recursive: true });
    }
    await Deno.writeTextFile(join(root, "plain", "env"), "");
    await Deno.writeTextFile(join(root, "home", ".env"), "");
    await Deno.mkdir(join(root, "home/you/.gnupg"), { recursive: true });
    const home = join(root, "home/me");
    const cases: [folder: string, home: string | undefined, held: string | undefined][] = [
      ["plain", home, undefined],
      ["home/me", home, "the home folder"],
      ["home/me", undefined, undefined],
      ["home/me", join(root, "missing"), undefined],
      ["home", home, "the home folder, .env"],
      ["home/you", home, ".gnupg"],
      ["work", home, ".ssh, .git"],
    ];
    for (const [folder, home, held] of cases) {
      const notice = exposureNotice(join(root, folder), home);
      assertEquals(/holds (.*): names .* --no-hidden/.exec(notice ?? "")?.[1], held, folder);
    }
  });
});
