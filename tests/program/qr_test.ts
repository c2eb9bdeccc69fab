/** The QR codes of links, on a real terminal. */

import { assertEquals } from "@std/assert";
import { ownAddresses } from "../../http/listener.ts";
import { need } from "../support/need.ts";
import { readTerminalQr } from "../support/qr.ts";
import { temporary } from "../support/temporary.ts";
import { Terminal } from "../support/terminal.ts";

const [ADDRESS] = ownAddresses().filter((address) => !address.includes(":"));
if (!ADDRESS) console.error("\n!!! SKIPPED: a test needs an IPv4 address besides loopback !!!\n");

/** The text of the code below a line of the screen. */
function codeBelow(screen: string, link: string): string {
  const lines = screen.split("\n");
  const start = lines.findIndex((line) => line === `For a phone's camera, ${link}`) + 1;
  const end = lines.findIndex((line, at) => at > start && !/^[█▀▄ ]{20}/.test(line));
  return readTerminalQr(lines.slice(start, end).join("\n"));
}

Deno.test({
  name: "a terminal shows the codes of both links for a phone, and none where only this machine reaches them",
  ignore: need("tmux").ignore || !ADDRESS,
  async fn() {
    await temporary(async (folder) => {
      const deskhand = `${Deno.execPath()} run -q -A main.ts`;
      const options = `--desktop virtual --http 0 --files '${folder}' --files-port 0`;
      await using terminal = await Terminal.open(`${deskhand} ${options} --host ${ADDRESS}`);
      const screen = await terminal.shows(/^>$/m);
      const [page] = screen.match(/^http:\/\/\S+#token=\S+$/m) ?? [];
      const [, files] = screen.match(/^ {2}(http:\S+\/)$/m) ?? [];
      assertEquals(codeBelow(screen, new URL("/", page).href), page);
      assertEquals(codeBelow(screen, files), files);
      await using alone = await Terminal.open(`${deskhand} ${options}`);
      assertEquals((await alone.shows(/^>$/m)).includes("For a phone"), false);
    });
  },
});
