import { closeSync, existsSync, lstatSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { basename, join, posix } from "node:path";
import type { RunnerContext } from "../config.ts";
import type { RefsService } from "../contract.ts";
import { errors } from "../errors.ts";
import { makeLayout } from "./layout.ts";
import { inOpenFolder, type OpenFolder, openIn, remove } from "./open-folder.ts";
import { inside, leadsTo } from "./paths.ts";
import { existingWorkspace, workspaceFolder } from "./workspace-folder.ts";

/** Resolves references to workspace files and artifacts to paths. */
export function createRefs(ctx: RunnerContext): RefsService {
  return {
    resolve(ref) {
      const [, scheme = "", rest = ""] = /^(\w+):\/\/(.*)$/s.exec(ref) ?? [];
      if (scheme === "workspace") return workspaceFile(ctx, rest);
      if (scheme === "artifact") return artifactFile(ctx, ref, rest);
      throw errors.RUN_REF({ ref, reason: "only workspace:// and artifact:// are known" });
    },
    folder() {
      const base = existingWorkspace(ctx);
      return base === undefined ? undefined : makeLayout(base).root;
    },
    find(name) {
      const base = existingWorkspace(ctx);
      if (base === undefined) return undefined;
      const { root } = makeLayout(base);
      const plain = posix.normalize(name);
      if (posix.isAbsolute(plain) || plain.startsWith("..")) return undefined;
      const names = [plain, plain.replace(/^inputs\//, "work/inputs/")];
      return names
        .map((each) => inside(root, each, "file"))
        .find((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
    },
  };
}

function workspaceFile(ctx: RunnerContext, rest: string): string {
  const base = existingWorkspace(ctx);
  const path = base && leadsTo(inside(makeLayout(base).root, rest, "file"));
  if (path !== undefined && existsSync(path)) return path;
  throw errors.RUN_REF({ ref: `workspace://${rest}`, reason: "there is no such file in the workspace" });
}

/** A file name for an artifact. Artifact names are free text and may not end in a valid file name. */
function fileName(name: string): string {
  const last = basename(name);
  return [".", "..", ""].includes(last) || Buffer.byteLength(last) > 255 ? "artifact" : last;
}

/**
 * Writes a copy of an artifact under its own file name, so that its type can be recognised. Commands in the sandbox can write to the
 * temporary folder, so no link in it is followed out of it, and a copy with other content is replaced.
 */
function artifactFile(ctx: RunnerContext, ref: string, rest: string): string {
  const [, name = rest, digits] = /^(.+)@(\d+)$/s.exec(rest) ?? [];
  const found = ctx
    .find("artifacts")
    ?.of(ctx.session)
    .load(name, digits === undefined ? undefined : Number(digits));
  if (!found) throw errors.RUN_REF({ ref, reason: "there is no such artifact" });
  const base = realpathSync(ctx.find("workspace")?.temp ?? workspaceFolder(ctx));
  const folder = join(base, "artifacts", found.sha256);
  const own = fileName(name);
  const put = (dir: OpenFolder) => {
    if (isFileOf(dir, own, found.content)) return;
    remove(dir, own, base);
    writeFileSync(dir.path(own), found.content, { mode: 0o400, flag: "wx" });
  };
  inOpenFolder(base, folder, "artifacts", put, true);
  return join(folder, own);
}

/** Whether an entry of an open folder is a file with this content. */
function isFileOf(dir: OpenFolder, name: string, content: Buffer): boolean {
  const stat = lstatSync(dir.path(name), { throwIfNoEntry: false });
  const opened = stat?.isFile() && stat.size === content.length ? openIn(dir, name) : undefined;
  if (!opened) return false;
  try {
    return readFileSync(opened.fd).equals(content);
  } finally {
    closeSync(opened.fd);
  }
}
