import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A home and a project on disk for one test. HOME is set to the home until this is disposed. */
export interface Place extends Disposable {
  home: string;
  project: string;
  /** Writes a file below the project, or below the home with `~/`; returns its path. */
  file(path: string, ...lines: string[]): string;
}

export function place(): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "scorel-presets-")));
  const [home, project] = [join(root, "home"), join(root, "project")];
  for (const dir of [home, project, join(project, ".git")]) mkdirSync(dir);
  const before = { HOME: process.env.HOME, USERPROFILE: process.env.USERPROFILE };
  Object.assign(process.env, { HOME: home, USERPROFILE: home });
  return {
    home,
    project,
    file(path, ...lines) {
      const full = path.startsWith("~/") ? join(home, path.slice(2)) : join(project, path);
      // Folders of extensions must not be writable by others, whatever the umask is.
      mkdirSync(dirname(full), { recursive: true, mode: 0o755 });
      for (let dir = dirname(full); dir.startsWith(root) && dir !== root; dir = dirname(dir)) chmodSync(dir, 0o755);
      writeFileSync(full, lines.map((line) => `${line}\n`).join(""));
      return full;
    },
    [Symbol.dispose]() {
      for (const [name, value] of Object.entries(before))
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      rmSync(root, { recursive: true, force: true });
    },
  };
}
