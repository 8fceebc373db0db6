import { hasGap } from "./gaps.ts";
import { bareName } from "./hazards.ts";
import { packageSetting } from "./package-settings.ts";

/** Programs that write to the files in their arguments. */
const WRITING = /^(?:tee|cp|mv|ln|install|dd|curl|wget|patch|base64|openssl|xxd|rsync|scp|sponge|truncate)$/;
/** Programs that write to a file given by an option, or edit files in place. */
const WRITING_BY_OPTION: readonly [program: RegExp, option: RegExp][] = [
  [/^g?sort$/, /^-[a-zA-Z]*o|^--o/],
  [/^g?sed$/, /^-[a-zA-Z]*i|^--i/],
  [/^[gm]?awk$/, /^-i|^--in/],
  [/^(?:jq|yq)$/, /^-[a-zA-Z]*i|^--in/],
];
/** Output files for people, which no program runs. */
const SHOWN = /\.(?:log|txt|out|md|csv|html|json|xml|diff|patch)$|^\/dev\//i;
/** Variables that name folders with programs' startup files. */
const HOMES =
  /^(?:HOME|ZDOTDIR|XDG_CONFIG_HOME|XDG_CONFIG_DIRS|XDG_DATA_HOME|CARGO_HOME|GIT_DIR|GIT_COMMON_DIR|GRADLE_USER_HOME|PYTHONUSERBASE|INPUTRC|GEMRC|WGETRC|CURL_HOME|SCREENRC|VIMINIT|EXINIT|MYVIMRC)$/;
/** Search paths for programs and modules. */
const PATHS =
  /^(?:PATH|PYTHONPATH|PYTHONHOME|NODE_PATH|PERL5LIB|PERLLIB|RUBYLIB|LUA_C?PATH|CLASSPATH|GEM_PATH|GEM_HOME|LD_LIBRARY_PATH|FPATH|GOPATH|GOBIN|TCLLIBPATH|R_LIBS|JULIA_LOAD_PATH)$/i;
/** Files that a program loads by default. */
const IMPLIED: readonly [program: RegExp, file: RegExp][] = [
  [/^g?make$/, /^(?:gnu)?makefile$|\.mk$/i],
  [
    /^(?:npm|pnpm|yarn|bun|npx|pnpx|bunx|corepack|deno|turbo|nx|lerna|rush|npm-run-all|run-[sp]|nr)$/,
    /^package\.json$|^\.?npmrc$|^\.yarnrc|^pnpm-workspace\.yaml$|^bunfig\.toml$|^deno\.jsonc?$|^(?:turbo|nx|lerna)\.json$/,
  ],
  [/^composer$/, /^composer\.json$/],
  [/^(?:pip[\d.]*|uv|poetry|pdm|hatch)$/, /^setup\.(?:py|cfg)$|^pyproject\.toml$/],
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
/** Files of a repository that can make git run programs. */
const STEERS_GIT = /(?:^|\/)\.git(?:\/|$)|(?:^|\/)(?:\.gitconfig|\.gitmodules)$|(?:^|\/)hooks\//i;

/** The files that a script writes, by base name, since their folder depends on where the script changes to. */
export class WrittenFiles {
  private readonly texts = new Map<string, string | undefined>();
  private readonly paths: string[] = [];
  private readonly searched: { name: string; value: string }[] = [];

  /** Records a written file, with its text if that is in the script. */
  write(path: string, text?: string): void {
    if (/^\/dev\/(?:null|stdout|stderr|tty|fd\/)/.test(path)) return;
    const name = lastName(path);
    if (name === "" || name === "." || name === "..") return;
    this.texts.set(name, this.texts.has(name) ? undefined : text);
    this.paths.push(path.toLowerCase());
  }

  /** Records the files that a program writes, judged by its arguments. */
  noteWords(name: string, words: readonly string[]): void {
    for (const file of packageSetting(name, words)?.files ?? []) this.write(file);
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

  /** Records a variable in which programs look for their files. */
  noteVariable(text: string): void {
    const [, name, value] = /^(\w+)\+?=([\s\S]*)$/.exec(text) ?? [];
    if (name !== undefined && value !== undefined && (HOMES.test(name) || PATHS.test(name)))
      this.searched.push({ name, value });
  }

  /** Whether a word names a written file, or a path inside a written folder. */
  private names(word: string): boolean {
    if (this.texts.size === 0) return false;
    const text = word.toLowerCase();
    return [...text.split(/[=:,]/), ...(/^-\w./.test(text) ? [text.slice(2)] : [])].some((part) =>
      part.split("/").some((piece) => this.texts.has(piece) || this.texts.has(`${piece}.py`)),
    );
  }

  /** Whether a word names a folder in which a file is written. */
  private namesFolder(word: string): boolean {
    const name = lastName(word);
    return name !== "" && this.paths.some((path) => path.split("/").slice(0, -1).includes(name));
  }

  /** Whether a path that is run or loaded may be a written file. */
  mayBe(path: string): boolean {
    return this.texts.has(lastName(path)) || [...this.texts.keys()].some(hasGap);
  }

  textOf(path: string): string | undefined {
    return this.texts.get(lastName(path));
  }

  /** Whether a program loads one of the written files by default. */
  private loadsByDefault(name: string): boolean {
    if (/^git(?:-|$)/.test(name)) return this.paths.some((path) => STEERS_GIT.test(path));
    return IMPLIED.some(([program, file]) => program.test(name) && [...this.texts.keys()].some((it) => file.test(it)));
  }

  /**
   * Reasons to think that the script runs or loads a file that it writes, whose contents are then unknown: by a word that a program
   * loads, by a setting that names programs or their folders, by default, or by a search path.
   */
  doubts(loaded: readonly string[], settings: readonly string[], programs: ReadonlySet<string>): string[] {
    const isLoaded =
      loaded.some((word) => this.names(word)) ||
      settings.some((word) => this.names(word) || word.split("=").some((part) => this.namesFolder(part))) ||
      [...programs].some((it) => this.loadsByDefault(it));
    const { variable } = this;
    return [
      ...(isLoaded ? ["a file that the command itself writes"] : []),
      ...(variable === undefined ? [] : [`a file that the command itself writes, and the variable ${variable}`]),
    ];
  }

  /** A variable through which a program may find a written file. */
  private get variable(): string | undefined {
    const programs = this.paths.filter((path) => !SHOWN.test(path));
    if (programs.length === 0) return undefined;
    return this.searched.find(({ name, value }) => HOMES.test(name) || this.isSearched(value))?.name;
  }

  /** Whether a search path includes a folder with a written file. A single `$PATH` is assumed to be unchanged. */
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
