import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Invocation } from "@scorel/cli/contract";
import { decideOn, describeAs } from "@scorel/kit/terminal/review";
import type { InstalledPreset, PresetReview, PresetStore } from "../contract.ts";
import { errors } from "../errors.ts";
import type { Fetched } from "../sources/fetched.ts";
import { fetchSource, recognise, type Wanted } from "../sources/source.ts";
import { installed, say } from "./installed.ts";
import { type Manifest, readManifest } from "./manifest.ts";

/** `scorel preset add`. Returns 1 when the user declines. */
export async function add(store: PresetStore, invocation: Invocation): Promise<number> {
  const given = invocation.args[0] as string;
  const asked = invocation.options.name as string | undefined;
  const wanted = recognise(given, invocation.cwd);
  if (asked !== undefined) await assertFree(store, asked);
  return await withReview(store, wanted, invocation, async (prepared, review) => {
    const command = `scorel preset add ${shellWord(given)}${asked === undefined ? "" : ` --name ${asked}`}`;
    if (!(await agreed(review, heading("Install", prepared), command, invocation))) return 1;
    await review.accept();
    return say(invocation, `Installed "${prepared.name}". To use it: scorel --preset ${prepared.name}`);
  });
}

/** `scorel preset update`. Returns 1 when the user declines. */
export async function update(store: PresetStore, invocation: Invocation): Promise<number> {
  const { args, cwd } = invocation;
  const before = await installed(store, args[0] as string);
  const wanted = recognise(args[1] ?? before.source.spec, cwd);
  return await withReview(
    store,
    wanted,
    invocation,
    async (prepared, review) => {
      if (review.changes?.length === 0 && before.state === "installed")
        return say(invocation, `"${before.name}" is the same there; nothing was changed.`);
      const command = `scorel preset update ${args.map(shellWord).join(" ")}`;
      if (!(await agreed(review, heading("Update", prepared), command, invocation))) return 1;
      await review.accept();
      return say(invocation, `Updated "${before.name}".`);
    },
    before,
  );
}

/** A staged preset with its dependencies. */
interface Prepared extends Fetched {
  manifest: Manifest;
}

/** Fetches and stages a preset, and removes the staging folder in any case. */
async function withReview(
  store: PresetStore,
  { kind, spec }: Wanted,
  invocation: Invocation,
  decision: (prepared: Prepared, review: PresetReview) => Promise<number>,
  before?: InstalledPreset,
): Promise<number> {
  const staging = await store.stage();
  try {
    const fetched = await fetchSource({ kind, spec }, staging.folder, invocation);
    // Its node_modules are not verified by anything; npm installs its own.
    rmSync(join(fetched.folder, "node_modules"), { recursive: true, force: true });
    const manifest = readManifest(fetched.folder, spec);
    const name = before?.name ?? (invocation.options.name as string | undefined) ?? nameOf(manifest, fetched);
    if (!before) await assertFree(store, name);
    const packages = await dependenciesOf(manifest, fetched.folder, staging.folder, invocation);
    const { version } = manifest;
    const source = { ...fetched.source, ...(version !== undefined && { version }) };
    const review = await staging.review(fetched.folder, { name, source, packages, isUpdate: before !== undefined });
    return await decision({ ...fetched, name, source, manifest }, review);
  } catch (thrown) {
    const isOfSystem = thrown instanceof Error && "syscall" in thrown;
    throw isOfSystem ? errors.PACKAGES_DISK({ reason: thrown.message }, { cause: thrown }) : thrown;
  } finally {
    staging.discard();
  }
}

async function assertFree(store: PresetStore, name: string): Promise<void> {
  const present = (await store.list()).find((preset) => preset.name === name);
  if (present) throw errors.PACKAGES_INSTALLED({ name, source: present.source.spec });
  const reason = await store.taken(name);
  if (reason !== undefined) throw errors.PACKAGES_NAME({ name, reason });
}

/** The default name: `preset` for `@team/preset`; without a package.json, the name of the folder or file. */
function nameOf({ name }: Manifest, fetched: Fetched): string {
  return (name ?? fetched.name).replace(/^@[^/]*\//, "").toLowerCase();
}

async function dependenciesOf({ dependencies }: Manifest, folder: string, staging: string, invocation: Invocation) {
  if (Object.keys(dependencies).length === 0) return [];
  invocation.stderr.write("scorel: npm gets what it depends on, and runs nothing of it\n");
  return await (await import("../sources/npm.ts")).install(dependencies, staging, folder, invocation);
}

function heading(verb: string, { name, source, notes }: Prepared): string {
  const { kind, spec, version, commit } = source;
  const which = [version, commit?.slice(0, 12)].filter(Boolean).join(", ");
  const what = `${verb} "${name}"${which ? ` ${which}` : ""} from ${kind === "path" ? "the folder" : kind} ${spec}`;
  return [what, ...notes].join("\n");
}

async function agreed(review: PresetReview, title: string, command: string, invocation: Invocation): Promise<boolean> {
  const { options, stdin } = invocation;
  if (options.yes !== true && stdin.isTTY) return await decideOn(review, title, "Install it?", invocation);
  invocation.stdout.write(`${describeAs(title, review)}\n`);
  if (options.yes !== true) throw errors.PACKAGES_UNCONFIRMED({ command });
  return true;
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./^~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
