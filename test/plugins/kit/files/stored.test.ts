import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";
import { Stored } from "../../../../plugins/kit/files/stored.ts";
import { eventually } from "../../../eventually.ts";
import { testHome } from "../../host/home.ts";

const failed = ({ path, problem }: { path: string; problem: string }) => new Error(`${path}: ${problem}`);
const schema = z.strictObject({ names: z.array(z.string()) });
const create = () => new Stored({ folder: "kept", file: "names.json", schema, empty: { names: [] }, failed });

it("a stored value is read again after another process has changed its file, in place or by replacing it", async () => {
  using home = testHome();
  const [mine, other] = [create(), create()];
  expect(mine.read()).toEqual({ names: [] });
  for (const name of ["a", "b", "c"]) {
    await other.change(({ names }) => ({ names: [...names, name] }));
    expect(mine.read()).toEqual(other.read());
  }
  const path = join(home.home, ".scorel/kept/names.json");
  // Old enough that its times reveal every later change.
  await eventually(() => expect(Date.now() - statSync(path).ctimeMs).toBeGreaterThan(150));
  expect(mine.read()).toEqual({ names: ["a", "b", "c"] });
  writeFileSync(path, '{"names":["d","e","f"]}');
  expect(mine.read()).toEqual({ names: ["d", "e", "f"] });
  writeFileSync(path, "{");
  expect(() => mine.read()).toThrow("names.json: ");
});

it("a file that cannot be read is described in one line, which quotes nothing of it", () => {
  using home = testHome();
  const folder = join(home.home, ".scorel/kept");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, "names.json");
  for (const [text, problem] of [
    ["my secret key", "it is not JSON"],
    ['{"names":["my secret key",1],"more":"my secret key"}', 'names.1: it must be a text; there is no "more" here'],
  ] as const) {
    writeFileSync(path, text, { mode: 0o600 });
    expect(() => create().read()).toThrow(new Error(`${path}: ${problem}`));
  }
});
