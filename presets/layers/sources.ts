import { join, resolve } from "node:path";
import { userDir } from "@scorel/kit/files/home";
import { canonical, isWithin } from "@scorel/kit/files/paths";
import { type LayerRequest, readLayers } from "./layers.ts";
import { isPath } from "./preset-file.ts";

/** See ExtensionsService.sources. */
export async function sourcesOf(request: LayerRequest): Promise<string[]> {
  const { project } = request;
  const [{ targetOf }, { trustFile }] = await Promise.all([
    import("@scorel/trust/targets"),
    import("@scorel/trust/record"),
  ]);
  const own = ["config.toml", "extensions", "presets"].map((name) => join(userDir(), name));
  const trusted = project?.trusted ? [project.dir, ...(targetOf(canonical(request.cwd))?.folders ?? [])] : [];
  const known = [...own, trustFile(), ...trusted, ...(project?.nested?.folders ?? [])];
  const others = (await layerFiles(request)).filter((file) => !known.some((path) => isWithin(path, file)));
  return [...new Set([...known, ...others])];
}

/** Where the layers lie; of layers that cannot be read, where the first of them is looked for. */
async function layerFiles(request: LayerRequest): Promise<string[]> {
  const { preset, cwd } = request;
  try {
    const layers = (await readLayers(request)).filter(({ kind }) => kind !== "shipped");
    return layers.map(({ file, pack }) => pack?.folder ?? file);
  } catch {
    // Whoever opens a session is told why.
    return isPath(preset) ? [resolve(cwd, preset)] : [];
  }
}
