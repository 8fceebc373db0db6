import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Invocation } from "@scorel/cli/contract";
import { codeOf, messageOf, ScorelError } from "@scorel/kernel";
import { decideOn, describeAs } from "@scorel/kit/terminal/review";
import { visibleName } from "@scorel/kit/text/plain";
import { shellWord } from "@scorel/kit/text/shell-word";
import type { InstalledPackage, PackageReview } from "../contract.ts";
import { errors } from "../errors.ts";
import type { Fetched } from "../sources/fetched.ts";
import { firstOf } from "../sources/first-of.ts";
import { fetchSource, recognise, type Wanted } from "../sources/source.ts";
import { installed, say } from "./installed.ts";
import type { Installer } from "./installer.ts";
import { type Manifest, readManifest } from "./manifest.ts";

const INTERRUPTED = 130;

/** `scorel preset|plugin add`. Returns 1 when the user declines. */
export async function add(installer: Installer, invocation: Invocation): Promise<number> {
  const given = invocation.args[0] as string;
  const asked = invocation.options.name as string | undefined;
  const wanted = recognise(given, invocation.cwd);
  if (asked !== undefined) await assertFree(installer, asked);
  return await withReview(installer, wanted, invocation, async (prepared, review) => {
    const name = asked === undefined ? "" : ` --name ${asked}`;
    const command = `scorel ${installer.command} add ${shellWord(given)}${name}`;
    const title = [heading("Install", prepared), ...doubtLines(installer, review)].join("\n");
    if (!(await agreed(review, title, command, invocation))) return 1;
    await assertNotInterrupted(invocation);
    await review.accept();
    return say(invocation, `Installed "${prepared.name}". ${installer.toUse(prepared.name)}`);
  });
}

/**
 * `scorel preset|plugin update`; without a name, updates everything that is installed. Returns 1 when the user
 * declines.
 */
export async function update(installer: Installer, invocation: Invocation): Promise<number> {
  const [name, source] = invocation.args;
  if (name !== undefined) return await updateOne(installer, await installed(installer, name), source, invocation);
  const all = await installer.store.list();
  if (all.length === 0) return say(invocation, `No ${installer.noun} is installed.`);
  let worst = 0;
  for (const each of all) {
    worst = Math.max(worst, await attempt(installer, each, invocation));
    if (isInterrupted(invocation)) break;
  }
  return worst;
}

/** Updates one of several packages. A failure is printed, and the others continue. */
async function attempt(installer: Installer, before: InstalledPackage, invocation: Invocation): Promise<number> {
  try {
    return await updateOne(installer, before, undefined, invocation);
  } catch (thrown) {
    if (codeOf(thrown) === "PACKAGES_UNCONFIRMED") throw thrown;
    invocation.stderr.write(`scorel: "${before.name}" was not updated: ${messageOf(thrown)}\n`);
    return thrown instanceof ScorelError ? thrown.exit : 1;
  }
}

async function updateOne(
  installer: Installer,
  before: InstalledPackage,
  source: string | undefined,
  invocation: Invocation,
): Promise<number> {
  const wanted = recognise(source ?? before.source.spec, invocation.cwd);
  return await withReview(
    installer,
    wanted,
    invocation,
    async (prepared, review) => {
      if (review.changes?.length === 0 && before.state === "installed")
        return say(invocation, `"${before.name}" is up to date; nothing was changed.`);
      const words = source === undefined ? [before.name] : [before.name, source];
      const command = `scorel ${installer.command} update ${words.map(shellWord).join(" ")}`;
      const notes = [...(await lostChanges(installer, before)), ...doubtLines(installer, review)];
      const title = [heading("Update", prepared), ...notes].join("\n");
      if (!(await agreed(review, title, command, invocation))) return 1;
      await assertNotInterrupted(invocation);
      await review.accept();
      return say(invocation, `Updated "${before.name}".`);
    },
    before,
  );
}

/** A line about the changes to the files of an installed package, which an update replaces. */
async function lostChanges({ store }: Installer, { name, state }: InstalledPackage): Promise<string[]> {
  if (state !== "changed") return [];
  const paths = ((await store.diff(name)) ?? []).map(({ path }) => path);
  return [`Changes since it was installed are lost: ${firstOf(paths)}`];
}

/** The lines about why a package might not work. */
function doubtLines({ command }: Installer, { doubts }: PackageReview): string[] {
  if (doubts.length === 0) return [];
  return [`It may not work; scorel ${command} check reports:`, ...doubts.map((doubt) => `  ${visibleName(doubt)}`)];
}

