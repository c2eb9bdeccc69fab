/** Programs in documentation pages, and installed clients. */

import { CLIENT_TARBALL, makeClientPackage, makePythonPackages } from "../../tools/package/clients.ts";
import { mustRun } from "../support/shell.ts";

/**
 * A page's code blocks in a language.
 * @param language The fence's info string; `py` and `python` are different, and one of them is not run.
 */
export function programsOf(page: string, language: string): string[] {
  const blocks = page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, "gm"));
  return Array.from(blocks, ([, text]) => text);
}

// The clients' packages by `deno task package`, installed as users do.

/** An installed client. */
export interface Installed extends AsyncDisposable {
  /** The folder of Python packages or of the npm project. */
  folder: string;
}

async function installed(fill: (folder: string, made: string) => Promise<void>): Promise<Installed> {
  const folder = await Deno.makeTempDir({ prefix: "deskhand-client-" });
  const made = await Deno.makeTempDir({ prefix: "deskhand-packages-" });
  const remove = () => Deno.remove(folder, { recursive: true });
  try {
    await fill(folder, made);
  } catch (error) {
    await remove();
    throw error;
  } finally {
    await Deno.remove(made, { recursive: true });
  }
  await Deno.chmod(folder, 0o755); // other users' programs import it too
  return { folder, [Symbol.asyncDispose]: remove };
}

/**
 * Installs the Python package.
 * @param form Wheel (default) or source.
 */
export function installPython(form: "wheel" | "source" = "wheel"): Promise<Installed> {
  return installed(async (folder, made) => {
    const [wheel, source] = await makePythonPackages(made);
    const path = form === "wheel" ? wheel : source;
    await mustRun("python3", ["-m", "pip", "install", "-q", "--no-index", "--no-deps", "-t", folder, path]);
  });
}

/** Installs the npm package in a separate project. */
export function installTypescript(): Promise<Installed> {
  return installed(async (folder, made) => {
    await makeClientPackage(made);
    await Deno.writeTextFile(`${folder}/package.json`, '{"type":"module","private":true}\n');
    const options = ["--offline", "--no-audit", "--no-fund", "--silent", "--prefix", folder];
    await mustRun("npm", ["install", ...options, `${made}/${CLIENT_TARBALL}`]);
  });
}

/** Runs Python with an installed client; returns the exit code and the output of both streams. */
export async function python(
  { folder }: Installed,
  args: string[],
  env: Record<string, string> = {},
  program = "python3",
): Promise<{ code: number; printed: string }> {
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args,
    env: { PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: "1", NO_COLOR: "1", ...env },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, printed: decoder.decode(stdout) + decoder.decode(stderr) };
}
