import { MANY } from "./gaps.ts";
import type { Inner } from "./runners.ts";

type Row = readonly [program: RegExp, word: RegExp];

/** Options and subcommands by which programs that do other things run another program. Long options may be abbreviated. */
const RUNNING_OPTIONS: readonly Row[] = [
  [/^g?sort$/, /^--co/],
  [/^g?split$/, /^--f/],
  [/^g?install$/, /^--strip-p/],
  [/^rg$/, /^--(?:pre|hostname-bin)(?:=|$)/],
  [/^(?:ag|ack)$/, /^--(?:pager|output|ackrc)/],
  [/^(?:scp|sftp|sshfs)$/, /^-[a-zA-Z0-9]*[oSD]/],
  [/^(?:zip|unzip)$/, /^-[a-zA-Z0-9]*TT|^--u/],
  [/^wget$/, /^--(?:use-a|exe)|^-[bcdkmnpqrvxEFHKLNSV46]*e/],
  [/^(?:npm|pnpm|yarn)$/, /^--(?:script-s|shell|call|node-o|git=|editor)|^-c$/],
  [/^composer$/, /^(?:exec|config|run-script)$/],
  [/^cargo$/, /^--config|^(?:watch|bacon)$/],
  [/^rustc$/, /^-C|^-Z|^--codegen/],
  [/^go$/, /^--?(?:exec|toolexec|vettool)/],
  [/^(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+)(?:-[\d.]+)?$/, /^-(?:wrapper|fplugin|specs|B)/],
  [/^ld$/, /^--?plugin/],
  [/^(?:gh|glab)$/, /^(?:alias|config|extension|codespace|cs)$/],
  [/^(?:cmake|ninja|mvn|gradle|gradlew)$/, /^-[EP]$|^-D[\w.]*(?:exec|launcher|command|program)/i],
  [/^dotnet$/, /^(?:exec|watch)$/],
  [/^(?:mount|umount|journalctl|curl|openssl)$/, /^-engine$|^--engine$/],
  [/^ip$/, /^(?:netns|vrf)$/],
  [/^ip6?tables(?:-\w+)?$/, /^--modp|^-M/],
  [/^ssh-keygen$/, /^-[wD]/],
  [/^patch$/, /^-[a-zA-Z]*e|^--ed/],
  [/^dpkg(?:-\w+)?$/, /^--(?:pre-i|post-i|status-l|hook|\w+-(?:hook|command)|sign-c|host-a)/],
  [/^(?:apt|apt-get|apt-cache|aptitude|apt-mark)$/, /^-[a-zA-Z]*[oc]|^--(?:opt|conf)/],
  [/^(?:rpm|rpmbuild|rpm-build|dnf|yum|zypper)$/, /^-[a-zA-Z]*[DE]|^--(?:ev|def|pip|setopt|load|macros|rcfile)/],
  [/^socat$/, /^(?:exec|system|shell)\b/i],
  [/^brew$/, /^(?:sh|exec|ruby|irb|bundle)$/],
  [/^(?:tcpdump|dumpcap)$/, /^-[a-zA-Z]*z/],
  [/^(?:nc|ncat|netcat)$/, /^-[a-zA-Z0-9]*[ec]|^--(?:exec|sh-|lua)/],
  [/^aria2c$/, /^--on-/],
  [/^openvpn$/, /^--(?:up|down|route-up|ipchange|tls-verify|auth-user-pass-verify|client-connect|learn-address)/],
  [/^pandoc$/, /^-[a-zA-Z]*[FL]|^--(?:filter|lua-f|pdf-e)/],
  [/^latexmk$/, /^-[er]$|^-\w*latex=/],
  [/^hg$/, /^--config/],
  [/^svn$/, /^--(?:config-o|diff-c|diff3|editor)/],
  [/^mypy$/, /^--py[\w-]*exec/],
  [/^fzf$|^sk$/, /^--(?:preview|bind)/],
  [/^(?:pdsh|borg|cpio|rdiff-backup|duplicity|restic)$/, /^-R$|^--(?:rsh|remote-s|rsh-c|option)|^-o$/],
];
/** More such options, of programs whose words are always searched for commands. */
const VALUE_IS_RUN: readonly Row[] = [
  ...RUNNING_OPTIONS,
  [/^(?:g|bsd)?tar$/, /^-[a-zA-Z]*[IF]|^--(?:to-c|checkpoint-a|use-c|rsh|rmt|info|new-v)/],
  [/^rsync$/, /^-[a-zA-Z]*e|^--rs/],
  [/^fd(?:find)?$/, /^-[a-zA-Z]*[xX]|^--exec/],
];
/** Parts of option names whose value is executed, or loaded into the program. */
const RUNNING_NAMES = new Set(
  (
    "exec execute executable cmd command commands shell script eval hook hooks plugin plugins require preload loader rcfile editor " +
    "pager browser viewer askpass interpreter launcher wrapper linker renderer program invoke spawn launch call callback rsh entrypoint"
  ).split(" "),
);
/** Options of an unknown program that often run something: `--run`, but not `--dry-run`, and these letters, also behind others. */
const OFTEN_RUNNING = /^--(?:(?:pre|post|before|after|on)-)?run(?:=|$)|^-[a-zA-Z]{0,3}[cex]$/;
/** Words of any other program that may run something: also `-c` and `-e` with their value, or bundled with a few letters. */
const MAY_RUN =
  /^(?:exec|eval|shell)$|^--(?:(?:pre|post|before|after|on)-)?run(?:=|$)|^-(?=[a-zA-Z]*[ce])[a-zA-Z]{1,4}$|^-[ce](?:[^a-zA-Z]|.*[\s/;|&])/s;
