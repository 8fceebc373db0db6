import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The links of a package's README that lead to no file of the package, to no heading, and to no other site. */
export function brokenLinks(folder: string): string[] {
  const text = readFileSync(join(folder, "README.md"), "utf8").replace(/```[\s\S]*?```/g, "");
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchorOf(heading));
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  return targets.filter((target) => {
    if (/^https?:/.test(target)) return false;
    const [path = "", anchor] = target.split("#");
    return path === "" ? !headings.includes(anchor ?? "") : !existsSync(join(folder, path));
  });
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
}
