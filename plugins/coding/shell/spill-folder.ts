import type { Environment } from "../environment.ts";
import { errors } from "../errors.ts";

/** The folder for output that is too long for a result. Throws BASH_OUTPUT_ELSEWHERE. */
export function spillFolder({ files, workspace }: Environment): string {
  if (!files.local) throw errors.BASH_OUTPUT_ELSEWHERE();
  return workspace.temp;
}
