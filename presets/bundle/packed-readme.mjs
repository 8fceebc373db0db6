import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";

/** Code, which stays as it is, or a link or image, with its text and target. */
const codeOrLink = /```[\s\S]*?```|!?\[([^\]]*)\]\(([^)\s]+)\)|`[^`\n]+`/g;

/** Writes a README of the repository into the folder of a package, with links that resolve there. */
export function packReadme(root, file, folder) {
  const { repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const text = linksOfPackage(readFileSync(join(root, file), "utf8"), {
    folder: relative(root, dirname(join(root, file))),
    repository: repository?.url ?? repository,
    isPacked: (path) => existsSync(join(folder, path)),
  });
  writeFileSync(join(folder, "README.md"), text);
}

/**
 * Changes the links of a README from a folder of the repository: those to files that are not in the package lead to the repository, if its
 * address is known, and else become text.
 */
export function linksOfPackage(markdown, { folder, repository, isPacked }) {
  return markdown.replace(codeOrLink, (found, text, target) => {
    if (target === undefined || /^(?:[a-z][a-z+.-]*:|#)/i.test(target)) return found;
    const [path, anchor = ""] = target.split(/(?=#)/);
    if (isPacked(path)) return found;
    if (repository === undefined) return text;
    const page = `${repository.replace(/^git\+|\.git$/g, "")}/blob/HEAD/${posix.join(folder, path)}${anchor}`;
    return found.replace(`(${target})`, `(${page})`);
  });
}
