import { mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { itWith } from "../../optional.ts";
import { secondProcess } from "../../second-process.ts";
import { textOf, workshop } from "./workshop.ts";

itWith(
  "linux",
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

itWith(
  "linux",
  "a folder that becomes a link between the check and the reading reveals nothing of the link's target",
  async () => {
    await using w = await workshop();
    for (const folder of ["folder", ".scorel"]) mkdirSync(w.path(folder));
    writeFileSync(w.path(".scorel/kept"), "hidden words");
    await using swapper = await secondProcess(new URL("./swapper-main.ts", import.meta.url), w.temp, [w.dir]);
    await swapper.line();
    const hidden: string[] = [];
    for (let round = 0; round < 600; round++) {
      const real = realpathSync(w.path("."));
      const { details, ...result } = await w.call("Read", { file_path: "folder/kept" });
      const { path } = (details as { file?: { path: string } }).file ?? {};
      // When the tool sees that the path is a link, it may read its target under the target's own path.
      if (textOf(result).includes("hidden words") && path !== `${real}/.scorel/kept`) hidden.push(textOf(result));
    }
    await swapper.kill();
    expect(hidden).toEqual([]);
  },
  60_000,
);

it("a folder is compared by its path if the system cannot tell the path of an open folder", async () => {
  await using w = await workshop();
  const { openFolder } = await import("../../../plugins/local/files/folder.ts");
  const linux = Object.getOwnPropertyDescriptor(process, "platform") as PropertyDescriptor;
  Object.defineProperty(process, "platform", { ...linux, value: "darwin" });
  try {
    expect(await w.say("Write", { file_path: "new/deep/a.txt", content: "a" })).toContain("Created new/deep/a.txt");
    symlinkSync("new", w.path("link"));
    await expect(openFolder(Buffer.from(w.path("link")), false)).rejects.toMatchObject({ code: "ESTALE" });
    await expect(openFolder(Buffer.from(w.path("none")), false)).rejects.toMatchObject({ code: "ENOENT" });
  } finally {
    Object.defineProperty(process, "platform", linux);
  }
});

it("a folder that is a link, or was replaced by one, is not opened", async () => {
  await using w = await workshop();
  const { openFolder } = await import("../../../plugins/local/files/folder.ts");
  mkdirSync(w.path("real/deep"), { recursive: true });
  symlinkSync("real", w.path("link"));
  for (const path of ["link", "link/deep", "link/new"])
    await expect(openFolder(Buffer.from(w.path(path)), true)).rejects.toMatchObject({ code: "ESTALE" });
  expect(readdirSync(w.path("real"))).toEqual(["deep"]);
});