/** Usual names of options with one dash that begin with `c` or `e`. */
const USUAL_OPTIONS =
  "cache|certs?|chdir|check|class|classpath|clean|code|colou?rs?|columns?|compact|compress|config|confirm|connect|context|copy|count|cover|" +
  "coverprofile|cpuprofile|create|edit|enable|encoding|endpoint|env-file|environment|errors?|exact|exclude|exit|expand|explain|export|expr|extended|" +
  "ext|extra|extract";
/** `-c` or `-e` of any other program with a command attached, as in `-ctouch`. */
const MAY_RUN_ATTACHED = new RegExp(`^-(?!(?:${USUAL_OPTIONS})$)[ce][\\w.+-]+$`);
/** Programs that only print or compare their arguments, or whose options are read in another place. */
const READ_ELSEWHERE = /^(?:echo|printf|test|\[|true|false|:|git|hub|find|fd|fdfind|g?make)$/;

/** Whether the name of an option says that the option runs or loads something. */
export function isNamedForRunning(word: string): boolean {
  const name = /^--?([^=]+)/.exec(word)?.[1];
  const parts = name?.split(/[-_.:]|(?<=[a-z])(?=[A-Z])/) ?? [];
  return parts.some((part) => RUNNING_NAMES.has(part.toLowerCase()));
}

/** Whether an argument of an unknown program may make it run something. */
export function mayRun(word: string): boolean {
  return MAY_RUN.test(word) || MAY_RUN_ATTACHED.test(word);
}

/** Whether a word makes a known program run another program. */
export function isRunningOption(name: string, word: string): boolean {
  return VALUE_IS_RUN.some(([program, option]) => program.test(name) && option.test(word));
}

/** Whether one of the words makes a program, which otherwise runs none of its arguments, run another program. */
export function hasRunningOption(name: string, words: readonly string[]): boolean {
  return RUNNING_OPTIONS.some(([program, option]) => program.test(name) && words.some((word) => option.test(word)));
}

/** Whether a program has options that make it run another program. */
export function runsByOptions(name: string): boolean {
  return name === "find" || VALUE_IS_RUN.some(([program]) => program.test(name));
}

/** Whether an option makes a program run something that is only known at run time. */
export function runsUnknown(name: string, words: readonly string[], isUnknown: (word: string) => boolean): boolean {
  return VALUE_IS_RUN.some(([program, option]) => {
    const at = program.test(name) ? words.findIndex((word, index) => index > 0 && option.test(word)) : -1;
    return at > 0 && words.slice(at).some(isUnknown);
  });
}

/** The commands in options that run their value, such as `rg --pre`. The program may add arguments. Undefined if there is no such option. */
export function optionInner(name: string, words: readonly string[]): Inner | undefined {
  if (READ_ELSEWHERE.test(name)) return undefined;
  const rows = VALUE_IS_RUN.filter(([program]) => program.test(name));
  return valuesInner(
    words.flatMap((word, at) => {
      if (at === 0 || !word.startsWith("-")) return [];
      const found = rows.map(([, option]) => option.exec(word)).find((match) => match !== null);
      if (found) return [valueAt(words, at, found[0].length)];
      return isNamedForRunning(word) ? [valueAt(words, at, word.length)] : [];
    }),
  );
}

/**
 * The commands that an unknown program may run by options such as `-c` and `--run`. Values that are words of their own and have several words
 * in them are read as scripts anyway.
 */
export function unknownOptionInner(words: readonly string[]): Inner | undefined {
  const values = words.flatMap((word, at) =>
    at > 0 && OFTEN_RUNNING.test(word) ? [valueAt(words, at, word.length)] : [],
  );
  return valuesInner([...values.filter((value) => !/\s/.test(value)), ...words.slice(1).flatMap(attachedValues)]);
}

/** The values attached to `-c`, `-e` and `-x` in one word, which may begin with other one-letter options: `git` in `-vcgit`. */
function attachedValues(word: string): string[] {
  const letters = /^-([a-zA-Z]{0,3})./.exec(word)?.[1] ?? "";
  return [...letters].flatMap((letter, at) => (/[cex]/.test(letter) ? [word.slice(at + 2)] : []));
}

/** The value of an option: after `=`, the rest of the word after `length` characters, or the next word. */
function valueAt(words: readonly string[], at: number, length: number): string {
  const word = words[at] as string;
  const attached = /^--?[\w-]+=([\s\S]*)$/.exec(word)?.[1];
  if (attached !== undefined) return attached;
  const rest = word.startsWith("--") ? "" : word.slice(length);
  return rest || (words[at + 1] ?? "");
}

function valuesInner(values: readonly string[]): Inner | undefined {
  // A value may set something by name: `ProxyCommand=nc`, `LocalCommand nc`, `DPkg::Pre-Invoke::=nc`, also in quotes: `a.runner="nc"`.
  const texts = values.flatMap((value) => {
    const set = value.replace(/^[\w.:-]+(?:=|\s+)/, "");
    return [value, set, set.replace(/^[["']+|["'\]]+$/g, "")];
  });
  const known = [...new Set(texts)].filter((text) => /\S/.test(text));
  if (known.length === 0) return undefined;
  return {
    commands: known.map((text) => ({ words: [...text.trim().split(/\s+/), MANY], sure: false })),
    scripts: known.filter((text) => /\s/.test(text)).map((text) => ({ text, sure: false })),
    unsure: [],
  };
}
