import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ownFolders } from "@scorel/kit/process/programs";
import type { LockedPackage } from "../contract.ts";
import { errors } from "../errors.ts";
import type { Surroundings } from "./fetched.ts";
import { isRange, npmSpec } from "./npm-names.ts";
import { pathFor, run } from "./program.ts";

/** Environment variables that a program needs to run and to reach a registry. None of them contains a key. */
const PASSED =
  /^(HOME|USERPROFILE|APPDATA|LOCALAPPDATA|SystemRoot|COMSPEC|TMPDIR|TEMP|TMP|LANG|LC_ALL|(HTTPS?|NO)_PROXY|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR))$/i;

/**
 * Options that keep npm from running scripts of packages and from fetching from anywhere but the registry, even if the
 * user's npmrc says otherwise.
 */
const ALWAYS = [
  "--ignore-scripts",
  "--git=/git-is-not-used",
  "--no-global",
  "--no-audit",
  "--no-fund",
  "--no-update-notifier",
  "--no-progress",
  "--loglevel=error",
  "--json",
];

/** Fetches a package from the user's registry as a tarball, which npm verifies, and returns its path. Throws PACKAGES_NPM. */
export async function pack(spec: string, staging: string, surroundings: Surroundings): Promise<string> {
  const { name, range } = npmSpec(spec) ?? { name: spec, range: "" };
  const folder = emptyProject(staging, "packed", {});
  await npm(["pack", `${name}@${range}`, "--prefer-online"], folder, surroundings);
  const file = readdirSync(folder).find((each) => each.endsWith(".tgz"));
  if (file === undefined) throw errors.PACKAGES_NPM({ reason: `it answered without a tarball of ${spec}` });
  return join(folder, file);
}

/** Installs a preset's dependencies into its node_modules, and returns the whole tree. Throws PACKAGES_NPM. */
export async function install(
  dependencies: Readonly<Record<string, string>>,
  staging: string,
  into: string,
  surroundings: Surroundings,
): Promise<LockedPackage[]> {
  // Runs in a separate folder: npm reads the settings of the project that it runs in, and those of the preset must not
  // apply.
  const folder = emptyProject(staging, "dependencies", dependencies);
  const options = ["--omit=dev", "--no-bin-links", "--install-strategy=hoisted"];
  await npm(["install", ...options], folder, surroundings);
  const modules = join(folder, "node_modules");
  const packages = packagesIn(join(modules, ".package-lock.json"));
  for (const own of [".package-lock.json", ".bin"]) rmSync(join(modules, own), { recursive: true, force: true });
  renameSync(modules, join(into, "node_modules"));
  return packages;
}

/** Creates a folder with a package.json, so that npm does not look for a project in the folders above. */
function emptyProject(staging: string, name: string, dependencies: Readonly<Record<string, string>>): string {
  const folder = join(staging, name);
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
  return folder;
}

async function npm(args: readonly string[], cwd: string, { env, interrupt }: Surroundings): Promise<void> {
  const [program, ...before] = findNpm(ownFolders(env.PATH));
  const ended = await run(program, [...before, ...args, ...ALWAYS], {
    cwd,
    env: { ...passed(env), PATH: pathFor(env) },
    signal: interrupt,
  });
  if (ended.code !== 0) throw errors.PACKAGES_NPM({ reason: ended.failure ?? reasonIn(ended.stdout, ended.stderr) });
}

/**
 * The command for npm. On Windows, this is the script next to npm's starter, because the starter itself would need a
 * shell.
 */
function findNpm(folders: readonly string[]): [program: string, ...args: string[]] {
  const isWindows = process.platform === "win32";
  for (const folder of folders) {
    const program = isWindows ? join(folder, "node_modules/npm/bin/npm-cli.js") : join(folder, "npm");
    if (existsSync(program)) return isWindows ? [process.execPath, program] : [program];
  }
  throw errors.PACKAGES_NO_NPM();
}

/**
 * Variables with npm settings are left out, because a project may have set them. Variables that the user's npmrc names are
 * passed on.
 */
function passed(env: Surroundings["env"]): Record<string, string> {
  const asked = askedFor(env.HOME ?? env.USERPROFILE);
  const entries = Object.entries(env).filter(
    ([name]) => PASSED.test(name) || (asked.has(name) && !/^npm_config_/i.test(name)),
  );
  return Object.fromEntries(entries) as Record<string, string>;
}

function askedFor(home: string | undefined): Set<string> {
  const file = home === undefined ? "" : join(home, ".npmrc");
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  return new Set(Array.from(text.matchAll(/\$\{(\w+)\??\}/g), ([, name = ""]) => name));
}

interface Installed {
  name?: string;
  version?: string;
  resolved?: string;
  integrity?: string;
  link?: boolean;
  inBundle?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** Every installed package, as recorded by npm. */
function packagesIn(file: string): LockedPackage[] {
  if (!existsSync(file)) return [];
  const { packages } = JSON.parse(readFileSync(file, "utf8")) as { packages: Record<string, Installed> };
  return Object.entries(packages)
    .map(([path, installed]) => lockedPackage(installed.name ?? path.split("node_modules/").at(-1) ?? path, installed))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function lockedPackage(name: string, installed: Installed): LockedPackage {
  const { version = "", resolved = "", integrity, link, inBundle } = installed;
  const { dependencies, optionalDependencies, peerDependencies } = installed;
  const asked = Object.entries({ ...dependencies, ...optionalDependencies, ...peerDependencies });
  const elsewhere = asked.find(([, range]) => !isRange(range));
  if (elsewhere)
    throw errors.PACKAGES_NPM({ reason: `${name} wants ${elsewhere.join(" from ")}, not from a registry` });
  if (inBundle) return { name, version, integrity: "in the bundle of another" };
  if (link || integrity === undefined || !/^https?:/.test(resolved))
    throw errors.PACKAGES_NPM({ reason: `${name} comes from ${resolved || "a link"}, not from a registry` });
  return { name, version, integrity };
}

/** With --json, npm reports errors on stdout. */
function reasonIn(stdout: Buffer, stderr: string): string {
  try {
    const { error } = JSON.parse(stdout.toString()) as { error: { code?: string; summary?: string } };
    const summary = error.summary?.trim().split("\n")[0];
    if (summary) return error.code === undefined ? summary : `${error.code}: ${summary}`;
  } catch {
    // Not JSON: stderr is used instead.
  }
  const lines = stderr.split("\n").map((line) => line.replace(/^npm (error|ERR!) ?/, "").trim());
  return lines.find((line) => line !== "" && !line.startsWith("code ")) ?? "it said nothing";
}
