/**
 * What every git that Scorel itself starts is given first: nothing that a repository configures may run (no fsmonitor, hook, pager
 * or transport), and a folder that is a repository only by what it holds is none.
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

/** The variables that go with it; nothing else of the environment but PATH and HOME is needed. */
export const SAFE_GIT_ENV: Readonly<Record<string, string>> = {
  LC_ALL: "C",
  GIT_PAGER: "cat",
  GIT_EDITOR: "true",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
};
