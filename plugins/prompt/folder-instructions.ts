import { type Stats, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { ToolCallOutcome } from "@scorel/agent/contract";
import { isEvent, type Projections, type StoredEvent } from "@scorel/kernel";
import { isWithin } from "@scorel/kit/files/paths";
import { tokensIn } from "./assemble.ts";
import { budgetOf, type PromptContext, placeOf, redacted } from "./composer.ts";
import { findInFolder, type InstructionFile } from "./instruction-files.ts";

/**
 * Tells the model the instructions of folders below the working directory, such as `packages/api/AGENTS.md`, once a call has read or written
 * a file in such a folder. They are added to the conversation and not to the system prompt, which stays the same for the provider's cache.
 */
export class FolderInstructions {
  private readonly ctx: PromptContext;
  /** Folders with files that calls have used since the last request. */
  private readonly used = new Set<string>();

  constructor(ctx: PromptContext) {
    this.ctx = ctx;
  }

  /** Notes where a call has read or written. */
  async note({ toolCall, args, isError }: Pick<ToolCallOutcome, "toolCall" | "args" | "isError">): Promise<void> {
    const tool = isError ? undefined : this.ctx.find("tools")?.get(toolCall.name);
    if (!tool) return;
    const access = await tool.access(args);
    const written = typeof access === "object" ? access.writes : [];
    for (const path of [...written, ...((await tool.reads(args)) ?? [])]) this.used.add(folderOf(path));
  }

  /** Appends the instructions that are new for the conversation. Returns its input. */
  async tell<M>(messages: M): Promise<M> {
    const folders = [...this.used];
    this.used.clear();
    for (const folder of this.below(folders)) await this.tellFolder(folder);
    return messages;
  }

  /** These folders and those above them that are below the working directory, the outer ones first. */
  private below(folders: readonly string[]): Set<string> {
    const { cwd } = placeOf(this.ctx);
    const inside = folders.filter((folder) => isWithin(cwd, folder) && folder !== cwd);
    return new Set(
      inside.flatMap((folder) => {
        const names = relative(cwd, folder).split("/");
        const end = names.findIndex((name, at) => isForeign(name, join(cwd, ...names.slice(0, at + 1))));
        return names.slice(0, end === -1 ? undefined : end).map((_, at) => join(cwd, ...names.slice(0, at + 1)));
      }),
    );
  }

  private async tellFolder(folder: string): Promise<void> {
    const { ctx } = this;
    const { session } = ctx;
    const { files, skipped } = findInFolder(folder, placeOf(ctx));
    for (const { path, reason } of skipped) ctx.logger.warn(`Not part of the instructions: ${path}: ${reason}`);
    const { snapshot } = session.projection("instructions");
    const frozen = new Set(snapshot?.sections.flatMap(({ sources }) => sources.map(({ sha256 }) => sha256)));
    for (const file of files) {
      const { told, tokens } = session.projection("toldFolders");
      if (told[file.path] === file.sha256 || frozen.has(file.sha256)) continue;
      const { path, sha256 } = file;
      await session.append("harness_item", {
        kind: "attachment",
        origin: "system",
        visibility: "both",
        text: this.textOf(file, folder, tokens),
        data: { folderInstructions: { path, sha256 } },
      });
    }
  }

  private textOf({ path, text }: InstructionFile, folder: string, tokens: number): string {
    const { cwd } = placeOf(this.ctx);
    const [name, place] = [relative(cwd, path), relative(cwd, folder)];
    const whole = `Instructions for work in ${place}, from ${name}:\n\n${redacted(this.ctx, text)}`;
    const room = (budgetOf(this.ctx) ?? Number.POSITIVE_INFINITY) - tokens;
    return tokensIn(whole) <= room ? whole : `${name} has instructions for work in ${place}. Read them before.`;
  }
}

/** The folder of a file that a call has used, or the folder itself. */
function folderOf(path: string): string {
  return statsOf(path)?.isDirectory() ? path : dirname(path);
}

/** Whether a folder has the files of others: installed packages, or another repository. */
function isForeign(name: string, folder: string): boolean {
  return name === "node_modules" || name === ".git" || statsOf(join(folder, ".git")) !== undefined;
}

/** Undefined for what is missing or cannot be examined, since a call that has worked must not fail for its instructions. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

type ToldFolders = Projections["toldFolders"];

/** Projection `toldFolders`, over the path: a rewind or compaction may have removed what was told. */
export const toldFolders = {
  over: "path" as const,
  reads: ["compact", "harness_item"],
  init: (): ToldFolders => ({ told: {}, tokens: 0 }),
  update(state: ToldFolders, event: StoredEvent): ToldFolders {
    if (event.type === "compact") return { told: {}, tokens: 0 };
    if (!isEvent(event, "harness_item") || event.origin !== "system") return state;
    const { folderInstructions: found } = (event.data ?? {}) as { folderInstructions?: Partial<InstructionFile> };
    if (typeof found?.path !== "string" || typeof found.sha256 !== "string") return state;
    return { told: { ...state.told, [found.path]: found.sha256 }, tokens: state.tokens + tokensIn(event.text) };
  },
};