/** A staged package with its dependencies. */
interface Prepared extends Fetched {
  manifest: Manifest;
}

/** Fetches and stages a package, and removes the staging folder in any case. */
async function withReview(
  installer: Installer,
  wanted: Wanted,
  invocation: Invocation,
  decision: (prepared: Prepared, review: PackageReview) => Promise<number>,
  before?: InstalledPackage,
): Promise<number> {
  const staging = await installer.store.stage();
  try {
    const fetched = await fetchSource(wanted, staging.folder, invocation);
    // Told at once, since it may explain why the package cannot be used.
    for (const note of fetched.notes) invocation.stderr.write(`scorel: ${note}\n`);
    // Nothing verifies the node_modules of the package; npm installs its own.
    rmSync(join(fetched.folder, "node_modules"), { recursive: true, force: true });
    const manifest = readManifest(fetched.folder, wanted.spec);
    const name =
      before?.name ??
      (invocation.options.name as string | undefined) ??
      (await staging.nameIn(fetched.folder)) ??
      nameOf(manifest, fetched);
    if (!before) await assertFree(installer, name);
    const packages = await dependenciesOf(manifest, fetched.folder, staging.folder, invocation);
    const { version } = manifest;
    const source = { ...fetched.source, ...(version !== undefined && { version }) };
    await assertNotInterrupted(invocation);
    const review = await staging.review(fetched.folder, { name, source, packages, replaces: before?.installedAt });
    return await decision({ ...fetched, name, source, manifest }, review);
  } catch (thrown) {
    if (isInterrupted(invocation)) return interrupted(invocation);
    const isOfSystem = thrown instanceof Error && "syscall" in thrown;
    throw isOfSystem ? errors.PACKAGES_DISK({ reason: thrown.message }, { cause: thrown }) : thrown;
  } finally {
    staging.discard();
  }
}

/**
 * Throws if the command was interrupted. Two turns of the event loop let a signal arrive that was sent while files were
 * read.
 */
async function assertNotInterrupted(invocation: Invocation): Promise<void> {
  for (let turns = 0; turns < 2; turns++) await new Promise((next) => setImmediate(next));
  if (isInterrupted(invocation)) throw invocation.interrupt.reason;
}

/** Whether the process was asked to end. An installation continues if only the reader of its output has gone. */
function isInterrupted({ interrupt }: Invocation): boolean {
  return interrupt.aborted && codeOf(interrupt.reason) !== "OUTPUT_CLOSED";
}

function interrupted({ stderr }: Invocation): number {
  stderr.write("scorel: interrupted; nothing was installed\n");
  return INTERRUPTED;
}

async function assertFree({ store, noun, command }: Installer, name: string): Promise<void> {
  const present = (await store.list()).find((each) => each.name === name);
  if (present) throw errors.PACKAGES_INSTALLED({ noun, command, name, source: present.source.spec });
  const reason = await store.taken(name);
  if (reason !== undefined) throw errors.PACKAGES_NAME({ noun, name, reason });
}

/** The default name: `team` for `@acme/team`; without a package.json, the name of the folder or file. */
function nameOf({ name }: Manifest, fetched: Fetched): string {
  return (name ?? fetched.name).replace(/^@[^/]*\//, "").toLowerCase();
}

async function dependenciesOf({ dependencies }: Manifest, folder: string, staging: string, invocation: Invocation) {
  if (Object.keys(dependencies).length === 0) return [];
  invocation.stderr.write("scorel: npm fetches its dependencies, and runs none of their scripts\n");
  return await (await import("../sources/npm.ts")).install(dependencies, staging, folder, invocation);
}

function heading(verb: string, { name, source }: Prepared): string {
  const { kind, spec, version, commit } = source;
  const which = [version, commit?.slice(0, 12)].filter(Boolean).join(", ");
  const kinds = { path: "the folder ", tarball: "tarball ", git: "git ", npm: "npm ", "git+https": "", "git+ssh": "" };
  const from = kinds[kind];
  return `${verb} "${name}"${which ? ` ${which}` : ""} from ${from}${spec}`;
}

async function agreed(review: PackageReview, title: string, command: string, invocation: Invocation): Promise<boolean> {
  const { options, stdin } = invocation;
  if (options.yes !== true && stdin.isTTY) return await decideOn(review, title, { text: "Install it?" }, invocation);
  invocation.stdout.write(`${describeAs(title, review)}\n`);
  if (options.yes !== true) throw errors.PACKAGES_UNCONFIRMED({ command });
  return true;
}
