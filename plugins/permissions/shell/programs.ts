/** Programs that do not run their arguments as commands. */
const QUIET = new Set(
  (
    "echo printf cat head tail wc sort uniq cut tr diff cmp comm paste join column fold fmt nl tac rev od xxd hexdump strings " +
    "grep egrep fgrep rg ag ack ls tree stat file du df date cal sleep basename dirname realpath readlink seq which whereis type " +
    "cd pushd popd dirs pwd true false : test [ read export declare local readonly typeset unset set shopt let return exit shift " +
    "break continue wait kill pkill pgrep ps top jobs fg bg umask ulimit getopts alias hash mkdir rmdir rm cp mv ln touch chmod " +
    "chown chgrp install truncate shred tee dd mktemp sync jq yq curl wget ping dig host nslookup git gh glab hub npm pnpm yarn " +
    "cargo go rustc gcc g++ cc c++ clang clang++ ld make gmake cmake ninja pip pip3 poetry gem composer mvn gradle gradlew dotnet " +
    "pytest jest vitest mocha eslint prettier tsc biome ruff black mypy terraform helm apt apt-get brew dpkg rpm systemctl " +
    "journalctl service uname hostname whoami id groups users uptime free history env printenv gzip gunzip zcat bzip2 xz zstd zip " +
    "unzip 7z md5sum sha1sum sha256sum sha512sum cksum base64 openssl ssh-keygen ssh-keyscan scp sftp say open code sed awk gawk mawk " +
    "tput clear reset stty nproc lscpu lsblk lsof netstat ss ip ifconfig mount umount expr bc factor numfmt shuf split csplit patch ffmpeg"
  ).split(" "),
);
/** Options by which otherwise quiet programs run another program. */
const RUNNING_OPTIONS: readonly [program: RegExp, option: RegExp][] = [
  [/^g?sort$/, /^--com/],
  [/^split$/, /^--f/],
  [/^rg$/, /^--(?:pre|hos)/],
  [/^(?:scp|sftp)$/, /^-[a-zA-Z0-9]*[oSD]/],
  [/^(?:zip|unzip)$/, /^-TT|^--u/],
  [/^wget$/, /^--(?:use-a|exec)|^-e/],
  [/^(?:npm|pnpm|yarn)$/, /^--(?:script-s|shell|call|node-o|git=|editor)|^-c$/],
  [/^cargo$/, /^--config/],
  [/^go$/, /^--?(?:exec|toolexec|vettool)/],
  [/^(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+)$/, /^-(?:wrapper|fplugin|specs|B)/],
  [/^gh$/, /^(?:alias|extension|codespace|cs)$/],
  [/^(?:cmake|ninja|mvn|gradle|gradlew)$/, /^-[EP]$/],
  [/^(?:mount|umount|ip|journalctl|curl|openssl)$/, /^netns$|^-engine$|^--engine$/],
  [/^ssh-keygen$/, /^-[wD]/],
  [/^patch$/, /^-[a-zA-Z]*e|^--ed/],
];

/** Whether a program is known to run none of these arguments as commands. */
export function isQuiet(name: string, words: readonly string[]): boolean {
  if (!QUIET.has(name)) return false;
  return !RUNNING_OPTIONS.some(([program, option]) => program.test(name) && words.some((word) => option.test(word)));
}

/** Options whose value is run, so that it must be known. */
const VALUE_IS_RUN: readonly [program: RegExp, option: RegExp][] = [
  ...RUNNING_OPTIONS,
  [/^(?:g|bsd)?tar$/, /^-[a-zA-Z]*[IF]|^--(?:to-c|checkpoint-a|use-c|rsh|rmt|info|new-v)/],
  [/^rsync$/, /^-[a-zA-Z]*e|^--rs/],
  [/^fd(?:find)?$/, /^-[a-zA-Z]*[xX]|^--exec/],
];

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

const STEERING =
  /^(GIT_(?!AUTHOR|COMMITTER|TERMINAL|TRACE|DIR=|WORK_TREE|INDEX|CEILING|DISCOVERY|MERGE_AUTOEDIT|OPTIONAL)\w*|BASH_ENV|BASH_ALIASES\b.*|BASH_FUNC_.*|ENV|PROMPT_COMMAND|PS[0-4]|\w*EDITOR|VISUAL|\w*PAGER|SHELL|BROWSER|NODE_OPTIONS|PERL5OPT|PERL5DB|RUBYOPT|PYTHONSTARTUP|PYTHONINSPECT|LESSOPEN|LESSCLOSE|MAKEFLAGS|GNUMAKEFLAGS|MAKEFILES|MAKESHELL|\.SHELLFLAGS|npm_config_\w+|RSYNC_RSH|TAR_OPTIONS|SSH_ASKPASS|SUDO_ASKPASS|CARGO_\w*(?:RUNNER|WRAPPER|LINKER)|RUSTC_WRAPPER|GOFLAGS|LD_PRELOAD|LD_AUDIT)\+?=([\s\S]*)$/i;

/** The value that an assignment gives to a variable that names programs to run; undefined for any other word. */
export function steeringOf(word: string): string | undefined {
  return STEERING.exec(word.slice(0, 32_000))?.[2];
}
