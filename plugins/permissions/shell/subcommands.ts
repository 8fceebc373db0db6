import { hasGap, ONE } from "./gaps.ts";
import { firstOperand, type OptionTable, optionTable } from "./options.ts";

/** Options that may stand before the subcommand. */
export const TOOL_OPTIONS: Readonly<Record<string, OptionTable>> = {
  git: optionTable(
    "p P v h paginate no-pager no-replace-objects bare literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs no-optional-locks no-lazy-fetch no-advice version help html-path man-path info-path",
    "C c git-dir work-tree namespace super-prefix config-env attr-source list-cmds",
    "exec-path",
  ),
  docker: optionTable(
    "D v debug tls tlsverify version help",
    "c H l config context host log-level tlscacert tlscert tlskey",
  ),
  podman: optionTable(
    "r remote version help",
    "c url connection identity log-level root runroot storage-driver storage-opt",
  ),
  kubectl: optionTable(
    "insecure-skip-tls-verify match-server-version warnings-as-errors help",
    "n s v namespace server user token context cluster kubeconfig as as-group as-uid cache-dir certificate-authority client-certificate client-key password profile profile-output request-timeout tls-server-name username log-flush-frequency vmodule",
  ),
  helm: optionTable(
    "debug help",
    "n namespace kube-context kubeconfig registry-config repository-cache repository-config",
  ),
  npm: optionTable(
    "s d q g silent global quiet verbose no-audit no-fund offline",
    "C w prefix workspace loglevel registry userconfig cache",
  ),
  pnpm: optionTable(
    "s r w silent recursive workspace-root stream parallel offline",
    "C F dir filter loglevel reporter",
  ),
  yarn: optionTable("s silent offline verbose json", "cwd cache-folder modules-folder registry"),
  cargo: optionTable("q v quiet verbose frozen locked offline list version", "C Z config color explain"),
  systemctl: optionTable(
    "a l q f user system global all full quiet force no-block no-wall no-reload no-pager no-ask-password now runtime wait failed",
    "H M t p n o s type state property host machine root lines output signal job-mode",
  ),
  gh: optionTable("help version", "R repo"),
  go: optionTable("", "C"),
  terraform: optionTable("help version", ""),
};
/** Subcommands that mean the same. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  git: [
    "push send-pack http-push subtree",
    "add stage",
    "fetch fetch-pack http-fetch",
    "rm remove",
    "restore checkout switch",
  ],
  npm: [
    "install i in ins inst insta instal add isnt isnta isntal isntall",
    "uninstall un unlink remove rm r",
    "run run-script rum urn",
    "test tst t",
    "exec x",
    "ci clean-install ic install-clean isntall-clean",
    "install-test it",
    "update up upgrade udpate",
    "config c",
    "link ln",
    "login adduser add-user",
    "owner author",
    "access a",
    "view info show v",
    "dist-tag dist-tags",
    "unpublish unpub",
    "publish pub",
  ],
  pnpm: ["install i", "remove rm uninstall un", "run run-script", "update up upgrade", "exec x", "link ln", "dlx x"],
  cargo: ["build b", "run r", "test t", "check c", "doc d", "remove rm", "clean c"],
  docker: ["rm remove", "rmi remove"],
  kubectl: ["delete del", "replace apply"],
};
const GROUPS = /^(?:container|image)$/;

/** Git's own subcommands. Any other name is an alias or an external program. */
export const SUBCOMMANDS_OF_GIT = new Set(
  (
    "add am annotate apply archive bisect blame branch bugreport bundle cat-file check-attr check-ignore check-mailmap " +
    "check-ref-format checkout checkout-index cherry cherry-pick citool clean clone column commit commit-graph commit-tree config " +
    "count-objects credential credential-cache credential-store daemon describe diagnose diff diff-files diff-index diff-tree " +
    "difftool fast-export fast-import fetch fetch-pack filter-branch fmt-merge-msg for-each-ref for-each-repo format-patch fsck " +
    "fsmonitor--daemon gc get-tar-commit-id grep gui hash-object help hook http-backend http-fetch http-push imap-send index-pack " +
    "init init-db instaweb interpret-trailers lfs log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge merge-base " +
    "merge-file merge-index merge-one-file merge-tree mergetool mktag mktree multi-pack-index mv name-rev notes p4 pack-objects " +
    "pack-redundant pack-refs patch-id prune prune-packed pull push quiltimport range-diff read-tree rebase receive-pack reflog " +
    "remote repack replace replay request-pull rerere reset restore rev-list rev-parse revert rm send-email send-pack shell " +
    "shortlog show show-branch show-index show-ref sparse-checkout stage stash status stripspace submodule subtree svn switch " +
    "symbolic-ref tag unpack-file unpack-objects update-index update-ref update-server-info upload-archive upload-pack var " +
    "verify-commit verify-pack verify-tag version whatchanged worktree write-tree"
  ).split(" "),
);
/** Equivalent forms of a command: without options before the subcommand, and with synonyms of the subcommand. */
export function synonymsOf(name: string, words: readonly string[]): string[][] {
  if (/^(?:git|docker|npm|cargo)-\w/.test(name)) return [[...splitName(name), ...words.slice(1)]];
  const table = Object.hasOwn(TOOL_OPTIONS, name) ? TOOL_OPTIONS[name] : undefined;
  if (!table) return [];
  const places = firstOperand(words, 1, table)?.places.slice(0, 3) ?? [];
  return places.flatMap(({ at }) => {
    const word = words[at];
    if (word === undefined || hasGap(word)) return [];
    const rest = words.slice(at + 1);
    const groups = (Object.hasOwn(SYNONYMS, name) ? (SYNONYMS[name] as readonly string[]) : []).map((group) =>
      group.split(" "),
    );
    const others = groups.filter((group) => group.includes(word)).flat();
    const named = others.filter((other) => other !== word).map((other) => [name, other, ...rest]);
    // npm completes abbreviated subcommands.
    if (name === "npm" && word.length > 1) named.push([name, `${word}${ONE}`, ...rest]);
    if ((name === "docker" || name === "podman") && GROUPS.test(word)) named.push([name, ...rest]);
    return named;
  });
}

function splitName(name: string): [string, string] {
  const at = name.indexOf("-");
  return [name.slice(0, at), name.slice(at + 1)];
}
