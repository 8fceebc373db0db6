import type { Lineage, SessionArtifacts } from "@scorel/artifacts/contract";
import { messageOf } from "@scorel/kernel";
import type { RunRequest, RunResult } from "./contract.ts";
import type { Layout } from "./layout.ts";
import { type Collected, type Collection, collect, defaultLimits, primary, shown, type Wanted } from "./outputs.ts";
import type { Steps } from "./steps.ts";

/** Of `out/`, when nothing was asked for. */
const UNASKED_FILES = 20;
const REF_HINT =
  "output_files are workspace-relative; prefer output_files content; when you need a stable reference, use output_files[*].ref (workspace://...)";

/** What the files of a run are kept with. */
export interface Keeping {
  layout: Layout;
  /** The run's own folder, below the workspace. */
  run: string;
  /** When the run's folder was made, by the clock of the file system. */
  since: number;
  hide(text: string): string;
  artifacts: SessionArtifacts | undefined;
  lineage: Lineage;
  steps: Steps;
}

/** Adds the files that were asked for to the result, and saves them where that was asked; answers what there is to say. */
export async function keepFiles(result: RunResult, request: RunRequest, keeping: Keeping): Promise<string[]> {
  const asked = wantedOf(request);
  const wanted = asked.listed ? asked.wanted : { ...asked.wanted, since: keeping.since };
  const { files, warnings } = collected(wanted, keeping);
  // A command that failed leaves empty files where it was about to write.
  const kept = result.exit_code === 0 ? files : files.filter(({ size }) => size > 0);
  if (kept.length < files.length) warnings.push("empty output_files omitted because command failed");
  const saved = asked.save ? await save(kept, keeping, asked.prefix) : undefined;
  if (saved?.files) result.artifact_files = saved.files;
  if (saved?.warning) warnings.push(saved.warning);
  // What could not be saved is told whole: nobody else has it.
  const inline = asked.inline || saved?.warning !== undefined;
  keeping.steps.take("workspace.inline", { count: kept.length }, () => {
    const hidden = kept.map((file) => withoutSecrets(file, keeping.hide));
    if (asked.listed) result.output_files = hidden.map((file) => shown(file, inline));
    const best = primary(hidden);
    // What output_files says already costs the conversation its length a second time.
    if (best) result.primary_output = shown(best, inline && !asked.listed);
  });
  if (asked.listed && kept.length > 0 && !saved?.files) warnings.push(REF_HINT);
  return warnings;
}

function collected(wanted: Wanted, { layout, run, steps }: Keeping): Collection {
  return steps.take("workspace.collect", { patterns: [...wanted.globs] }, (step) => {
    const found = collect(layout.root, run, wanted);
    step.set({ count: found.files.length });
    return found;
  });
}

/** A file that a model is shown has no secret in it; the file itself is as the program made it. */
function withoutSecrets(file: Collected, hide: (text: string) => string): Collected {
  const text = file.bytes.toString("latin1");
  const plain = hide(text);
  return plain === text ? file : { ...file, bytes: Buffer.from(plain, "latin1"), size: plain.length };
}

/** Which files a call asks for, and what is to become of them. */
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
  warning?: string;
}

async function save(files: readonly Collected[], { artifacts, lineage }: Keeping, prefix: string): Promise<Saved> {
  if (!artifacts)
    return { warning: "save_as_artifacts requested but artifact service is not configured; outputs are not persisted" };
  const saved: { name: string; version: number }[] = [];
  const skipped: string[] = [];
  for (const { name, bytes, size, mime } of files) {
    if (bytes.length < size) skipped.push(name);
    else {
      try {
        const { version } = await artifacts.save({ name: prefix + name, content: bytes, mimeType: mime, lineage });
        saved.push({ name: prefix + name, version });
      } catch (thrown) {
        skipped.push(`${name} (${messageOf(thrown)})`);
      }
    }
  }
  return {
    files: saved,
    ...(skipped.length > 0 && { warning: `cannot save truncated output file: ${skipped.join(", ")}` }),
  };
}
