/** The programs that tests use as witnesses, and the Debian packages they come in. */

/** Package by package, what tells that it is installed: a program on the PATH or a file. */
export const PACKAGES: Record<string, string> = {
  chromium: "/usr/bin/chromium",
  curl: "/usr/bin/curl",
  fish: "/usr/bin/fish",
  groff: "/usr/bin/groff",
  ffmpeg: "/usr/bin/ffmpeg",
  imagemagick: "/usr/bin/compare",
  metacity: "/usr/bin/metacity",
  openbox: "/usr/bin/openbox",
  libxdo3: "/usr/lib/x86_64-linux-gnu/libxdo.so.3",
  "netcat-openbsd": "/bin/nc.openbsd",
  "openssl": "/usr/bin/openssl",
  tmux: "/usr/bin/tmux",
  wmctrl: "/usr/bin/wmctrl",
  wget: "/usr/bin/wget",
  "x11-apps": "/usr/bin/xwd",
  "x11-utils": "/usr/bin/xev",
  "x11-xserver-utils": "/usr/bin/xmodmap",
  xdotool: "/usr/bin/xdotool",
  xclip: "/usr/bin/xclip",
  xinput: "/usr/bin/xinput",
  xsel: "/usr/bin/xsel",
  xterm: "/usr/bin/xterm",
  xvfb: "/usr/bin/Xvfb",
  zsh: "/usr/bin/zsh",
};

/**
 * Installs what is missing where that is allowed (root on a Debian system); otherwise tells what to install.
 */
export async function installPackages(): Promise<void> {
  const missing = Object.keys(PACKAGES).filter((name) => !isFile(PACKAGES[name]));
  if (!missing.length) return;
  const install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", ...missing];
  if (Deno.build.os !== "linux" || Deno.uid() !== 0 || !isFile("/usr/bin/apt-get")) {
    console.error(
      `\n!!! Tests will be skipped for want of programs. To have them: sudo ${install.join(" ")} !!!\n`,
    );
    return;
  }
  console.error(`Installing for the tests: ${missing.join(" ")}`);
  for (const command of [["apt-get", "update", "-qq"], install]) {
    const { success } = await new Deno.Command(command[0], {
      args: command.slice(1),
      env: { DEBIAN_FRONTEND: "noninteractive" },
      stdout: "null",
    }).output();
    if (!success) {
      console.error(`\n!!! ${command.join(" ")} failed: tests that need it will be skipped !!!\n`);
    }
  }
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
