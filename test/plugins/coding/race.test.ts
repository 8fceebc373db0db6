import { mkdirSync, readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { secondProcess } from "../../second-process.ts";
import { textOf, workshop } from "./workshop.ts";

it.runIf(process.platform === "linux")(
  "a folder that becomes a link between the check and the write leads nowhere",
  async () => {
    await using w = await workshop();
    for (const folder of ["folder", ".scorel"]) mkdirSync(w.path(folder));
    await using swapper = await secondProcess(new URL("./swapper-main.ts", import.meta.url), w.temp, [w.dir]);
    await swapper.line();
    const said = new Set<string>();
    for (let round = 0; round < 1500 || (said.size < 2 && round < 20_000); round++) {
      const file_path = `folder/${round % 2 ? "deep/" : ""}${round}.toml`;
      const { isError, ...result } = await w.call("Write", { file_path, content: "x" });
      said.add(isError ? textOf(result).replace(/\S*\d\S*/g, "…") : "written");
    }
    await swapper.kill();
    expect(readdirSync(w.path(".scorel"))).toEqual([]);
    expect(said).toContain("written");
    expect(said.size, [...said].join("\n")).toBeGreaterThan(1);
    expect(readdirSync(w.path("."), { recursive: true }).filter((name) => String(name).endsWith(".tmp"))).toEqual([]);
  },
  60_000,
);
