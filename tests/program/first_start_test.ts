/** The first start from source on a terminal, when Deno still has to download the libraries. */

import { need } from "../support/need.ts";
import { temporary } from "../support/temporary.ts";
import { Terminal } from "../support/terminal.ts";

Deno.test({
  ...need("tmux"),
  name: "the link, the curl line and the prompt stay on the terminal while Deno downloads libraries",
  async fn() {
    await temporary(async (folder) => {
      const start = `${Deno.execPath()} task start --desktop virtual --http 0`;
      await using terminal = await Terminal.open(`DENO_DIR='${folder}/deno' ${start}`);
      await terminal.shows(/^>$/m);
      await terminal.line("g");
      await terminal.shows(/^curl -H [^]*^http:\/\/\S+#token=\S+$\n^> g$\n^640 360$\n^>$/m);
    });
  },
});
