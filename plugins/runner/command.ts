import { realpathSync } from "node:fs";
import { basename, join } from "node:path";
import type { RunnerConfig } from "./config.ts";
import { errors } from "./errors.ts";

/** Where the sandbox looks for programs. */
const FOLDERS = ["/usr/local/bin", "/usr/bin", "/bin"];
/** Refused also within quotes: nothing of a shell is needed to run one program. */
const SHELL = /[\n\r;&|<>]/;
/** Programs that run another one: what they run could not be judged. */
const WRAPPERS = new Set(
  `ash awk bash busybox chroot command csh dash doas env eval exec expect find fish flock gawk gdb ionice ksh ld-linux-x86-64.so.2
   make mawk mksh nice nohup nsenter parallel perl pkexec runuser script setarch setpriv setsid sh ssh stdbuf strace su sudo
   systemd-run taskset tclsh time timeout toybox unshare vi vim watch xargs zsh`.split(/\s+/),
);
/** What changes which program a name means, or what a program loads before it begins. */
const STEERING =
  /^(PATH|HOME|SHELL|ENV|BASH_ENV|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS4|IFS|CDPATH|GLOBIGNORE|LD_.*|DYLD_.*|GCONV_PATH|PYTHON.*|PERL5?.*|RUBY.*|NODE_.*|JAVA_TOOL_OPTIONS)$/;

/**
 * The program and arguments of a command: a shell with all of it, or, where [runner] allows or denies programs, the one
 * program that it names. Throws RUN_COMMAND.
 */
export function programOf(
  command: string,
  { allow, deny }: Pick<RunnerConfig, "allow" | "deny">,
  env: Readonly<Record<string, string>>,
): [string, ...string[]] {
  if (command.includes("\0"))
    throw errors.RUN_PATH({ what: "command", path: command, reason: "it has a character that none can have" });
  if (allow.length === 0 && deny.length === 0) return ["bash", "-c", command];
  const steering = Object.keys(env).find((name) => STEERING.test(name));
  if (steering !== undefined) throw errors.RUN_COMMAND({ reason: `it sets ${steering}` });
  const [program, ...args] = wordsOf(command);
  if (program === undefined) throw errors.RUN_COMMAND({ reason: "command is empty" });
  judge(program, allow, deny);
  return [program, ...args];
}

function judge(program: string, allow: readonly string[], deny: readonly string[]): void {
  const refuse = (reason: string) => errors.RUN_COMMAND({ reason });
  // A path is what it is only if it stands there letter by letter; a name is the file that it finds.
  if (program.includes("/") && !allow.includes(program)) throw refuse(`${program} is not allowed: it is a path`);
  const real = program.includes("/") ? program : realOf(program);
  const names = new Set([program, ...(real === undefined ? [] : [real, basename(real)])]);
  const denied = deny.find((each) => names.has(each) || (real !== undefined && realOf(each) === real));
  if (denied !== undefined) throw refuse(`${program} is denied`);
  const allowed = allow.some((each) => each === program || (real !== undefined && realOf(each) === real));
  if (allow.length > 0 && !allowed) throw refuse(`${program} is not allowed; allowed are ${shownList(allow)}`);
  const wrapper = [...names].find((name) => WRAPPERS.has(name));
  if (wrapper !== undefined && !allow.includes(program)) throw refuse(`${program} runs other programs`);
}

/** The file behind a program's name, links followed: `python3` and `python3.11` are one. */
function realOf(name: string): string | undefined {
  for (const folder of FOLDERS) {
    try {
      return realpathSync(join(folder, name));
    } catch {
      // Not in this one.
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

/** Words as a shell takes them apart, with nothing expanded. */
function wordsOf(command: string): string[] {
  const character = SHELL.exec(command)?.[0];
  if (character !== undefined)
    throw errors.RUN_COMMAND({
      reason: `it has the character ${JSON.stringify(character)}, which only a shell understands`,
    });
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < command.length; at++) {
    const letter = command[at] as string;
    if (letter === "\\" && quote !== "'") {
      const next = command[++at];
      if (next === undefined) throw errors.RUN_COMMAND({ reason: "trailing escape" });
      word = (word ?? "") + next;
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
