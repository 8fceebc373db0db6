import type { Program } from "./table.ts";

const one = (flags: string, valued = "", attached = ""): Program => ({
  lines: [`: ${flags} | ${valued} | ${attached}`],
});
/** A program that writes to the paths in its arguments. */
const writer = (...options: [flags: string, valued?: string, attached?: string]): Program => ({
  ...one(...options),
  stays: true,
});

const COPYING =
  "a b d f i l L H P p r R s u v x n T archive force interactive link dereference no-dereference recursive update verbose no-clobber one-file-system symbolic-link parents no-target-directory attributes-only copy-contents remove-destination strip-trailing-slashes debug";
const COPYING_ATTACHED = "preserve no-preserve reflink sparse update";
const GREP = one(
  "E F G P i v w x c l L n H h o q s r R a b z U Z T y 0 1 2 3 4 5 6 7 8 9 extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case invert-match word-regexp line-regexp count files-with-matches files-without-match line-number with-filename no-filename only-matching quiet silent no-messages recursive dereference-recursive text byte-offset null null-data line-buffered initial-tab binary version help",
  "e A B C m D d regexp after-context before-context context max-count include exclude exclude-dir label binary-files",
  "color colour",
);

/**
 * Programs that find, show, copy and pack files. Options that run programs, read lists of files or write elsewhere are not
 * listed.
 */
export const FILES: Readonly<Record<string, Program>> = {
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  rg: one(
    "i s S v w x c l n N H I o q a b F P U u p L 0 . crlf ignore-case case-sensitive smart-case invert-match word-regexp line-regexp count count-matches files files-with-matches files-without-match line-number no-line-number with-filename no-filename only-matching quiet text byte-offset fixed-strings pcre2 multiline multiline-dotall unrestricted pretty follow hidden no-ignore no-ignore-vcs no-ignore-parent no-ignore-global no-ignore-dot no-ignore-exclude no-hidden no-config no-heading heading column no-column trim vimgrep json stats null null-data passthru one-file-system no-messages no-unicode glob-case-insensitive type-list version help debug line-buffered block-buffered max-columns-preview no-require-git auto-hybrid-regex",
    "e A B C g m t T d M j E r regexp after-context before-context context glob iglob max-count type type-not type-add type-clear max-depth max-columns threads encoding replace sort sortr color colors path-separator max-filesize context-separator field-context-separator field-match-separator engine dfa-size-limit regex-size-limit",
  ),
  find: {
    style: "single",
    lines: [
      // After `--`, a word that begins with a dash is still part of the expression.
      ": -- L P H print print0 ls prune quit true false empty not o a or and depth d daystart follow mount xdev noleaf executable readable writable nouser nogroup ignore_readdir_race noignore_readdir_race warn nowarn version help | name iname path ipath wholename iwholename regex iregex regextype type xtype lname ilname maxdepth mindepth size mtime mmin ctime cmin atime amin used newer anewer cnewer newermt newerct newerat perm user group uid gid inum samefile links fstype printf",
    ],
  },
  fd: one(
    "H I u s i g F a l L p 0 1 q hidden no-hidden no-ignore no-ignore-vcs no-ignore-parent unrestricted case-sensitive ignore-case glob regex fixed-strings absolute-path relative-path list-details follow no-follow full-path print0 quiet prune one-file-system show-errors version help and",
    "d t e E c S j max-depth min-depth exact-depth type extension exclude color size threads changed-within changed-before newer older owner max-results and",
  ),
  cp: writer(COPYING, "", `${COPYING_ATTACHED} Z`),
  mv: writer(
    "b f i n u v T Z force interactive no-clobber update verbose no-target-directory strip-trailing-slashes debug",
    "",
    "update",
  ),
  ln: writer(
    "b d F f i L n P r s T v force interactive logical no-dereference physical relative symbolic verbose no-target-directory",
  ),
  rm: writer("f i I r R d v force recursive dir verbose one-file-system preserve-root", "", "interactive"),
  mkdir: writer("p v parents verbose", "m mode"),
  rmdir: writer("p v parents verbose ignore-fail-on-non-empty"),
  touch: writer("a c f h m no-create no-dereference", "d date time"),
  chmod: writer("R c f v recursive changes quiet silent verbose preserve-root"),
  truncate: writer("c o no-create io-blocks", "s size"),
  tee: writer("a i p append ignore-interrupts", "", "output-error"),
  zip: writer("r q j u v l y D X e S g h 0 1 2 3 4 5 6 7 8 9", "x i n t"),
  unzip: writer("l q v t p c n j u a L C B M z Z h"),
  gzip: writer(
    "d k f v l t n q r c N 1 2 3 4 5 6 7 8 9 decompress keep force verbose list test no-name name quiet recursive stdout to-stdout fast best",
  ),
  xz: writer(
    "d k f v l t q c z e 0 1 2 3 4 5 6 7 8 9 decompress compress keep force verbose list test quiet stdout to-stdout extreme robot no-warn",
    "T threads",
  ),
  rsync: {
    ...writer(
      "a v z r l p t g o D h n u c i q A X H S x P W d E N U J O 0 4 6 archive verbose compress recursive links perms times group owner devices specials human-readable dry-run update checksum itemize-changes quiet acls xattrs hard-links sparse one-file-system partial progress stats delete delete-before delete-during delete-delay delete-after delete-excluded existing ignore-existing ignore-errors ignore-times size-only whole-file inplace append prune-empty-dirs omit-dir-times omit-link-times numeric-ids no-perms no-owner no-group no-times list-only mkpath cvs-exclude relative no-relative dirs copy-links safe-links executability version help",
      "f exclude include bwlimit timeout contimeout max-size min-size max-delete modify-window block-size out-format compress-level compress-choice chmod",
      "info debug",
    ),
    isLocal: true,
  },
  scp: writer("r p q C v 4 6 B 3 R O T s", "P l c i X"),
  jq: one(
    "c r n e s S a C M j R h compact-output raw-output null-input exit-status slurp sort-keys ascii-output color-output monochrome-output join-output raw-input tab unbuffered stream seq args jsonargs version help raw-output0",
    "arg argjson indent",
  ),
};
