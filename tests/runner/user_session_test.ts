/** A session of an ordinary user leaves no processes and files behind. */

import { assert, assertEquals } from "@std/assert";
import { need, needOpen } from "../support/need.ts";
import { SESSION_BUS } from "../support/session_bus.ts";
import { exists, UserSession } from "../support/user_session.ts";

const PORTAL = need("/usr/libexec/xdg-document-portal", "fusermount3"), MOUNTS = needOpen("/dev/fuse");

Deno.test({
  ...SESSION_BUS,
  ignore: SESSION_BUS.ignore || PORTAL.ignore || MOUNTS.ignore,
  name: "a session ends with the mount that its documents portal made in the runtime folder",
}, async () => {
  let folder: string;
  {
    await using session = await UserSession.start("mount");
    folder = session.folder;
    const name = "org.freedesktop.portal.Documents", path = "/org/freedesktop/portal/documents";
    const call = ["call", "--session", "--dest", name, "--object-path", path];
    await session.run("gdbus", ...call, "--method", `${name}.GetMountPoint`);
    assert(mounts().includes(` ${folder}/run/doc `), mounts());
  }
  assertEquals([await exists(folder), mounts().includes(folder)], [false, false]);
});

function mounts(): string {
  return Deno.readTextFileSync("/proc/self/mounts");
}
