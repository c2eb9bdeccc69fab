/** `deskhand run`: a command on its own desktop, which ends with it. */

import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { need } from "../support/need.ts";
import { type Ended, Program, run } from "../support/program.ts";
import { temporary, until } from "../support/shell.ts";

const NEEDED = need(
  "Xvfb",
  "openbox",
  "dbus-daemon",
  "/usr/libexec/at-spi2-registryd",
  "zenity",
  "curl",
  "gdbus",
  "xprop",
);

/** Presses OK in its own dialog, and prints the text of the dialog and the environment. */
const SCRIPT = `set -eu
zenity --entry --title Greeting --text Name >answer.txt &
program=$!
curl -sSf $DESKHAND_URL/api/wait -d '{"window":{"title":"Greeting"},"timeout_ms":60000}' >found
curl -sSf $DESKHAND_URL/api/element/set -d '{"title":"Greeting","role":"textbox","text":"Grace"}' >set
curl -sSf $DESKHAND_URL/api/element/click -d '{"title":"Greeting","role":"button","name":"OK"}' >clicked
wait $program
echo "$(cat answer.txt) $DISPLAY $(curl -sSf $DESKHAND_URL/api/screen | grep -o '"width":[0-9]*' | head -1)"
xprop -root _NET_SUPPORTING_WM_CHECK | grep -c 'window id'
echo "$1" >&2
exit 7`;

function runIn(cwd: string, ...args: string[]): Promise<Ended> {
  return run(["run", ...args], "", { cwd });
}

Deno.test(
  { ...NEEDED, name: "a command runs on its own desktop, and its exit code becomes deskhand's" },
  async () => {
    await temporary(async (cwd) => {
      await Deno.writeTextFile(`${cwd}/test.sh`, SCRIPT);
      const { code, stdout, stderr } = await runIn(
        cwd,
        "--size",
        "1024x768",
        "--",
        "bash",
        "test.sh",
        "--size",
      );
      assertMatch(stdout, /^Grace :\d+ "width":1024\n1\n$/, stderr);
      assertMatch(stderr, /^--size$/m);
      assertMatch(stderr, /^run: bash ended with 7; the trace of what was done is in deskhand-traces$/m);
      assertEquals(code, 7);
      const [trace] = Deno.readDirSync(`${cwd}/deskhand-traces`);
      assertMatch(await Deno.readTextFile(`${cwd}/deskhand-traces/${trace.name}`), /Greeting/);
      const [, display] = /Grace :(\d+)/.exec(stdout)!;
      await until(() => !isServed(display));
    });
  },
);

/** Starts a service of the session bus that creates files in the runtime folder until it is killed. */
const SERVICE = `set -eu
mkdir -p $XDG_RUNTIME_DIR/dbus-1/services
cat >$XDG_RUNTIME_DIR/dbus-1/services/org.example.Late.service <<END
[D-BUS Service]
Name=org.example.Late
Exec=/usr/bin/bash -c 'echo \$\$ >begun; while :; do mkdir -p "$XDG_RUNTIME_DIR/late" && sleep 0.001; done'
END
gdbus call --session -d org.freedesktop.DBus -o / -m org.freedesktop.DBus.ReloadConfig >/dev/null
gdbus call --session -d org.example.Late -o / -m org.example.Late.Stay >/dev/null 2>&1 &
until test -s begun; do sleep 0.01; done
echo "$XDG_RUNTIME_DIR $(cat begun)"`;

/** Whether nothing is left of a service or of the runtime folder, as SERVICE prints them. */
function isOver(printed: string): boolean {
  const [runtime, service] = printed.trim().split(" ");
  return !isThere(`/proc/${service}`) && !isThere(runtime);
}

Deno.test({ ...NEEDED, name: "services of the session bus leave no files" }, async () => {
  await temporary(async (cwd) => {
    await Deno.writeTextFile(`${cwd}/start.sh`, SERVICE);
    const { code, stdout, stderr } = await runIn(cwd, "--", "bash", "start.sh");
    assertEquals(code, 0, stderr);
    await until(() => isOver(stdout));
  });
});

