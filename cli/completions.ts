/** Shell completions, generated from the table of options: `deskhand completions bash`. */

import type { Option } from "./option.ts";
import { OPTIONS } from "./option_table.ts";
import { MAIN_OPTIONS, optionsOf, ownOptions, type SHELLS, type Subcommand } from "./subcommand.ts";

type Shell = typeof SHELLS[number];

type Subcommands = readonly Subcommand[];
type Argument = NonNullable<Subcommand["argument"]>;

const MAKERS: Record<Shell, (subcommands: Subcommands) => string> = { bash, zsh, fish, powershell };

/**
 * Generates the completions for a shell.
 * @param subcommands Completed as the first word.
 * @returns A script for the shell to source.
 */
export function completions(shell: Shell, subcommands: readonly Subcommand[]): string {
  return MAKERS[shell](subcommands);
}

/** The spellings of an option. */
function spellings(row: Option): string[] {
  return [`--${row.name}`, ...row.short ? [`-${row.short}`] : []];
}

/** The completions for an option's value: words from the table, files, or folders; "unknown" for others. */
function values(row: Option): readonly string[] | "file" | "folder" | "unknown" {
  return row.choices ?? row.path ?? "unknown";
}

/**
 * The words of a value, each with its meaning, in the shell's syntax.
 * @param described Combines a word with its meaning.
 */
function describedWords(
  { choices = [], meanings }: Option,
  described: (word: string, meaning: string) => string,
) {
  return choices.map((word) => meanings ? described(word, meanings[word]) : word).join(" ");
}

/** bash(1), "Programmable Completion". bash splits `--name=value` into three words. */
function bash(subcommands: Subcommands): string {
  const reply = (what: string) => `mapfile -t COMPREPLY < <(compgen ${what} -- "$word")`;
  const paths = {
    file: `compopt -o filenames; ${reply("-f")}; `,
    folder: `compopt -o filenames; ${reply("-d")}; `,
    unknown: "",
  };
  const cases = OPTIONS.filter(({ kind }) => kind !== "flag").map((row) => {
    const known = values(row);
    const found = typeof known === "string" ? paths[known] : `${reply(`-W '${known.join(" ")}'`)}; `;
    // If the value is optional, another option may follow.
    const pattern = spellings(row).join("|");
    return row.kind === "optional"
      ? `    ${pattern}) [[ $word == -* ]] || { ${found}return; } ;;`
      : `    ${pattern}) ${found}return ;;`;
  });
  const argument = (argument: Argument) =>
    "path" in argument ? paths[argument.path] : `${reply(`-W '${argument.choices.join(" ")}'`)}; `;
  const words = subcommands.map((row) =>
    `    ${row.name}) ${row.argument ? argument(row.argument) : ""}return ;;`
  );
  const names = subcommands.map(({ name }) => name);
  const all = [...MAIN_OPTIONS.flatMap(spellings), ...names].join(" ");
  const behind = subcommands.flatMap((row) => {
    const offered = [...optionsOf(row).flatMap(spellings), "--help"].join(" ");
    return row.isFirst ? [] : [`    ${row.name}) ${reply(`-W '${offered}'`)}; return ;;`];
  });
  return [
    "# bash completion for deskhand: source <(deskhand completions bash)",
    "_deskhand() {",
    "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}",
    "  if [[ $word == = ]]; then word=",
    "  elif [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi",
    "  COMPREPLY=()",
    "  case $before in",
    ...cases,
    ...words.map((line) =>
      line.replace(")", `) [[ $word == -* ]] || { `).replace("return ;;", "return; } ;;")
    ),
    "  esac",
    `  local first; for first in "\${COMP_WORDS[@]:1}"; do [[ " ${
      names.join(" ")
    } " == *" $first "* ]] && break; done`,
    "  case $first in",
    ...behind,
    "  esac",
    `  ${reply(`-W '${all}'`)}`,
    "}",
    "complete -F _deskhand deskhand",
  ].join("\n");
}

