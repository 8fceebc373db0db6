import type { Lineage, SessionArtifacts } from "@scorel/artifacts/contract";
import { messageOf } from "@scorel/kernel";
import type { OutputFile, RunRequest, RunResult } from "../contract.ts";
import type { Layout } from "../workspace/layout.ts";
import { isText } from "../workspace/mime.ts";
import {
  type Collected,
  type Collection,
  collect,
  defaultLimits,
  primary,
  type ShowOptions,
  shown,
  type Wanted,
} from "../workspace/outputs.ts";
import type { Steps } from "./steps.ts";

/** The most files taken from `out/` when none were requested. */
const UNASKED_FILES = 20;
/** A hint for models only; people cannot use these references. */
export const REF_HINT =
  "output_files are workspace-relative; prefer output_files content; when you need a stable reference, use output_files[*].ref (workspace://...)";

/** The most content in one result, in bytes. More would fill the conversation, or be cut off in the middle of the result. */
const MOST_TOLD = 128 * 1024;
const CUT_HINT = `only ${MOST_TOLD / 1024} KiB of content are returned at once; pass the refs of the other files to Read`;

/** The arguments for collecting and saving a run's files. */
export interface Keeping {
  layout: Layout;
  /** The run's folder, relative to the workspace. */
  run: string;
  /** When the run's folder was created, by the file system's clock. */
  since: number;
  hide(text: string): string;
  artifacts: SessionArtifacts | undefined;
  lineage: Lineage;
  steps: Steps;
}

/** Adds the requested files to the result, saves them if requested, and returns warnings. */
export async function keepFiles(result: RunResult, request: RunRequest, keeping: Keeping): Promise<string[]> {
  const asked = wantedOf(request);
  const wanted = asked.listed ? asked.wanted : { ...asked.wanted, since: keeping.since };
  const { files, warnings } = collected(wanted, keeping);
  // A failed command often leaves empty files where it was about to write.
  const kept = result.exit_code === 0 ? files : files.filter(({ size }) => size > 0);
  if (kept.length < files.length) warnings.push("empty output_files omitted because command failed");
  const saved = asked.save ? await save(kept, keeping, asked.prefix) : undefined;
  if (saved?.files) result.artifact_files = saved.files;
  warnings.push(...(saved?.warnings ?? []));
  // Files that could not be saved are included in full, since they exist nowhere else.
  const inline = asked.inline || (saved !== undefined && saved.warnings.length > 0);
  keeping.steps.record("workspace.inline", { count: kept.length }, () => {
    const { hide } = keeping;
    const { told, cut } = describeAll(kept, { hide, room: inline ? MOST_TOLD : 0 });
    if (asked.listed) result.output_files = told;
    if (asked.listed && inline && cut) warnings.push(CUT_HINT);
    const best = primary(kept);
    // Content that is already in output_files is not repeated.
    if (best) result.primary_output = shown(best, { hide, room: inline && !asked.listed ? MOST_TOLD : 0 });
  });
  if (asked.listed && kept.length > 0 && !saved?.files) warnings.push(REF_HINT);
  return warnings;
}

function collected(wanted: Wanted, { layout, run, steps }: Keeping): Collection {
  return steps.record("workspace.collect", { patterns: [...wanted.globs] }, (step) => {
    const found = collect(layout.root, run, wanted);
    step.set({ count: found.files.length });
    return found;
  });
}

/** Describes the files in order, with content while there is room; `cut` says whether some content was left out. */
function describeAll(files: readonly Collected[], { hide, room }: ShowOptions): { told: OutputFile[]; cut: boolean } {
  let left = room;
  let cut = false;
  const told = files.map((file) => {
    const { bytes, size, mime } = file;
    const one = shown(file, { hide, room: left });
    cut ||= isText(mime) && (left <= 0 || (one.truncated === true && size === bytes.length));
    left -= Buffer.byteLength(one.content ?? "");
    return one;
  });
  return { told, cut };
}

/** Which files a call requests, and what to do with them. */
export function wantedOf({ outputs, output_files, ...request }: RunRequest) {
  const inline = request.omit_inline_content !== true;
  if (output_files && output_files.length > 0) {
    const save = request.save_as_artifacts === true;
    const wanted = { ...defaultLimits, globs: output_files };
    return { wanted, listed: true, inline, save, prefix: request.artifact_prefix ?? "" };
  }
  if (outputs) {
    const { globs, inline: told = false, save = false, name_template: prefix = "", ...limits } = outputs;
    return { wanted: { ...defaultLimits, ...limits, globs }, listed: true, inline: told && inline, save, prefix };
  }
  const wanted = { ...defaultLimits, globs: ["out/**"], max_files: UNASKED_FILES };
  return { wanted, listed: false, inline, save: false, prefix: "" };
}

interface Saved {
  files?: { name: string; version: number }[];
  warnings: string[];
}

async function save(files: readonly Collected[], { artifacts, lineage }: Keeping, prefix: string): Promise<Saved> {
  if (!artifacts) return { warnings: [NOT_CONFIGURED] };
  const saved: { name: string; version: number }[] = [];
  const cut = files.filter(({ bytes, size }) => bytes.length < size).map(({ name }) => name);
  const warnings = cut.length > 0 ? [`cannot save truncated output file: ${cut.join(", ")}`] : [];
  for (const { name, bytes, size, mime } of files) {
    if (bytes.length < size) continue;
    try {
      const { version } = await artifacts.save({ name: prefix + name, content: bytes, mimeType: mime, lineage });
      saved.push({ name: prefix + name, version });
    } catch (thrown) {
      warnings.push(`cannot save output file: ${name}: ${messageOf(thrown)}`);
    }
  }
  return { files: saved, warnings };
}

const NOT_CONFIGURED = "save_as_artifacts requested but artifact service is not configured; outputs are not persisted";
