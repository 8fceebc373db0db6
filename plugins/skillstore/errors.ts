import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  SKILLSTORE_ADDRESS: {
    exit: 2,
    text: (a: { address: string; reason: string }) =>
      `Skills cannot be fetched from ${a.address}: ${a.reason}. Pass an https:// or file:// address, or a path, of a folder, a .zip, .tar.gz, .tgz, .tar or a SKILL.md; or a repository as owner/repo or git+https://host/owner/repo, with #path for a part of it.`,
  },
  SKILLSTORE_HOST: (a: { host: string; reason: string }) =>
    `Nothing was fetched from ${a.host}: ${a.reason}. If you trust it, add ${JSON.stringify(a.host)} to "allowHosts" in [skills] of your config.toml.`,
  SKILLSTORE_FETCH: (a: { from: string; reason: string }) =>
    `${a.from} could not be fetched: ${a.reason}. Nothing was changed; try again later.`,
  SKILLSTORE_NONE: (a: { from: string; elsewhere: readonly { name: string; from: string }[] }) =>
    `${a.from} contains no skill: no SKILL.md was found within six folder levels.${a.elsewhere.length === 0 ? "" : ` Its marketplace lists plugins from other places: ${a.elsewhere.map(({ name, from }) => `${name} (${from})`).join(", ")}.`}`,
  SKILLSTORE_MANY: (a: { from: string; most: number }) =>
    `${a.from} contains more than ${a.most} skills, which is too many for a session. Extract the ones that you need, and add those.`,
  SKILLSTORE_TAKEN: (a: { name: string; from: string }) =>
    `The name "${a.name}" is already used for ${a.from}. To fetch that again: scorel skill update ${a.name}; to have both, choose another name with --name.`,
  SKILLSTORE_LOCK: (a: { path: string; reason: string }) =>
    `${a.path}, the list of installed skills, cannot be used: ${a.reason}. Fix it, or move it away and install the skills again.`,
  SKILLSTORE_DISK: (a: { reason: string }) =>
    `Nothing was installed, since it could not be written to disk: ${a.reason}. Free space or fix the named path, then try again.`,
  SKILLSTORE_NO_HOST: () => 'Installing skills requires the plugin "host": add it to "use" in your preset.',
  SKILLSTORE_LARGE: (a: { megabytes: number }) =>
    `The download exceeded ${a.megabytes} MiB, the limit for archives of skills; nothing was stored.`,
});
