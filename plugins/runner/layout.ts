import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { inHeld, remake } from "./held.ts";

/** The folders of a session's workspace. Real paths. */
export interface Layout {
  /** What programs see as WORKSPACE_DIR. */
  root: string;
  skills: string;
  work: string;
  inputs: string;
  out: string;
  runs: string;
  /** Beside the workspace, where no program can write. */
  metadata: string;
}

/** Programs may have put links or files in the place of these folders: then there are new ones. */
export function makeLayout(base: string): Layout {
  const root = join(base, "ws");
  const layout: Layout = {
    root,
    skills: join(root, "skills"),
    work: join(root, "work"),
    inputs: join(root, "work", "inputs"),
    out: join(root, "out"),
    runs: join(root, "runs"),
    metadata: join(base, "metadata.json"),
  };
  mkdirSync(root, { recursive: true, mode: 0o700 });
  inHeld(root, root, "workspace", (held) => {
    for (const name of ["skills", "out", "runs"]) remake(held, name, base).close();
    const work = remake(held, "work", base);
    try {
      remake(work, "inputs", base).close();
    } finally {
      work.close();
    }
  });
  return layout;
}

/** The variables by which programs find their way, and the folders that they name. */
export function foldersByName(layout: Layout, run: string): Record<string, string> {
  return {
    WORKSPACE_DIR: layout.root,
    SKILLS_DIR: layout.skills,
    WORK_DIR: layout.work,
    OUTPUT_DIR: layout.out,
    RUN_DIR: run,
  };
}
