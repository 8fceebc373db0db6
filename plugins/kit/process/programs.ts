import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The path of the file that runs as a program of this name, from the folders of a PATH; undefined if none of them has it. */
export function findProgram(name: string, path = process.env.PATH ?? ""): string | undefined {
  const endings = process.platform === "win32" ? (process.env.PATHEXT ?? ".EXE;.CMD;.BAT").split(";") : [""];
  const folders = path.split(delimiter).filter((folder) => folder !== "");
  return folders.flatMap((folder) => endings.map((ending) => join(folder, name + ending))).find(isProgram);
}

/** Whether a path is a file that this user may execute. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // The file is missing or not executable.
    return false;
  }
}
