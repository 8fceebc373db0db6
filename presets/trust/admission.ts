import { codeOf } from "@scorel/kernel";
import { errors } from "../errors.ts";
import { shellWord } from "../shell-word.ts";
import type { PresetGround } from "../store/package.ts";

/** Decides which presets outside of ~/.scorel, of Scorel and of projects may be read, and where. */
export interface Admission {
  /**
   * The folder that stands for the preset's own: a private copy of the bytes that the user trusts, the same one for as long
   * as the process runs. Throws CONFIG_PRESET_UNCONFIRMED, TRUST_FILE and TRUST_TREE.
   */
  admit(ground: PresetGround): Promise<string>;
  /** What the user is told about those that were admitted. */
  readonly notices: readonly string[];
}

/** Admits what the user trusts; with `trust`, for this process also everything else. */
export function createAdmission(trust = false): Admission {
  const admitted = new Map<string, Admitted>();
  const notices: string[] = [];
  const say = (notice: string) => {
    if (!notices.includes(notice)) notices.push(notice);
  };
  return {
    notices,
    async admit(ground) {
      const known = admitted.get(ground.path);
      const now = known ?? (await rootOf(ground, trust));
      admitted.set(ground.path, now);
      if (now.notice !== undefined) say(now.notice);
      if (known?.hash !== undefined && (await hashNow(ground)) !== known.hash) say(changed(ground));
      return now.root;
    },
  };
}

const admissions = new WeakMap<object, Admission>();

/** The one of a run. */
export function admissionOf(asked: { trust: boolean }): Admission {
  const admission = admissions.get(asked) ?? createAdmission(asked.trust);
  admissions.set(asked, admission);
  return admission;
}

/** Admits everything where it lies: for looking at a preset, none of whose code is run. */
export const lookingOnly: Admission = { admit: async ({ folder }) => folder, notices: [] };

interface Admitted {
  root: string;
  /** Of the bytes in a private copy. */
  hash?: string;
  notice?: string;
}

async function rootOf(ground: PresetGround, trust: boolean): Promise<Admitted> {
  const { readTrust } = await import("./file.ts");
  const { presets = {} } = readTrust();
  const entry = Object.hasOwn(presets, ground.path) ? presets[ground.path] : undefined;
  if (entry?.dev) return { root: ground.folder, notice: standing(ground) };
  const file = `${ground.folder}/${ground.entry}`;
  if (!entry && !trust) throw errors.CONFIG_PRESET_UNCONFIRMED({ file, changed: false });
  const { readPresetTree } = await import("./preset-tree.ts");
  const tree = readPresetTree(ground);
  if (entry?.hash !== tree.hash && !trust) throw errors.CONFIG_PRESET_UNCONFIRMED({ file, changed: true });
  const { keepCopy } = await import("./copy.ts");
  return { root: keepCopy(tree), hash: tree.hash };
}

/** Undefined for what can no longer be read as a preset. */
async function hashNow(ground: PresetGround): Promise<string | undefined> {
  const { readPresetTree } = await import("./preset-tree.ts");
  try {
    return readPresetTree(ground).hash;
  } catch (thrown) {
    if (codeOf(thrown) === "TRUST_TREE") return undefined;
    throw thrown;
  }
}

const changed = ({ path }: PresetGround) =>
  `The preset ${path} has changed since this run began, which goes on with what it was then.`;

const standing = ({ path }: PresetGround) =>
  `The preset ${path} is trusted whatever it holds (scorel trust --dev). To end that: scorel trust remove ${shellWord(path)}`;
