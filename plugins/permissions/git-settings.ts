import { resolve } from "node:path";

/** Settings that no program is run for, whatever their value; all others may name one. */
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

/** Whether a file of git's settings sets nothing that can make git run a program, or look for settings elsewhere. */
export function hasOnlyHarmlessSettings(text: string | undefined, gitdir: string, folder: string): boolean {
  return settingsIn(text)?.every((setting) => isHarmless(setting, { gitdir, folder })) ?? false;
}

/**
 * The folders of hooks that a file of git's settings names, relative to the repository's; undefined when it sets anything that
 * may make a reading command run a program or fetch.
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

/** What other commands than those that read may run a program for. */
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

/** The settings of a file, their names in lower case; undefined when one of them cannot be read line by line. */
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
    // A value that goes on in the next line could hide a setting from whoever reads line by line.
    if (key === undefined || value.endsWith("\\")) return undefined;
    settings.push({ section, key: key.toLowerCase(), value });
  }
  return settings;
}

function isHarmless({ section, key, value }: Setting, at: { gitdir: string; folder: string }): boolean {
  // Submodules know by this where their files are.
  if (section === "core" && key === "worktree") return resolve(at.gitdir, value) === at.folder;
  if (section === "remote" && /^(?:push)?url$/.test(key)) return ADDRESS.test(value);
  if (section === "submodule" && key === "update") return /^(?:checkout|rebase|merge|none)$/.test(value);
  return Object.hasOwn(HARMLESS, section) && (HARMLESS[section] as RegExp).test(key);
}
