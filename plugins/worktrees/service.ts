import type { WorktreesService } from "./contract.ts";

/** The service `worktrees`. The code that runs git is loaded at the first use. */
export const worktrees: WorktreesService = {
  create: async (...given) => (await import("./create.ts")).create(...given),
  list: async (...given) => (await import("./list.ts")).list(...given),
  merge: async (...given) => (await import("./merge.ts")).merge(...given),
  remove: async (...given) => (await import("./merge.ts")).remove(...given),
  finish: async (...given) => (await import("./finish.ts")).finish(...given),
};
