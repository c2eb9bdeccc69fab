/** The executable's prompt on a terminal of another user. */

import { FOREIGN_SHELLS, usePromptOn } from "../support/foreign_terminal.ts";
import { need, needRoot } from "../support/need.ts";
import { lone, LoneFile } from "./lone.ts";

const [shell] = FOREIGN_SHELLS;
const user = needRoot(...shell.split(" ") as [string], "-c", "true");

Deno.test({
  ignore: lone.ignore || user.ignore || need("tmux").ignore,
  name: `lines typed at the executable's prompt after ${shell} hold up no request`,
  async fn() {
    await using file = await LoneFile.create();
    for (const path of [file.folder, file.alone, file.executable]) await Deno.chmod(path, 0o755);
    await Deno.chmod(`${file.folder}/tmp`, 0o777);
    await usePromptOn(
      shell,
      `XDG_STATE_HOME=${file.folder}/tmp ${file.executable} --desktop virtual --http 0`,
    );
  },
});
