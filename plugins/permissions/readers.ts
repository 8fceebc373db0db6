import { gitReadingOf } from "./git-reading.ts";
import { bareName } from "./hazards.ts";

/** What a program does with the words that name files. */
export interface Reader {
  /** Whether it shows what is in files, or only names and what the system knows of them. */
  contents: boolean;
  /** Whether its words are files at all. */
  files: boolean;
  /** Whether a folder among its words is gone through. */
  goesThrough: boolean;
  /** Whether it goes through the folder where it runs when no word names one. */
  startsHere: boolean;
  /** Whether it does so though a word names a file: what the words mean is known. */
  startsAnyway?: boolean;
  /** Whether words that only the shell knows may be files for it. */
  readsUnknown: boolean;
  /** Whether a word can be a script that names files. */
  scripts: boolean;
}

const set = (names: string) => new Set(names.split(" "));
/** Their words are text. */
const TALKERS = set(
  "echo printf true false : pwd whoami id uname sleep seq tr basename dirname export unset kill wait exit return type alias date",
);
/** They show names, sizes and dates. */
const LISTERS = set(
  "ls find fd fdfind tree du stat test [ realpath readlink chmod chown chgrp touch mkdir rmdir rm cd pushd popd",
);
/** They read the files that are named, and of a folder nothing. */
const FLAT = set(
  "cat tac head tail wc sort uniq cut cmp nl od xxd hexdump less more md5sum sha1sum sha224sum sha256sum sha512sum cksum sum " +
    "b2sum base64 base32 strings sed gsed awk gawk mawk rev paste join comm column jq yq fold fmt expand unexpand pr tee split " +
    "shuf iconv file bat install dd openssl source . grep egrep fgrep cp",
);
/** They go through the folder where they run, unless a word names another. */
const WALKERS = set("rg ag ack tree du find fd fdfind");
/** How a program reads, by its words; of one that is not known everything is possible. */
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
    return { ...PLAIN, contents: runs, goesThrough: walks, startsHere: walks };
  }
  if (FLAT.has(program) || program === "date") {
    const copies = program === "cp" && words.some((word) => /^-[a-zA-Z]*a|^--archive/.test(word ?? ""));
    const searches = recursive && /^[ef]?grep$/.test(program);
    const scripts = /^(?:g?sed|[gm]?awk|jq|yq)$/.test(program);
    return {
      ...PLAIN,
      scripts,
      goesThrough: searches || copies || (recursive && program === "cp"),
      startsHere: searches,
    };
  }
  return { ...PLAIN, goesThrough: true, startsHere: WALKERS.has(program), scripts: true };
}

const PLAIN: Reader = {
  contents: true,
  files: true,
  goesThrough: false,
  startsHere: false,
  readsUnknown: true,
  scripts: false,
};

function gitReader(words: readonly (string | undefined)[], exists: (word: string) => boolean): Reader {
  const shown = gitReadingOf(words, exists);
  const reads = shown !== "nothing";
  const all = shown === "everything";
  return { ...PLAIN, contents: reads, goesThrough: reads, startsHere: all, startsAnyway: all, readsUnknown: reads };
}
