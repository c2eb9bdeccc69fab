#!/bin/bash
# Starts an X server, a window manager and deskhand, and ends when one of the first and the last ends. The arguments
# are deskhand's.
set -u

mkdir -p -m 1777 /tmp/.X11-unix # which Xvfb makes for root alone

# What openbox starts runs with its environment: the token is deskhand's alone.
without_token() { exec env -u DESKHAND_TOKEN -u DESKHAND_FILES_AUTH "$@"; }

without_token Xvfb "$DISPLAY" -screen 0 "${SCREEN:-1280x720x24}" -nolisten tcp -noreset &
server=$!
# The X server may still be starting: what needs it tries until it is there.
(until [ -S "/tmp/.X11-unix/X${DISPLAY#:}" ]; do sleep 0.05; done; without_token openbox) &
deskhand --wait-desktop 30 "$@" </dev/null &
deskhand=$!

# SIGTERM is deskhand's: it lets requests finish, and its end is the end of all.
trap 'kill -TERM "$deskhand" 2>/dev/null' TERM INT
while kill -0 "$deskhand" 2>/dev/null && kill -0 "$server" 2>/dev/null; do
  wait -n "$deskhand" "$server"
done
kill -TERM "$deskhand" 2>/dev/null
wait "$deskhand"
code=$?
kill "$server" 2>/dev/null
exit "$code"
