import { hasGap } from "./gaps.ts";
import { bareName } from "./hazards.ts";

/** They write what their words name. */
const WRITING = /^(?:tee|cp|mv|ln|install|dd|curl|wget|patch|base64|openssl|xxd|rsync|scp|sponge|truncate)$/;
/** They write what they are given as `-o`, or the files that they read. */
const WRITING_BY_OPTION: readonly [program: RegExp, option: RegExp][] = [
  [/^g?sort$/, /^-[a-zA-Z]*o|^--o/],
  [/^g?sed$/, /^-[a-zA-Z]*i|^--i/],
  [/^[gm]?awk$/, /^-i|^--in/],
  [/^(?:jq|yq)$/, /^-[a-zA-Z]*i|^--in/],
];
/** What is written to show it is no program. */
const SHOWN = /\.(?:log|txt|out|md|csv|html|json|xml|diff|patch)$|^\/dev\//i;
/** Folders in which programs look for the files that they begin with. */
const HOMES =
  /^(?:HOME|ZDOTDIR|XDG_CONFIG_HOME|XDG_CONFIG_DIRS|XDG_DATA_HOME|CARGO_HOME|GIT_DIR|GIT_COMMON_DIR|GRADLE_USER_HOME|PYTHONUSERBASE|INPUTRC|GEMRC|WGETRC|CURL_HOME|SCREENRC|VIMINIT|EXINIT|MYVIMRC)$/;
/** Lists of folders in which programs and modules are looked for. */
const PATHS =
  /^(?:PATH|PYTHONPATH|PYTHONHOME|NODE_PATH|PERL5LIB|PERLLIB|RUBYLIB|LUA_C?PATH|CLASSPATH|GEM_PATH|GEM_HOME|LD_LIBRARY_PATH|FPATH|GOPATH|GOBIN|TCLLIBPATH|R_LIBS|JULIA_LOAD_PATH)$/i;
/** Files that a program reads without being told. */
const IMPLIED: readonly [program: RegExp, file: RegExp][] = [
  [/^g?make$/, /^(?:gnu)?makefile$|\.mk$/i],
  [/^(?:npm|pnpm|yarn|bun|npx)$/, /^package\.json$|^\.?npmrc$|^\.yarnrc/],
  [/^cargo$/, /^cargo\.toml$|^build\.rs$|^config\.toml$/],
  [/^(?:pytest|py\.test)$/, /^conftest\.py$/],
  [
    /^(?:just|task|rake|mvn|gradlew?|cmake|tox|nox)$/,
    /^\.?justfile$|^taskfile|^rakefile$|^pom\.xml$|\.gradle|^cmakelists\.txt$|^tox\.ini$|^noxfile/,
  ],
  [
    /^(?:(?:ba|z|k|fi)?sh)$/,
    /^\.(?:bash|z|k)?(?:rc|env|profile|login)$|^\.(?:bash|z)(?:_|sh)?(?:rc|env|profile|login|_profile|_login)$/,
  ],
  [
    /^(?:g?vim|nvim|gdb|lldb|tmux|screen|ssh|psql|sqlite3|irb|direnv)$/,
    /^\.(?:vimrc|exrc|gdbinit|lldbinit|tmux\.conf|screenrc|psqlrc|sqliterc|irbrc|envrc)$/,
  ],
];
/** Of a repository, what has git run programs. */
const STEERS_GIT = /(?:^|\/)\.git(?:\/|$)|(?:^|\/)(?:\.gitconfig|\.gitmodules)$|(?:^|\/)hooks\//i;

/** Files that a script writes, by their last names: where they lie depends on where it moves to. */
export class WrittenFiles {
  private readonly texts = new Map<string, string | undefined>();
  private readonly paths: string[] = [];
  private readonly searched: { name: string; value: string }[] = [];

  /** Notes a file, with its text where that stands in the script. */
  write(path: string, text?: string): void {
    if (/^\/dev\/(?:null|stdout|stderr|tty|fd\/)/.test(path)) return;
    const name = lastName(path);
    if (name === "" || name === "." || name === "..") return;
    this.texts.set(name, this.texts.has(name) ? undefined : text);
    this.paths.push(path.toLowerCase());
  }

  /** Notes what a program writes by its words. */
  noteWords(name: string, words: readonly string[]): void {
    const byOption = WRITING_BY_OPTION.some(
      ([program, option]) => program.test(name) && words.some((word) => option.test(word)),
    );
    if (!byOption && !WRITING.test(name)) return;
    for (const word of words.slice(1)) {
      const [, value] = /^(?:-[a-zA-Z]|--?[\w-]+=|of=)([\s\S]+)$/.exec(word) ?? [];
      if (value !== undefined) this.write(value);
      if (!word.startsWith("-")) this.write(word);
    }
  }

  /** Notes a variable in which programs look for their files. */
  noteVariable(text: string): void {
    const [, name, value] = /^(\w+)\+?=([\s\S]*)$/.exec(text) ?? [];
    if (name !== undefined && value !== undefined && (HOMES.test(name) || PATHS.test(name)))
      this.searched.push({ name, value });
  }

  /** Whether a word names a file that is written, or something in a folder that is. */
  names(word: string): boolean {
    if (this.texts.size === 0) return false;
    const text = word.toLowerCase();
    return [...text.split(/[=:,]/), ...(/^-\w./.test(text) ? [text.slice(2)] : [])].some((part) =>
      part.split("/").some((piece) => this.texts.has(piece) || this.texts.has(`${piece}.py`)),
    );
  }

  /** Whether a word names a folder in which something is written. */
  namesFolder(word: string): boolean {
    const name = lastName(word);
    return name !== "" && this.paths.some((path) => path.split("/").slice(0, -1).includes(name));
  }

  /** Whether a path that is run or loaded may be a file that is written. */
  may(path: string): boolean {
    return this.texts.has(lastName(path)) || [...this.texts.keys()].some(hasGap);
  }

  textOf(path: string): string | undefined {
    return this.texts.get(lastName(path));
  }

  /** Whether a program reads a file that is written without being told. */
  implies(name: string): boolean {
    if (/^git(?:-|$)/.test(name)) return this.paths.some((path) => STEERS_GIT.test(path));
    return IMPLIED.some(([program, file]) => program.test(name) && [...this.texts.keys()].some((it) => file.test(it)));
  }

  /** A variable by which a program may find one of the files. */
  get variable(): string | undefined {
    const programs = this.paths.filter((path) => !SHOWN.test(path));
    if (programs.length === 0) return undefined;
    return this.searched.find(({ name, value }) => HOMES.test(name) || this.isSearched(value))?.name;
  }

  /** Whether one of the folders is one in which something is written. What `$PATH` stands for is taken as it is. */
  private isSearched(value: string): boolean {
    const parts = value.split(":");
    const open = parts.filter((part) => part !== "" && [...part].every(hasGap));
    return (
      open.length > 1 ||
      parts.some((part) => (/^(?:\.{0,2})(?:\/|$)/.test(part) && !part.startsWith("/") ? true : this.namesFolder(part)))
    );
  }
}

function lastName(path: string): string {
  return bareName(path.replace(/\/+$/, ""));
}
