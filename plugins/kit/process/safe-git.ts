/**
 * The first arguments of every git command that Scorel itself runs. They keep git from running programs that a repository
 * configures (fsmonitor, hooks, pager, transports), and from treating a folder without `.git` as a bare repository.
 */
export const SAFE_GIT: readonly string[] = [
  "--no-pager",
  ...[
    "safe.bareRepository=explicit",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.untrackedCache=false",
    "core.attributesFile=/dev/null",
    "protocol.allow=never",
  ].flatMap((setting) => ["-c", setting]),
];

/** Environment variables for these commands; apart from them only PATH and HOME are needed. */
export const SAFE_GIT_ENV: Readonly<Record<string, string>> = {
  LC_ALL: "C",
  GIT_PAGER: "cat",
  GIT_EDITOR: "true",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
};
