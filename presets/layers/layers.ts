import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { ScorelError } from "@scorel/kernel";
import { userDir } from "@scorel/kit/files/home";
import type { Admission, Project } from "@scorel/trust/loader";
import type { PresetPackage } from "@scorel/workspace/contract";
import { errors } from "../errors.ts";
import { filesOf } from "../paths.ts";
import { createAdmission } from "./admission.ts";
import { extended, type Layer, type LayerKind, placeOf, readLayer } from "./layer.ts";
import { isPath, layerAt, layersNamed } from "./preset-file.ts";
import { ownLayerOf } from "./project-layer.ts";

/** What the layers are made of: a preset by name or path, the user's folder and a project's. */
export interface LayerRequest {
  preset: string;
  /** Who asked for the preset, for messages: `--preset`. */
  by: string;
  /** Where a preset's relative path starts. */
  cwd: string;
  project: Project | undefined;
  /** Leave the config.toml files out. */
  presetOnly?: boolean;
  /** For what runs once per process: presets of the project are followed to those that they extend, but do not count themselves. */
  scope?: "host";
  /** Nothing of it will be loaded, so that what it requires need not be there. */
  looking?: boolean;
  /** Hears of each preset that cannot be read, and reading goes on without it. Default: reading ends with the first. */
  onProblem?(message: string): void;
  /** Which presets outside of the folders for them may be read. Default: those that the user trusts. */
  admission?: Admission;
}

/**
 * Every layer in order, later ones win: the preset with all it extends, `~/.scorel/config.toml`, the user's own settings for the
 * project, and the project's `.scorel/config.toml` when it is trusted. A file counts once, where it first stands.
 */
export async function readLayers(request: LayerRequest): Promise<Layer[]> {
  const layers = await everyLayer(request);
  return request.scope === "host" ? layers.filter(({ kind }) => kind !== "project") : layers;
}

async function everyLayer(request: LayerRequest): Promise<Layer[]> {
  const { preset, by, cwd, project, presetOnly, admission = createAdmission(), onProblem } = request;
  const chain = new Chain(project, admission, onProblem);
  await chain.addPreset(preset, { by, from: cwd, kind: "user", open: [] });
  if (presetOnly) return chain.layers;
  await chain.addFile(join(userDir(), "config.toml"), "user");
  const own = await ownLayerOf(cwd);
  if (own !== undefined) await chain.addFile(own, "user");
  if (project?.trusted) {
    const file = join(filesOf(project), "config.toml");
    await chain.addFile(file, "project", join(project.dir, "config.toml"));
  }
  return chain.layers;
}

/** The presets among layers that are folders, each once, weakest first. */
export function packagesOf(layers: readonly Layer[]): PresetPackage[] {
  return [...new Map(layers.flatMap(({ pack }) => (pack ? [[pack.root, pack] as const] : []))).values()];
}

/** Who names a preset: for messages, for relative paths, and for what the named file may set. */
interface Asking {
  by: string;
  from: string;
  kind: LayerKind;
  /** The files that are being extended right now, outermost first. */
  open: readonly Layer[];
}

class Chain {
  readonly layers: Layer[] = [];
  private readonly project: Project | undefined;
  private readonly admission: Admission;
  private readonly onProblem: LayerRequest["onProblem"];

  constructor(project: Project | undefined, admission: Admission, onProblem: LayerRequest["onProblem"]) {
    this.project = project;
    this.admission = admission;
    this.onProblem = onProblem;
  }

  async addPreset(preset: string, asking: Asking): Promise<void> {
    try {
      await this.read(preset, asking);
    } catch (thrown) {
      if (!this.onProblem || !(thrown instanceof ScorelError)) throw thrown;
      const { message } = thrown;
      const isPlace = /:\d+$/.test(asking.by);
      this.onProblem(isPlace && !message.includes(asking.by) ? `${message} (${asking.by})` : message);
    }
  }

  private async read(preset: string, { by, from, kind, open }: Asking): Promise<void> {
    const found = isPath(preset)
      ? [await layerAt(preset, { from, kind, within: open.at(-1)?.within }, this.project, this.admission)]
      : await layersNamed(preset, by, this.project);
    // A preset may extend its own name: it means the ones beneath it, which stand before it anyway.
    const own = open.at(-1);
    const same = found.findIndex(({ path }) => path === own?.path);
    for (const layer of same > 0 ? found.slice(0, same) : found) await this.add(layer, open, by);
  }

  async addFile(path: string, kind: LayerKind, shown = path): Promise<void> {
    if (existsSync(path)) await this.add(readLayer(path, kind, shown), [], shown);
  }

  private async add(layer: Layer, open: readonly Layer[], by: string): Promise<void> {
    if (open.some(({ path }) => path === layer.path)) throw circle(layer, open);
    if (this.layers.some(({ path }) => path === layer.path)) return;
    const inside = [...open, layer];
    for (const [preset, place] of extended(layer))
      await this.addPreset(preset, { by: place, from: dirname(layer.path), kind: layer.kind, open: inside });
    if (!this.layers.some(({ path }) => path === layer.path)) this.layers.push({ ...layer, by, askedBy: open });
  }
}

function circle(layer: Layer, open: readonly Layer[]) {
  const from = open.findIndex(({ path }) => path === layer.path);
  const chain = [...open.slice(from).map((each) => placeOf(each, ["extends"])), layer.file];
  return errors.CONFIG_PRESET_CIRCLE({ chain: chain.join(" -> ") });
}
