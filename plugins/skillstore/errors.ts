import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  SKILLSTORE_ADDRESS: {
    exit: 2,
    text: (a: { address: string; reason: string }) =>
      `No skills can be brought from ${a.address}: ${a.reason}. Give an https:// or file:// address, or a path, of a folder, a .zip, .tar.gz, .tgz, .tar or a SKILL.md; or a repository as owner/repo or git+https://host/owner/repo, with #path for a part of it.`,
  },
  SKILLSTORE_HOST: (a: { host: string; reason: string }) =>
    `Nothing is fetched from ${a.host}: ${a.reason}. If it is meant: add ${JSON.stringify(a.host)} to "allowHosts" in [skills] of your config.toml.`,
  SKILLSTORE_FETCH: (a: { from: string; reason: string }) =>
    `${a.from} could not be fetched: ${a.reason}. Nothing was changed; try again later.`,
  SKILLSTORE_NONE: (a: { from: string; elsewhere: readonly { name: string; from: string }[] }) =>
    `${a.from} holds no skill: there is no SKILL.md in it, up to six folders deep.${a.elsewhere.length === 0 ? "" : ` Its marketplace lists plugins that are not in it: ${a.elsewhere.map(({ name, from }) => `${name} (${from})`).join(", ")}.`}`,
  SKILLSTORE_MANY: (a: { from: string; most: number }) =>
    `${a.from} holds more than ${a.most} skills, which no session could use. Take those that are needed out of it, and add them.`,
  SKILLSTORE_TAKEN: (a: { name: string; from: string }) =>
    `"${a.name}" stands already for ${a.from}. To fetch that anew: scorel skill update ${a.name}; to have both: --name`,
  SKILLSTORE_LOCK: (a: { path: string; reason: string }) =>
    `${a.path}, which knows the skills that were added, cannot be used: ${a.reason}. Mend it, or move it away and add them again.`,
  SKILLSTORE_DISK: (a: { reason: string }) =>
    `Nothing was installed, since the disk did not take it: ${a.reason}. Make room or mend what it names, then try again.`,
  SKILLSTORE_NO_HOST: () => 'Skills are installed with the help of a host: add "host" to "use" in your preset.',
  SKILLSTORE_LARGE: (a: { megabytes: number }) =>
    `More than ${a.megabytes} MiB came, which is no archive of skills; nothing was kept.`,
});