/** zshcompsys(1), `_arguments`. */
function zsh(subcommands: Subcommands): string {
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const plain = (text: string) => text.replace(/[[\]:\\]/g, "\\$&");
  const paths = { file: "_files", folder: "_files -/", unknown: " " };
  const specs = (row: Option) => {
    const known = values(row);
    const words = describedWords(row, (word, meaning) => `${word}\\:${quote(plain(meaning))}`);
    const action = typeof known === "string" ? paths[known] : row.meanings ? `((${words}))` : `(${words})`;
    const value = row.kind === "flag"
      ? ""
      : `${row.kind === "optional" ? "::" : ":"}${plain(row.value!)}:${action}`;
    const once = row.kind === "list" ? "*" : row.short ? `(${spellings(row).join(" ")})` : "";
    // If a value is optional and none can be offered, options are offered instead.
    const apart = row.kind === "optional" && known === "unknown" ? "=-" : "=";
    const takes = (spelling: string) => row.kind === "flag" ? "" : spelling.startsWith("--") ? apart : "+";
    return spellings(row).map((spelling) =>
      quote(`${once}${spelling}${takes(spelling)}[${plain(row.summary)}]${value}`)
    );
  };
  const withOwn = subcommands.filter((row) => ownOptions(row).length);
  const own = withOwn.map((row) => `    ${row.name}) own=(${ownOptions(row).flatMap(specs).join(" ")}) ;;`);
  const words = subcommands.map(({ name, summary }) => `${name}\\:${quote(plain(summary))}`).join(" ");
  const offer = (argument: Argument) =>
    "path" in argument ? paths[argument.path] : `compadd -- ${argument.choices.join(" ")}`;
  const followed = subcommands.flatMap((row) =>
    row.argument ? `    ${row.name}) ${offer(row.argument)} ;;` : []
  );
  return [
    "#compdef deskhand",
    "# zsh completion for deskhand: source <(deskhand completions zsh)",
    "_deskhand() {",
    "  local -a own",
    `  case \${words[(r)(${withOwn.map(({ name }) => name).join("|")})]} in`,
    ...own,
    "  esac",
    `  _arguments -S ${MAIN_OPTIONS.flatMap(specs).join(" \\\n    ")} $own \\`,
    `    ${quote(`1:word:((${words}))`)} '2: :_deskhand_second'`,
    "}",
    "_deskhand_second() {",
    "  case ${words[CURRENT-1]} in",
    ...followed,
    "  esac",
    "}",
    'if [[ $funcstack[1] == _deskhand ]]; then _deskhand "$@"; else compdef _deskhand deskhand; fi',
  ].join("\n");
}

/** fish: complete(1). */
function fish(subcommands: Subcommands): string {
  const quote = (text: string) => `'${text.replace(/[\\']/g, "\\$&")}'`;
  const folders = "'(__fish_complete_directories)'";
  const paths = { file: " -r -F", folder: ` -x -a ${folders}`, unknown: " -x" };
  /** The completions after `=`, for an optional value. */
  const bound = { file: "", folder: ` -a ${folders}`, unknown: "" };
  const options = OPTIONS.flatMap((row) => {
    const known = values(row);
    const words = quote(describedWords(row, (word, meaning) => `${word}\\t${quote(meaning)}`));
    const takes = row.kind === "optional" ? bound : paths;
    const offered = row.kind === "flag" ? "" : typeof known === "string" ? takes[known] : ` -x -a ${words}`;
    const short = row.short ? ` -s ${row.short}` : "";
    const users = MAIN_OPTIONS.includes(row)
      ? []
      : subcommands.filter((subcommand) => ownOptions(subcommand).some(({ name }) => name === row.name)).map((
        { name },
      ) => name);
    const when = users.length ? ` -n '__fish_seen_subcommand_from ${users.join(" ")}'` : "";
    const line = `complete -c deskhand${when} -l ${row.name}${short}${offered} -d ${quote(row.summary)}`;
    // fish accepts an optional value only after `=`, and completes the next word as a plain argument.
    return row.kind === "optional" && known === "folder"
      ? [line, `complete -c deskhand -n '__fish_prev_arg_in --${row.name}' -a ${folders}`]
      : [line];
  });
  const words = subcommands.flatMap((row) => [
    `complete -c deskhand -n __fish_use_subcommand -a ${row.name} -d ${quote(row.summary)}`,
    ...(row.argument
      ? [
        `complete -c deskhand -n '__fish_seen_subcommand_from ${row.name}'${
          "path" in row.argument ? paths[row.argument.path] : ` -a ${quote(row.argument.choices.join(" "))}`
        }`,
      ]
      : []),
  ]);
  return [
    "# fish completion for deskhand: deskhand completions fish | source",
    "complete -c deskhand -f",
    ...options,
    ...words,
  ].join("\n");
}

