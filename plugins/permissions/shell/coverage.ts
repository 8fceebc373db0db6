import { gitOptions } from "../git/git-options.ts";
import { programOf } from "../tables/index.ts";
import { type Uncovered, uncoveredBy } from "../tables/table.ts";
import { type OptionTable, optionTable, readOption } from "./options.ts";

type Values = readonly (string | undefined)[];

const NONE: Uncovered = { from: Number.POSITIVE_INFINITY };
const ALL: Uncovered = { from: 0 };

/**
 * Finds the words that a wildcard does not cover: an unlisted option with everything after it, and words that name another
 * place to write or send to. Undefined for programs whose options are not listed here.
 */
export function uncovered(name: string, values: Values): Uncovered | undefined {
  if (name === "git") return git(values);
  if (name === "sqlite3") return sqlite(values);
  if (name === "openssl") return openssl(values);
  if (name === "xxd")
    return secondFile(
      values.map((value) => XXD_WORDS[value ?? ""] ?? value),
      XXD,
    );
  if (name === "tar" || name === "gtar" || name === "bsdtar") return tar(values);
  const program = programOf(name);
  if (program) return uncoveredBy(program, values);
  const table = Object.hasOwn(TABLES, name) ? (TABLES[name] as OptionTable) : undefined;
  if (!table) return undefined;
  if (name === "uniq" || name === "guniq") return secondFile(values, table);
  if (name === "curl" || name === "wget") return fetching(name, values, table);
  if (name === "make" || name === "gmake") return making(values, table);
  return { from: read(values, 1, table).from };
}

/** Git commands that write to, or run programs of, a repository or folder that they name. */
const GIT_ELSEWHERE = /^(?:clone|init|worktree|bundle|archive|push|fetch|pull|remote|submodule|mv|rm)$/;

/** Whether a command of these programs writes to the paths that its words name. */
export function writesNamed(name: string, values: Values): boolean {
  if (name === "git") return GIT_ELSEWHERE.test(values[1] ?? "");
  if (/^g?sed$/.test(name)) return values.some((value) => /^-[a-zA-Z]*i|^--i/.test(value ?? ""));
  return /^(?:(?:g|bsd)?tar|sqlite3|g?make)$/.test(name);
}

const SORT = optionTable(
  "b d f g h i M n R r V c C m s u z ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort human-numeric-sort numeric-sort random-sort reverse version-sort merge stable unique zero-terminated debug",
  "k t S key field-separator buffer-size parallel batch-size",
  "sort check",
);
const UNIQ = optionTable(
  "c d D u i z count repeated unique ignore-case zero-terminated",
  "f s w skip-fields skip-chars check-chars",
  "all-repeated group",
);
const MAKE = optionTable(
  "b m B d e i k L n p q r R s S t v w always-make debug environment-overrides ignore-errors keep-going check-symlink-times just-print dry-run recon print-data-base question no-builtin-rules no-builtin-variables silent quiet no-silent no-keep-going stop touch trace version print-directory no-print-directory warn-undefined-variables help",
  "C directory",
  "j l O jobs load-average output-sync max-load",
);
const TABLES: Readonly<Record<string, OptionTable>> = {
  sort: SORT,
  gsort: SORT,
  uniq: UNIQ,
  guniq: UNIQ,
  make: MAKE,
  gmake: MAKE,
  curl: optionTable(
    "s S L I v f k g 0 1 2 3 4 6 # N silent show-error location head verbose fail fail-with-body fail-early insecure globoff http1.0 http1.1 http2 http2-prior-knowledge http3 ipv4 ipv6 progress-bar no-buffer no-progress-meter compressed include basic retry-all-errors retry-connrefused tlsv1.2 tlsv1.3 path-as-is version",
    "H A X m r u y Y header user-agent request max-time range user connect-timeout retry retry-delay retry-max-time max-redirs limit-rate speed-limit speed-time keepalive-time max-filesize",
  ),
  wget: optionTable(
    "q v c N 4 6 quiet verbose no-verbose continue timestamping inet4-only inet6-only server-response spider no-check-certificate no-cache no-clobber no-directories no-host-directories version",
    "t T w U Q tries timeout dns-timeout connect-timeout read-timeout wait waitretry limit-rate user-agent max-redirect quota",
    "show-progress progress",
  ),
};

/** Reads options from `from` on; `words` holds the indexes of the words that are not options. */
function read(values: Values, from: number, table: OptionTable): Uncovered & { words: number[] } {
  const words: number[] = [];
  const known = values.map((value) => value ?? "");
  for (let at = from; at < values.length; at++) {
    const value = known[at] as string;
    if (value === "--") {
      for (let rest = at + 1; rest < values.length; rest++) words.push(rest);
      break;
    }
    if (!value.startsWith("-") || value === "-") {
      words.push(at);
      continue;
    }
    const option = readOption(known, at, table);
    // A shortened name may belong to an option that is not listed.
    if (!option.known || option.isShort) return { from: at, words };
    // A value that looks like an option may actually be one.
    if (option.takes === 2 && /^-./.test(known[at + 1] ?? "")) return { from: at + 1, words };
    at += option.takes - 1;
  }
  return { from: Number.POSITIVE_INFINITY, words };
}

