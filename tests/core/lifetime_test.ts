/** Work before the program exits, and its order; the state folder. */

import { assertEquals, assertThrows } from "@std/assert";
import { InputError } from "../../core/errors.ts";
import { Lifetime } from "../../core/lifetime.ts";
import { askState, checkOwn, isStateSilent, stateFile } from "../../core/state_files.ts";
import { needRoot } from "../support/need.ts";
import { temporary } from "../support/shell.ts";

Deno.test("exit waits for unfinished work, then runs cleanup in reverse order of registration", async () => {
  const lifetime = new Lifetime(), done: string[] = [];
  const flushed = Promise.withResolvers<void>();
  lifetime.atEnd((how) => done.push(`first ${how}`));
  lifetime.atEnd(() => {
    throw new Error("the others run all the same");
  });
  lifetime.atEnd(() => done.push("last"));
  lifetime.beforeEnd(() => flushed.promise.then(() => void done.push("flushed")));
  const ended = lifetime.end("signal");
  assertEquals(done, []);
  flushed.resolve();
  await ended;
  assertEquals(done, ["flushed", "last", "first signal"]);
  await lifetime.end("finished");
  assertEquals(done.length, 3);
});

Deno.test("exit has a deadline, and a second signal ends the wait immediately", async () => {
  for (const again of [false, true]) {
    const lifetime = new Lifetime(), done: string[] = [];
    lifetime.atEnd((how) => done.push(how));
    lifetime.beforeEnd(() => new Promise(() => {}));
    const ended = lifetime.end("signal");
    if (again) {
      lifetime.end("finished");
      assertEquals(done, ["finished"]);
    }
    await ended;
    assertEquals(done, [again ? "finished" : "signal"]);
  }
});

Deno.test("cleanup knows the result of its check, also after a second signal", async () => {
  const lifetime = new Lifetime(), done: string[] = [], checked = Promise.withResolvers<void>();
  lifetime.checkFirst(() => checked.promise.then(() => void done.push("checked")));
  lifetime.beforeEnd(() => new Promise(() => {}));
  lifetime.atEnd((how) => done.push(how));
  lifetime.end("signal");
  const ended = lifetime.end("finished");
  checked.resolve();
  await ended;
  assertEquals(done.slice(0, 1), ["checked"]);
  assertEquals(done.at(-1), "finished");
});

Deno.test("work goes on in the state folder while its disk is asked", async () => {
  const asked = askState();
  assertEquals(isStateSilent(), false);
  await asked;
  assertEquals(isStateSilent(), false);
});

// The state folder: its files are used only if no other user can have placed them there.

const UNIX = { ignore: Deno.build.os === "windows" };
/** The user id of another user. */
const OTHER = 12345;

const FAULTS: { fault: string; make: (path: string) => void; kind: "folder" | "file"; says: string }[] = [
  { fault: "a link to a folder", kind: "folder", make: link, says: "is a link; remove it" },
  { fault: "a file in its place", kind: "folder", make: file(0o600), says: "is not a folder; remove it" },
  { fault: "a folder that others can write", kind: "folder", make: folder(0o777), says: "chmod 700 '" },
  { fault: "a folder that its group can write", kind: "folder", make: folder(0o770), says: "chmod 700 '" },
  { fault: "a link to a file", kind: "file", make: link, says: "is a link; remove it" },
  { fault: "a pipe", kind: "file", make: pipe, says: "is not a regular file; remove it" },
  {
    fault: "a folder in its place",
    kind: "file",
    make: folder(0o700),
    says: "is not a regular file; remove it",
  },
  { fault: "a file that others can write", kind: "file", make: file(0o602), says: "written by other users" },
];

for (const { fault, kind, make, says } of FAULTS) {
  Deno.test({ ...UNIX, name: `${kind}: refuses ${fault} and says how to fix it` }, async () => {
    await temporary((base) => {
      make(`${base}/deskhand`);
      assertThrows(() => checkOwn(`${base}/deskhand`, kind), InputError, says);
      return Promise.resolve();
    });
  });
}

Deno.test({
  ...needRoot("chown", "--version"),
  name: "refuses another user's folder or file and says how to fix it",
}, async () => {
  await temporary((base) => {
    for (const [kind, make] of [["folder", folder(0o700)], ["file", file(0o600)]] as const) {
      const path = `${base}/${kind}`;
      make(path);
      checkOwn(path, kind);
      Deno.chownSync(path, OTHER, OTHER);
      assertThrows(() => checkOwn(path, kind), InputError, `sudo chown -R ${Deno.uid()} '${path}'`);
    }
    return Promise.resolve();
  });
});

Deno.test(
  { ...UNIX, name: "creates the folder with mode 700, accepts 755 and refuses 775" },
  async () => {
    await temporary((base) => {
      const before = Deno.env.get("XDG_STATE_HOME");
      try {
        Deno.env.set("XDG_STATE_HOME", `${base}/state`);
        assertEquals(stateFile("token"), `${base}/state/deskhand/token`);
        assertEquals(Deno.statSync(`${base}/state/deskhand`).mode! & 0o777, 0o700);
        Deno.chmodSync(`${base}/state/deskhand`, 0o755);
        assertEquals(stateFile("token"), `${base}/state/deskhand/token`);
        Deno.chmodSync(`${base}/state/deskhand`, 0o775);
        assertThrows(() => stateFile("token"), InputError, "can be written by other users");
      } finally {
        if (before === undefined) Deno.env.delete("XDG_STATE_HOME");
        else Deno.env.set("XDG_STATE_HOME", before);
      }
      return Promise.resolve();
    });
  },
);

function link(path: string) {
  Deno.symlinkSync("/tmp", path);
}

function pipe(path: string) {
  new Deno.Command("mkfifo", { args: ["-m", "600", path] }).outputSync();
}

function folder(mode: number): (path: string) => void {
  return (path) => {
    Deno.mkdirSync(path);
    Deno.chmodSync(path, mode); // regardless of the umask
  };
}

function file(mode: number): (path: string) => void {
  return (path) => {
    Deno.writeTextFileSync(path, "");
    Deno.chmodSync(path, mode);
  };
}