Deno.test({ ...NEEDED, name: "a killed deskhand leaves no server, service or folder" }, async () => {
  await temporary(async (cwd) => {
    await Deno.writeTextFile(
      `${cwd}/start.sh`,
      `${SERVICE}; echo "on $DISPLAY."; while xprop -root; do sleep 0.1; done >/dev/null`,
    );
    await using program = new Program(["run", "--", "bash", "start.sh"], { cwd });
    const [, begun, display] = await program.printed(/^(.+)\non :(\d+)\.$/m);
    assert(isServed(display) && !isOver(begun));
    program.kill("SIGKILL");
    await until(() => !isServed(display) && isOver(begun));
  });
});

Deno.test({ ...NEEDED, name: "SIGTERM ends the command and its desktop" }, async () => {
  await temporary(async (cwd) => {
    const script = `trap 'echo ended; exit 9' TERM; echo "on $DISPLAY."; while :; do sleep 0.1; done`;
    await using program = new Program(["run", "--", "bash", "-c", script], { cwd });
    const [, display] = await program.printed(/^on :(\d+)\.$/m);
    assert(isServed(display));
    if (Deno.uid() === 0) {
      const env = { DISPLAY: `:${display}`, XAUTHORITY: "" }, other = { uid: 65534, gid: 65534 };
      const ask = new Deno.Command("xprop", { args: ["-root"], env, ...other, cwd: "/", stderr: "null" });
      const { success } = await ask.output();
      if (success) program.kill();
      assertEquals(success, false, "another user is let in");
    }
    program.kill("SIGTERM");
    const { code, stdout, stderr } = await program.ended();
    assertMatch(stdout, /^ended$/m);
    assertEquals(code, 9, `the command's exit code: ${stderr}`);
    await until(() => !isServed(display));
  });
});

/** Xvfb, and a note of which process ends it. */
const NOTING_XVFB = `#!/usr/bin/python3
import signal, subprocess, sys
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
unblock = lambda: signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
server = subprocess.Popen(["/usr/bin/Xvfb", *sys.argv[1:]], preexec_fn=unblock)
with open("ended_by", "w") as note:
    note.write(str(signal.sigwaitinfo({signal.SIGTERM}).si_pid))
server.terminate()
server.wait()
`;

Deno.test({
  name: "the X server of run ends after deskhand, whose Workers may still be connecting to it",
  ignore: NEEDED.ignore || need("/usr/bin/python3", "/usr/bin/Xvfb").ignore,
}, async () => {
  await temporary(async (cwd) => {
    await Deno.writeTextFile(`${cwd}/Xvfb`, NOTING_XVFB, { mode: 0o755 });
    const env = { PATH: `${cwd}:${Deno.env.get("PATH")}` };
    await using program = new Program(["run", "--", "true"], { cwd, env });
    assertEquals((await program.ended()).code, 0);
    const endedBy = await until(() => Deno.readTextFile(`${cwd}/ended_by`).catch(() => ""));
    assertNotEquals(endedBy, `${program.pid}`);
  });
});

Deno.test({ ...NEEDED, name: "wrong arguments of run exit with 2 and say what is allowed" }, async () => {
  await temporary(async (cwd) => {
    const cases: [args: string[], says: RegExp][] = [
      [[], /run takes a command: deskhand run \[--size WIDTHxHEIGHT\] -- COMMAND/],
      [["--size", "9x9", "--", "true"], /--size takes 64x64 to 16384x16384, not 9x9/],
      [["--", "no-such-program"], /command not found: "no-such-program"/],
    ];
    for (const [args, says] of cases) {
      const { code, stderr } = await runIn(cwd, ...args);
      assertMatch(stderr, says);
      assertEquals(code, 2);
    }
  });
});

/** Whether an X server runs on a display. */
const isServed = (display: string) => isThere(`/tmp/.X11-unix/X${display}`);

function isThere(path: string): boolean {
  try {
    return Deno.statSync(path) !== undefined;
  } catch {
    return false;
  }
}
