import { type OptionTable, optionTable } from "../shell/options.ts";

const DIFF_FLAGS =
  "p u s z w b r t a R W patch function-context raw patch-with-raw patch-with-stat numstat shortstat cumulative check summary name-only name-status compact-summary binary full-index rename-empty follow minimal ignore-all-space ignore-space-change ignore-space-at-eol ignore-cr-at-eol ignore-blank-lines indent-heuristic patience histogram text exit-code quiet ita-invisible-in-index pickaxe-all pickaxe-regex no-ext-diff no-textconv find-copies-harder irreversible-delete";
const DIFF_VALUED =
  "S G stat-width stat-name-width stat-graph-width stat-count ws-error-highlight src-prefix dst-prefix line-prefix inter-hunk-context output-indicator-new output-indicator-old output-indicator-context ignore-matching-lines diff-algorithm anchored word-diff-regex color-moved-ws rotate-to skip-to find-object diff-filter";
const DIFF_ATTACHED =
  "U M C B D X l unified stat dirstat dirstat-by-file color abbrev break-rewrites find-renames find-copies word-diff color-words color-moved relative ignore-submodules submodule";
const LOG_FLAGS = `${DIFF_FLAGS} q m i E F P g 0 1 2 3 4 5 6 7 8 9 oneline graph source use-mailmap mailmap clear-decorations all all-match invert-grep regexp-ignore-case basic-regexp extended-regexp fixed-strings perl-regexp reverse merges first-parent left-right left-only right-only cherry cherry-pick cherry-mark boundary date-order author-date-order topo-order walk-reflogs simplify-by-decoration full-history dense sparse simplify-merges ancestry-path parents children root cc dd remove-empty not objects count abbrev-commit relative-date no-walk log-size notes reflog single-worktree no-decorate show-linear-break full-diff patch-with-stat`;
const LOG_VALUED = `${DIFF_VALUED} n L author committer grep since until after before max-count skip date max-age min-age min-parents max-parents decorate-refs decorate-refs-exclude encoding exclude glob since-as-filter diff-merges`;
const LOG_ATTACHED = `${DIFF_ATTACHED} decorate pretty format branches tags remotes show-notes`;
const MERGE_FLAGS =
  "n q v stat summary log squash commit ff ff-only rerere-autoupdate autostash allow-unrelated-histories progress signoff no-gpg-sign no-edit no-verify abort quit continue skip";
const FETCH_FLAGS =
  "v q a f t m n p P k 4 6 verbose quiet all set-upstream append atomic force multiple tags prune prune-tags dry-run keep progress unshallow refetch update-shallow ipv4 ipv6 negotiate-only auto-maintenance auto-gc show-forced-updates write-fetch-head";
const FETCH_VALUED = "depth shallow-since shallow-exclude deepen refmap negotiation-tip";

