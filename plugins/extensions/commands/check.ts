import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, parse, resolve } from "node:path";
import type { Invocation } from "@scorel/cli/contract";
import { shapeProblems } from "../checks/shape.ts";
import type { Step, Target } from "../checks/step.ts";
import { checkTypes } from "../checks/type-check.ts";
import type { ExtensionsService, PluginRow } from "../contract.ts";
import { errors } from "../errors.ts";
import { listed } from "./list.ts";
import { tellRun } from "./tell-run.ts";

const endings = [".ts", ".mts", ".js", ".mjs"];

/** `plugin check`: prints the result of each step. Returns exit code 1 if a step found a problem. */
export async function check(extensions: ExtensionsService, invocation: Invocation): Promise<number> {
  const { args, options, cwd, stdout } = invocation;
  const given = options.config as string[] | undefined;
  if (given && !options.load) throw errors.EXTENSIONS_CONFIG({ given: given[0] as string, reason: "it needs --load" });
  const target = targetOf(resolve(cwd, args[0] as string));
  const steps = [await checkSyntax(extensions, target), checkShape(extensions, target)];
  if (steps[0]?.problems.length === 0) steps.push(await checkTypes(extensions, target, invocation));
  steps.push(options.load ? await checkLoad(extensions, target, invocation) : notLoaded(args[0] as string));
  stdout.write(steps.map(told).join(""));
  return steps.some(({ problems }) => problems.length > 0) ? 1 : 0;
}

function told({ name, problems, note, skipped }: Step): string {
  const verdict = skipped ? "not checked" : problems.length === 0 ? "ok" : "wrong";
  return [`${name}: ${verdict}${note === "" ? "" : ` (${note})`}`, ...problems.map((text) => `  ${text}`), ""].join(
    "\n",
  );
}

function targetOf(path: string): Target {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw errors.EXTENSIONS_FILE({ path, reason: "it does not exist" });
  if (stats.isDirectory()) {
    const file = endings.map((ending) => join(path, `index${ending}`)).find((name) => existsSync(name));
    if (!file) throw errors.EXTENSIONS_FILE({ path, reason: `it holds no index${endings.join(", index")}` });
    return { id: basename(path), file, folder: path };
  }
  const { name, ext } = parse(path);
  if (!endings.includes(ext))
    throw errors.EXTENSIONS_FILE({ path, reason: `its extension is not one of ${endings.join(", ")}` });
  if (name === "index") return { id: basename(dirname(path)), file: path, folder: dirname(path) };
  return { id: name, file: path };
}

async function checkSyntax(extensions: ExtensionsService, { file }: Target): Promise<Step> {
  const found = await extensions.parse(file);
  return { name: "syntax", note: "of this file alone", problems: found ? [`${found.where}: ${found.reason}`] : [] };
}

function checkShape({ words }: ExtensionsService, { id, file }: Target): Step {
  const problems = shapeProblems(id, readFileSync(file, "utf8"), words).map((reason) => `${file}: ${reason}`);
  return { name: "manifest", note: "as far as it is written out", problems };
}

/** The step that tells that loading the extension would find more problems, and how to do it. */
function notLoaded(path: string): Step {
  return { name: "load", note: `not run: scorel plugin check --load ${path}`, problems: [], skipped: true };
}

/** Runs the extension, so its folder must be trusted; otherwise throws EXTENSIONS_UNTRUSTED. */
async function checkLoad(extensions: ExtensionsService, target: Target, invocation: Invocation): Promise<Step> {
  const folder = await extensions.folderOf(target.file);
  if (folder && !folder.trusted) throw errors.EXTENSIONS_UNTRUSTED({ path: target.file });
  if (!folder) tellRun(target.file, invocation);
  const [{ probe }, { configText }] = await Promise.all([import("../checks/probe.ts"), import("../checks/config.ts")]);
  const config = configText(target.id, (invocation.options.config ?? []) as string[]);
  const row = await probe(target, config, invocation);
  const problems = row.state === "loaded" && row.reason === undefined ? [] : [row.reason ?? row.state];
  const name = "load";
  return { name, note: problems.length > 0 ? "" : summary(row), problems };
}

function summary(row: PluginRow): string {
  const [, does = "does nothing"] = listed([row]).trimEnd().split("\n");
  return does.trim();
}
