import { hasGap, MANY, PIPE } from "./gaps.ts";
import { isHarmlessCode } from "./harmless-code.ts";
import { mayRunCommands } from "./sed.ts";

/** The code that a shell or an interpreter runs. */
export interface ShellCode {
  /** A shell script given as an argument. */
  script?: string;
  /** A script file. */
  file?: string;
  /** Startup files that run first. */
  also?: string[];
  /** Whether it runs code from standard input. */
  reads?: boolean;
  /** Why the code is unknown. */
  unsure?: string;
}

const SHELLS = /^(?:ba|da|z|k|mk|a|fi|c|tc|rba|ya)?sh$/;
/** Long options of bash with one dash; other shells take their letters for options. */
const LONG_WITH_ONE_DASH =
  /^-(?:login|norc|noprofile|noediting|posix|restricted|verbose|debugger|rcfile|init-file|version|help)$/;
const LONG_OPTIONS = /^--(?:login|norc|noprofile|noediting|posix|restricted|verbose|debugger|private|no-config)$/;

/** The code that a shell runs, judged by its arguments; undefined for other programs. */
export function shellCode(name: string, words: readonly string[]): ShellCode | undefined {
  if (name === "source" || name === ".") return fileCode(words[words[1] === "--" ? 2 : 1], name);
  if (!SHELLS.test(name)) return undefined;
  let [at, isCommand, isInput] = [1, false, false];
  const also: string[] = [];
  for (; /^[-+\uE000-\uE002]/.test(words[at] ?? ""); at++) {
    const word = words[at] as string;
    if (/^(?:\uE001\/|\uE002)/.test(word)) break;
    if (hasGap(word)) return { unsure: `the arguments of ${name}` };
    if (/^--(?:version|help)$/.test(word)) return {};
    if (/^--?$/.test(word)) {
      at++;
      break;
    }
    if (LONG_WITH_ONE_DASH.test(word)) return { unsure: `the option ${word} of ${name}` };
    if (/^--(?:rcfile|init-file)$/.test(word)) also.push(words[++at] ?? MANY);
    else if (word.startsWith("--") ? !LONG_OPTIONS.test(word) : name === "fish" && /C/.test(word))
      return { unsure: `the option ${word} of ${name}` };
    if (word.startsWith("--")) continue;
    if (/^-.*c/.test(word)) isCommand = true;
    if (/^-.*s/.test(word)) isInput = true;
    at += word.replace(/[^oO]/g, "").length;
  }
  const operand = words[at];
  const before = also.map((file) => fileCode(file, name));
  const vague = before.find(({ file }) => file === undefined);
  if (vague) return { unsure: `the file that ${name} begins with` };
  const own = codeOf(operand, isCommand, isInput, name);
  return also.length > 0 ? { ...own, also } : own;
}

function codeOf(operand: string | undefined, isCommand: boolean, isInput: boolean, name: string): ShellCode {
  if (operand === undefined) return isCommand ? {} : { reads: true };
  if (!isCommand) return isInput ? { reads: true } : fileCode(operand, name);
  return isForeign(name, operand) ? { script: operand, unsure: `a script for ${name}` } : { script: operand };
}

