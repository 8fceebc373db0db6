import type { Executor } from "./executor.ts";
import { limited, limiter } from "./limits.ts";

/** No sandbox: the program may do what this user may. Its environment, its sizes and its time are bounded all the same. */
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
