import { gitReadingOf } from "../git/git-reading.ts";
import { bareName } from "../shell/hazards.ts";

/** How a program uses the file names in its arguments. */
export interface Reader {
  /** Whether it shows file contents, not only names and metadata. */
  contents: boolean;
  /** Whether its arguments are files at all. */
  files: boolean;
  /** Whether it walks a folder in its arguments. */
  walksFolders: boolean;
  /** Whether it walks the current folder when no argument names a file. */
  walksCwd: boolean;
  /** Whether it walks the current folder even if an argument names a file. */
  alwaysWalksCwd?: boolean;
  /** Whether it may follow links in the folders that it walks. */
  followsLinks: boolean;
  /** Whether arguments that only the shell knows may be files. */
  readsUnknown: boolean;
  /** Whether an argument may be a script that names files. */
  scripts: boolean;
}

const set = (names: string) => new Set(names.split(" "));
/** Programs whose arguments are plain text. */
const TALKERS = set(
  "echo printf true false : pwd whoami id uname sleep seq tr basename dirname export unset kill wait exit return type alias date",
);
/** Programs that show only names, sizes and dates. */
const LISTERS = set(
  "ls find fd fdfind tree du stat test [ realpath readlink chmod chown chgrp touch mkdir rmdir rm cd pushd popd",
);
/** Programs that read named files but do not walk folders. */
const FLAT = set(
  "cat tac head tail wc sort uniq cut cmp nl od xxd hexdump less more md5sum sha1sum sha224sum sha256sum sha512sum cksum sum " +
    "b2sum base64 base32 strings sed gsed awk gawk mawk rev paste join comm column jq yq fold fmt expand unexpand pr tee split " +
    "shuf iconv file bat install dd openssl source . grep egrep fgrep cp",
);
/** Programs that walk the current folder unless an argument names another. */
const WALKERS = set("rg ag ack tree du find fd fdfind");
/** Options with which programs follow links in the folders that they walk, by the programs' names. A long option may be abbreviated. */
const FOLLOWING: readonly [ReadonlySet<string>, RegExp][] = [
  [set("grep egrep fgrep"), /^-[^-]*[RS]|^--de/],
  [set("cp ls du"), /^-[^-]*L|^--de/],
  [set("find"), /^-[^-]*L|^-follow/],
  [set("rg fd fdfind"), /^-[^-]*L|^--fo/],
  [set("ag"), /^-[^-]*f|^--fo/],
  [set("tree"), /^-[^-]*l/],
];

/**
 * Options with which programs go through folders; long ones may be abbreviated, also the argument in `grep -d recurse`. A word in braces may
 * become any option.
 */
const RECURSIVE = /^-[a-zA-Z]*[rR]|^--(?:rec|de)|^(?:-[^-]*d|--d[a-z]*=)?rec(?:urse|urs|ur|u)?$|^\{/;

/** How a program reads files, judged by its arguments. An unknown program may read everything. */
export function readerOf(
  words: readonly (string | undefined)[],
  exists: (word: string) => boolean = () => false,
): Reader {
  const [name = ""] = words;
  const program = bareName(name);
  if (program === "git") return gitReader(words, exists);
  if (TALKERS.has(program) && !(program === "date" && words.some((word) => /^-[uRI]*f|^--f/.test(word ?? ""))))
    return { ...PLAIN, files: false, contents: false, readsUnknown: false };
  const recursive = words.some((word) => RECURSIVE.test(word ?? ""));
  if (LISTERS.has(program)) {
    const runs = words.some((word) => /^-(?:exec|execdir|ok|okdir|x|X|-exec|-exec-batch)$|^--fil/.test(word ?? ""));
    const walks = WALKERS.has(program) || (program === "ls" && recursive);
    // A program that is run on a link follows it.
    const followsLinks = runs || mayFollowLinks(program, words);
    return { ...PLAIN, contents: runs, walksFolders: walks, walksCwd: walks, followsLinks };
  }
  if (FLAT.has(program) || program === "date") {
    const copies = program === "cp" && words.some((word) => /^-[a-zA-Z]*a|^--ar/.test(word ?? ""));
    const searches = recursive && /^[ef]?grep$/.test(program);
    const scripts = /^(?:g?sed|[gm]?awk|jq|yq)$/.test(program);
    return {
      ...PLAIN,
      scripts,
      walksFolders: searches || copies || (recursive && program === "cp"),
      walksCwd: searches,
      followsLinks: mayFollowLinks(program, words),
    };
  }
  const followsLinks = mayFollowLinks(program, words);
  return { ...PLAIN, walksFolders: true, walksCwd: WALKERS.has(program), followsLinks, scripts: true };
}

/** True for unknown programs, and for words that may be options. */
function mayFollowLinks(program: string, words: readonly (string | undefined)[]): boolean {
  const option = FOLLOWING.find(([programs]) => programs.has(program))?.[1];
  return option === undefined || words.some((word = "$") => /^\{|[$`]/.test(word) || option.test(word));
}

const PLAIN: Reader = {
  contents: true,
  files: true,
  walksFolders: false,
  walksCwd: false,
  followsLinks: true,
  readsUnknown: true,
  scripts: false,
};

function gitReader(words: readonly (string | undefined)[], exists: (word: string) => boolean): Reader {
  const shown = gitReadingOf(words, exists);
  const reads = shown !== "nothing";
  const all = shown === "everything";
  const walks = { walksFolders: reads, walksCwd: all, alwaysWalksCwd: all, followsLinks: false };
  return { ...PLAIN, ...walks, contents: reads, readsUnknown: reads };
}
