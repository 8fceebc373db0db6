import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { BaseContext } from "@scorel/kernel";
import { expect, it } from "vitest";
import { configPath, removeServer } from "../../../plugins/mcp-admin/config-file.ts";
import { testHome, testHost } from "../host/home.ts";

/** The config.toml that is left of `text` once the server "old" has been removed. */
async function without(text: string): Promise<string> {
  using _home = testHome();
  await using t = await testHost();
  mkdirSync(dirname(configPath()), { recursive: true });
  writeFileSync(configPath(), text);
  await removeServer("old", t.kernel as unknown as BaseContext);
  return readFileSync(configPath(), "utf8");
}

const old = '[[mcp.servers]]\nname = "old"\ncommand = "run"\n# Slow.\nenv = { A = "b" }\n# The last one.\n';
const ours = "# The model of our team.\n# Ask Ada before you change it.\n\n";
const prompt = '[prompt]\nuser = "Be brief."\n';

it("the comments above the next table stay when a server is removed", async () => {
  expect(await without(`${old}\n${ours}${prompt}`)).toBe(ours + prompt);
  expect(await without(`${prompt}\n${old}\n\n${ours}[[mcp.servers]]\nname = "new"\ncommand = "x"\n`)).toBe(
    `${prompt}\n\n${ours}[[mcp.servers]]\nname = "new"\ncommand = "x"\n`,
  );
});

it("the comments at the end of the file stay when the last server is removed", async () => {
  expect(await without(`${prompt}\n${old}\n${ours}`)).toBe(`${prompt}\n${ours}`);
  expect(await without(`${prompt}\n${old}`)).toBe(prompt);
  expect(await without(old)).toBe("");
});
