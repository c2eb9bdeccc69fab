#!/bin/bash
# Starts an X server, a window manager and deskhand, and exits when the X server or deskhand does. The
# arguments are passed to deskhand.
set -u

mkdir -p -m 1777 /tmp/.X11-unix # Xvfb creates it only as root

# Programs that openbox starts inherit its environment, so only deskhand receives the token.
without_token() { exec env -u DESKHAND_TOKEN -u DESKHAND_FILES_AUTH "$@"; }

without_token Xvfb "$DISPLAY" -screen 0 "${SCREEN:-1280x720x24}" -nolisten tcp -noreset &
server=$!
# The X server may still be starting: wait for its socket.
(until [ -S "/tmp/.X11-unix/X${DISPLAY#:}" ]; do sleep 0.05; done; without_token openbox) &
deskhand --wait-desktop 30 "$@" </dev/null &
deskhand=$!

# Forward SIGTERM to deskhand, which lets requests finish; everything ends when deskhand exits.
trap 'kill -TERM "$deskhand" 2>/dev/null' TERM INT
while kill -0 "$deskhand" 2>/dev/null && kill -0 "$server" 2>/dev/null; do
  wait -n "$deskhand" "$server"
done
kill -TERM "$deskhand" 2>/dev/null
wait "$deskhand"
code=$?
kill "$server" 2>/dev/null
exit "$code"
