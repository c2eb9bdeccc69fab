/** Programs in pages of the documentation. */

import { CLIENT_TARBALL, makeClientPackage, makePythonPackages } from "../../tools/package/clients.ts";
import { mustRun } from "../support/shell.ts";

/**
 * The blocks of a page in a language.
 * @param language As it stands behind the fence; `py` and `python` are two, of which one is not run.
 */
export function programsOf(page: string, language: string): string[] {
  const blocks = page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, "gm"));
  return Array.from(blocks, ([, text]) => text);
}

// The clients as `deno task package` makes them, installed as a user installs them.

/** The needs of an installed client. */
export interface Installed extends AsyncDisposable {
  /** The folder: of Python's packages, or of a project of npm. */
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
  await Deno.chmod(folder, 0o755); // programs of other users import it too
  return { folder, [Symbol.asyncDispose]: remove };
}

/**
 * Installs the package for Python.
 * @param form The package's form: wheel or source; the wheel if left out.
 */
export function installPython(form: "wheel" | "source" = "wheel"): Promise<Installed> {
  return installed(async (folder, made) => {
    const [wheel, source] = await makePythonPackages(made);
    const path = form === "wheel" ? wheel : source;
    await mustRun("python3", ["-m", "pip", "install", "-q", "--no-index", "--no-deps", "-t", folder, path]);
  });
}

/** Installs the package for npm in a project of its own. */
export function installTypescript(): Promise<Installed> {
  return installed(async (folder, made) => {
    await makeClientPackage(made);
    await Deno.writeTextFile(`${folder}/package.json`, '{"type":"module","private":true}\n');
    const options = ["--offline", "--no-audit", "--no-fund", "--silent", "--prefix", folder];
    await mustRun("npm", ["install", ...options, `${made}/${CLIENT_TARBALL}`]);
  });
}

/** Runs Python with an installed client; returns its output, of both streams, and its exit code. */
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
