import { codeOf } from "@scorel/kernel";
import { keepCopy } from "@scorel/kit/files/copy";
import { visibleName } from "@scorel/kit/text/plain";
import { shellWord } from "@scorel/kit/text/shell-word";
import { errors } from "../errors.ts";
import type { Admission, LayerKnowledge } from "../loader.ts";
import { readTrust } from "../record/file.ts";
import { type PresetTarget, presetTargetOf } from "../targets.ts";
import { readPresetTree } from "./preset-tree.ts";

/**
 * Admits presets that the user trusts; with `trust` (`--trust`), admits all presets for as long as this process runs.
 */
export function createAdmission(layers: Layers, trust = false): Admission {
  const admitted = new Map<string, Admitted>();
  const notices: string[] = [];
  const say = (notice: string) => {
    if (!notices.includes(notice)) notices.push(notice);
  };
  return {
    notices,
    async admit(file) {
      const target = presetTargetOf(file);
      const known = admitted.get(target.path);
      const now = known ?? rootOf(target, layers, trust);
      admitted.set(target.path, now);
      if (now.notice !== undefined) say(now.notice);
      if (known?.hash !== undefined && hashNow(target, layers) !== known.hash) say(changed(target));
      return now.root;
    },
  };
}

interface Admitted {
  root: string;
  /** The hash of the bytes in the private copy. */
  hash?: string;
  notice?: string;
}

type Layers = Pick<LayerKnowledge, "builtOn">;

function rootOf(target: PresetTarget, layers: Layers, trust: boolean): Admitted {
  const { presets = {} } = readTrust();
  const entry = Object.hasOwn(presets, target.path) ? presets[target.path] : undefined;
  if (entry?.dev) return { root: target.folder, notice: standing(target) };
  const file = `${target.folder}/${target.entry}`;
  if (!entry && !trust) throw errors.CONFIG_PRESET_UNCONFIRMED({ file, changed: false });
  const tree = readPresetTree(target, layers);
  if (entry?.hash !== tree.hash && !trust) throw errors.CONFIG_PRESET_UNCONFIRMED({ file, changed: true });
  return { root: keepCopy(tree), hash: tree.hash };
}

/** The current hash of a preset's files; undefined when they can no longer be read as a preset. */
function hashNow(target: PresetTarget, layers: Layers): string | undefined {
  try {
    return readPresetTree(target, layers).hash;
  } catch (thrown) {
    if (codeOf(thrown) === "TRUST_TREE") return undefined;
    throw thrown;
  }
}

const changed = ({ path }: PresetTarget) =>
  `The preset ${visibleName(path)} has changed since this run began; this run keeps using the earlier version.`;

const standing = ({ path }: PresetTarget) =>
  `The preset ${visibleName(path)} is trusted whatever it contains (scorel trust --dev). To end that: scorel trust remove ${shellWord(path)}`;
