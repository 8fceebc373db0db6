import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { RunnerConfig } from "../config.ts";
import { errors } from "../errors.ts";

/**
 * Where the sandbox looks for programs. With allow or deny lists it looks nowhere else, because programs that a skill
 * installed are not covered by the lists.
 */
export const FOLDERS = ["/usr/local/bin", "/usr/bin", "/bin"];
/** Shell syntax, which is rejected even inside quotes: a single program does not need it. */
const SHELL = /[\n\r;&|<>]/;
/** Programs that run other programs, which the lists could not check. Names are without a version suffix. */
const WRAPPERS = new Set(
  `ash at awk bash batch busybox bwrap capsh choom chpst chroot chrt command cpulimit crontab csh daemon dash dbus-run-session
   dash doas dtach ed emacs entr env eval ex exec expect fakeroot faketime find firejail fish flatpak flock gawk gdb git ionice
   ksh ld-linux ld.so less linux32 linux64 logrotate lua ltrace make man mawk mksh more nano nawk ncat nc nice nohup
   nsenter nvim original-awk parallel perf perl pg php pkexec prlimit proot rbash rsync ruby run-parts runcon runuser
   rview rvim screen scp script scriptlive sed select-editor sem sensible-editor sensible-pager setarch setlock setpriv setsid sftp
   sg sh socat sort split ssh start-stop-daemon stdbuf strace su sudo systemd-run tar taskset tcl tclsh time timeout
   tmux toybox tsp uclampset unbuffer unshare valgrind vi view vim vimdiff visudo watch xargs xvfb-run zip zsh`.split(
    /\s+/,
  ),
);
/** Variables that change which program a name finds, or what a program loads or runs. */
const STEERING =
  /^(PATH|HOME|SHELL|ENV|BASH_.*|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS4|IFS|CDPATH|GLOBIGNORE|(LD|DYLD|GIT|SSH|PYTHON|RUBY|GEM|BUNDLE|NODE|NPM_CONFIG|npm_config|OPENSSL|LUA|PHP|GTK|QT|GIO|MALLOC|TAR|RSYNC|LESS|MAN|GREP|AWK)_?.*|GCONV_PATH|LOCPATH|NLSPATH|PERL.*|.*JAVA.*_OPTIONS|CLASSPATH|PAGER|EDITOR|VISUAL|BROWSER|ZIPOPT|UNZIP|MAKEFLAGS|GNUMAKEFLAGS|MAKEFILES|TCLLIBPATH|XDG_.*|HOSTALIASES|GETCONF_DIR|RES_OPTIONS)$/;

/**
 * The argv for a command: a shell that runs all of it or, when `[runner]` has allow or deny lists, the single program
 * that it names. Throws RUN_COMMAND.
 */
export function programOf(
  command: string,
  { allow, deny }: Pick<RunnerConfig, "allow" | "deny">,
  env: Readonly<Record<string, string>>,
): [string, ...string[]] {
  if (command.includes("\0"))
    throw errors.RUN_PATH({
      what: "command",
      path: command,
      reason: "it contains a character that commands cannot have",
    });
  if (!hasLists({ allow, deny })) return ["bash", "-c", command];
  const steering = Object.keys(env).find((name) => STEERING.test(name));
  if (steering !== undefined) throw errors.RUN_COMMAND({ reason: `it sets ${steering}` });
  const [program, ...args] = wordsOf(command);
  if (program === undefined) throw errors.RUN_COMMAND({ reason: "command is empty" });
  judge(program, allow, deny);
  return [program, ...args];
}

/** Whether allow or deny lists apply. */
export function hasLists({ allow, deny }: Pick<RunnerConfig, "allow" | "deny">): boolean {
  return allow.length > 0 || deny.length > 0;
}

function judge(program: string, allow: readonly string[], deny: readonly string[]): void {
  const refuse = (reason: string) => errors.RUN_COMMAND({ reason });
  // A path must be in the list literally; a name stands for the file that it finds.
  if (program.includes("/") && !allow.includes(program)) throw refuse(`${program} is not allowed: it is a path`);
  const file = program.includes("/") ? undefined : fileOf(program);
  const isSame = (name: string) => name === program || (file !== undefined && fileOf(name)?.id === file.id);
  if (deny.some((each) => isSame(each) || each === file?.real || (file && basename(file.real) === each)))
    throw refuse(`${program} is denied`);
  if (allow.length > 0 && !allow.some(isSame))
    throw refuse(`${program} is not allowed; allowed are ${shownList(allow)}`);
  if (!allow.includes(program) && isWrapper(program, file)) throw refuse(`${program} runs other programs`);
}

function isWrapper(program: string, file: ProgramFile | undefined): boolean {
  const names = [program, ...(file ? [basename(file.real)] : [])];
  if (names.some((name) => WRAPPERS.has(name) || WRAPPERS.has(plainName(name)))) return true;
  return file !== undefined && [...WRAPPERS].some((name) => fileOf(name)?.id === file.id);
}

/** Strips versions and variants: `perl5.36-x86_64-linux-gnu` becomes `perl`, `vim.tiny` becomes `vim`. */
function plainName(name: string): string {
  return name
    .replace(/[-.](x86|aarch|arm|gnu|basic|tiny|nox|gtk|openbsd|traditional).*$/, "")
    .replace(/[-.]?\d.*$/, "");
}

interface ProgramFile {
  /** The path with links resolved. */
  real: string;
  /** Device and inode number, since a file may have several names. */
  id: string;
}

/** The file that a program name finds. `python3` and `python3.11` may be the same file, and so may two hard links. */
function fileOf(name: string): ProgramFile | undefined {
  if (name === "" || name.includes("/")) return undefined;
  for (const folder of FOLDERS) {
    try {
      const real = realpathSync(join(folder, name));
      accessSync(real, constants.X_OK);
      const { dev, ino } = statSync(real);
      return { real, id: `${dev}:${ino}` };
    } catch {
      // Not in this folder.
    }
  }
  return undefined;
}

const SHOWN = 20;

/** The first names of a list, for people and for the tool's description. */
export function shownList(names: readonly string[]): string {
  const more = names.length - SHOWN;
  return more > 0 ? `${names.slice(0, SHOWN).join(", ")} (+${more} more)` : names.join(", ");
}

/** The characters that a backslash escapes between double quotes; before any other, it stands for itself. */
const ESCAPED = '$`"\\';

/** Splits a command into words as a shell does, without any expansion. */
function wordsOf(command: string): string[] {
  const character = SHELL.exec(command)?.[0];
  if (character !== undefined)
    throw errors.RUN_COMMAND({
      reason: `it has the character ${JSON.stringify(character)}, which requires a shell`,
    });
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < command.length; at++) {
    const letter = command[at] as string;
    if (letter === "\\" && quote !== "'") {
      const next = command[++at];
      if (next === undefined) throw errors.RUN_COMMAND({ reason: "trailing escape" });
      const isKept = quote === '"' && !ESCAPED.includes(next);
      word = (word ?? "") + (isKept ? letter : "") + next;
    } else if (quote !== undefined) {
      if (letter === quote) quote = undefined;
      else word += letter;
    } else if (letter === "'" || letter === '"') {
      quote = letter;
      word ??= "";
    } else if (/\s/.test(letter)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + letter;
  }
  if (quote !== undefined) throw errors.RUN_COMMAND({ reason: "unterminated quote" });
  return word === undefined ? words : [...words, word];
}
