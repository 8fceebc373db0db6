import type { WorktreesService } from "./contract.ts";

/** The service `worktrees`. What works with git is loaded when it is first used. */
export const worktrees: WorktreesService = {
  create: async (...given) => (await import("./create.ts")).create(...given),
  list: async (...given) => (await import("./list.ts")).list(...given),
  merge: async (...given) => (await import("./merge.ts")).merge(...given),
  remove: async (...given) => (await import("./merge.ts")).remove(...given),
  finish: async (...given) => (await import("./finish.ts")).finish(...given),
};
