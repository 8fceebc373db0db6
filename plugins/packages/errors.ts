import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  ARCHIVE_FORMAT: (a: { path: string; reason: string }) =>
    `${a.path} is no archive that can be read: ${a.reason}. It takes .zip, .tar, .tar.gz and .tgz.`,
  ARCHIVE_DAMAGED: (a: { path: string; reason: string }) =>
    `${a.path} is damaged: ${a.reason}. Nothing was kept; get it again.`,
  ARCHIVE_ENTRY: (a: { path: string; entry: string; reason: string }) =>
    `${a.path} is refused, and nothing was kept: ${a.entry} ${a.reason}.`,
  ARCHIVE_LIMIT: (a: { path: string; reason: string }) => `${a.path} is refused, and nothing was kept: ${a.reason}.`,
  PACKAGES_SOURCE: {
    exit: 2,
    text: (a: { source: string; reason: string }) =>
      `${a.source} cannot be installed: ${a.reason}. Give a folder, a tarball, a git checkout on disk, or npm:name@version.`,
  },
  PACKAGES_MANIFEST: (a: { path: string; reason: string }) =>
    `${a.path} cannot be relied on: ${a.reason}. Mend it where the preset comes from.`,
  PACKAGES_NAME: {
    exit: 2,
    text: (a: { name: string; reason: string }) =>
      `The preset cannot be installed as "${a.name}": ${a.reason}. Choose another name with --name.`,
  },
  PACKAGES_INSTALLED: {
    exit: 2,
    text: (a: { name: string; source: string }) =>
      `The preset "${a.name}" is installed already, from ${a.source}. To change it: scorel preset update ${a.name} [source]; to have both: --name`,
  },
  PACKAGES_UNKNOWN: {
    exit: 2,
    text: (a: { name: string; known: readonly string[] }) =>
      `No preset "${a.name}" is installed. ${a.known.length > 0 ? `There are: ${a.known.join(", ")}.` : "To install one: scorel preset add <source>"}`,
  },
  PACKAGES_UNCONFIRMED: {
    exit: 2,
    text: (a: { command: string }) =>
      `Nothing was changed: what would be installed is shown above, and there is no one to ask. To install it: ${a.command} --yes`,
  },
  PACKAGES_DISK: (a: { reason: string }) =>
    `Nothing was installed, since the disk did not take it: ${a.reason}. Make room or mend what it names, then try again.`,
  PACKAGES_NPM: (a: { reason: string }) => `npm could not get it, and nothing was installed: ${a.reason}`,
  PACKAGES_NO_NPM: {
    exit: 2,
    text: () =>
      "npm is not on the PATH, and this needs it. Install npm, or give a folder or a tarball without dependencies.",
  },
  PACKAGES_GIT: (a: { path: string; reason: string }) =>
    `git could not read ${a.path}: ${a.reason}. To install the files as they lie there: copy them to a folder without .git`,
});
