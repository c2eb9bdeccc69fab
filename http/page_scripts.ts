/** Scripts in `page/` that pages of both servers use and other scripts import. */

const FOLDER = new URL("./page/", import.meta.url);
/** An import of a shared script, as written in a script. */
const IMPORT = /^import (\{[^}]*\}) from "(?:\.\.\/)+http\/page\/(\w+\.js)";\n/gm;

/**
 * @param name The script's file name, such as `resumed_upload.js`.
 * @throws Deno.errors.NotFound if there is none.
 */
export function sharedScript(name: string): Uint8Array<ArrayBuffer> {
  return Deno.readFileSync(new URL(name, FOLDER));
}

/** Makes a script import shared scripts from its own folder, where the page's server serves all of them. */
export function withSharedBeside(script: string): string {
  return script.replace(IMPORT, 'import $1 from "./$2";\n');
}

/** Inlines the shared scripts that a script imports, for inline scripts, which cannot import by URL. */
export function withSharedInside(script: string): string {
  return script.replace(IMPORT, (_, _names, file) => {
    const text = new TextDecoder().decode(sharedScript(file));
    return text.replace(/^export /gm, "");
  });
}
