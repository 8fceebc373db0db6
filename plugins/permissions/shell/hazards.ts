import { programOf } from "../tables/index.ts";
import { uncovered, writesNamed } from "./coverage.ts";
import { isViEditor } from "./interpreters.ts";
import { runnerOf, runningSubcommands } from "./runner-tables.ts";
import { isNamedForRunning, isRunningOption, mayRun } from "./running-options.ts";
import { readSedWords, sedEffects } from "./sed.ts";

/** The base name of a command in lower case, since some file systems ignore case. */
export function bareName(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1).toLowerCase();
}

/** Shells, and builtins and programs that run text in their arguments or change what later words mean. */
const ORDERED = new Set(
  (
    "source . alias export declare typeset local readonly unset set shopt enable hash bind complete wait unalias gdb lldb expect " +
    "run-parts screen tmux at batch crontab sh bash dash zsh ksh ash fish csh tcsh pwsh coproc mapfile readarray read getopts printf let fc kill"
  ).split(" "),
);
/** Programs that run a package by name. A rule must spell out that name; its arguments may match a wildcard. */
const LAUNCHERS = /^(?:npx|pnpx|bunx|uvx|pipx|dlx)$/;
/** Interpreters: options before the script can load other programs, and words after it belong to the script. */
const INTERPRETERS =
  /^(?:python[\d.]*|pypy\d*|node|nodejs|deno|bun|tsx|ts-node|perl[\d.]*|ruby[\d.]*|php[\d.]*|lua[\d.]*|luajit|osascript|tclsh|wish|java|jshell|groovy|scala|rscript|r|julia|ghci|runghc|erl|elixir|iex)$/;
/** Options before the script that are safe: they only affect how it runs, or run the project's own tests or modules. */
const SCRIPT_OPTIONS: readonly (readonly [program: RegExp, options: RegExp])[] = [
  [
    /^node(?:js)?$/,
    /^(?:--test|--test-only|--watch|--version|-v|--help|-h|--check|--no-warnings|--trace-warnings|--enable-source-maps|--experimental-strip-types|--experimental-test-coverage|--experimental-vm-modules|--test-reporter=(?:spec|tap|dot|junit|lcov)|--test-(?:concurrency|timeout)=\d+|--test-name-pattern=[\s\S]*)$/,
  ],
  [/^py(?:thon|py)[\d.]*$/, /^-(?:[uBEIsSOqv]+|V|h|m)$|^--(?:version|help)$/],
];
/** Options with which an interpreter does not read code from standard input. */
const NO_INPUT = /^(?:--test|--version|-V|--help|-h)$/;
/** Python modules that run or check the project's own code. */
const MODULES = /^(?:pytest|unittest|doctest|mypy|ruff|flake8|pyflakes|pylint|py_compile|compileall)$/;
/** Programs whose options may contain commands, wherever they stand. */
const CONSOLES = /^(?:sqlite3|psql|mysql|mariadb|ed|emacs|nano|less|more|man)$/;
/** Programs that run commands from standard input. */
const OBEYING = /^(?:psql|mysql|mariadb|ed|emacs)$/;
const SHELLS = /^(?:ba|da|z|k|a|fi|c|tc|pw)?sh$/;

/** Whether a command without arguments runs what is piped into it. */
export function readsOrders(name: string): boolean {
  const bare = bareName(name);
  return isViEditor(bare) || [INTERPRETERS, CONSOLES, SHELLS].some((names) => names.test(bare));
}

/** Whether a command may run its arguments or its standard input. */
export function takesOrders(name: string): boolean {
  return readsOrders(name) || isRunner(bareName(name));
}

/** Whether no wildcard covers the arguments of a program, because it runs them. */
function isRunner(name: string): boolean {
  return ORDERED.has(name) || (runnerOf(name) !== undefined && !LAUNCHERS.test(name));
}

