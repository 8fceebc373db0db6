import { existsSync } from "node:fs";
import { join } from "node:path";
import { projectPlace } from "@scorel/kit/files/worktree-place";
import type { Workspace } from "@scorel/workspace/contract";
import type { AgentDefinition } from "../contract.ts";

/** A folder with definitions. */
export interface AgentFolder {
  source: AgentDefinition["source"];
  /** The path that is shown to people. */
  shown: string;
  /** The path from which files are read. */
  path: string;
}

const OWN = join(".scorel", "agents");
const SHARED = join(".claude", "agents");

/** The existing folders with definitions, highest rank first. Those of a project are read from the trusted copy. */
export function agentFolders({ home, root, trusted, trustedCopy: copy }: Workspace): AgentFolder[] {
  const theirs: AgentFolder[] =
    trusted === undefined || copy === undefined
      ? []
      : [
          { source: "project", shown: join(trusted, "agents"), path: join(copy.scorel, "agents") },
          { source: "project", shown: join(projectPlace(root), SHARED), path: join(copy.root, SHARED) },
        ];
  const own = [OWN, SHARED].map((path): AgentFolder => {
    return { source: "user", shown: join(home, path), path: join(home, path) };
  });
  return [...theirs, ...own].filter(({ path }) => existsSync(path));
}
