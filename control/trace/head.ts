/**
 * The first part of a trace's file: the viewer with its styles and scripts. The scripts are the modules of viewer/
 * and the decoder of the live picture's page, joined into one script, since a file that is opened without a server
 * cannot import modules.
 */

import { MARK } from "./folder.ts";

const VIEWER = new URL("./viewer/", import.meta.url), PAGE = new URL("../page/", import.meta.url);
/** The modules in the order in which they need each other. */
const MODULES: readonly [folder: URL, name: string][] = [
  ...["inflate.js", "tiles.js", "picture.js"].map((name) => [PAGE, name] as [URL, string]),
  ...[
    "screen.js",
    "list.js",
    "strip.js",
    "detail.js",
    "viewer.js",
  ].map((name) => [VIEWER, name] as [URL, string]),
];
const STYLES = ["viewer.css", "parts.css"];

/**
 * Makes the head of a file.
 * @param title The title of the page.
 * @returns Text up to the place where lines begin.
 */
export async function traceHead(title: string): Promise<string> {
  const script = joinedModules(), style = STYLES.map((name) => read(VIEWER, name)).join("");
  const policy = tracePolicy(await hashOf(script));
  const body = read(VIEWER, "viewer.html");
  return [
    `${MARK}<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">',
    `<meta name="referrer" content="no-referrer"><title>${escaped(title)}</title>`,
    `<style>${style}</style></head><body>${body}`,
    `<div hidden id="data"><script>${script}</script>\n`,
  ].join("\n");
}

/**
 * The Content-Security-Policy of a file: only its own script is allowed, and no requests.
 * @param hash The hash of the script, in base64.
 */
function tracePolicy(hash: string): string {
  return `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data: blob:; ` +
    "base-uri 'none'; form-action 'none'";
}

async function hashOf(text: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toBase64();
}

function read(folder: URL, name: string): string {
  return Deno.readTextFileSync(new URL(name, folder));
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

const IMPORT = /^import \{([^}]*)\} from "[./]*(?:page\/)?([\w.]+)";\n/gm;
const EXPORT = /^export (?=(?:async )?(?:class|function|const|let) \*?(\w+))/gm;
/** The list of exports at the end of a module that was joined by a program. */
const EXPORTS = /export\s*\{([^}]*)\};?\s*$/;
/** Comments that traces leave out, such as types; comments that begin with `/*!` are kept. */
const COMMENT = /^\s*\/\*\*[^]*?\*\/\n?|^\s*\/\/.*\n/gm;

/** Joins all modules in one script, each with a scope of its own. */
function joinedModules(): string {
  const all = MODULES.map(([folder, name]) => {
    const exported: string[] = [];
    const source = read(folder, name)
      .replace(COMMENT, "")
      .replace(
        IMPORT,
        (_, names: string, from: string) => `const {${names.replace(/ as /g, ": ")}} = ${scope(from)};\n`,
      )
      .replace(EXPORT, (_, name: string) => (exported.push(name), ""))
      .replace(EXPORTS, (_, names: string) => {
        for (const pair of names.split(",")) exported.push(pair.trim().split(/ as /).reverse().join(": "));
        return "";
      });
    return `const ${scope(name)} = (() => {\n${source}\nreturn { ${exported.join(", ")} };\n})();\n`;
  });
  return `"use strict";\n${all.join("")}`.replaceAll("</script", "<\\/script");
}

const scope = (name: string) => `$${name.replace(/\.js$/, "")}`;