/** Arguments that run something else, write elsewhere, or read commands from elsewhere. */
interface Hazard {
  command: RegExp;
  word?: RegExp;
  /** Long option names without dashes. Abbreviations count too. */
  long?: string;
}
const HAZARDS: readonly Hazard[] = [
  { command: /awk$/, word: /system|getline|[|>@`]|^-[^F]/ },
  { command: /^sftp$/, word: /^-[a-zA-Z0-9]*[oSFDJ]/ },
  {
    command: /^bun$/,
    word: /^(?:exec|x|dlx|edit|config|set|link|create|init|-C|-c)$/,
    long: "prefix dir cwd shell config preload require import",
  },
  // `date` can set the clock, or print the lines of a file.
  { command: /^g?date$/, word: /^-[uR]*[sf]|^\d{8}/, long: "set file" },
  // `-v` evaluates a subscript.
  { command: /^(?:test|\[)$/, word: /^-[vR]$/ },
  { command: /^(?:7z[ar]?|zstd|ar)$/, word: /^-[a-zA-Z]*[TPdo]/, long: "unzip-command" },
  { command: /^(?:docker-compose|podman-compose)$/, word: /^(?:exec|run|cp|build)$/, long: "context host env-file" },
  {
    command: /^(?:rustc|gcc|cc|clang|c\+\+|g\+\+|clang\+\+|ld)$/,
    word: /^(?:@|-o|-wrapper|-B|-fplugin|-specs|-Z|-C|-Wl|-Xlinker|-fuse-ld|-T)/,
    long: "config",
  },
  {
    command: /^(?:cmake|ninja|ctest|cpack)$/,
    word: /^-[EPCSfGt]|^-D\w*(?:COMPILER|LAUNCHER|PROGRAM|COMMAND|PREFIX)/,
    long: "toolchain",
  },
  {
    command: /^(?:uv|poetry|gem|bundle|composer|mvn|gradlew?|tox|nox|ruff|black|mypy|pyright|mocha|biome)$/,
    word: /^(?:@|exec$|run$|config$|-[cpoirIDe])/,
    long: "config rootdir plugin rulesdir override-ini index-url init-script project setup loader require python-executable install-types",
  },
  {
    command: /^(?:dd|install|chown|shred|split|csplit|patch)$/,
    word: /^\/|^(?:of|if)=\/|^-[a-zA-Z]*[tS]/,
    long: "target-directory reference backup filter",
  },
];
/** Programs that only display things, whatever their options. */
const SHOWING = new Set(
  (
    "ls cat head tail wc cut tr nl tac rev fold paste comm join cmp stat du df basename dirname realpath readlink seq echo diff od " +
    "hexdump strings md5sum sha1sum sha224sum sha256sum sha384sum sha512sum cksum base64 which whereis type ps pgrep sleep true false " +
    "pwd uname whoami id nproc free uptime expr tput column file"
  ).split(" "),
);
/** Programs with hazards that only read the paths in their arguments: options that write are hazards. */
const READING = /awk$|^g?date$|^(?:test|\[)$|^(?:rustc|gcc|cc|clang|c\+\+|g\+\+|clang\+\+|ld)$/;

/** Whether a command may write or run the paths in its arguments. Those paths must stay inside the project. */
export function staysInside(values: readonly (string | undefined)[]): boolean {
  const name = bareName(values[0] ?? "");
  const program = programOf(name);
  if (program) return program.stays ?? false;
  if (writesNamed(name, values)) return true;
  const inner = innerProgram(name, values);
  if (inner > 0) return staysInside(values.slice(inner));
  return HAZARDS.some(({ command }) => command.test(name)) ? !READING.test(name) : !isListed(name);
}

/** Where the program begins that a launcher of packages or `python -m` runs. */
function innerProgram(name: string, values: readonly (string | undefined)[]): number {
  if (LAUNCHERS.test(name)) return values.findIndex((value, at) => at > 0 && !value?.startsWith("-"));
  return /^py/.test(name) ? values.indexOf("-m") + 1 : 0;
}

/** Whether more is known about a program than its name. */
function isListed(name: string): boolean {
  return (
    SHOWING.has(name) ||
    isRunner(name) ||
    isViEditor(name) ||
    uncovered(name, []) !== undefined ||
    [LAUNCHERS, CONSOLES, INTERPRETERS, /^g?sed$/].some((names) => names.test(name))
  );
}

/** Marks the words that no wildcard covers: dangerous arguments, and paths with `..`. */
export function marksOf(values: readonly (string | undefined)[]): boolean[] {
  const [name = ""] = values;
  const bare = bareName(name);
  const behind = hazardOf(bare, values);
  return values.map(
    (value, at) =>
      at > 0 && value !== undefined && (/(?:^(?:-\w+)?|[/=:,@])\.\.(?:\/|$)/.test(value) || behind(value, at)),
  );
}

function hazardOf(name: string, values: readonly (string | undefined)[]): (value: string, at: number) => boolean {
  if ((isRunner(name) && name !== "xargs") || isViEditor(name)) return () => true;
  const found = uncovered(name, values);
  if (found) return (_value, at) => at >= found.from || (found.words?.includes(at) ?? false);
  if (/^g?sed$/.test(name)) return sedHazard(values);
  if (LAUNCHERS.test(name)) {
    const program = values.findIndex((value, at) => at > 0 && !value?.startsWith("-"));
    return innerHazard(program, values, (at) => at <= program || program < 0);
  }
  if (CONSOLES.test(name)) return (value) => OBEYING.test(name) || /^[-+]/.test(value);
  if (INTERPRETERS.test(name)) return interpreterHazard(name, values);
  if (name === "xargs") return xargsHazard(values);
  const hazards = HAZARDS.filter(({ command }) => command.test(name));
  const isUnknown = hazards.length === 0;
  const isRunning = (value: string) =>
    isRunningOption(name, value) || isNamedForRunning(value) || (isUnknown && mayRun(value));
  const from = firstOf(
    values,
    (value) =>
      hazards.some((it) => isHazard(value, it)) ||
      (!SHOWING.has(name) && (isRunning(value) || runningSubcommands(name)?.test(value) === true)),
  );
  return (_value, at) => at >= from;
}

/** Marks options before the script, which may load other programs; words after it belong to the script. */
function interpreterHazard(
  name: string,
  values: readonly (string | undefined)[],
): (value: string, at: number) => boolean {
  const script = values.findIndex((value, at) => at > 0 && !/^[-+]/.test(value ?? "-"));
  const options = SCRIPT_OPTIONS.find(([program]) => program.test(name))?.[1];
  const isHarmless = (at: number) => at > 0 && (options?.test(values[at] ?? "") ?? false);
  if (/^py/.test(name) && values[script - 1] === "-m") {
    const isOwn = MODULES.test(values[script] ?? "");
    return innerHazard(script, values, (at) => at < script && !(isOwn && isHarmless(at)));
  }
  // Python tells more after -v, and runs what it reads.
  const isVersion = (value = "") => NO_INPUT.test(value) || (value === "-v" && !/^py/.test(name));
  const readsInput = script < 0 && !values.some(isVersion);
  return (value, at) =>
    values[at] === "-m" ||
    (script < 0 ? readsInput || !isHarmless(at) : at < script && !isHarmless(at)) ||
    (at === script && /^(?:eval|repl|x|exec)$/.test(value));
}

/** For xargs: a display program stays harmless with arguments from standard input, but a rule must name it. */
function xargsHazard(values: readonly (string | undefined)[]): (value: string, at: number) => boolean {
  const program = values.findIndex((value, at) => at > 0 && !/^-(?:[0rt]+|[nPL]\d+)$/.test(value ?? ""));
  if (program < 0 || !SHOWING.has(values[program] ?? "")) return () => true;
  return innerHazard(program, values, (at) => at <= program);
}

/** Marks the words of an inner command, together with words of the outer one that `isOwn` selects. */
function innerHazard(
  start: number,
  values: readonly (string | undefined)[],
  isOwn: (at: number) => boolean,
): (value: string, at: number) => boolean {
  const inner = start < 0 ? [] : values.slice(start);
  const hazard = hazardOf(bareName(inner[0] ?? "").replace(/@[^@]*$/, ""), inner);
  return (value, at) => isOwn(at) || (at > start && hazard(value, at - start));
}

/** The index of the first hazardous word; words after it may be its arguments. */
function firstOf(values: readonly (string | undefined)[], isHazardous: (value: string) => boolean): number {
  const found = values.findIndex((value, at) => at > 0 && value !== undefined && isHazardous(value));
  return found < 0 ? Number.POSITIVE_INFINITY : found;
}

function isHazard(value: string, { word, long = "" }: Hazard): boolean {
  if (word?.test(value)) return true;
  const name = /^--([^=]+)/.exec(value)?.[1];
  return (
    name !== undefined &&
    long.split(" ").some((known) => known.startsWith(name) || (known !== "" && name.startsWith(known)))
  );
}

/** For sed: marks everything unless the script only edits text. A rule must spell out in-place editing. */
function sedHazard(values: readonly (string | undefined)[]): (value: string, at: number) => boolean {
  const { script, inPlace, unknown } = readSedWords(values.map((value) => value ?? ""));
  const effects = script === undefined ? undefined : sedEffects(script);
  const isSafe = !unknown && effects?.runs === false && !effects.files;
  return (value) => !isSafe || (inPlace && /^(?:-[a-zA-Z]*i|--i)/.test(value));
}
