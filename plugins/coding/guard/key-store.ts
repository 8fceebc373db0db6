import { join } from "node:path";
import type { FileInfo, FilesService } from "@scorel/local/contract";
import type { Workspace } from "@scorel/workspace/contract";
import { errors } from "../errors.ts";
import type { Place } from "../files/paths.ts";

/** Whether a path is Scorel's own key file, or a temporary copy of it. */
export function isKeyStore(path: string, home: string): boolean {
  return keyStoreTest(home)(path);
}

/** Returns a test like `isKeyStore`, for checking many paths. */
export function keyStoreTest(home: string): (path: string) => boolean {
  const store = keyStoreOf(home).toLowerCase();
  return (path) => path.toLowerCase().startsWith(store);
}

/** Throws PATH_KEYS for the key file under any name: no tool may read it, even with approval. */
export async function refuseKeyStore(place: Place, file: Pick<FileInfo, "id">, env: Around): Promise<void> {
  const { home } = env.workspace;
  const store = await env.files.stat(keyStoreOf(home));
  const isSame = store?.id !== undefined && store.id === file.id;
  if (isSame || isKeyStore(place.path, home)) throw errors.PATH_KEYS({ path: place.path });
}

interface Around {
  files: Pick<FilesService, "stat">;
  workspace: Pick<Workspace, "home">;
}

function keyStoreOf(home: string): string {
  return join(home, ".scorel", "auth.json");
}
