import { resolve } from "node:path";

/** Settings that never make git run a program, whatever their value. Any other setting may. */
const HARMLESS: Readonly<Record<string, RegExp>> = {
  core: /^(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|quotepath|compression|abbrev|checkstat|trustctime|untrackedcache|preloadindex|commitgraph|multipackindex|sparsecheckout|sparsecheckoutcone|hidedotfiles|protectntfs|protecthfs)$/,
  remote: /^(?:fetch|tagopt|partialclonefilter|promisor|prune|pushdefault)$/,
  branch: /^(?:remote|merge|rebase|pushremote|description|autosetupmerge|autosetuprebase|sort)$/,
  user: /^(?:name|email|signingkey|useconfigonly)$/,
  submodule: /^(?:url|active|branch|recurse|fetchjobs|ignore|alternatelocation|alternateerrorstrategy)$/,
  extensions: /^(?:objectformat|compatobjectformat|partialclone|refstorage|worktreeconfig)$/,
  pull: /^(?:rebase|ff)$/,
  push: /^(?:default|autosetupremote|followtags)$/,
  fetch: /^(?:prune|parallel|prunetags)$/,
  init: /^defaultbranch$/,
  lfs: /^repositoryformatversion$/,
};
const ADDRESS = /^(?:https?:\/\/|ssh:\/\/|git:\/\/|file:\/\/\/|\/|\.{1,2}\/|[\w.-]+@[\w.-]+:)[^\s]*$/;

/** Whether a git settings file sets nothing that makes git run a program or read settings elsewhere. */
export function hasOnlyHarmlessSettings(text: string | undefined, gitdir: string, folder: string): boolean {
  return settingsIn(text)?.every((setting) => isHarmless(setting, { gitdir, folder })) ?? false;
}

/**
 * The hook folders named in a git settings file; undefined when it has a setting that may make a reading command run a program
 * or fetch.
 */
export function hooksInQuietSettings(text: string | undefined, gitdir: string, folder: string): string[] | undefined {
  const settings = settingsIn(text);
  const hooks = settings?.filter(({ section, key }) => section === "core" && key === "hookspath") ?? [];
  const isQuiet = (setting: Setting) =>
    hooks.includes(setting) ||
    (QUIET[setting.section]?.test(setting.key) ?? false) ||
    isHarmless(setting, { gitdir, folder });
  const fetches = ({ key }: Setting) => /^(?:promisor|partialclone|partialclonefilter)$/.test(key);
  if (!settings?.every((setting) => isQuiet(setting) && !fetches(setting))) return undefined;
  return hooks.some(({ value }) => !/^[\w./@-]+$/.test(value))
    ? undefined
    : hooks.map(({ value }) => resolve(folder, value));
}

/** Settings for which only commands that do more than read may run a program. */
const QUIET: Readonly<Record<string, RegExp>> = {
  alias: /./,
  branch: /^(?:vscode-merge-base|github-pr-owner-number|gh-merge-base)$/,
  remote: /^gh-resolved$/,
  commit: /^(?:gpgsign|template|verbose|cleanup)$/,
  tag: /^(?:gpgsign|sort)$/,
  credential: /./,
  color: /^(?:ui|branch|diff|status)$/,
  merge: /^(?:conflictstyle|ff|renames|tool)$/,
  rebase: /^(?:autosquash|autostash|updaterefs)$/,
  rerere: /./,
  gc: /./,
  advice: /./,
  diff: /^(?:algorithm|renames|mnemonicprefix|colormoved|noprefix)$/,
};

interface Setting {
  section: string;
  key: string;
  value: string;
}

/** The settings of a file, with names in lower case; undefined when a line cannot be parsed on its own. */
function settingsIn(text: string | undefined): Setting[] | undefined {
  if (text === undefined) return undefined;
  const settings: Setting[] = [];
  let section = "";
  for (const line of text.split(/\r?\n/)) {
    const [, name, rest = ""] = /^\s*\[\s*([\w.-]+)(?:\s+"(?:[^"\\]|\\.)*")?\s*\](.*)$/.exec(line) ?? [];
    if (name !== undefined) section = name.toLowerCase();
    const setting = (name === undefined ? line : rest).trim();
    if (setting === "" || /^[#;]/.test(setting)) continue;
    const [, key, value = ""] = /^([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$/.exec(setting) ?? [];
    // A value that continues on the next line could hide a setting from this line-by-line parser.
    if (key === undefined || value.endsWith("\\")) return undefined;
    settings.push({ section, key: key.toLowerCase(), value });
  }
  return settings;
}

function isHarmless({ section, key, value }: Setting, at: { gitdir: string; folder: string }): boolean {
  // Git writes this setting into a submodule to point back to its working tree.
  if (section === "core" && key === "worktree") return resolve(at.gitdir, value) === at.folder;
  if (section === "remote" && /^(?:push)?url$/.test(key)) return ADDRESS.test(value);
  if (section === "submodule" && key === "update") return /^(?:checkout|rebase|merge|none)$/.test(value);
  return Object.hasOwn(HARMLESS, section) && (HARMLESS[section] as RegExp).test(key);
}
