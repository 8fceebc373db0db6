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
/** What git shows files with; the rest of its words are names of other things. */
const GIT_READERS =
  /^(?:grep|archive|diff|show|log|blame|annotate|cat-file|format-patch|stash|whatchanged|range-diff|difftool|add|hash-object|apply|am|bundle|fast-export|ls-files|ls-tree|commit|config|tag|notes|credential|send-email|mailinfo)$/;
const GIT_WALKERS = /^(?:grep|archive|diff|show|format-patch|whatchanged|fast-export|bundle)$/;

/** How a program reads, by its words; of one that is not known everything is possible. */
export function readerOf(words: readonly (string | undefined)[]): Reader {
  const [name = ""] = words;
  const program = bareName(name);
  if (program === "git") return gitReader(words);
  if (TALKERS.has(program)) return { ...PLAIN, files: false, contents: false, readsUnknown: false };
  const recursive = words.some((word) => /^-[a-zA-Z]*[rR]|^--(?:recursive|dereference-recursive)/.test(word ?? ""));
  if (LISTERS.has(program)) {
    const runs = words.some((word) => /^-(?:exec|execdir|ok|okdir|x|X|-exec|-exec-batch)$/.test(word ?? ""));
    const walks = WALKERS.has(program) || (program === "ls" && recursive);
    return { ...PLAIN, contents: runs, goesThrough: walks, startsHere: walks };
  }
  if (FLAT.has(program)) {
    const copies = program === "cp" && words.some((word) => /^-[a-zA-Z]*a|^--archive/.test(word ?? ""));
    const searches = recursive && /^[ef]?grep$/.test(program);
    return { ...PLAIN, goesThrough: searches || copies || (recursive && program === "cp"), startsHere: searches };
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

function gitReader(words: readonly (string | undefined)[]): Reader {
  const command = words.find(
    (word, at) => at > 0 && word !== undefined && (GIT_READERS.test(word) || GIT_WALKERS.test(word)),
  );
  const patches = /^log$/.test(command ?? "") && words.some((word) => /^-(?:[pucGSL]|-(?:patch|cc))/.test(word ?? ""));
  const walks = patches || GIT_WALKERS.test(command ?? "");
  const reads = command !== undefined;
  return { ...PLAIN, contents: reads, files: true, goesThrough: reads, startsHere: walks, readsUnknown: reads };
}
