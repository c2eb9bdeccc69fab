/** The options of the file server: rows of the table of options (option_table.ts). */

import type { Option } from "./option.ts";

/** Servers that an option is for. */
const FILES = ["files"];

/** Options of the file server, in the order of help. */
export const FILE_ROWS = [
  {
    name: "files-auth",
    group: "files",
    kind: "value",
    value: "USER:PASSWORD",
    env: "DESKHAND_FILES_AUTH",
    summary: "ask for a password on the file server",
    needs: FILES,
  },
  {
    name: "index",
    group: "files",
    kind: "flag",
    summary: "serve a folder's index.html instead of its listing",
    needs: FILES,
  },
  {
    name: "no-hidden",
    group: "files",
    kind: "flag",
    summary: "neither list nor serve names that begin with a dot",
    needs: FILES,
  },
  {
    name: "files-cors",
    group: "files",
    kind: "flag",
    summary: "let web pages of all origins read the files",
    needs: FILES,
  },
  {
    name: "allow-upload",
    group: "files",
    kind: "flag",
    summary: "take files: PUT, and a drop on the listing",
    needs: FILES,
  },
  {
    name: "allow-share",
    group: "files",
    kind: "flag",
    summary: "let the owner make links to single files, which end",
    needs: FILES,
  },
  {
    name: "password",
    group: "files",
    kind: "value",
    value: "WORD",
    summary: "a shared file asks for it",
    needs: ["share"],
  },
  {
    name: "count",
    group: "files",
    kind: "value",
    value: "N",
    summary: "how often a shared file can be downloaded",
    needs: ["share"],
  },
  {
    name: "allow-overwrite",
    group: "files",
    kind: "flag",
    summary: "an upload may replace a file",
    needs: ["allow-upload"],
  },
  {
    name: "upload-limit",
    group: "files",
    kind: "value",
    value: "SIZE",
    default: "10G",
    summary: "the largest file that is taken (10G)",
    needs: ["allow-upload"],
  },
  {
    name: "trust-html",
    group: "files",
    kind: "flag",
    summary: "serve HTML, SVG and XML files without a sandbox",
    needs: FILES,
  },
] as const satisfies readonly Option[];
