#!/bin/bash
# Builds the image without a registry or a container engine, using buildah with chroot isolation on a
# debootstrap base. Then runs the image's command as the image's user, with a read-only root file system, and
# tests it. Run as root on Debian, after: apt install buildah debootstrap curl
#
#     deploy/try-image.sh FOLDER    FOLDER holds deskhand_*.deb, such as dist/
set -euo pipefail
packages=$(realpath "$1") here=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
buildah() { command buildah --root "$work/storage" --runroot "$work/run" "$@"; }
clean() {
  [ -z "${pid:-}" ] || kill "$pid" 2>/dev/null || true
  buildah rm --all >/dev/null 2>&1 || true
  rm -rf --one-file-system "$work"
}
trap clean EXIT

if [ -n "${BASE_FOLDER:-}" ]; then base=$BASE_FOLDER
else
  base=$work/base
  debootstrap --variant=minbase bookworm "$base" >"$work/debootstrap.log"
fi
scratch=$(buildah from scratch)
tar -C "$base" --exclude='./var/cache/apt/archives/*' -cf "$work/base.tar" .
buildah add -q "$scratch" "$work/base.tar" / >/dev/null
buildah commit -q --format docker "$scratch" localhost/base >/dev/null
buildah rm "$scratch" >/dev/null

mkdir -p "$work/context/dist"
cp -r "$here" "$work/context/deploy"
cp "$packages"/deskhand_*.deb "$work/context/dist/"
buildah build -q --format docker --network host --pull-never --build-arg BASE=localhost/base \
  -f "$work/context/deploy/Containerfile" -t localhost/deskhand "$work/context" >/dev/null
echo "built: $(buildah images --format '{{.Size}}' localhost/deskhand)"

container=$(buildah from --pull-never localhost/deskhand)
echo "user: $(buildah inspect --format '{{.OCIv1.Config.User}}' "$container")"
root=$(buildah mount "$container")
# Runs as the image's user in its own namespaces, with a read-only root and /tmp in memory. The network is the
# machine's, where another display may already use the number 0.
unshare --mount --ipc --pid --fork --kill-child bash -c '
  set -e
  mount --bind "$0" "$0"; mount -t proc proc "$0/proc"; mount --rbind /dev "$0/dev"
  mount -t tmpfs tmpfs "$0/tmp" -o mode=1777
  mount -o remount,ro,bind "$0"
  exec chroot --userspec=10001:10001 "$0" /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin DISPLAY="$1" HOME=/tmp \
    XDG_STATE_HOME=/tmp/state XDG_CACHE_HOME=/tmp/cache SCREEN=1280x720x24 DESKHAND_TOKEN=a-secret-of-enough-letters \
    bash -c "! touch /written 2>/dev/null && id -u && exec start-desktop --http 0 --host 127.0.0.1"
' "$root" ":$((10000 + $$ % 50000))" >"$work/output" 2>&1 &
pid=$!
ask() { curl -sS -H "Authorization: Bearer a-secret-of-enough-letters" "$@"; }
for _ in $(seq 600); do
  kill -0 $pid || { cat "$work/output"; exit 1; }
  port=$(sed -n 's/^HTTP server started on port //p' "$work/output")
  [ -z "$port" ] || break
  sleep 0.1
done
desk=127.0.0.1:$port
echo "user id: $(head -1 "$work/output")"
echo "ready: $(curl -s $desk/readyz)"
echo "click: $(ask $desk/api/click -d '{"x":30,"y":40,"button":"left"}')"
echo "position: $(ask $desk/api/position)"
ask "$desk/api/screenshot?format=png" -o "$work/screen.png"
echo "picture: $(file -b "$work/screen.png")"
echo "without the token: $(curl -s $desk/api/position)"
kill -TERM "$(pgrep -P "$pid")"
wait "$pid" && code=0 || code=$?
pid=
echo "ended with $code"
