import { describe, expect, it } from "vitest";
// @ts-expect-error plain JavaScript, part of the build
import { linksOfPackage } from "../../presets/bundle/packed-readme.mjs";

const readme = `
See [the store](store.ts), [the log](log/log.ts#write), [decisions](../docs/decisions/README.md), [below](#below) and
[Node](https://nodejs.org). \`[code](code.ts)\` stays:

\`\`\`md
[code](code.ts)
\`\`\`
`;
const isPacked = (path: string) => path === "store.ts";

describe("the links of a packed README", () => {
  it("lead to files of the package, to the README itself and to other sites; others become text", () => {
    expect(linksOfPackage(readme, { folder: "kernel", isPacked })).toBe(
      readme.replace("[the log](log/log.ts#write), [decisions](../docs/decisions/README.md)", "the log, decisions"),
    );
  });

  it("lead to the repository for other files, if its address is known", () => {
    for (const repository of ["git+https://example.com/one/two.git", "https://example.com/one/two"])
      expect(linksOfPackage(readme, { folder: "kernel", repository, isPacked })).toBe(
        readme
          .replace("(log/log.ts#write)", "(https://example.com/one/two/blob/HEAD/kernel/log/log.ts#write)")
          .replace("(../docs/decisions/README.md)", "(https://example.com/one/two/blob/HEAD/docs/decisions/README.md)"),
      );
  });
});
