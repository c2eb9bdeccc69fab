/**
 * The permission to control a KDE desktop: a desktop file in the user's folder that names the program's
 * executable and the interfaces that it may use. KWin reads the file when a program connects, and hides these
 * interfaces from other programs.
 */

import { dirname, join } from "../../../core/path.ts";
import { replaceFile } from "../../../core/state_files.ts";
import { attempt, StateError } from "../../../core/errors.ts";
import type { Registry } from "../wire/connection.ts";
import { FAKE_INPUT, FAKE_INPUT_VERSIONS, KEY_STATE, WINDOW_MANAGEMENT } from "./keys.ts";

/** KWin interfaces that deskhand requests, by the key in the file. */
const INTERFACES = {
  "X-KDE-Wayland-Interfaces": [FAKE_INPUT.name, KEY_STATE.name, WINDOW_MANAGEMENT.name],
  "X-KDE-DBUS-Restricted-Interfaces": ["org.kde.KWin.ScreenShot2"],
} as const;
/** The line that identifies deskhand's own file. */
const MARK = "X-Deskhand-Setup=1";

/**
 * The path of the file (XDG Base Directory Specification).
 * @returns undefined without a home folder.
 */
export function permissionPath(): string | undefined {
  const data = Deno.env.get("XDG_DATA_HOME"), home = Deno.env.get("HOME");
  // The XDG Base Directory Specification requires relative paths to be ignored.
  const folder = data?.startsWith("/") ? data : home && join(home, ".local", "share");
  return folder ? join(folder, "applications", "deskhand.desktop") : undefined;
}

/**
 * The running executable's path as seen by KWin, with links resolved; Deno's path when running from source.
 */
function executablePath(): string {
  return Deno.realPathSync(Deno.execPath());
}

/**
 * The file's text.
 * @param executable The executable's path; KWin compares the whole value of `Exec` with it.
 * @throws StateError if a desktop file cannot contain the path.
 */
function permissionText(executable: string): string {
  if (/[\n\r\t]/.test(executable)) {
    throw new StateError(
      "the path of deskhand contains a line break or tab, which KWin does not support",
    );
  }
  return [
    "[Desktop Entry]",
    "Type=Application",
    "Name=deskhand",
    "Comment=Lets deskhand control this desktop; deskhand setup --remove undoes this",
    `Exec=${executable.replaceAll("\\", "\\\\")}`,
    "NoDisplay=true",
    ...Object.entries(INTERFACES).map(([key, names]) => `${key}=${names.join(",")}`),
    MARK,
    "",
  ].join("\n");
}

/** The state of the permission file. */
type PermissionState = "missing" | "given" | "outdated" | "foreign";

/** The file's state: deskhand's, for this or another executable, another program's, or missing. */
export function permissionState(path: string): PermissionState {
  const text = attempt(() => Deno.readTextFileSync(path), undefined, Deno.errors.NotFound);
  if (text === undefined) return "missing";
  if (!isOwn(text)) return "foreign";
  return text === permissionText(executablePath()) ? "given" : "outdated";
}

/**
 * Writes the file.
 * @throws StateError if another program's file is in its place.
 */
export function writePermission(path: string): void {
  if (permissionState(path) === "foreign") throw foreign(path);
  Deno.mkdirSync(dirname(path), { recursive: true });
  replaceFile(path, permissionText(executablePath()), 0o666);
}

/**
 * Removes the file. KWin checks for changed files every two seconds, and then grants no access.
 * @returns A sentence about the change.
 * @throws StateError if another program's file is in its place.
 */
export function revokePermission(): string {
  const path = permissionPath();
  if (!path) return "HOME is not set, so there is no KDE permission file.";
  const state = permissionState(path);
  if (state === "foreign") throw foreign(path);
  if (state === "missing") return `There is no KDE permission file (${path}).`;
  Deno.removeSync(path);
  return `${path} has been removed: KDE no longer lets deskhand control it.`;
}

/**
 * Why KWin does not let deskhand control it, as the rest of a sentence.
 * @returns undefined if KWin lets deskhand control it.
 */
export function missingPermission(registry: Registry): string | undefined {
  const version = registry.version(FAKE_INPUT.name), { least } = FAKE_INPUT_VERSIONS;
  if (version >= least) return undefined;
  if (version > 0) {
    return `offers ${FAKE_INPUT.name} ${version}, and deskhand needs ${least} (Plasma 5.27 or later)`;
  }
  const path = permissionPath();
  if (!path) return "accepts input only from programs that a permission file allows, and HOME is not set";
  switch (permissionState(path)) {
    case "given":
      return `has not read ${path} yet. Type: kbuildsycoca6 (Plasma 5: kbuildsycoca5), and try again`;
    case "foreign":
      return `accepts input only from programs that a permission file allows, and ${path} was not written by deskhand. ` +
        "Move it away, then run: deskhand setup";
    default:
      return "accepts input only from programs that a permission file allows. To write it, run: deskhand setup";
  }
}

function isOwn(text: string): boolean {
  return text.split("\n").includes(MARK);
}

function foreign(path: string): StateError {
  return new StateError(`${path} was not written by deskhand; move it away first`);
}
