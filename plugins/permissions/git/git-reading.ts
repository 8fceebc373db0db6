import { firstOperand, type OptionTable, readOption } from "../shell/options.ts";
import { TOOL_OPTIONS } from "../shell/subcommands.ts";
import { gitOptions } from "./git-options.ts";

/** Which contents of tracked files a git command shows. */
export type GitReading = "nothing" | "named files" | "everything";

type Values = readonly (string | undefined)[];
interface Asked {
  command: string;
  options: { name: string; value?: string }[];
  /** Whether every option is known and written in full. */
  isKnown: boolean;
  operands: string[];
  /** The words after `--`. */
  behind: string[];
}

const set = (names: string) => new Set(names.split(" "));
/** Commands that show only names and commit data, unless an option adds contents. */
const SILENT = set(
  "branch checkout cherry-pick clean describe fetch for-each-ref fsck gc init log ls-remote merge merge-base mv name-rev pull push rebase " +
    "reflog remote reset restore rev-list rev-parse revert rm shortlog show-ref sparse-checkout status switch symbolic-ref update-index " +
    "update-ref version check-ignore count-objects ls-files ls-tree",
);
/** Like `SILENT`, for commands whose options are not listed. */
const SILENT_UNLISTED = set(
  "help var maintenance prune repack pack-refs interpret-trailers check-attr check-ref-format commit-graph",
);
/** Commands that show or store the contents of only the files that they name. */
const NAMING = set("add commit tag notes blame annotate");
const NAMING_UNLISTED = set("hash-object apply am config credential send-email mailinfo");
/** Commands that show file contents, unless an option limits them to names and numbers. */
const SHOWING = set("show diff diff-index diff-tree diff-files whatchanged");
/** Options that show file contents. */
const PATCH = set(
  "p u patch patch-with-raw patch-with-stat c cc dd W U unified function-context binary full-diff word-diff word-diff-regex color-words " +
    "diff-merges remerge-diff G S L ext-diff textconv show-current-patch",
);
const PLAIN_PATCH = set("patch show-current-patch");
const LOGS = set("log reflog shortlog rev-list show diff diff-index diff-tree diff-files whatchanged");
const PATCH_OF: Readonly<Record<string, ReadonlySet<string>>> = {
  status: set("v verbose"),
  commit: set("v verbose p patch"),
  // `--cacheinfo` can give a file's content another name.
  "update-index": set("cacheinfo"),
  ...Object.fromEntries("add checkout reset restore stash".split(" ").map((name) => [name, set("p patch")])),
};
const NUMBERS = set(
  "stat numstat shortstat dirstat summary name-only name-status raw compact-summary s no-patch quiet",
);
/** Settings that do not make git show more. */
const HARMLESS_SETTING =
  /^(?:color\.|user\.|advice\.|init\.|http\.|protocol\.|gc\.|safe\.|column\.|core\.(?:quotepath|autocrlf|abbrev)|(?:core\.pager|core\.editor|pager\.\w+)=(?:cat|less|true|false)?$)/i;
