#!/usr/bin/env bash
# Runs the Windows build of Deno under Wine 10 on Debian, with nothing but apt and npm.
#
#   wine.sh check                 check whether this machine can do it; print what is missing (exit code 77)
#   wine.sh prepare               build missing parts of the cache; safe to run again
#   wine.sh run DIR CMD [ARG...]  run a Windows program with DIR, read-only, as its working folder Z:\work;
#                                 `deno` is deno.exe; the exit code is the program's
#   wine.sh clean                 remove the cache
#
# Settings, by environment:
#   DESKHAND_WINE_CACHE    folder for Wine and deno.exe (about 2.1 GB)      [/var/cache/deskhand-wine]
#   DESKHAND_WINE_TIMEOUT  maximum seconds for one run                      [600]
#   DESKHAND_WINE_SCREEN   size of the single monitor                       [1280x720]
#   DESKHAND_WINE_MONITORS several instead, WIDTHxHEIGHT+X+Y each, the primary first: Wine's origin is the primary's
#                          corner. Xorg's dummy driver provides them (no device is touched); if it cannot start, the
#                          exit code is 125
#   DESKHAND_WINE_FILES    a folder that the program sees, read-only, as Z:\files  [unset]
#   DESKHAND_WINE_DPI      LogPixels of the run's registry (96 is 100 %)    [unset]
#   DESKHAND_WINE_DESKTOP  size of a Wine virtual desktop, e.g. 1024x600    [unset: windows are on the X root]
#
# Debian 12's Wine 8 cannot start deno.exe (no bcryptprimitives.dll), Debian 13's Wine 10 can. So apt resolves
# trixie's Wine and Xvfb against an empty package status and only downloads them; dpkg-deb unpacks them into a
# folder: nothing is installed on this machine. Every run has separate mount and pid namespaces, an X server and a
# copy of the Wine prefix that is discarded: however it ends, it leaves nothing behind.
set -euo pipefail

PATH=$PATH:/usr/sbin:/sbin # not in an ordinary user's PATH: programs there would be reported as missing
CACHE=${DESKHAND_WINE_CACHE:-/var/cache/deskhand-wine}
DENO_VERSION=2.9.5 # the newest for Windows on npm
SUITE=trixie
STAMP=1-$SUITE # change it to rebuild the cache
ROOT=$CACHE/root
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
WINE=/usr/lib/wine/wine64

# A server without devices: it accepts only XTEST input, and xrandr creates its outputs.
XORG_CONF='
Section "ServerFlags"
  Option "AutoAddDevices" "false"
  Option "AutoAddGPU" "false"
  Option "DontVTSwitch" "true"
EndSection
Section "Monitor"
  Identifier "monitor"
  HorizSync 5.0-1000.0
  VertRefresh 5.0-200.0
EndSection
Section "Device"
  Identifier "dummy"
  Driver "dummy"
  VideoRam 256000
EndSection
Section "Screen"
  Identifier "screen"
  Device "dummy"
  Monitor "monitor"
  DefaultDepth 24
  SubSection "Display"
    Depth 24
    Modes "1280x720"
  EndSubSection
EndSection
'

say() { printf 'wine.sh: %s\n' "$*" >&2; }

