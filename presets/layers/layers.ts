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

/** Which layers to read: those of a preset (by name or path), of the user, and of a project. */
export interface LayerRequest {
  preset: string;
  /** Where the preset was named, for messages: `--preset`. */
  by: string;
  /** The working directory; the user's settings for its project are read. */
  cwd: string;
  /** The directory that a relative path of the preset starts from. Default: `cwd`. */
  from?: string;
  project: Project | undefined;
  /** Leave the config.toml files out. */
  presetOnly?: boolean;
  /** For host plugins: layers of the project are left out, but the presets that they extend are read. */
  scope?: "host";
  /** With `scope`: do not check the tables of session plugins, because the caller opens a session, which checks them. */
  opensSession?: boolean;
  /** The layers are only shown or checked, so unmet requirements are not errors. */
  looking?: boolean;
  /** Called for each preset that cannot be read, which is then left out. Default: the first one is thrown. */
  onProblem?(message: string): void;
  /** Decides which presets outside of the presets folders may be read. Default: those that the user trusts. */
  admission?: Admission;
}

/**
 * Reads the layers in order; later ones take precedence: the preset with everything that it extends, `~/.scorel/config.toml`, the user's
 * settings for the project, and the project's `.scorel/config.toml` if it is trusted. A file that is named twice is only read the first
 * time.
 */
export async function readLayers(request: LayerRequest): Promise<Layer[]> {
  const layers = await everyLayer(request);
  return request.scope === "host" ? layers.filter(({ kind }) => kind !== "project") : layers;
}

async function everyLayer(request: LayerRequest): Promise<Layer[]> {
  const { preset, by, cwd, from = cwd, project, presetOnly, admission = createAdmission(), onProblem } = request;
  const chain = new Chain(project, admission, onProblem);
  await chain.addPreset(preset, { by, from, kind: "user", open: [] });
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

/** The preset folders among the layers, each once, in the order of the layers. */
export function packagesOf(layers: readonly Layer[]): PresetPackage[] {
  return [...new Map(layers.flatMap(({ pack }) => (pack ? [[pack.root, pack] as const] : []))).values()];
}

/** The layer or flag that names a preset. What the named file may set depends on it. */
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
    // A preset that extends its own name means the earlier presets of that name.
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