function git(values: Values): Uncovered {
  const table = gitOptions(values[1] ?? "");
  if (!table) return ALL;
  const { from } = read(values, 2, table);
  // Addresses of this form make git run a program, or read another repository.
  const address = values.findIndex((value, at) => at > 1 && value !== undefined && /::|^file:/.test(value));
  return { from: address < 0 ? from : Math.min(from, address) };
}

/** For curl and wget: each address after the first is another place to send data to. */
function fetching(name: string, values: Values, table: OptionTable): Uncovered {
  const plain =
    name === "wget" ? values.map((value) => (/^-n[vcdH]$/.test(value ?? "") ? "--no-verbose" : value)) : values;
  const { from, words } = read(plain, 1, table);
  const header = values.findIndex((value, at) => at > 0 && /^@|^(?:-[a-zA-Z]*H|--header=)@/.test(value ?? ""));
  return { from: header < 0 ? from : Math.min(from, header), words: words.slice(1) };
}

/** The second file of this program is written. */
function secondFile(values: Values, table: OptionTable): Uncovered {
  const { from, words } = read(values, 1, table);
  return { from, words: words.slice(1) };
}

/** Long options of xxd have a single dash, so its letters cannot be bundled. */
const XXD_WORDS: Readonly<Record<string, string>> = {
  "-ps": "-p",
  "-plain": "-p",
  "-postscript": "-p",
  "-revert": "-r",
  "-include": "-i",
  "-uppercase": "-u",
  "-bits": "-b",
  "-cols": "-c",
  "-groupsize": "-g",
  "-len": "-l",
  "-seek": "-s",
};
const XXD = optionTable("a b C e E h i p r u v d", "c g l n o s R");

function making(values: Values, table: OptionTable): Uncovered {
  const { from, words } = read(values, 1, table);
  return { from, words: words.filter((at) => /[=!]/.test(values[at] ?? "")) };
}

const TAR = optionTable(
  "x c t r u A d z j J Z a v k p h m O w W l o S s n i B R extract get create list append update catenate concatenate diff compare verbose gzip bzip2 xz zstd lzma auto-compress keep-old-files skip-old-files preserve-permissions same-permissions dereference to-stdout wildcards no-wildcards anchored totals interactive verify one-file-system numeric-owner no-same-owner no-same-permissions sparse ignore-zeros null no-recursion recursion utc full-time force-local exclude-vcs help version",
  "f b file exclude strip-components owner group mode mtime sort format blocking-factor level",
);

/** Without a leading dash, the first word holds letters whose values follow in order. */
function tar(values: Values): Uncovered {
  const [, first = ""] = values;
  const isOld = !first.startsWith("-");
  if (isOld && [...first].some((letter) => !TAR.flags.has(letter) && !TAR.valued.has(letter))) return { from: 1 };
  const { from } = read(values, isOld ? 2 : 1, TAR);
  // An archive name with a colon is on another machine, and tar runs a program to reach it.
  const remote = values.findIndex((value, at) => at > 0 && /^[^/]*:/.test(value ?? ""));
  return { from: remote < 0 ? from : Math.min(from, remote) };
}

const SQLITE =
  /^-{1,2}(?:header|noheader|csv|json|column|list|line|html|markdown|table|box|ascii|tabs|quote|readonly|bail|batch|version|help)$/;
const SQLITE_VALUED = /^-{1,2}(?:separator|newline|nullvalue)$/;
/** Dot commands, and SQL that uses other files or runs programs. */
const SQLITE_ACTS = /(?:^|\n)\s*\.|\b(?:edit|load_extension|writefile|readfile|fsdir|zipfile|attach|vacuum)\b/i;

function sqlite(values: Values): Uncovered {
  const words: number[] = [];
  for (let at = 1; at < values.length; at++) {
    const value = values[at] ?? "";
    if (SQLITE_VALUED.test(value)) at++;
    else if (/^-./.test(value) && !SQLITE.test(value)) return { from: at };
    else if (!value.startsWith("-")) words.push(at);
  }
  // Without a statement, sqlite3 reads commands from standard input.
  if (words.length < 2) return values.some((value) => /^-{1,2}(?:version|help)$/.test(value ?? "")) ? NONE : ALL;
  return { from: Number.POSITIVE_INFINITY, words: words.slice(1).filter((at) => SQLITE_ACTS.test(values[at] ?? "")) };
}

const OPENSSL_COMMANDS =
  /^(?:rand|dgst|version|x509|verify|asn1parse|crl|req|pkey|rsa|ec|list|help|prime|errstr|ciphers|passwd|md5|sha(?:1|224|256|384|512))$/;
const OPENSSL_FLAGS =
  /^-(?:hex|base64|noout|text|subject|issuer|dates|startdate|enddate|fingerprint|pubkey|modulus|serial|email|hash|purpose|pubin|check|verify|ocsp_uri|a|d|r|binary|list|v|6|1|stdin|md5|sha(?:1|224|256|384|512)|sha3-\d+|checkend|alias|ext)$/;
const OPENSSL_VALUED = /^-(?:in|inform|outform|nameopt|certopt|CAfile|untrusted|checkend|ext|salt)$/;

function openssl(values: Values): Uncovered {
  if (!OPENSSL_COMMANDS.test(values[1] ?? "")) return ALL;
  for (let at = 2; at < values.length; at++) {
    const value = values[at] ?? "";
    if (OPENSSL_VALUED.test(value)) at++;
    else if (/^-./.test(value) && !OPENSSL_FLAGS.test(value)) return { from: at };
  }
  return NONE;
}