/** Pathspec characters, which may select more than the named file. */
const MAGIC = /[*?[\\]|^:/;

/**
 * What a git command shows, judged by its words. It is "nothing" only when the command and all its options are known to show no
 * contents.
 */
export function gitReadingOf(words: Values, exists: (word: string) => boolean): GitReading {
  const asked = askedOf(words);
  if (!asked) return "everything";
  const own = shownBy(asked);
  return own === "everything" && isLimited(asked, exists) ? "named files" : own;
}

function askedOf(values: Values): Asked | undefined {
  const words = values.map((value) => value ?? "*");
  const found = firstOperand(words, 1, TOOL_OPTIONS.git as OptionTable);
  const [place] = found?.places ?? [];
  if (!found || !place?.sure || found.places.length > 1) return undefined;
  const isElsewhere = found.options.some(
    ({ name, value = "" }) =>
      /^(?:git-dir|work-tree|config-env|namespace|attr-source)$/.test(name) ||
      (name === "exec-path" && value !== "") ||
      (name === "c" && !HARMLESS_SETTING.test(value)),
  );
  return isElsewhere ? undefined : readFrom(words, place.at);
}

function readFrom(words: readonly string[], from: number): Asked {
  const command = words[from] ?? "";
  const table = gitOptions(command);
  const asked: Asked = { command, options: [], isKnown: table !== undefined, operands: [], behind: [] };
  for (let at = from + 1; at < words.length; at++) {
    const word = words[at] as string;
    if (word === "--") {
      asked.behind = words.slice(at + 1);
      break;
    }
    if (!/^-./.test(word)) asked.operands.push(word);
    else if (table) {
      const option = readOption(words, at, table);
      asked.options.push(...option.options);
      asked.isKnown &&= option.known && !option.isShort;
      at += option.takes - 1;
    }
  }
  return asked;
}

function shownBy({ command, options, isKnown, operands, behind }: Asked): GitReading {
  const [first] = operands;
  if (command === "") return "nothing";
  if (SILENT_UNLISTED.has(command)) return "nothing";
  if (NAMING_UNLISTED.has(command)) return "named files";
  if (command === "bisect") return /^(?:run|view|visualize)$/.test(first ?? "") ? "everything" : "nothing";
  if (command === "submodule") return /^(?:foreach|summary)$/.test(first ?? "") ? "everything" : "nothing";
  if (command === "worktree") return first === "add" ? "everything" : "nothing";
  if (command === "clone") return isRemote(first) ? "nothing" : "named files";
  if (command === "stash") return stashed(first ?? "", options, isKnown);
  const isPatch = options.some(({ name }) =>
    (PATCH_OF[command] ?? (LOGS.has(command) ? PATCH : PLAIN_PATCH)).has(name),
  );
  if (!isKnown || isPatch) return "everything";
  if (SILENT.has(command)) return "nothing";
  if (NAMING.has(command)) return "named files";
  if (!SHOWING.has(command)) return "everything";
  // Naming a blob shows all of it, whatever the options say.
  const isBlob = [...operands, ...behind].some((word) => /:|^[\da-f]{4,64}$/.test(word)) && command === "show";
  return isBlob || !onlyNumbers(options) ? "everything" : "nothing";
}

function stashed(first: string, options: Asked["options"], isKnown: boolean): GitReading {
  const has = (names: ReadonlySet<string>) => options.some(({ name }) => names.has(name));
  if (!isKnown || has(set("p patch"))) return "everything";
  if (first === "list") return has(PATCH) ? "everything" : "nothing";
  if (first === "show") return onlyNumbers(options) && !has(PATCH) ? "nothing" : "everything";
  return "nothing";
}

function onlyNumbers(options: Asked["options"]): boolean {
  const isTaken = ({ name }: { name: string }) =>
    /^no-(?:stat|numstat|shortstat|dirstat|summary|name|raw|compact|quiet|s$)/.test(name);
  return options.some(({ name }) => NUMBERS.has(name)) && !options.some(isTaken);
}

function isRemote(address: string | undefined): boolean {
  return address !== undefined && /^(?!file:)[a-z+]+:\/\/|^[\w.-]+@?[\w.-]*:(?!\/\/)/i.test(address);
}

/** Whether everything that is shown is inside the files and folders that the words name. */
function isLimited({ command, options, isKnown, operands, behind }: Asked, exists: (word: string) => boolean): boolean {
  const takesPaths =
    /^(?:diff|log|show|grep|archive|diff-index|diff-tree|diff-files|whatchanged|add|checkout|reset|restore|reflog|shortlog)$/;
  if (
    !takesPaths.test(command) ||
    options.some(({ name }) => /^(?:full-diff|L|output|pathspec-from-file|O)$/.test(name))
  )
    return false;
  if (behind.length > 0) return isKnown && !behind.some((word) => MAGIC.test(word));
  const paths = command === "grep" && !options.some(({ name }) => name === "e") ? operands.slice(1) : operands;
  return isKnown && paths.some(exists) && !paths.some((word) => MAGIC.test(word));
}
