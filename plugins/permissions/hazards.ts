import { uncovered } from "./coverage.ts";
import { readSedWords, sedEffects } from "./sed.ts";

/** The last part of a command's name, as it would be found on a file system that ignores case. */
export function bareName(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1).toLowerCase();
}

/** They run what stands behind them, or change what later words mean: nothing of theirs is covered by a wildcard. */
const RUNNERS = new Set(
  [
    "sudo doas su runuser pkexec env xargs parallel exec eval source . trap alias export declare typeset local readonly",
    "unset set shopt enable hash bind complete wait unalias builtin command nohup timeout nice ionice time stdbuf setsid chroot unshare",
    "nsenter strace ltrace gdb watch flock busybox toybox script expect screen tmux at batch crontab entr ssh mosh chrt",
    "taskset firejail proot setarch linux32 linux64 cgexec systemd-run dbus-run-session xvfb-run start-stop-daemon",
    "sh bash dash zsh ksh ash fish csh tcsh pwsh coproc mapfile readarray read getopts printf let fc kill",
  ]
    .join(" ")
    .split(" "),
);
/** They run a program by its name: that has to be spelled out, what follows it not. */
const LAUNCHERS = /^(?:npx|pnpx|bunx|uvx|pipx|dlx)$/;
/** Options before the script can bring a program of their own; what follows the script is the script's. */
const INTERPRETERS =
  /^(?:python[\d.]*|pypy\d*|node|nodejs|deno|bun|tsx|ts-node|perl[\d.]*|ruby[\d.]*|php[\d.]*|lua[\d.]*|luajit|osascript|tclsh|wish|java|jshell|groovy|scala|rscript|r|julia|ghci|runghc|erl|elixir|iex)$/;
/** Their options, wherever they stand, can hold commands. */
const CONSOLES = /^(?:sqlite3|psql|mysql|vim?|nvim|ex|ed|emacs|less|more|man|rlwrap)$/;
/** They take commands from their standard input, so that what is fed to them counts. */
const OBEYING = /^(?:psql|mysql|vim?|nvim|ex|ed|emacs)$/;
const SHELLS = /^(?:ba|da|z|k|a|fi|c|tc|pw)?sh$/;

/** Whether a command without words takes its orders from whatever is piped into it. */
export function readsOrders(name: string): boolean {
  return [INTERPRETERS, CONSOLES, SHELLS].some((names) => names.test(bareName(name)));
}

/** Whether what a command is given or fed may be something to run. */
export function takesOrders(name: string): boolean {
  return readsOrders(name) || RUNNERS.has(bareName(name));
}

