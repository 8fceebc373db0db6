import { spawnSync } from "node:child_process";
import { coverExecutor } from "../../executors.ts";

coverExecutor({ executor: "bubblewrap", confines: true, adds: (work) => ({ PWD: work }) }, problem());

function problem(): string | undefined {
  const { error, status, stderr } = spawnSync("bwrap", ["--unshare-user", "--ro-bind", "/", "/", "true"]);
  if (error) return "bwrap is not on the PATH";
  return status === 0 ? undefined : stderr.toString().trim();
}
