import { join, resolve } from "node:path";
import { userDir } from "@scorel/kit/files/home";
import { canonical, isWithin } from "@scorel/kit/files/paths";
import { type LayerRequest, readLayers } from "./layers.ts";
import { isPath } from "./preset-file.ts";

/** The files and folders that a session's plugins come from; see ExtensionsService.sources. */
export async function sourcesOf(request: LayerRequest): Promise<string[]> {
  const { project } = request;
  const [{ targetOf }, { trustFile }] = await Promise.all([
    import("@scorel/trust/targets"),
    import("@scorel/trust/record"),
  ]);
  const own = ["config.toml", "extensions", "packages", "presets"].map((name) => join(userDir(), name));
  const trusted = project?.trusted ? [project.dir, ...(targetOf(canonical(request.cwd))?.folders ?? [])] : [];
  const known = [...own, trustFile(), ...trusted, ...(project?.nested?.folders ?? [])];
  const others = (await layerFiles(request)).filter((file) => !known.some((path) => isWithin(path, file)));
  return [...new Set([...known, ...others])];
}

/** The files of the layers that are not shipped. If they cannot be read, the path of the preset. */
async function layerFiles(request: LayerRequest): Promise<string[]> {
  const { preset, cwd, from = cwd } = request;
  try {
    const layers = (await readLayers(request)).filter(({ kind }) => kind !== "shipped");
    return layers.map(({ file, pack }) => pack?.folder ?? file);
  } catch {
    // Opening a session reports the reason.
    return isPath(preset) ? [resolve(from, preset)] : [];
  }
}
