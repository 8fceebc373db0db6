import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { itWith } from "../../optional.ts";
import { secondProcess } from "../../second-process.ts";

itWith(
  ["linux", "bash"],
  "a program does not get the files that whoever has started Scorel has left open",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "scorel-inherited-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const secret = join(folder, "secret");
    writeFileSync(secret, "a secret\n");
    const leaving = `exec 5<"${secret}" 100<"${secret}" 200<"${secret}"; exec "$@"`;
    const through = ["bash", "-c", leaving, "bash"];
    await using heir = await secondProcess(new URL("heir.ts", import.meta.url), folder, [folder], { through });
    expect(JSON.parse(await heir.line())).toBe("done\ndone\n");
  },
);
