import type { Executor } from "./executor.ts";
import { limited, limiter } from "./limits.ts";

/** The executor without a sandbox: the program can do what this user can. Only environment, sizes and time are limited. */
export function createLocal(): Executor {
  return {
    name: "local",
    problem: async () => (process.platform === "win32" ? "programs of skills need a POSIX system" : undefined),
    async command({ argv, env, limits }) {
      const [file, ...args] = limiter() === undefined ? argv : limited(argv, limits, false);
      return {
        executor: "local",
        file: file as string,
        args,
        env: { ...env },
        watched: true,
        failure: async () => undefined,
        release: async () => {},
      };
    },
  };
}
