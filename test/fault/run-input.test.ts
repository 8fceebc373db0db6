import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { secondProcess } from "../second-process.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const placer = new URL("input-placer.ts", import.meta.url);

it("an input of which only a part fits on the disk is refused, and no part of it is left", async () => {
  const folder = temporaryFolder("scorel-input-");
  const workspace = join(folder, "workspace");
  mkdirSync(workspace);
  writeFileSync(join(folder, "rows.csv"), "1,2,3\n".repeat(20_000));
  const through = ["bash", "-c", 'ulimit -f 64; exec "$@"', "limited"];
  await using other = await secondProcess(placer, folder, [folder, "rows.csv", workspace], { through });
  expect(await other.line()).toContain("it cannot be copied into the workspace (EFBIG)");
  expect(readdirSync(workspace, { recursive: true }).filter((name) => String(name).includes("rows"))).toEqual([]);
});
