import type { CliCommand, CliOption } from "./contract.ts";
import { universalOptions } from "./help.ts";
import { type Option, readOption } from "./option.ts";

/** The names of completion sources. */
export const KIND = /^[a-z][\w-]*$/;

export type Shell = "bash" | "zsh" | "fish";

/** A position on the command line: the noun and action typed so far, and what may follow. */
interface Place {
  /** For example `session list`, `session ` (an action follows), or ` ` (the root command; a noun follows). */
  key: string;
  /** Nouns or actions that may follow, or a word in place of the first argument. */
  words: Word[];
  /** The kind of the values that may follow as the first argument. */
  completes?: string;
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
    completes: kindIn(command?.completes),
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

/** The kind of completion source that an option or a command names. Other texts would become part of the script. */
function kindIn(completes: string | undefined): string | undefined {
  return completes !== undefined && KIND.test(completes) ? completes : undefined;
}

/** How to complete a value: with given words, with the values of a completion source, files, folders or nothing. */
type Offer = { words: string } | { kind: string } | "files" | "folders" | "nothing";

function offerOf({ values, completes, value = "" }: Option): Offer {
  const kind = kindIn(completes);
  if (values) return { words: values.join(" ") };
  if (kind !== undefined) return { kind };
  if (/file|path/.test(value)) return "files";
  return /dir/.test(value) ? "folders" : "nothing";
}

/** Returns `case` branches that complete an option's value. */
function cases({ places }: Table, say: (offer: Offer) => string): string {
  const values = places.flatMap(({ key, options }) =>
    options
      .filter((option) => takesNext(option) || kindIn(option.completes) !== undefined)
      .map((option) => {
        const patterns = option.names.map((name) => `"${key} ${name}"`).join("|");
        const offer = `${say(offerOf(option))}; return`;
        // Another option may follow one whose value may be left out.
        return `    ${patterns}) ${takesNext(option) ? offer : `[[ $cur == -* ]] || { ${offer}; }`} ;;`;
      }),
  );
  return values.join("\n");
}

/**
 * Returns shell code that finds noun and action before the cursor. Works in bash and zsh, which index words
 * differently.
 */
function findPlace({ valued }: Table, first: number, end: string, word: string): string {
  return `  local noun= action= arg= skip= i w
  for ((i = ${first}; i < ${end}; i++)); do
    w=${word}
    if [[ -n $skip ]]; then skip=; continue; fi
    case $w in
      ${valued.join("|")}) skip=1 ;;
      -*) ;;
      *) if [[ -z $noun ]]; then noun=$w; elif [[ -z $action ]]; then action=$w; else arg=$w; fi ;;
    esac
  done`;
}

/** Returns `case` branches for what may follow a noun and an action: options after a dash, else words and the first argument. */
function places({ places: all }: Table, say: (offer: Offer) => string): string {
  const rows = all.map(({ key, words, completes: kind, options }) => {
    const names = say({ words: options.flatMap((option) => option.names).join(" ") });
    const following = say(words.length === 0 ? "nothing" : { words: words.map(({ word }) => word).join(" ") });
    const offered = kind === undefined ? following : `[[ -n $arg ]] || { ${following}; ${say({ kind })}; }`;
    return `    "${key}") if [[ $cur == -* ]]; then ${names}; else ${offered}; fi ;;`;
  });
  return rows.join("\n");
}

function bash(table: Table): string {
  const reply = (what: string) => `COMPREPLY=($(compgen ${what} -- "$cur"))`;
  const say = (offer: Offer) => {
    if (offer === "nothing") return ":";
    if (offer === "files" || offer === "folders") return reply(offer === "files" ? "-f" : "-d");
    return "words" in offer ? reply(`-W "${offer.words}"`) : `_scorel_values ${offer.kind}`;
  };
  // `compgen -W` would run commands that stand in a value, such as the name of a project's preset.
  return `# bash completion for scorel; load it with: source <(scorel completion bash)
_scorel_values() {
  local value
  while IFS=$'\\t' read -r value _; do
    if [[ $value == "$cur"* ]]; then COMPREPLY+=("$value"); fi
  done < <(scorel completion values "$1" 2>/dev/null)
}
# Joins words that bash has divided at colons, such as the parts of ollama/qwen3:8b.
_scorel_words() {
  local word
  words=() count=0
  for word in "\${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
    if ((count > 0)) && [[ $word == :* || \${words[count-1]} == *: ]]; then words[count-1]+=$word; else words[count++]=$word; fi
  done
}
_scorel() {
  COMPREPLY=()
  local words count
  _scorel_words
  _scorel_offer
  # Bash replaces only what follows the last colon.
  local cur=\${words[count-1]}
  if [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]]; then COMPREPLY=("\${COMPREPLY[@]#"\${cur%"\${cur##*:}"}"}"); fi
}
_scorel_offer() {
  local cur=\${words[count-1]} prev=\${words[count-2]}
${findPlace(table, 1, "count - 1", `\${words[i]}`)}
  case "$noun $action $prev" in
${cases(table, say)}
  esac
  case "$noun $action" in
${places(table, say)}
  esac
}
complete -o filenames -o bashdefault -F _scorel scorel
`;
}

function zsh(table: Table): string {
  const say = (offer: Offer) => {
    if (typeof offer === "string") return { files: "_files", folders: "_files -/", nothing: ":" }[offer];
    return "words" in offer ? `compadd -- ${offer.words}` : `_scorel_values ${offer.kind}`;
  };
  return `#compdef scorel
# zsh completion for scorel; load it with: source <(scorel completion zsh)
_scorel_values() {
  local -a lines=("\${(@f)$(scorel completion values $1 2>/dev/null)}")
  local -a shown=("\${(@)lines//$'\\t'/  }") values=("\${(@)lines%%$'\\t'*}")
  [[ -z $lines ]] || compadd -l -V scorel-$1 -d shown -a -- values
}
_scorel() {
  local cur=\${words[CURRENT]} prev=\${words[CURRENT-1]}
${findPlace(table, 2, "CURRENT", `\${words[i]}`)}
  case "$noun $action $prev" in
${cases(table, say)}
  esac
  case "$noun $action" in
${places(table, say)}
    *) _files ;;
  esac
}
if [[ \${funcstack[1]} == _scorel ]]; then _scorel "$@"; else compdef _scorel scorel; fi
`;
}

function fish(table: Table): string {
  const rows = table.places.flatMap((place) => {
    const at = (how = "") => `complete -c scorel -n '__scorel_at "${place.key}"${how && ` ${how}`}'`;
    // After an action, the word takes the place of the first argument.
    const how = place.key.endsWith(" ") ? "" : "alone";
    const words = place.words.map(({ word, description }) => `${at(how)} -f -a ${word} -d ${quoted(description)}`);
    const values = place.completes === undefined ? [] : [`${at("alone")} -f -a ${quoted(fishValues(place.completes))}`];
    const options = place.options.flatMap((option) => [`${at()} ${fishOption(option)}`, ...afterOption(option, at)]);
    return [...words, ...values, ...options];
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
    if test "$argv[2]" = alone; and test (count $found) -gt 2
        return 1
    end
    test "$found[1] $found[2]" = "$argv[1]"
end
function __scorel_after
    contains -- (commandline -opc)[-1] $argv
end
function __scorel_values
    command -q scorel; and scorel completion values $argv[1] 2>/dev/null
end
${rows.join("\n")}
`;
}

function fishOption(option: Option): string {
  const names = option.names.map((name) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const value = takesNext(option) ? [fishOffer(offerOf(option))] : [];
  return [...names, ...value, "-d", quoted(option.description)].join(" ");
}

function fishOffer(offer: Offer): string {
  if (typeof offer === "string")
    return { files: "-r -F", folders: "-x -a '(__fish_complete_directories)'", nothing: "-x" }[offer];
  return `-x -a ${quoted("words" in offer ? offer.words : fishValues(offer.kind))}`;
}

/** fish takes the word after an option whose value is optional for an argument, so its values are offered as those. */
function afterOption({ names, completes, optional }: Option, at: () => string): string[] {
  const kind = kindIn(completes);
  if (kind === undefined || !optional) return [];
  return [`${at()} -n '__scorel_after ${names.join(" ")}' -f -a ${quoted(fishValues(kind))}`];
}

function fishValues(kind: string): string {
  return `(__scorel_values ${kind})`;
}

function quoted(text: string): string {
  return `'${text.replace(/['\\]/g, "\\$&")}'`;
}
