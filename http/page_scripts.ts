/** Scripts in `page/` that pages of both servers use and other scripts import. */

const FOLDER = new URL("./page/", import.meta.url);
/** An import of a shared script, as it stands in a script. */
const IMPORT = /^import (\{[^}]*\}) from "(?:\.\.\/)+http\/page\/(\w+\.js)";\n/gm;

/**
 * Reads a script.
 * @param name Its file, such as `resumed_upload.js`.
 * @throws Deno.errors.NotFound if there is none.
 */
export function sharedScript(name: string): Uint8Array<ArrayBuffer> {
  return Deno.readFileSync(new URL(name, FOLDER));
}

/** Makes a script import shared scripts from its own folder, where a page's server answers with all of them. */
export function withSharedBeside(script: string): string {
  return script.replace(IMPORT, 'import $1 from "./$2";\n');
}

/**
 * Inserts the shared scripts into a script that imports them, for pages with inline scripts, which cannot import by
 * an address.
 */
export function withSharedInside(script: string): string {
  return script.replace(IMPORT, (_, _names, file) => {
    const text = new TextDecoder().decode(sharedScript(file));
    return text.replace(/^export /gm, "");
  });
}
