/** Scripts of xdotool: lines of words, with quotes, comments, arguments and variables. */

/** Thrown for a script that cannot continue; the message is xdotool's. */
export class ScriptError extends Error {
  override name = "ScriptError";
}

/** Means of a script. */
export interface ScriptArguments {
  /** The name by which the program was started. */
  program: string;
  /** The script's file, or `-`. */
  path: string;
  /** `$1` and so on. */
  values: readonly string[];
  /** Looks variables of the environment up. */
  env(name: string): string | undefined;
}

/**
 * Splits a line into words. A quote at the beginning of a word reaches to its second; a word that begins with a dollar
 * sign, also in quotes, stands for an argument or a variable.
 * @returns No words for an empty line and for a comment.
 * @throws ScriptError if an argument or a variable is missing.
 * @example
 * scriptWords("key 'a b'", { program: "xdotool", path: "-", values: [], env: () => undefined }); // ["key", "a b"]
 */
export function scriptWords(line: string, given: ScriptArguments): string[] {
  let rest = line.replace(/^[ \t]+/, "");
  if (rest.startsWith("#")) return [];
  const words: string[] = [];
  while (rest) {
    const quote = /^["']/.exec(rest)?.[0];
    if (quote) rest = rest.slice(1);
    const end = rest.search(quote ? new RegExp(quote) : /[ \t]/);
    const word = end < 0 ? rest : rest.slice(0, end);
    words.push(word.startsWith("$") ? expanded(word.slice(1), given) : word);
    rest = end < 0 ? "" : rest.slice(end + 1).replace(/^[ \t]+/, "");
  }
  return words;
}

function expanded(name: string, { program, path, values, env }: ScriptArguments): string {
  if (/^\d/.test(name)) {
    const number = parseInt(name, 10);
    if (number === 0) return path;
    const value = values[number - 1];
    if (value !== undefined) return value;
    throw new ScriptError(
      `${program}: error: \`${path}' needs at least ${number} ${number === 1 ? "argument" : "arguments"}; ` +
        `only ${values.length} given`,
    );
  }
  const value = env(name);
  if (value !== undefined) return value;
  throw new ScriptError(`${program}: error: environment variable $${name} is not set.`);
}