/** PowerShell completions, with Register-ArgumentCompleter -Native. PowerShell completes files if none match. */
function powershell(subcommands: Subcommands): string {
  const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;
  const list = (texts: readonly string[]) => `@(${texts.map(quote).join(", ")})`;
  const all = [
    ...MAIN_OPTIONS.flatMap((row) => spellings(row).map((spelling) => [spelling, row.summary])),
    ...subcommands.map(({ name, summary }) => [name, summary]),
  ];
  const known: (readonly [name: string, choices: readonly string[], meanings?: Option["meanings"]])[] = [
    ...OPTIONS.flatMap((row) =>
      row.choices ? spellings(row).map((spelling) => [spelling, row.choices!, row.meanings] as const) : []
    ),
    ...subcommands.flatMap(({ name, argument }) =>
      argument && "choices" in argument ? [[name, argument.choices] as const] : []
    ),
  ];
  const own = subcommands.filter((row) => ownOptions(row).length).map((row) =>
    `    ${quote(row.name)} = [ordered]@{ ${
      ownOptions(row).map(({ name, summary }) => `${quote(`--${name}`)} = ${quote(summary)}`).join("; ")
    } }`
  );
  const described = (choices: readonly string[], meanings: Option["meanings"]) =>
    choices.map((word) => `${quote(word)} = ${quote(meanings?.[word] ?? word)}`).join("; ");
  const others = OPTIONS.filter((row) => row.kind !== "flag" && row.kind !== "optional" && !row.choices);
  const files = subcommands.flatMap(({ name, argument }) => argument && "path" in argument ? [name] : []);
  return [
    "# PowerShell completion for deskhand: deskhand completions powershell | Out-String | Invoke-Expression",
    "Register-ArgumentCompleter -Native -CommandName deskhand, deskhand.exe -ScriptBlock {",
    "  param($word, $command, $cursor)",
    "  $offers = [ordered]@{",
    ...all.map(([name, summary]) => `    ${quote(name)} = ${quote(summary)}`),
    "  }",
    "  $own = @{",
    ...own,
    "  }",
    "  $values = @{",
    ...known.map(([name, choices, meanings]) =>
      `    ${quote(name)} = [ordered]@{ ${described(choices, meanings)} }`
    ),
    "  }",
    `  $others = ${list([...others.flatMap(spellings), ...files])}`,
    "  $typed = @($command.CommandElements | ForEach-Object { $_.ToString() })",
    "  $before = if ($word -and $typed.Count -gt 1) { $typed[-2] } else { $typed[-1] }",
    "  if ($others -ccontains $before) { return }",
    "  foreach ($name in $typed) { if ($own.ContainsKey($name)) { $offers += $own[$name] } }",
    "  $found = if ($values.ContainsKey($before)) { $values[$before] } else { $offers }",
    '  $found.Keys | Where-Object { $_ -clike "$word*" } | ForEach-Object {',
    "    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $found[$_])",
    "  }",
    "}",
  ].join("\n");
}
