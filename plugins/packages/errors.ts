import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  PRESET_LOCK: {
    exit: 2,
    text: (a: { path: string; reason: string }) =>
      `${a.path} cannot be used: ${a.reason}. No installed preset is loaded. Repair that file, or remove it together with the preset folders next to it and install them again.`,
  },
  PRESET_CHANGED: {
    exit: 2,
    text: (a: { name: string; files: string }) =>
      `The preset "${a.name}" differs from what was installed: ${a.files}. It is not loaded. To see what differs: scorel preset diff ${a.name}; to install it again: scorel preset update ${a.name}`,
  },
  PRESET_TREE: {
    exit: 2,
    text: (a: { path: string; reason: string }) =>
      `${a.path} ${a.reason}, so this cannot be a preset. Remove it, or put a copy in its place.`,
  },
  PRESET_NONE: {
    exit: 2,
    text: (a: { path: string }) =>
      `There is no preset in ${a.path}: the folder of a preset contains a preset.toml at its top level.`,
  },
  PRESET_EXTENDS: {
    exit: 2,
    text: (a: { name: string; place: string; preset: string; reason: string }) =>
      `The preset "${a.name}" was not installed: ${a.place} extends "${a.preset}", ${a.reason}. A preset can extend its own files (extends = "./base.toml"), presets that ship with Scorel, and installed ones: put a copy into its folder, or install that preset first.`,
  },
  PRESET_TAKEN: {
    exit: 2,
    text: (a: { name: string; reason: string }) =>
      `The preset "${a.name}" was not changed: ${a.reason}. To see it: scorel preset list`,
  },
  PACKAGE_LOCK: {
    exit: 2,
    text: (a: { path: string; reason: string }) =>
      `${a.path} cannot be used: ${a.reason}. No installed extension is loaded. Repair that file, or remove its folder and install them again.`,
  },
  PACKAGE_CHANGED: {
    exit: 2,
    text: (a: { name: string; files: string }) =>
      `The extension "${a.name}" differs from what was installed: ${a.files}. It is not loaded. To see what differs: scorel plugin diff ${a.name}; to install it again: scorel plugin update ${a.name}`,
  },
  PACKAGE_TREE: {
    exit: 2,
    text: (a: { path: string; reason: string }) =>
      `${a.path} ${a.reason}, so this cannot be an extension. Remove it, or put a copy in its place.`,
  },
  PACKAGE_NONE: {
    exit: 2,
    text: (a: { path: string }) =>
      `There is no extension in ${a.path}: the package of an extension contains index.ts, index.mts, index.js or index.mjs at its top level.`,
  },
  PACKAGE_TAKEN: {
    exit: 2,
    text: (a: { name: string; reason: string }) =>
      `The extension "${a.name}" was not changed: ${a.reason}. To see it: scorel plugin list`,
  },
  ARCHIVE_FORMAT: (a: { path: string; reason: string }) =>
    `${a.path} is not an archive that can be read: ${a.reason}. Supported formats: .zip, .tar, .tar.gz and .tgz.`,
  ARCHIVE_DAMAGED: (a: { path: string; reason: string }) =>
    `${a.path} is damaged: ${a.reason}. Nothing was kept; download it again.`,
  ARCHIVE_ENTRY: (a: { path: string; entry: string; reason: string }) =>
    `${a.path} was refused, and nothing was kept: ${a.entry} ${a.reason}.`,
  ARCHIVE_LIMIT: (a: { path: string; reason: string }) => `${a.path} was refused, and nothing was kept: ${a.reason}.`,
  PACKAGES_SOURCE: {
    exit: 2,
    text: (a: { source: string; reason: string }) =>
      `${a.source} cannot be installed: ${a.reason}. Use a folder, a tarball, a git checkout on disk, npm:name@version, git+https://host/repository, or git@host:repository.`,
  },
  PACKAGES_MANIFEST: (a: { path: string; reason: string }) =>
    `${a.path} cannot be used: ${a.reason}. Correct it at the source.`,
  PACKAGES_NAME: {
    exit: 2,
    text: (a: { noun: string; name: string; reason: string }) =>
      `The ${a.noun} cannot be installed as "${a.name}": ${a.reason}.${a.noun === "preset" ? " Choose another name with --name." : ""}`,
  },
  PACKAGES_CHECK: {
    exit: 2,
    text: (a: { name: string; file: string; problems: readonly string[] }) =>
      `The extension "${a.name}" was not installed, because it would not work: ${a.problems.join("; ")} (${a.file}). Nothing was changed. \`scorel plugin check <folder>\` reports the same problems.`,
  },
  PACKAGES_INSTALLED: {
    exit: 2,
    text: (a: { noun: string; command: string; name: string; source: string }) =>
      `The ${a.noun} "${a.name}" is already installed, from ${a.source}. To change it: scorel ${a.command} update ${a.name} [source]${a.noun === "preset" ? "; to keep both: --name" : ""}`,
  },
  PACKAGES_UNKNOWN: {
    exit: 2,
    text: (a: { noun: string; command: string; name: string; known: readonly string[] }) =>
      `No ${a.noun} "${a.name}" is installed. ${a.known.length > 0 ? `There are: ${a.known.join(", ")}.` : `To install one: scorel ${a.command} add <source>`}`,
  },
  PACKAGES_ENGINE: {
    exit: 2,
    text: (a: { name: string; reason: string }) =>
      `"${a.name}" cannot be used: ${a.reason}. Install a compatible version, or update what it needs.`,
  },
  PACKAGES_UNCONFIRMED: {
    exit: 2,
    text: (a: { command: string }) =>
      `Nothing was changed: what would be installed is shown above, and there is no one to ask. To install it: ${a.command} --yes`,
  },
  PACKAGES_DISK: (a: { reason: string }) =>
    `Nothing was installed, because writing to the disk failed: ${a.reason}. Free some space or fix the named path, then try again.`,
  PACKAGES_UNFINISHED: (a: { name: string; reason: string }) =>
    `The change to "${a.name}" could not be completed: ${a.reason}. Nothing is lost, and the next scorel command completes it. Free some space or repair what the reason names, then run scorel again.`,
  PACKAGES_NPM: (a: { reason: string }) => `npm could not fetch the packages, and nothing was installed: ${a.reason}`,
  PACKAGES_NO_NPM: {
    exit: 2,
    text: () =>
      "npm is required, but it is not on the PATH. Install npm, or use a folder or a tarball without dependencies.",
  },
  PACKAGES_GIT: (a: { path: string; reason: string }) =>
    `git could not read ${a.path}: ${a.reason}. To install the files as they are: copy them to a folder without .git`,
  PACKAGES_FETCH: (a: { source: string; reason: string }) =>
    `git could not fetch ${a.source}, and nothing was installed: ${a.reason}. ${/^(?:https?|git\+https?):/i.test(a.source) ? "If it is private, git needs a credential helper for it, or its address for ssh (git@host:repository)." : "To see what ssh asks for or refuses: git ls-remote with the address, without @ and a branch at its end."}`,
});
