import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "@scorel/kernel";
import { errors } from "../errors.ts";
import { isRange, packageName } from "../sources/npm-names.ts";

const LARGEST = 1024 * 1024;

/** The fields of a package's package.json that are used. */
export interface Manifest {
  name?: string;
  version?: string;
  /** Name -> version, range, tag or `npm:name@version`. */
  dependencies: Record<string, string>;
}

/** Reads the package.json in a folder; an empty one when there is none. Throws PACKAGES_MANIFEST. */
export function readManifest(folder: string, shown: string): Manifest {
  const path = join(folder, "package.json");
  if (!existsSync(path)) return { dependencies: {} };
  const fail = (reason: string, cause?: unknown) =>
    errors.PACKAGES_MANIFEST({ path: `${shown}/package.json`, reason }, { cause });
  if (statSync(path).size > LARGEST) throw fail("it is larger than 1 MiB");
  const value = parse(path, fail);
  const { name, version, dependencies = {} } = value;
  if (!isTable(dependencies)) throw fail('"dependencies" is not a table');
  for (const [wanted, range] of Object.entries(dependencies)) {
    if (packageName(wanted) === undefined) throw fail(`${JSON.stringify(wanted)} is not the name of a package`);
    if (typeof range !== "string" || !isRange(range))
      throw fail(`it wants ${wanted} from ${JSON.stringify(range)}; only versions from the npm registry are accepted`);
  }
  return {
    ...(typeof name === "string" && { name }),
    ...(typeof version === "string" && version.length <= 100 && { version }),
    dependencies: dependencies as Record<string, string>,
  };
}

function parse(path: string, fail: (reason: string, cause?: unknown) => Error): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (isTable(value)) return value;
  } catch (thrown) {
    throw fail(messageOf(thrown), thrown);
  }
  throw fail("it is not a table");
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
