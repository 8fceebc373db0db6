import { join } from "node:path";
import { codeOf } from "@scorel/kernel";
import { ownFileTest, ownFolders } from "@scorel/kit/files/own-files";
import type { FileInfo, FilesService } from "@scorel/local/contract";
import type { Workspace } from "@scorel/workspace/contract";
import { errors } from "../errors.ts";
import type { Place } from "../files/paths.ts";

interface Around {
  files: Pick<FilesService, "stat" | "list" | "realpath">;
  workspace: Pick<Workspace, "home">;
}

/** Returns a test for real paths of files with Scorel's own keys or tokens, which no tool may read. */
export async function keyStoreTest(env: Around): Promise<(path: string) => boolean> {
  const own = ownFileTest(await foldersOf(env));
  return (path) => own(path) === "secret";
}

/** Throws PATH_KEYS for such a file under any name, also that of a hard link: no tool may read it, even with approval. */
export async function refuseKeyStore(place: Place, file: Pick<FileInfo, "id">, env: Around): Promise<void> {
  const isStore = await keyStoreTest(env);
  if (isStore(place.path) || isStore(place.lexical) || (await isLinked(file, env)))
    throw errors.PATH_KEYS({ path: place.path });
}

/** Errors after which nothing below a folder can be read either. */
const UNREACHABLE = ["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "EPERM", "ENAMETOOLONG"];

async function isLinked({ id }: Pick<FileInfo, "id">, { files, workspace }: Around): Promise<boolean> {
  if (id === undefined) return false;
  const own = join(workspace.home, ".scorel");
  const host = join(own, "host");
  const tokens = await files.list(host).catch((thrown: unknown) => {
    if (UNREACHABLE.includes(codeOf(thrown))) return [];
    throw thrown;
  });
  const paths = [
    join(own, "auth.json"),
    join(own, "logins", "mcp.json"),
    join(own, "push.json"),
    join(own, "relay", "identity.json"),
    ...tokens.map(({ name }) => join(host, name)),
  ];
  const found = await Promise.all(paths.map((path) => files.stat(path)));
  return found.some((each) => each?.id === id);
}

async function foldersOf({ files, workspace: { home } }: Around): Promise<string[]> {
  const real = await files.realpath(join(home, ".scorel")).catch((thrown: unknown) => {
    if (UNREACHABLE.includes(codeOf(thrown))) return undefined;
    throw thrown;
  });
  return ownFolders(home, () => real);
}
