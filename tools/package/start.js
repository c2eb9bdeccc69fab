#!/usr/bin/env node
// Starts this system's executable, which is in a separate package, and exits as it exits.
"use strict";

const { spawn } = require("node:child_process");

/** The executables, by system and processor. */
const PROGRAMS = {} /* PROGRAMS */;

function program() {
  const system = `${process.platform}-${process.arch}`, file = PROGRAMS[system];
  if (!file) {
    fail(`there is no executable for ${system}; there is one for ${Object.keys(PROGRAMS).join(", ")}`);
  }
  try {
    return require.resolve(file);
  } catch {
    fail(
      `the package ${
        file.slice(0, file.lastIndexOf("/"))
      } is missing. npm leaves it out with --omit=optional, ` +
        "and where node_modules was copied from another system: install again without",
    );
  }
}

function fail(message) {
  process.stderr.write(`deskhand: ${message}\n`);
  process.exit(2);
}

const child = spawn(program(), process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => fail(error.message));
// A terminal sends Ctrl-C to both; other signals only reach this process.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) {
  process.on(signal, () => {
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  });
}
child.on("exit", (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else process.exit(code);
});
