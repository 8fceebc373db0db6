import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ExtensionFile } from "../contract.ts";
import { outsideImports } from "../load/imports.ts";
import { knownWords } from "../words.ts";
import { type NamedService, writtenManifest } from "./manifest.ts";
import { parse } from "./parse.ts";
import { shapeProblems } from "./shape.ts";

/** The result of checking an extension without running it. */
export interface ExtensionFindings {
  /** The services that the extension names, each with its `file:line`. */
  user: { id: string; scope: "host" | "session"; needs: PlacedService[]; provides: PlacedService[] };
  /** True if the list of provided services is computed, so that it may contain any service. */
  isOpen: boolean;
  problems: string[];
  /** Facts that are only known after running the extension. */
  unknown: string[];
}

interface PlacedService {
  name: string;
  place: string;
}

/** Reads an extension and the files that it imports, without running them. */
export async function extensionFindings(extension: ExtensionFile): Promise<ExtensionFindings> {
  const { id, path, file, of } = extension;
  const source = readFileSync(file, "utf8");
  const { needs, provides, host } = writtenManifest(source);
  const placed = (services: NamedService[] = []) =>
    services.map(({ name, line }) => ({ name, place: `${path}:${line}` }));
  const imports = importFindings(extension);
  const refused =
    host && of !== "user" ? [`"${id}" cannot run once per process (scope "host") as part of a preset (${path})`] : [];
  return {
    user: { id, scope: host ? "host" : "session", needs: placed(needs), provides: placed(provides) },
    isOpen: provides === undefined,
    problems: [...(await shapeFindings(extension, source)), ...imports.problems, ...refused],
    unknown: [
      ...(needs ? [] : [`"${id}": the services that it needs are computed (${path})`]),
      ...(provides ? [] : [`"${id}": the services that it provides are computed (${path})`]),
      ...imports.unknown,
    ],
  };
}

/** A syntax error, or else mistakes in the manifest. */
async function shapeFindings({ id, path, file }: ExtensionFile, source: string): Promise<string[]> {
  const mistake = await parse(file, source);
  if (mistake) return [`"${id}" does not parse: ${mistake.reason} (${mistake.where.replace(file, path)})`];
  return shapeProblems(id, source, knownWords).map((reason) => `"${id}": ${reason} (${path})`);
}

/** Imports from outside of its preset. Packages listed in package.json are no problem: installing the preset adds them. */
function importFindings(extension: ExtensionFile): { problems: string[]; unknown: string[] } {
  const { id, within } = extension;
  const found = within === undefined ? [] : outsideImports(extension, within);
  const isListed = (wanted: string) =>
    within !== undefined && dependenciesIn(within).some((name) => isOf(wanted, name));
  return {
    problems: found
      .filter(({ wanted }) => !isListed(wanted))
      .map(({ wanted, where }) => `"${id}" imports "${wanted}", which is not among its preset's files (${where})`),
    unknown: found
      .filter(({ wanted }) => isListed(wanted))
      .map(
        ({ wanted, where }) =>
          `"${id}" imports "${wanted}" (${where}): package.json lists it, and it is not installed here`,
      ),
  };
}

const isOf = (wanted: string, name: string) => wanted === name || wanted.startsWith(`${name}/`);

function dependenciesIn(root: string): string[] {
  const path = join(root, "package.json");
  if (!existsSync(path)) return [];
  try {
    const { dependencies } = JSON.parse(readFileSync(path, "utf8")) as { dependencies?: object };
    return Object.keys(dependencies ?? {});
  } catch {
    // The package.json is not valid; installing the preset reports that.
    return [];
  }
}
