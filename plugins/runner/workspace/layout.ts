import { join } from "node:path";
import { makeFolder } from "@scorel/kit/files/make-folder";
import { inOpenFolder, remake } from "./open-folder.ts";

/** The folders of a session's workspace, as real paths. */
export interface Layout {
  /** The folder that programs see as WORKSPACE_DIR. */
  root: string;
  skills: string;
  work: string;
  inputs: string;
  out: string;
  runs: string;
  /** A file next to the workspace, where programs cannot write. */
  metadata: string;
}

/** Creates the folders of a workspace, replacing links or files that programs have put in their place. */
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
  makeFolder(root);
  inOpenFolder(root, root, "workspace", (dir) => {
    for (const name of ["skills", "out", "runs"]) remake(dir, name, base).close();
    const work = remake(dir, "work", base);
    try {
      remake(work, "inputs", base).close();
    } finally {
      work.close();
    }
  });
  return layout;
}

/** The environment variables that name the workspace's folders. */
export function foldersByName(layout: Layout, run: string): Record<string, string> {
  return {
    WORKSPACE_DIR: layout.root,
    SKILLS_DIR: layout.skills,
    WORK_DIR: layout.work,
    OUTPUT_DIR: layout.out,
    RUN_DIR: run,
  };
}