check() {
  local missing=() tool
  for tool in apt-get dpkg-deb npm unshare setpriv chroot flock timeout; do
    command -v "$tool" >/dev/null || missing+=("the command $tool")
  done
  [ "$(id -u)" = 0 ] || missing+=("root (for chroot and namespaces)")
  [ "$(uname -m)" = x86_64 ] || missing+=("an x86-64 processor")
  [ -e "$KEYRING" ] || missing+=("$KEYRING (package debian-archive-keyring)")
  # Querying apt takes half a second of processor time, and each run checks.
  [ -e "$ROOT/.ok-$STAMP" ] || [ -n "$(mirror)" ] || missing+=("a Debian mirror in apt's sources")
  [ ${#missing[@]} -gt 0 ] || unshare --mount --pid --fork true 2>/dev/null || missing+=("namespaces (unshare is refused)")
  [ ${#missing[@]} -eq 0 ] && return
  for tool in "${missing[@]}"; do say "missing: $tool"; done
  exit 77
}

# The mirror that this machine's apt uses.
mirror() {
  apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2>/dev/null | grep -m1 '/debian/\?$' || true
}

unpack() {
  dpkg-deb --fsys-tarfile "$1" | tar -C "$ROOT" -x --keep-directory-symlink --exclude='./usr/share/doc/*' \
    --exclude='./usr/share/man/*' --exclude='./usr/share/locale/*' --exclude='*/wine/i386-windows/*'
}

prepare_root() {
  [ -e "$ROOT/.ok-$STAMP" ] && return
  say "unpacking $SUITE's Wine in $ROOT"
  local apt=$CACHE/apt
  rm -rf "$ROOT" "$apt"
  mkdir -p "$ROOT" "$apt"/{lists/partial,archives/partial}
  : >"$apt/status"
  echo "deb [signed-by=$KEYRING] $(mirror) $SUITE main" >"$apt/sources.list"
  local options=(-qq -o "Dir::State=$apt" -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt"
    -o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null -o APT::Architecture=amd64
    -o APT::Sandbox::User=root -o APT::Install-Recommends=false -o Debug::NoLocking=true
    -o DPkg::Post-Invoke= -o APT::Update::Post-Invoke= -o Acquire::Retries=3)
  apt-get "${options[@]}" update
  # Wine loads libgnutls, libxi and the others at run time, so apt considers them optional.
  apt-get "${options[@]}" -y --download-only install wine64 xvfb xserver-xorg-core xserver-xorg-video-dummy \
    x11-xserver-utils xdotool xkb-data libgnutls30t64 libxrandr2 libxcursor1 libxi6 \
    libxcomposite1 libxinerama1 libxrender1 fonts-liberation base-files libc-bin coreutils dash >/dev/null
  export ROOT
  export -f unpack
  unpack "$apt"/archives/base-files_*.deb # first: it contains the /bin and /lib links
  printf '%s\0' "$apt"/archives/*.deb | xargs -0 -n1 -P2 bash -c 'set -eo pipefail; unpack "$1"' _
  mkdir -p "$ROOT"/{proc,dev,sys,tmp,run,work,prefix,deno,root,etc}
  printf 'root:x:0:0:root:/root:/bin/sh\n' >"$ROOT/etc/passwd"
  printf 'root:x:0:\n' >"$ROOT/etc/group"
  printf '127.0.0.1 localhost\n' >"$ROOT/etc/hosts"
  chroot "$ROOT" /usr/sbin/ldconfig
  # The only maintainer script that matters: libwine's creates zlib1.dll, which user32.dll needs.
  mkdir "$apt/control"
  dpkg-deb -e "$apt"/archives/libwine_*.deb "$apt/control"
  mkdir -p "$ROOT/usr/lib/x86_64-linux-gnu/wine/i386-windows"
  cp "$apt/control/postinst" "$ROOT/tmp/postinst"
  chroot "$ROOT" /bin/sh /tmp/postinst configure
  rm -r "$ROOT/tmp/postinst" "$ROOT/usr/lib/x86_64-linux-gnu/wine/i386-windows"
  [ -s "$ROOT/usr/lib/x86_64-linux-gnu/wine/x86_64-windows/zlib1.dll" ]
  rm -rf "$apt"
  touch "$ROOT/.ok-$STAMP"
}

prepare_deno() {
  [ -e "$CACHE/deno-$DENO_VERSION/deno.exe" ] && return
  say "fetching deno.exe $DENO_VERSION"
  rm -rf "$CACHE"/npm.* "$CACHE"/deno-[0-9]*
  local folder
  folder=$(mktemp -d "$CACHE/npm.XXXXXX")
  (cd "$folder" && npm pack --loglevel=error "@deno/win32-x64@$DENO_VERSION" >/dev/null && tar xzf ./*.tgz)
  mv "$folder/package" "$CACHE/deno-$DENO_VERSION"
  rm -rf "$folder"
}

prepare_prefix() {
  [ -e "$CACHE/prefix/.ok-$STAMP" ] && return
  say "making the Wine prefix"
  rm -rf "$CACHE/prefix"
  mkdir -p "$CACHE/prefix"
  KEEP_PREFIX=1 enter / 180 "$WINE" wineboot -i 2>"$CACHE/wineboot.log" || { # it complains about its omitted 32-bit half
    cat "$CACHE/wineboot.log" >&2
    return 1
  }
  local os
  os=$(KEEP_PREFIX=1 enter / 120 "$WINE" 'Z:\deno\deno.exe' eval 'console.log(Deno.build.os)' | tr -d '\r')
  [ "$os" = windows ] || { say "deno.exe does not start"; return 1; }
  touch "$CACHE/prefix/.ok-$STAMP"
}

# enter DIR SECONDS CMD...: runs CMD in separate namespaces and returns its exit code.
# setpriv ends unshare when this script dies, and unshare ends everything in the namespace.
enter() {
  local dir=$1 seconds=$2 pid rc=0
  shift 2
  ROOT=$ROOT PROJECT=$(realpath "$dir") SECONDS_ALLOWED=$seconds KEEP_PREFIX=${KEEP_PREFIX:-} \
    setpriv --pdeathsig KILL -- unshare --mount --pid --ipc --fork --kill-child --propagation private \
    -- bash "$(realpath "$0")" inside "$@" <&0 &
  pid=$!
  trap 'kill -KILL $pid 2>/dev/null; exit 143' TERM HUP
  trap 'kill -KILL $pid 2>/dev/null; exit 130' INT
  wait "$pid" || rc=$?
  trap - TERM HUP INT
  return "$rc"
}

# The namespace's first process: mounts what the run needs, and starts Xvfb and the program.
inside() {
  mount --bind "$ROOT" "$ROOT"
  mount -t proc proc "$ROOT/proc"
  mount --rbind /dev "$ROOT/dev"
  mount -t tmpfs tmpfs "$ROOT/tmp"
  mkdir -m1777 "$ROOT/tmp/.X11-unix"
  mount -t tmpfs tmpfs "$ROOT/root"
  if [ "$PROJECT" != / ]; then
    mount --bind "$PROJECT" "$ROOT/work"
    mount -o remount,bind,ro "$ROOT/work"
  fi
  if [ -n "${DESKHAND_WINE_FILES:-}" ]; then
    mkdir -p "$ROOT/files"
    mount --bind "$DESKHAND_WINE_FILES" "$ROOT/files"
    mount -o remount,bind,ro "$ROOT/files"
  fi
  mount --bind "$CACHE/deno-$DENO_VERSION" "$ROOT/deno"
  if [ -n "$KEEP_PREFIX" ]; then
    mount --bind "$CACHE/prefix" "$ROOT/prefix"
  else
    local layer=$ROOT/run
    mount -t tmpfs tmpfs "$layer"
    mkdir "$layer/up" "$layer/work"
    mount -t overlay overlay -o "lowerdir=$CACHE/prefix,upperdir=$layer/up,workdir=$layer/work" "$ROOT/prefix" 2>/dev/null || {
      mount -t tmpfs tmpfs "$ROOT/prefix" # no overlay file system here: a copy in memory
      cp -a "$CACHE/prefix/." "$ROOT/prefix"
    }
  fi
  mkdir -p "$CACHE/deno-dir" "$ROOT/tmp/deno-dir"
  mount --bind "$CACHE/deno-dir" "$ROOT/tmp/deno-dir"
  exec env -i HOME=/root PATH=/usr/lib/wine:/usr/bin:/bin:/usr/sbin:/sbin LC_ALL=C.UTF-8 LANG=C.UTF-8 \
    WINEPREFIX=/prefix WINEARCH=win64 WINELOADER="$WINE" WINESERVER=/usr/lib/wine/wineserver64 \
    WINEDEBUG="${WINEDEBUG:--all}" WINEDLLOVERRIDES='mscoree,mshtml=' \
    DENO_DIR='Z:\tmp\deno-dir' DENO_NO_UPDATE_CHECK=1 NO_COLOR=1 WINE="$WINE" \
    SCREEN="${DESKHAND_WINE_SCREEN:-1280x720}" MONITORS="${DESKHAND_WINE_MONITORS:-}" DPI="${DESKHAND_WINE_DPI:-}" DESKTOP="${DESKHAND_WINE_DESKTOP:-}" \
    KEEP_PREFIX="$KEEP_PREFIX" SECONDS_ALLOWED="$SECONDS_ALLOWED" XORG_CONF="$XORG_CONF" \
    chroot "$ROOT" /bin/sh -c '
      cd /work
      exec 3>/tmp/display
      if [ -z "$MONITORS" ]; then
        Xvfb -displayfd 3 -screen 0 "${SCREEN}x24" -nolisten tcp -r >/tmp/x.log 2>&1 3>&3 &
      else
        printf %s "$XORG_CONF" >/tmp/xorg.conf
        /usr/lib/xorg/Xorg -displayfd 3 -config /tmp/xorg.conf -logfile /tmp/xorg.log -nolisten tcp -noreset \
          -novtswitch -sharevts >/tmp/x.log 2>&1 3>&3 &
      fi
      exec 3>&-
      i=0; while [ ! -s /tmp/display ] && [ $i -lt 300 ]; do sleep 0.1; i=$((i+1)); done
      [ -s /tmp/display ] || { cat /tmp/x.log >&2; exit 125; }
      export DISPLAY=:$(cat /tmp/display)
      output=0 layout=
      for monitor in $MONITORS; do
        size=${monitor%%+*} place=${monitor#*+}
        [ $output = 0 ] && first=--primary || { first=; xrandr --addmode DUMMY$output "$size" || exit 125; }
        layout="$layout --output DUMMY$output --mode $size --pos ${place%+*}x${place#*+} $first"
        output=$((output+1))
      done
      # All in one call, since xrandr moves a lone monitor to 0,0; and queried again, since only that makes the server
      # consider the new ones connected.
      [ -z "$layout" ] || { xrandr $layout && xrandr --query >/dev/null; } || exit 125
      set_registry() { "$WINE" reg add "$1" /v "$2" /t "$3" /d "$4" /f >/dev/null 2>&1 || exit 125; }
      [ -z "$DPI" ] || set_registry "HKCU\Control Panel\Desktop" LogPixels REG_DWORD "$DPI"
      if [ -n "$DESKTOP" ]; then
        set_registry "HKCU\Software\Wine\Explorer" Desktop REG_SZ Deskhand
        set_registry "HKCU\Software\Wine\Explorer\Desktops" Deskhand REG_SZ "$DESKTOP"
      fi
      [ -z "$DPI$DESKTOP" ] || wineserver64 -k -w # both are read when the first program starts
      timeout -k 5 "$SECONDS_ALLOWED" "$@"; rc=$?
      [ -z "$KEEP_PREFIX" ] || wineserver64 -w # let the registry be written
      exit $rc' sh "$@"
}

main() {
  local command=${1:-}
  shift || true
  case $command in
    inside) inside "$@" ;;
    clean) rm -rf "$CACHE" ;;
    check) check ;;
    prepare | run)
      check
      mkdir -p "$CACHE"
      exec 9>"$CACHE/.lock"
      flock 9 # only one caller builds at a time
      prepare_root
      prepare_deno
      prepare_prefix
      exec 9>&-
      [ "$command" = run ] || { say "ready in $CACHE"; return; }
      local dir=$1
      shift
      [ "$1" != deno ] || { shift; set -- 'Z:\deno\deno.exe' "$@"; }
      enter "$dir" "${DESKHAND_WINE_TIMEOUT:-600}" "$WINE" "$@"
      ;;
    *)
      sed -n '2,8p' "$0" >&2
      exit 2
      ;;
  esac
}
main "$@"
