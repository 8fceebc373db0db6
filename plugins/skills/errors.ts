import { defineErrors } from "@scorel/kernel";
import { sizeText } from "@scorel/kit/text/size";

/** The most names that a message lists. */
const MOST = 100;
const list = (names: readonly string[]) => {
  const more = names.length > MOST ? ` and ${names.length - MOST} more` : "";
  return names.length === 0 ? "none" : names.slice(0, MOST).join(", ") + more;
};

export const errors = defineErrors({
  SKILL_REQUIRED: () => "skill is required: pass the name of a skill from the list of available skills.",
  SKILL_UNKNOWN: {
    exit: 2,
    text: (a: { name: string; known: readonly string[] }) =>
      `unknown skill: ${a.name}. The skills here are: ${list(a.known)}.`,
  },
  SKILL_UNTRUSTED: {
    exit: 2,
    text: (a: { name: string; path: string }) =>
      `The skill ${a.name} is not used, because its project is not trusted: ${a.path}. To look at what the project has, and trust it: scorel trust add`,
  },
  SKILL_DOC_UNKNOWN: (a: { name: string; docs: readonly string[]; known: readonly string[] }) =>
    `unknown docs of skill ${a.name}: ${list(a.docs)}. It has: ${list(a.known)}.`,
  SKILL_UNREADABLE: (a: { name: string; path: string; reason: string }) =>
    `The skill ${a.name} cannot be read: ${a.path}: ${a.reason}.`,
  SKILL_TOO_LARGE: (a: {
    name: string;
    sizes: readonly { path: string; bytes: number }[];
    room: number;
    fits: readonly string[];
  }) =>
    `These docs of skill ${a.name} are too large to load together: ${list(a.sizes.map(({ path, bytes }) => `${path} (${sizeText(bytes)})`))}. There is room for ${sizeText(a.room)}${a.fits.length === 0 ? "; read parts of them with Read instead" : `, as for ${list(a.fits)}`}.`,
  SKILL_ROOT: (a: { root: string; reason: string }) =>
    `${JSON.stringify(a.root)} in [skills] roots is ignored: ${a.reason}.`,
  SKILL_LOGS: (a: { directory: string; reason: string }) =>
    `The sessions in ${a.directory} cannot be listed: ${a.reason}. Check the permissions of the folder.`,
  SKILL_FETCH: (a: { reason: string }) =>
    `Skills of [skills] roots are missing: ${a.reason} The next command tries again; to try now: scorel skill update`,
  SKILL_STALE: (a: { from: string; name: string }) =>
    `${a.from} has changed since its skills were installed; the installed version is used. To review the changes: scorel skill update ${a.name}`,
  SKILL_CHANGED: (a: { name: string; path: string; archive: string }) =>
    `The skill ${a.name} cannot be used: ${a.path} was changed after the installation. To fetch it again: scorel skill update ${a.archive}`,
  SKILL_PATH: {
    exit: 2,
    text: (a: { path: string }) =>
      `There is no skill at ${a.path}: pass a folder that contains a SKILL.md, a folder of such folders, or the name of a skill.`,
  },
});