/** Whether a script has syntax that another shell parses differently from bash: unquoted escapes, and `=name`. */
export function isForeign(name: string, script: string): boolean {
  if (!/^(?:z|fi|c|tc|ya)sh$/.test(name)) return false;
  return /\\[A-Za-z0-9]|(?:^|[\s;&|({"'`])=\w|\([eE+][^\s)]/.test(script);
}

function fileCode(file: string | undefined, name: string): ShellCode {
  if (file === undefined) return {};
  if (/^\/dev\/(?:stdin|fd\/0)$|^\/proc\/self\/fd\/0$|^-$/.test(file)) return { reads: true };
  const isVague =
    file.includes(PIPE) || file.includes(MANY) || /^[\uE000-\uE002]$/.test(file) || /^\/(?:dev|proc)\//.test(file);
  return isVague ? { unsure: `the file that ${name} runs` } : { file };
}

/** Interpreters, and the arguments by which they take code. */
const INTERPRETERS: readonly [name: RegExp, code: RegExp][] = [
  [/^(?:python[\d.]*|pypy[\d.]*|ipython[\d.]*)$/, /^-[a-zA-Z]*c/],
  [
    /^(?:node|nodejs|tsx|ts-node)$/,
    /^-[a-z]*[ep]|^--(?:eval|print)|^data:|=data:|^--(?:require|import|loader|experimental-loader)=?data:/,
  ],
  [/^bun$/, /^-[a-z]*[ep]|^--(?:eval|print)|data:/],
  [/^deno$/, /^(?:eval|repl)$|data:/],
  // Perl makes code of the values of -d and -F, too.
  [/^perl[\d.]*$/, /^-[a-zA-Z0-9]*[eEmMdF]/],
  [/^ruby[\d.]*$/, /^-[a-zA-Z0-9]*e/],
  [/^php[\d.]*$/, /^-[a-zA-Z]*[rBREd]|^--(?:run|process)/],
  [/^(?:julia|racket|groovy)$/, /^-[a-zA-Z]*[eE]|^--(?:eval|print|exec)/],
  [
    /^(?:lua[\d.]*|luajit|osascript|r|rscript|elixir|iex|scala|ghc|erl|octave|guile|sbcl|swift|jshell)$/,
    /^-{1,2}(?:e|E|eval|expr|exec|c)/,
  ],
  [
    /^(?:tclsh[\d.]*|wish|ghci|runghc|expect|pwsh|powershell|gdb|lldb|dc|m4)$/,
    /^-(?:c|e|ex|command|enc|encodedcommand)/i,
  ],
  [/^(?:nu|elvish|xonsh|osh|ysh|oil|posh|ion|scsh|hush|murex)$/, /^-c|^--command/],
];
/** The editors of the vi family, which run commands of theirs and of the shell by `+` and `-c`. */
const VI = /^(?:[rg]{0,2}(?:vim?|view|vimdiff)|nvim|nvimdiff|vimx|evim|nvi|vile|elvis|ex)$/;
/** Interactive programs that run commands from options or standard input, and the arguments that contain commands. */
const CONSOLES: readonly [name: RegExp, code: RegExp][] = [
  [/^sqlite3$/, /^\s*\.|\n\s*\.|\bedit\s*\(|load_extension|^-{1,2}(?:cmd|init)/i],
  [/^(?:psql|mysql|mariadb)$/, /\\[!gowi]|^-f|^--file|\bsystem\b|\bprogram\b|^-e\b/i],
  [VI, /^[-+][^-]|^--(?:cmd|eval|exec)/],
  [/^(?:emacs|ed|red|nano)$/, /^[-+][^-]|^--(?:cmd|eval|exec)/],
  [/^(?:less|more|most)$/, /^\+|^-[a-zA-Z]*[kKoOtT]|^--lesskey/],
  [/^(?:man|info)$/, /^-[a-zA-Z]*[PH]|^--(?:pa|ht|br)/],
];
/** Programs that run commands from standard input. */
const OBEYING = /^(?:sqlite3|psql|mysql|mariadb|ed|red)$/;
/** Programs that type into a terminal, where another shell may be running. */
const TYPING: readonly [name: RegExp, word: RegExp][] = [
  [/^(?:tmux|byobu)$/, /^(?:send|paste|load-?b|set-?b|source|run(?:-|$)|pipe-?p|if(?:-|$))/],
  [/^screen$/, /^-[a-zA-Z]*X$|^stuff$/],
  [/^(?:xdotool|ydotool|dotool|wtype|xte|xvkbd|ttyecho)$/, /./],
  [/^(?:kitty|kitten|wezterm)$/, /^send-/],
  [/^zellij$/, /^write/],
];
const READING = /^(?:at|batch|crontab|screen|tmux|telnet|nc|ncat|socat)$/;

/** Why it is unknown what an interpreter, or a program with its own language, runs; undefined for any other program. */
export function doubtAbout(name: string, words: readonly string[], isFed: boolean): string | undefined {
  const rest = words.slice(1);
  if (/awk$/.test(name)) return awkDoubt(rest);
  if (/^g?sed$/.test(name)) return mayRunCommands(words) ? "a script of sed" : undefined;
  const interpreter = INTERPRETERS.find(([names]) => names.test(name));
  if (interpreter) return interpreterDoubt(name, rest, interpreter[1]);
  const console = CONSOLES.find(([names]) => names.test(name));
  if (TYPING.some(([names, word]) => names.test(name) && rest.some((it) => word.test(it) || hasGap(it))))
    return `the terminal input of ${name}`;
  if (console)
    return (isFed && (OBEYING.test(name) || VI.test(name))) || rest.some((word) => console[1].test(word))
      ? `what ${name} is told`
      : undefined;
  return READING.test(name) && (isFed || rest.length === 0 || rest.includes("-")) ? `the input of ${name}` : undefined;
}

/** Interpreter options that do not take the next word as a value. */
const PLAIN_OPTION =
  /^-[uBbdEiIOPqsSvxwtT]+$|=|^--(?:experimental|no|enable|disable|trace|expose|harmony|preserve|use|warnings|watch|inspect|strip|allow)\b/;
const HARMLESS_OPTION = /^(?:--version|-V|--help|-h)(?:=|$)/;
/** Options of node with which it does not read code from its input. */
const OWN_INPUT = /^--(?:test|run|check|v8-options)$/;
const CODE_MODULE = /^(?:timeit|code|pdb|bdb|cProfile|profile|trace|asyncio|doctest|idlelib.*|IPython)$/;

function interpreterDoubt(name: string, given: readonly string[], code: RegExp): string | undefined {
  const rest = /^(?:deno|bun)$/.test(name) && given[0] === "run" ? given.slice(1) : given;
  // Before other words, -v makes some interpreters tell more about what they run; Python reads its input after it.
  if (rest.length === 1 && rest[0] === "-v" && !/^py/.test(name)) return undefined;
  let isValue = false;
  let hasFile = false;
  for (const [at, word] of rest.entries()) {
    if (word === "-" || word.includes(PIPE) || /^\/dev\/(?:stdin|fd\/)|^\/proc\/self\/fd\//.test(word))
      return `the input of ${name}`;
    if (code.test(word)) return isHarmless(name, rest.slice(at)) ? undefined : `code for ${name}`;
    if (HARMLESS_OPTION.test(word)) return undefined;
    if (OWN_INPUT.test(word)) {
      hasFile = true;
      isValue = false;
      continue;
    }
    if (/^py/.test(name) && /^-[a-zA-Z]*m/.test(word)) {
      const module = word.replace(/^-[a-zA-Z]*?m/, "") || (rest[at + 1] ?? "");
      return CODE_MODULE.test(module) || hasGap(module) ? `code for ${name}` : undefined;
    }
    if (hasGap(word[0] ?? "") && (word.includes(MANY) || word.length === 1)) return `the arguments of ${name}`;
    // Words after the program's file belong to the program, unless this word may be an option's value.
    if (!word.startsWith("-") && !isValue) return undefined;
    hasFile ||= !word.startsWith("-");
    isValue = word.startsWith("-") && !PLAIN_OPTION.test(word);
  }
  return hasFile ? undefined : `the input of ${name}`;
}

/** Whether the code in an option and the word after it only calculates and prints. */
function isHarmless(name: string, [option = "", next = "", ...others]: readonly string[]): boolean {
  if (/^python/.test(name) && /^-[uBIsSE]*c$/.test(option)) return isHarmlessCode(next, "python");
  const isOption = (word: string) => /^[-\uE000\uE001]/.test(word);
  return (
    /^node$/.test(name) &&
    /^(?:-e|-p|-pe|--eval|--print)$/.test(option) &&
    // Without a word after it, -p prints the value of what node reads.
    next !== "" &&
    ![next, ...others].some(isOption) &&
    isHarmlessCode(next, "javascript")
  );
}

/** Awk can run commands through `system`, pipes, `getline` and indirect function calls. */
function awkDoubt(rest: readonly string[]): string | undefined {
  const isCode = (word: string) => /system|getline|[|@]/.test(word.replaceAll("||", "")) || hasGap(word);
  const [program, from] = awkProgram(rest);
  if (program === undefined) return "an awk script";
  return isCode(program) || rest.slice(0, from).some((word) => /^-[^Fv]/.test(word) || hasGap(word[0] ?? ""))
    ? "an awk script"
    : undefined;
}

function awkProgram(rest: readonly string[]): [program: string | undefined, at: number] {
  let at = 0;
  while (rest[at]?.startsWith("-")) at += /^-[Fv]$/.test(rest[at] as string) ? 2 : 1;
  return [rest[at], at];
}

/** Whether a program is an editor of the vi family. */
export function isViEditor(name: string): boolean {
  return VI.test(name);
}

/** Whether a program is an interpreter, which runs the file named by its first argument. */
export function isInterpreter(name: string): boolean {
  return INTERPRETERS.some(([names]) => names.test(name));
}
