/** The prompt from source on a terminal of another user, which the runtime cannot open anew. */

import { join } from "@std/path";
import { FOREIGN_SHELLS, usePromptOn } from "../support/foreign_terminal.ts";
import { need, needRoot } from "../support/need.ts";
import { ORDINARY_USER } from "../support/ordinary_user.ts";
import { ownCopy } from "../support/own_copy.ts";
import { temporary } from "../support/temporary.ts";

const tmux = need("tmux");

for (const shell of FOREIGN_SHELLS) {
  const { ignore } = needRoot(...shell.split(" ") as [string], "-c", "true");
  Deno.test({
    ignore: ignore || tmux.ignore,
    name: `lines typed at the prompt after ${shell} hold up no request`,
    fn: () =>
      temporary(async (folder) => {
        await Deno.chmod(folder, 0o755);
        const { runtime, main, denoDir } = await ownCopy(folder, ORDINARY_USER);
        const env = `DENO_DIR=${denoDir} XDG_STATE_HOME=${join(denoDir, "state")}`;
        await usePromptOn(
          shell,
          `cd ${folder}; ${env} ${runtime} run -q -A ${main} --desktop virtual --http 0`,
        );
      }),
  });
}
