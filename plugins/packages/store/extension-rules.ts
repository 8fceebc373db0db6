import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, parse } from "node:path";
import { userDir } from "@scorel/kit/files/home";
import type { Tree } from "@scorel/kit/files/tree";
import { oneLine } from "@scorel/kit/text/one-line";
import type { TrustItem } from "@scorel/trust/contract";
import { errors } from "../errors.ts";
import { entryIn } from "./entry-file.ts";
import { extensions } from "./kinds.ts";
import type { ExtensionKnowledge } from "./knowledge.ts";
import { listed, npmItem } from "./npm-item.ts";
import type { PackageRules, StagedTree } from "./rules.ts";

/** Files that can run as code. */
const isCode = /\.(?:[cm]?[jt]sx?|node|wasm)$/i;
const isReadable = /\.[cm]?[jt]sx?$/i;

/** Rules for extensions: folders with an index file whose `id` is the name that they are installed under. */
export function extensionRules(known: ExtensionKnowledge): PackageRules {
  return {
    kind: extensions,
    version: known.version,
    reserved: known.reserved,
    occupied(name) {
      const own = join(userDir(), "extensions");
      const file = (existsSync(own) ? readdirSync(own) : []).find((each) => each === name || parse(each).name === name);
      return file === undefined ? undefined : `${join(own, file)} has it`;
    },
    async nameIn(folder) {
      const entry = entryIn(readdirSync(folder));
      return entry === undefined ? undefined : await known.idIn(readFileSync(join(folder, entry), "utf8"));
    },
    async check({ tree, name, spec }) {
      const entry = entryIn([...tree.files.keys()]);
      if (entry === undefined) throw extensions.errors.none({ path: spec });
      const id = await known.idIn(textOf(tree, entry));
      // A name that differs from the id could not be loaded. A computed id is compared when it is loaded.
      if (id !== undefined && id !== name)
        throw errors.PACKAGES_NAME({ noun: "extension", name, reason: `its id is "${id}" (${entry})` });
      const problems = await known.problems({ id: name, file: entry, source: textOf(tree, entry), root: tree.root });
      if (problems.length > 0) throw errors.PACKAGES_CHECK({ name, file: entry, problems });
    },
    doubts: () => [],
    items: (staged) => itemsOf(staged, known),
  };
}

async function itemsOf(
  { tree, name, packages }: StagedTree,
  { review }: Pick<ExtensionKnowledge, "review">,
): Promise<TrustItem[]> {
  const own = [...tree.files.keys()].filter((path) => !path.startsWith("node_modules/"));
  const entry = entryIn(own) ?? "";
  const code = own.filter((path) => isCode.test(path) && path !== entry);
  const read = [entry, ...code].filter((path) => isReadable.test(path) && !/\.(?:test|d)\.\w+$/.test(path));
  const others = own.filter((path) => path !== entry && !isCode.test(path));
  return [
    ...(await review(
      name,
      read.map((path) => ({ path, source: textOf(tree, path) })),
      "user",
    )),
    ...grouped("code", "more", code),
    ...npmItem(packages),
    ...grouped("other", "other", others),
  ];
}

const textOf = ({ files }: Tree, path: string) => files.get(path)?.toString("utf8") ?? "";

function grouped(kind: TrustItem["kind"], what: string, paths: readonly string[]): TrustItem[] {
  return paths.length === 0
    ? []
    : [
        {
          kind,
          what: `${paths.length} ${what} file${paths.length === 1 ? "" : "s"}`,
          place: listed(paths.map(oneLine)),
        },
      ];
}
