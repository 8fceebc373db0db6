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
  if (text === undefined) return false;
  let section = "";
  for (const line of text.split(/\r?\n/)) {
    const [, name, rest = ""] = /^\s*\[\s*([\w.-]+)(?:\s+"(?:[^"\\]|\\.)*")?\s*\](.*)$/.exec(line) ?? [];
    if (name !== undefined) section = name.toLowerCase();
    const setting = (name === undefined ? line : rest).trim();
    if (setting === "" || /^[#;]/.test(setting)) continue;
    const [, key, value = ""] = /^([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$/.exec(setting) ?? [];
    // A value that goes on in the next line could hide a setting from whoever reads line by line.
    if (key === undefined || value.endsWith("\\") || !isHarmless(section, key.toLowerCase(), value, { gitdir, folder }))
      return false;
  }
  return true;
}

function isHarmless(section: string, key: string, value: string, at: { gitdir: string; folder: string }): boolean {
  // Submodules know by this where their files are.
  if (section === "core" && key === "worktree") return resolve(at.gitdir, value) === at.folder;
  if (section === "remote" && /^(?:push)?url$/.test(key)) return ADDRESS.test(value);
  if (section === "submodule" && key === "update") return /^(?:checkout|rebase|merge|none)$/.test(value);
  return Object.hasOwn(HARMLESS, section) && (HARMLESS[section] as RegExp).test(key);
}
