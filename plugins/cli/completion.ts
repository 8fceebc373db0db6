import type { CliCommand, CliOption } from "./contract.ts";
import { universalOptions } from "./help.ts";
import { type Option, readOption } from "./option.ts";

export type Shell = "bash" | "zsh" | "fish";

/** A position on the command line: the noun and action typed so far, and what may follow. */
interface Place {
  /** For example `session list`, `session ` (an action follows), or ` ` (the root command; a noun follows). */
  key: string;
  /** Nouns or actions that may follow. */
  words: Word[];
  options: Option[];
}
interface Word {
  word: string;
  description: string;
}
interface Table {
  places: Place[];
  /** Options that take the following word as their value. */
  valued: string[];
}

/** Returns a shell script that completes these commands. */
export function completionScript(shell: Shell, commands: readonly CliCommand[], global: readonly CliOption[]): string {
  const table = tableOf(commands, [...global, ...universalOptions].map(readOption));
  return { bash, zsh, fish }[shell](table);
}

function tableOf(commands: readonly CliCommand[], global: readonly Option[]): Table {
  const nouns = new Set(commands.map(({ noun }) => noun));
  const places = [...nouns].flatMap((noun) => placesOf(noun, commands, global));
  const valued = places.flatMap(({ options }) => options.filter(takesNext).flatMap(({ names }) => names));
  return { places, valued: [...new Set(valued)].sort() };
}

function placesOf(noun: string, commands: readonly CliCommand[], global: readonly Option[]): Place[] {
  const own = commands.filter((command) => command.noun === noun);
  const bare = own.find(({ action }) => action === undefined);
  const following =
    noun === "" ? nounsOf(commands) : own.flatMap(({ action, description }) => wordOf(action, description));
  const place = (key: string, words: Word[], command?: CliCommand): Place => ({
    key,
    words,
    options: [...(command?.options ?? []).map(readOption), ...global],
  });
  const first = place(`${noun} `, following, bare);
  const actions = own.filter(({ action }) => action !== undefined);
  return [first, ...actions.map((command) => place(`${noun} ${command.action}`, [], command))];
}

function nounsOf(commands: readonly CliCommand[]): Word[] {
  const nouns = new Map<string, string[]>();
  for (const { noun, action, description } of commands)
    if (noun !== "") nouns.set(noun, [...(nouns.get(noun) ?? []), action ?? description]);
  return [...nouns].map(([word, parts]) => ({ word, description: parts.join(", ") }));
}

function wordOf(word: string | undefined, description: string): Word[] {
  return word === undefined ? [] : [{ word, description }];
}

function takesNext({ value, optional }: Option): boolean {
  return value !== undefined && !optional;
}

/** Returns how to complete a value: with given words, files, folders or nothing. */
function kindOf({ values, value = "" }: Option): "words" | "files" | "folders" | "nothing" {
  if (values) return "words";
  if (/file|path/.test(value)) return "files";
  return /dir/.test(value) ? "folders" : "nothing";
}

/** Returns `case` branches that complete an option's value. */
function cases({ places }: Table, say: (kind: ReturnType<typeof kindOf>, words: string) => string): string {
  const values = places.flatMap(({ key, options }) =>
    options.filter(takesNext).map((option) => {
      const patterns = option.names.map((name) => `"${key} ${name}"`).join("|");
      return `    ${patterns}) ${say(kindOf(option), (option.values ?? []).join(" "))}; return ;;`;
    }),
  );
  return values.join("\n");
}

function wordsAt({ words, options }: Place): string {
  return [...words.map(({ word }) => word), ...options.flatMap(({ names }) => names)].join(" ");
}

/**
 * Returns shell code that finds noun and action before the cursor. Works in bash and zsh, which index words
 * differently.
 */
function findPlace({ valued }: Table, first: number, end: string, word: string): string {
  return `  local noun= action= skip= i w
  for ((i = ${first}; i < ${end}; i++)); do
    w=${word}
    if [[ -n $skip ]]; then skip=; continue; fi
    case $w in
      ${valued.join("|")}) skip=1 ;;
      -*) ;;
      *) if [[ -z $noun ]]; then noun=$w; elif [[ -z $action ]]; then action=$w; fi ;;
    esac
  done`;
}

function places({ places: all }: Table, say: (words: string) => string): string {
  return all.map((place) => `    "${place.key}") ${say(wordsAt(place))} ;;`).join("\n");
}

function bash(table: Table): string {
  const reply = (what: string) => `COMPREPLY=($(compgen ${what} -- "$cur"))`;
  const kinds = { files: "-f", folders: "-d" };
  const say = (kind: ReturnType<typeof kindOf>, words: string) =>
    kind === "nothing" ? ":" : reply(kind === "words" ? `-W "${words}"` : kinds[kind]);
  return `# bash completion for scorel; load it with: source <(scorel completion bash)
_scorel() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
${findPlace(table, 1, "COMP_CWORD", `\${COMP_WORDS[i]}`)}
  COMPREPLY=()
  case "$noun $action $prev" in
${cases(table, say)}
  esac
  case "$noun $action" in
${places(table, (words) => reply(`-W "${words}"`))}
  esac
}
complete -o filenames -o bashdefault -F _scorel scorel
`;
}

function zsh(table: Table): string {
  const say = (kind: ReturnType<typeof kindOf>, words: string) =>
    ({ words: `compadd -- ${words}`, files: "_files", folders: "_files -/", nothing: ":" })[kind];
  return `#compdef scorel
# zsh completion for scorel; load it with: source <(scorel completion zsh)
_scorel() {
  local prev=\${words[CURRENT-1]}
${findPlace(table, 2, "CURRENT", `\${words[i]}`)}
  case "$noun $action $prev" in
${cases(table, say)}
  esac
  case "$noun $action" in
${places(table, (words) => `compadd -- ${words}`)}
    *) _files ;;
  esac
}
if [[ \${funcstack[1]} == _scorel ]]; then _scorel "$@"; else compdef _scorel scorel; fi
`;
}

function fish(table: Table): string {
  const rows = table.places.flatMap((place) => {
    const at = `complete -c scorel -n '__scorel_at "${place.key}"'`;
    const words = place.words.map(({ word, description }) => `${at} -f -a ${word} -d ${quoted(description)}`);
    return [...words, ...place.options.map((option) => `${at} ${fishOption(option)}`)];
  });
  return `# fish completion for scorel; load it with: scorel completion fish | source
function __scorel_at
    set -l found
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch $word
            case ${table.valued.join(" ")}
                set skip 1
            case '-*'
            case '*'
                set -a found $word
        end
    end
    test "$found[1] $found[2]" = "$argv[1]"
end
${rows.join("\n")}
`;
}

function fishOption(option: Option): string {
  const names = option.names.map((name) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const kinds = {
    words: `-x -a ${quoted((option.values ?? []).join(" "))}`,
    files: "-r -F",
    folders: "-x -a '(__fish_complete_directories)'",
    nothing: "-x",
  };
  const value = takesNext(option) ? [kinds[kindOf(option)]] : [];
  return [...names, ...value, "-d", quoted(option.description)].join(" ");
}

function quoted(text: string): string {
  return `'${text.replace(/['\\]/g, "\\$&")}'`;
}
