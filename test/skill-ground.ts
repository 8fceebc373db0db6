import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { changeFile } from "../plugins/host/storage/shared-file.ts";
import { unpack } from "../plugins/packages/archive/archive.ts";
import { copyFolder } from "../plugins/packages/sources/folder.ts";
import type { PlacedSkills, SkillStore } from "../plugins/skillstore/contract.ts";
import { createStore } from "../plugins/skillstore/store.ts";
import { zip } from "./zip.ts";

/** A skill store for this `.scorel` folder, as in a real process. */
export function openStore(home: string): SkillStore {
  const archives = { unpack, copy: async (from: string, into: string) => copyFolder(from, into) };
  return createStore({ home, archives, files: () => ({ changeFile }) });
}

/** The addresses that tests may use. */
export const reach = { allowHosts: ["127.0.0.1"], env: {} };

/** The text of a SKILL.md. */
export const skillOf = (name: string, more = "") =>
  `---\nname: ${name}\ndescription: All of ${name}\n---\n\nDo it.${more}\n`;

/** A zip of these files, by their paths. */
export const zipOf = (files: Record<string, string>) =>
  zip(Object.entries(files).map(([path, content]) => ({ path, content })));

/** Installs skills as `scorel skill add` and `update` do after the user's consent. */
export async function addTo(store: SkillStore, address: string, name = "pdf", added = true): Promise<PlacedSkills> {
  const staged = await store.stage(address, "/", reach);
  try {
    return await staged.install({ name, added });
  } finally {
    staged.discard();
  }
}

/** A home with a store. */
export interface StoreGround extends Disposable {
  /** The folder that contains the home's `.scorel`. */
  root: string;
  home: string;
  store: SkillStore;
  /** Writes a file beside the home; returns its path. */
  file(path: string, content: string | Buffer): string;
  add(address: string, name?: string, added?: boolean): Promise<PlacedSkills>;
  lock(): Record<string, unknown>;
  /** The names in the folder of installed trees. */
  trees(): string[];
}

export function storeGround(): StoreGround {
  const root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "scorel-store-")));
  const home = join(root, ".scorel");
  fs.mkdirSync(home, { mode: 0o700 });
  const store = openStore(home);
  return {
    root,
    home,
    store,
    file(path, content) {
      const full = join(root, path);
      fs.mkdirSync(dirname(full), { recursive: true });
      fs.writeFileSync(full, content);
      return full;
    },
    add: (address, name, added) => addTo(store, address, name, added),
    lock: () => JSON.parse(fs.readFileSync(join(home, "skills.lock.json"), "utf8")).sources,
    trees: () => (fs.existsSync(join(home, "archives")) ? fs.readdirSync(join(home, "archives")) : []),
    [Symbol.dispose]: () => fs.rmSync(root, { recursive: true }),
  };
}
