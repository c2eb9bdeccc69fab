/** The Debian package: installed, used and removed in a chroot whose changes are discarded. */

import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { bash, temporary } from "../support/shell.ts";
import { debianPackages } from "../../ffi/x11/libraries.ts";
import { VERSION } from "../../core/version.ts";
import { needRoot } from "../support/need.ts";
import { Xvfb } from "../support/xvfb.ts";
import { lone } from "./lone.ts";
import { madePackages } from "./made_packages.ts";

const PACKAGE = `deskhand_${VERSION}_amd64.deb`;

/**
 * Run in the chroot, which is this system below a layer for all writes. dpkg checks that all dependencies are
 * installed.
 */
const IN_CHROOT = String.raw`set -eu
rm -f /var/lib/man-db/auto-update # mandb(8) would index all manual pages of this machine
dpkg -i /package.deb
echo "== version"; deskhand --version
echo "== owner"; dpkg -S /usr/bin/deskhand
echo "== prompt"; deskhand -c 'm10-20; g'
echo "== manual"; zcat /usr/share/man/man1/deskhand.1.gz | head -1
echo "== units"
SYSTEMD_LOG_LEVEL=warning systemd-analyze verify --man=no deskhand@101.service 2>&1 | grep deskhand || true
SYSTEMD_LOG_LEVEL=warning XDG_RUNTIME_DIR=/tmp systemd-analyze verify --user --man=no deskhand.service 2>&1 |
  grep deskhand || true
echo "== completion"
for shell in bash zsh fish; do deskhand completions $shell >/tmp/$shell; done
cmp /tmp/bash /usr/share/bash-completion/completions/deskhand
cmp /tmp/zsh /usr/share/zsh/vendor-completions/_deskhand
cmp /tmp/fish /usr/share/fish/vendor_completions.d/deskhand.fish
echo "== server"
deskhand --http 0 </dev/null >/tmp/out & pid=$!
for i in $(seq 1200); do grep -q openapi.json /tmp/out && break; sleep 0.1; done
port=$(sed -n 's/^HTTP server started on port //p' /tmp/out)
curl -s localhost:$port/readyz; curl -s localhost:$port/api/screen
kill $pid; wait $pid; echo "ended with $?"
echo "== removed"
dpkg -L deskhand | grep -i deskhand >/tmp/files
dpkg --purge deskhand >/dev/null
for file in $(cat /tmp/files); do [ ! -e $file ] || echo "left: $file"; done
dpkg -s deskhand 2>&1 | head -1
`;

/** Mounts a layer above this system in separate namespaces, and runs a script in it. */
const IN_NAMESPACE = String.raw`set -eu
mount -t tmpfs -o size=1g none "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o lowerdir=/,upperdir="$1/upper",workdir="$1/work" "$1/root"
mount --rbind /proc "$1/root/proc"; mount --rbind /dev "$1/root/dev"
mount -t tmpfs none "$1/root/tmp"; mkdir "$1/root/tmp/.X11-unix"
mount --bind /tmp/.X11-unix "$1/root/tmp/.X11-unix"
cp "$2" "$1/root/package.deb"
exec chroot "$1/root" /bin/bash -c "$3"
`;

/** Whether this user may mount the layer. */
const CHROOT = needRoot(
  ...["unshare", "--mount", "--propagation", "private", "sh", "-ec"] as const,
  "mount -t tmpfs none /mnt; mkdir /mnt/upper /mnt/work /mnt/root; " +
    "mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work /mnt/root",
);

Deno.test({
  ignore: lone.ignore || CHROOT.ignore,
  name: "the Debian package installs in a chroot, controls a desktop, and leaves nothing behind",
}, async () => {
  const file = join(await madePackages(), PACKAGE);
  await using server = await Xvfb.start();
  await temporary(async (folder) => {
    const { code, stdout, stderr } = await new Deno.Command("unshare", {
      args: ["--mount", "--propagation", "private", "bash", "-c", IN_NAMESPACE, "-", folder, file, IN_CHROOT],
      env: {
        ...server.env,
        HOME: "/tmp",
        PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
        XDG_STATE_HOME: "/tmp/state",
      },
    }).output();
    const decoder = new TextDecoder(), text = decoder.decode(stdout), all = text + decoder.decode(stderr);
    assertEquals(code, 0, all);
    const part = (name: string) => text.split(`== ${name}\n`)[1]?.split("== ")[0].trim();
    assertEquals(part("version"), `deskhand ${VERSION}`);
    assertEquals(part("owner"), "deskhand: /usr/bin/deskhand");
    assertEquals(part("prompt"), "10 20");
    assertMatch(part("manual"), /^\.TH DESKHAND 1/);
    assertEquals(part("units"), "", "systemd finds something wrong");
    const [ready, screen, end] = part("server").split("\n");
    assertEquals([ready, end], ['{"ok":true}', "ended with 0"], all);
    assertEquals(JSON.parse(screen).kind, "x11");
    assertMatch(part("removed"), /^dpkg-query: package 'deskhand' is not installed/);
  });
});

Deno.test({
  ...lone,
  name: "the Debian package depends on the package of every loaded library",
}, async () => {
  const file = join(await madePackages(), PACKAGE);
  const depends = (await bash(`dpkg-deb --field ${file} Depends Recommends`)).replaceAll(/\n|:/g, ",");
  const listed = new Set(depends.split(/[,|]/).map((name) => name.trim()));
  const { needed, optional } = debianPackages();
  for (const name of [...needed, ...optional]) assertEquals(listed.has(name), true, name);
  // The executable's linked libraries, by the packages that own them on this machine.
  const linked = await bash(
    `dpkg-deb --fsys-tarfile ${file} | tar -xO ./usr/bin/deskhand >/tmp/deskhand-$$ && ` +
      `readelf -d /tmp/deskhand-$$ | sed -n 's/.*NEEDED.*\\[\\(.*\\)\\]/\\1/p'; rm /tmp/deskhand-$$`,
  );
  const libraries = linked.trim().split("\n");
  const patterns = libraries.map((library) => `'*/x86_64-linux-gnu/${library}'`).join(" ");
  const owners = (await bash(`dpkg -S ${patterns}`)).trim().split("\n");
  for (const library of libraries) {
    const owner = owners.find((line) => line.endsWith(`/${library}`))!.split(":")[0];
    assertEquals(listed.has(owner), true, `${library} is in ${owner}`);
  }
});
