import { hasRunningOption } from "./running-options.ts";

/** Programs that do not run their arguments as commands. */
const QUIET = new Set(
  (
    "echo printf cat head tail wc sort uniq cut tr diff cmp comm paste join column fold fmt nl tac rev od xxd hexdump strings " +
    "grep egrep fgrep rg ag ack ls tree stat file du df date cal sleep basename dirname realpath readlink seq which whereis type " +
    "cd pushd popd dirs pwd true false : test [ read export declare local readonly typeset unset set shopt let return exit shift " +
    "break continue wait kill pkill pgrep ps top jobs fg bg umask ulimit getopts alias hash mkdir rmdir rm cp mv ln touch chmod " +
    "chown chgrp install truncate shred tee dd mktemp sync jq yq curl wget ping dig host nslookup git gh glab npm pnpm yarn " +
    "cargo go rustc gcc g++ cc c++ clang clang++ ld make gmake cmake ninja pip pip3 poetry gem composer mvn gradle gradlew dotnet " +
    "pytest jest vitest mocha eslint prettier tsc biome ruff black mypy terraform helm apt apt-get brew dpkg rpm systemctl " +
    "journalctl service uname hostname whoami id groups users uptime free history env printenv gzip gunzip zcat bzip2 xz zstd zip " +
    "unzip 7z md5sum sha1sum sha256sum sha512sum cksum base64 openssl ssh-keygen ssh-keyscan scp sftp say open code sed awk gawk mawk " +
    "tput clear reset stty nproc lscpu lsblk lsof netstat ss ip ifconfig mount umount expr bc factor numfmt shuf split csplit patch ffmpeg"
  ).split(" "),
);

/** Whether a program is known to run none of these arguments as commands. */
export function isQuiet(name: string, words: readonly string[]): boolean {
  return QUIET.has(name) && !hasRunningOption(name, words);
}

const STEERING =
  /^(GIT_(?!AUTHOR|COMMITTER|TERMINAL|TRACE|DIR=|WORK_TREE|INDEX|CEILING|DISCOVERY|MERGE_AUTOEDIT|OPTIONAL)\w*|BASH_ENV|BASH_ALIASES\b.*|BASH_FUNC_.*|ENV|PROMPT_COMMAND|PS[0-4]|\w*EDITOR|VISUAL|\w*PAGER|SHELL|BROWSER|NODE_OPTIONS|PERL5OPT|PERL5DB|RUBYOPT|PYTHONSTARTUP|PYTHONINSPECT|LESSOPEN|LESSCLOSE|LESSEDIT|MAKEFLAGS|GNUMAKEFLAGS|MAKEFILES|MAKESHELL|\.SHELLFLAGS|npm_config_\w+|RSYNC_RSH|TAR_OPTIONS|SSH_ASKPASS|SUDO_ASKPASS|CARGO_\w*(?:RUNNER|WRAPPER|LINKER)|RUSTC_WRAPPER|CC|CXX|RUSTC|RUSTDOC|GOFLAGS|LD_PRELOAD|LD_AUDIT)\+?=([\s\S]*)$/i;

/** The value that an assignment gives to a variable that names programs to run; undefined for any other word. */
export function steeringOf(word: string): string | undefined {
  return STEERING.exec(word.slice(0, 32_000))?.[2];
}