/** Words that run something else, write somewhere else, or read their orders from somewhere else. */
interface Hazard {
  command: RegExp;
  word?: RegExp;
  /** Names of long options, without dashes; their abbreviations count too. */
  long?: string;
}
const HAZARDS: readonly Hazard[] = [
  { command: /^find$/, word: /^-(?:exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls|files0-from)$/ },
  { command: /^fd(?:find)?$/, word: /^-[a-zA-Z]*[xX]/, long: "exec exec-batch" },
  { command: /^rg$/, word: /^-[a-zA-Z]*z/, long: "pre hostname-bin search-zip" },
  { command: /awk$/, word: /system|getline|[|>@`]|^-[^F]/ },
  {
    command: /^rsync$/,
    word: /^-[a-zA-Z]*[eM]/,
    long: "rsh rsync-path daemon remote-option files-from config password-file log-file backup-dir temp-dir",
  },
  { command: /^(?:scp|sftp)$/, word: /^-[a-zA-Z0-9]*[oSFDJ]/ },
  {
    command: /^(?:npm|pnpm|yarn|bun)$/,
    word: /^(?:exec|x|dlx|explore|edit|config|set|link|create|init|-C|-c)$/,
    long: "script-shell prefix dir cwd node-options globalconfig userconfig call shell git editor scripts-prepend-node-path",
  },
  // A subscript is evaluated.
  { command: /^(?:test|\[)$/, word: /^-[vR]$/ },
  { command: /^(?:zip|unzip|7z[ar]?|gzip|xz|zstd|ar)$/, word: /^-[a-zA-Z]*[TPdo]/, long: "unzip-command" },
  {
    command: /^(?:docker|podman|nerdctl|kubectl)$/,
    word: /^(?:exec|run|cp|compose|build|edit|debug|attach|-H.*|-v.*)$/,
    long: "context host kubeconfig volume mount privileged config",
  },
  {
    command: /^(?:cargo|go|rustc|gcc|cc|clang|c\+\+|g\+\+|ld)$/,
    word: /^(?:install|generate|tool|-exec|-toolexec|-vettool|-modfile|-overlay|-C|-o|-wrapper|-B|-fplugin|-specs|-Z|\+|-Wl|-Xlinker)/,
    long: "config target-dir manifest-path exec toolexec",
  },
  {
    command: /^(?:pip\d*|uv|poetry|gem|bundle|composer|mvn|gradlew?|tox|nox|pytest|jest|vitest|eslint|tsc|prettier)$/,
    word: /^(?:exec|run|config|-[cpoirIDe].*)$/,
    long: "config rootdir plugin rulesdir resolve-plugins-relative-to override-ini index-url init-script project setup globalSetup loader require",
  },
  {
    command: /^(?:tee|dd|cp|mv|ln|install|rm|rmdir|mkdir|touch|chmod|chown|truncate|shred|split|csplit|patch)$/,
    word: /^\/|^(?:of|if)=\/|^-[a-zA-Z]*[tS]/,
    long: "target-directory reference backup filter",
  },
];

/** Which words no wildcard covers: by what the command does with them, and paths that lead back up. */
export function marksOf(values: readonly (string | undefined)[]): boolean[] {
  const [name = ""] = values;
  const bare = bareName(name);
  const behind = hazardOf(bare, values);
  return values.map(
    (value, at) => at > 0 && value !== undefined && (/(?:^|[/=:])\.\.(?:\/|$)/.test(value) || behind(value, at)),
  );
}

function hazardOf(name: string, values: readonly (string | undefined)[]): (value: string, at: number) => boolean {
  if (RUNNERS.has(name)) return () => true;
  const found = uncovered(name, values);
  if (found) return (_value, at) => at >= found.from || (found.words?.includes(at) ?? false);
  if (/^g?sed$/.test(name)) return sedHazard(values);
  if (LAUNCHERS.test(name)) {
    const program = values.findIndex((value, at) => at > 0 && !value?.startsWith("-"));
    return (_value, at) => at <= program || program < 0;
  }
  if (CONSOLES.test(name)) return (value) => OBEYING.test(name) || /^[-+]/.test(value);
  if (INTERPRETERS.test(name)) {
    const script = values.findIndex((value, at) => at > 0 && !/^[-+]/.test(value ?? "-"));
    return (value, at) => at < script || script < 0 || (at === script && /^(?:eval|repl|x|exec)$/.test(value));
  }
  const from = firstOf(
    values,
    HAZARDS.filter(({ command }) => command.test(name)),
  );
  return (_value, at) => at >= from;
}

/** Where the first such word stands; what follows it may belong to it. */
function firstOf(values: readonly (string | undefined)[], hazards: readonly Hazard[]): number {
  const found = values.findIndex(
    (value, at) => at > 0 && value !== undefined && hazards.some((it) => isHazard(value, it)),
  );
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

/** Its script must neither run anything nor name files; that files are changed in their place has to be spelled out. */
function sedHazard(values: readonly (string | undefined)[]): (value: string, at: number) => boolean {
  const { script, inPlace, unknown } = readSedWords(values.map((value) => value ?? ""));
  const effects = script === undefined ? undefined : sedEffects(script);
  const isSafe = !unknown && effects?.runs === false && !effects.files;
  return (value) => !isSafe || (inPlace && /^(?:-[a-zA-Z]*i|--i)/.test(value));
}

/** The command inside one that only lets it run: how many words stand before it, or the script that it is. */
export function unwrapped(values: readonly (string | undefined)[]): { skip: number; script?: string } | undefined {
  let skip = 0;
  for (;;) {
    const [name, ...rest] = values.slice(skip);
    const step = stepOf(name, rest);
    if (step === 0) break;
    skip += step;
  }
  const [name = "", option, script, ...more] = values.slice(skip);
  if (/^(?:bash|sh)$/.test(name) && option === "-c" && script !== undefined && more.length === 0)
    return { skip, script };
  return skip > 0 ? { skip } : undefined;
}

/** How many words a harmless wrapper takes; 0 for anything else. */
function stepOf(name: string | undefined, [first, second, third]: (string | undefined)[]): number {
  const starts = (value: string | undefined) => value !== undefined && /^[\w./][^=]*$/.test(value);
  if (name === "timeout" && /^\d+(?:\.\d+)?[smhd]?$/.test(first ?? "") && starts(second)) return 2;
  if (name === "nice" && first === "-n" && /^\d+$/.test(second ?? "") && starts(third)) return 3;
  return /^(?:nice|nohup|command|time|env)$/.test(name ?? "") && starts(first) ? 1 : 0;
}