/** Options of git commands that only show things, or change the repository in the way that the command is for. */
const TABLES: Readonly<Record<string, readonly [flags: string, valued?: string, attached?: string]>> = {
  add: [
    "n v u f A N p dry-run verbose patch force update renormalize intent-to-add all ignore-removal refresh ignore-errors ignore-missing sparse warn-embedded-repo",
    "chmod",
  ],
  am: [
    "3 q s k u binary 3way quiet signoff utf8 keep keep-non-patch message-id keep-cr scissors ignore-space-change ignore-whitespace reject continue resolved skip abort quit committer-date-is-author-date ignore-date rerere-autoupdate no-gpg-sign no-verify",
    "exclude include whitespace patch-format empty quoted-cr",
  ],
  apply: [
    "3 R v q N stat binary numstat summary check index intent-to-add cached apply 3way ignore-space-change ignore-whitespace reverse unidiff-zero reject allow-overlap verbose quiet inaccurate-eof recount allow-empty",
    "p exclude include whitespace",
  ],
  archive: ["v l 0 1 2 3 4 5 6 7 8 9 verbose list worktree-attributes", "format prefix mtime"],
  blame: [
    "l t f n s e p w b incremental root show-stats progress show-name show-number porcelain line-porcelain show-email color-lines color-by-age minimal score-debug",
    "L ignore-rev date",
    "M C abbrev",
  ],
  branch: [
    "v q t a r d D m M l f i verbose quiet remotes all delete move list show-current create-reflog force ignore-case unset-upstream",
    "u set-upstream-to sort points-at format",
    "track color abbrev column contains no-contains merged no-merged with without",
  ],
  "cat-file": [
    "p t s e allow-unknown-type use-mailmap mailmap batch-all-objects buffer follow-symlinks unordered",
    "path",
    "batch batch-check batch-command",
  ],
  "check-ignore": ["q v z n quiet verbose stdin non-matching"],
  checkout: [
    "q f l t d p m 2 3 guess overlay quiet progress merge detach force overwrite-ignore ignore-other-worktrees ours theirs patch ignore-skip-worktree-bits",
    "b B conflict orphan",
    "track",
  ],
  "cherry-pick": [
    "n x s quit continue abort skip signoff rerere-autoupdate ff allow-empty allow-empty-message keep-redundant-commits commit no-gpg-sign no-edit no-commit",
    "m X mainline strategy-option cleanup",
  ],
  clean: ["n q f d x X quiet dry-run force", "e exclude"],
  clone: [
    "v q n l s verbose quiet progress reject-shallow bare mirror local shared dissociate single-branch shallow-submodules ipv4 ipv6 sparse checkout hardlinks tags",
    "b j branch origin depth jobs shallow-since shallow-exclude filter",
  ],
  commit: [
    "a v q s n p quiet verbose reset-author signoff status all include patch only dry-run short branch ahead-behind long null amend allow-empty allow-empty-message verify post-rewrite no-edit no-gpg-sign",
    "m F file author date message reuse-message fixup squash cleanup",
    "u porcelain untracked-files",
  ],
  "count-objects": ["v H verbose human-readable"],
  describe: [
    "contains debug all tags long first-parent exact-match always",
    "candidates match exclude",
    "abbrev dirty broken",
  ],
  diff: [`${DIFF_FLAGS} 0 1 2 3 q cached staged merge-base cc base ours theirs root`, DIFF_VALUED, DIFF_ATTACHED],
  "diff-tree": [`${LOG_FLAGS} stdin always no-commit-id`, LOG_VALUED, LOG_ATTACHED],
  fetch: [FETCH_FLAGS, `${FETCH_VALUED} filter`, "j jobs"],
  "for-each-ref": [
    "ignore-case omit-empty",
    "count format sort points-at",
    "color merged no-merged contains no-contains",
  ],
  "format-patch": [
    `${DIFF_FLAGS} n N k q 0 1 2 3 4 5 6 7 8 9 numbered signoff stdout cover-letter numbered-files keep-subject zero-commit ignore-if-in-upstream no-signature`,
    "v start-number reroll-count subject-prefix creation-factor base suffix",
    `${DIFF_ATTACHED} thread attach inline`,
  ],
  fsck: ["v verbose unreachable dangling tags root cache reflogs full connectivity-only strict progress name-objects"],
  gc: ["q quiet cruft aggressive auto force keep-largest-pack", "", "prune"],
  grep: [
    "a I i v w E F G P n l L c h H o p W q z r 0 1 2 3 4 5 6 7 8 9 cached untracked exclude-standard invert-match ignore-case word-regexp text recursive extended-regexp basic-regexp fixed-strings perl-regexp line-number column full-name files-with-matches name-only files-without-match null only-matching count break heading show-function function-context and or not quiet all-match no-textconv",
    "e A B C m max-depth context before-context after-context threads max-count",
    "color",
  ],
  init: ["q quiet bare", "b initial-branch object-format", "shared"],
  log: [LOG_FLAGS, LOG_VALUED, LOG_ATTACHED],
  "ls-files": [
    "c d m o i s k u v z t r f cached deleted modified others ignored stage killed directory eol empty-directory unmerged resolve-undo exclude-standard full-name error-unmatch debug deduplicate sparse",
    "x exclude with-tree format",
    "abbrev",
  ],
  "ls-remote": ["q h t quiet tags heads refs get-url exit-code symref", "sort"],
  "ls-tree": ["r d t l z long name-only name-status object-only full-name full-tree", "format", "abbrev"],
  merge: [MERGE_FLAGS, "m F X message into-name strategy-option cleanup", "log"],
  "merge-base": ["a all octopus independent is-ancestor fork-point"],
  mv: ["v n f k verbose dry-run force sparse"],
  "name-rev": ["name-only tags all undefined always peel-tag", "refs exclude"],
  notes: ["f force", "m ref message"],
  pull: [`${FETCH_FLAGS} ${MERGE_FLAGS} r`, `${FETCH_VALUED} X strategy-option`, "j jobs rebase"],
  push: [
    "v q n f d u 4 6 verbose quiet all mirror delete tags dry-run porcelain force force-if-includes thin set-upstream progress prune follow-tags atomic ipv4 ipv6 verify no-signed no-recurse-submodules",
    "",
    "force-with-lease",
  ],
  "range-diff": [`${DIFF_FLAGS} left-only right-only dual-color`, `${DIFF_VALUED} creation-factor`, DIFF_ATTACHED],
  rebase: [
    "q v n f k m keep-base quiet verbose signoff committer-date-is-author-date reset-author-date ignore-date ignore-whitespace force-rebase continue skip abort quit apply merge rerere-autoupdate keep-empty autosquash update-refs autostash allow-empty-message fork-point root verify stat ff no-gpg-sign show-current-patch",
    "X C onto strategy-option whitespace empty",
    "rebase-merges",
  ],
  reflog: [`${LOG_FLAGS} dry-run rewrite updateref stale-fix`, `${LOG_VALUED} expire expire-unreachable`, LOG_ATTACHED],
  remote: ["v m f verbose add delete push all dry-run tags auto", "t m"],
  reset: ["q p N quiet mixed soft hard merge keep patch intent-to-add refresh"],
  restore: [
    "q p W S m 2 3 staged worktree ignore-unmerged overlay quiet progress merge ours theirs patch ignore-skip-worktree-bits",
    "s source conflict",
  ],
  "rev-list": [
    `${LOG_FLAGS} objects-edge unpacked header timestamp in-commit-order disk-usage use-bitmap-index no-commit-header`,
    `${LOG_VALUED} filter`,
    LOG_ATTACHED,
  ],
  "rev-parse": [
    "q verify quiet symbolic symbolic-full-name all show-toplevel show-prefix show-cdup git-dir absolute-git-dir git-common-dir is-inside-git-dir is-inside-work-tree is-bare-repository is-shallow-repository show-superproject-working-tree show-object-format local-env-vars sq revs-only no-revs flags no-flags not",
    "default git-path since until",
    "short abbrev-ref branches tags remotes glob exclude path-format disambiguate",
  ],
  revert: [
    "n s quit continue abort skip signoff rerere-autoupdate no-commit no-edit no-gpg-sign",
    "m X mainline strategy-option cleanup",
  ],
  rm: ["n q f r dry-run quiet cached force ignore-unmatch sparse"],
  shortlog: [`${LOG_FLAGS} s n e c numbered summary email`, `${LOG_VALUED} group`, LOG_ATTACHED],
  show: [LOG_FLAGS, LOG_VALUED, LOG_ATTACHED],
  "show-ref": ["q s d h tags heads verify head dereference quiet", "", "hash abbrev exclude-existing"],
  "sparse-checkout": ["cone sparse-index stdin"],
  stash: [
    `${DIFF_FLAGS} k u a q p S keep-index include-untracked all quiet patch index staged only-untracked`,
    `${DIFF_VALUED} m message`,
    DIFF_ATTACHED,
  ],
  status: [
    "s b v z verbose short branch show-stash ahead-behind long null renames",
    "",
    "u M porcelain untracked-files ignored ignore-submodules column find-renames",
  ],
  switch: [
    "q f d m t guess discard-changes quiet progress merge detach force overwrite-ignore ignore-other-worktrees",
    "c C create force-create conflict orphan",
    "track",
  ],
  "symbolic-ref": ["q d delete short quiet recurse", "m"],
  tag: [
    "a l d v f i list delete annotate force create-reflog ignore-case no-sign",
    "m F message cleanup sort points-at format",
    "n column color contains no-contains merged no-merged",
  ],
  "update-index": [
    "q add remove refresh really-refresh unmerged assume-unchanged no-assume-unchanged skip-worktree no-skip-worktree force-remove again ignore-missing verbose info-only",
    "chmod cacheinfo",
  ],
  "update-ref": ["d z delete no-deref deref create-reflog stdin", "m"],
  "verify-commit": ["v verbose raw"],
  version: ["build-options"],
  whatchanged: [LOG_FLAGS, LOG_VALUED, LOG_ATTACHED],
  worktree: [
    "f d v q z detach lock force checkout quiet guess-remote track verbose porcelain orphan dry-run",
    "b B reason expire",
  ],
};

const tables = new Map<string, OptionTable>();

/** The options of a git command that a wildcard covers; undefined for other names, which may be aliases. */
export function gitOptions(command: string): OptionTable | undefined {
  if (!Object.hasOwn(TABLES, command)) return undefined;
  const known = tables.get(command);
  if (known) return known;
  const [flags, valued = "", attached = ""] = TABLES[command] as [string, string?, string?];
  const negated = `${flags} ${valued} ${attached}`
    .split(" ")
    .filter((name) => name.length > 1 && !/^no-|^index$/.test(name));
  const table = optionTable(`${flags} ${negated.map((name) => `no-${name}`).join(" ")}`, valued, attached);
  tables.set(command, table);
  return table;
}
