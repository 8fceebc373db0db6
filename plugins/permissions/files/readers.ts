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
  const recursive = words.some((word) => /^-[a-zA-Z]*[rR]|^--(?:recursive|dereference-recursive)/.test(word ?? ""));
  if (LISTERS.has(program)) {
    const runs = words.some((word) =>
      /^-(?:exec|execdir|ok|okdir|x|X|-exec|-exec-batch)$|files0-from/.test(word ?? ""),
    );
    const walks = WALKERS.has(program) || (program === "ls" && recursive);
    return { ...PLAIN, contents: runs, walksFolders: walks, walksCwd: walks };
  }
  if (FLAT.has(program) || program === "date") {
    const copies = program === "cp" && words.some((word) => /^-[a-zA-Z]*a|^--archive/.test(word ?? ""));
    const searches = recursive && /^[ef]?grep$/.test(program);
    const scripts = /^(?:g?sed|[gm]?awk|jq|yq)$/.test(program);
    return {
      ...PLAIN,
      scripts,
      walksFolders: searches || copies || (recursive && program === "cp"),
      walksCwd: searches,
    };
  }
  return { ...PLAIN, walksFolders: true, walksCwd: WALKERS.has(program), scripts: true };
}

const PLAIN: Reader = {
  contents: true,
  files: true,
  walksFolders: false,
  walksCwd: false,
  readsUnknown: true,
  scripts: false,
};

function gitReader(words: readonly (string | undefined)[], exists: (word: string) => boolean): Reader {
  const shown = gitReadingOf(words, exists);
  const reads = shown !== "nothing";
  const all = shown === "everything";
  return { ...PLAIN, contents: reads, walksFolders: reads, walksCwd: all, alwaysWalksCwd: all, readsUnknown: reads };
}
