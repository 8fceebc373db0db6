/** Refuses to write to the files and folders in `[protected-files] paths`; as a critical guard it also denies when it fails. */
import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { definePlugin } from "@scorel/kernel";
import { z } from "zod";

/** Resolves links in the part of the path that exists. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(real(dirname(path)), basename(path));
  }
}

export default definePlugin({
  id: "protected-files",
  name: "Protected files",
  version: "1.0.0",
  needs: ["agent", "workspace"],
  config: z.strictObject({ paths: z.array(z.string()).default([]) }),
  hooks: ({ config, workspace }) => ({
    approveToolCall: {
      critical: true,
      handler({ toolCall, args }) {
        const path = (args as { file_path?: unknown }).file_path;
        if (!["Write", "Edit"].includes(toolCall.name) || typeof path !== "string") return undefined;
        const isBelow = (folder: string) => {
          const way = relative(real(resolve(workspace.root, folder)), real(resolve(workspace.cwd, path)));
          return !way.startsWith("..") && !isAbsolute(way);
        };
        const found = config.paths.find(isBelow);
        return found === undefined ? undefined : { block: true, reason: `${found} is changed by people only.` };
      },
    },
  }),
});
