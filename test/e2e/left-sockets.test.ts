import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { hang, startModelServer, text } from "../model-server.ts";
import { scratch } from "./scorel.ts";

it("a command removes its own socket, and that of a command that was killed", async () => {
  using s = scratch();
  await using server = await startModelServer((_, index) => (index === 0 ? [hang()] : text("done")));
  s.useModel(server.baseUrl);
  const files = () => readdirSync(join(s.home, ".scorel", "run")).map((name) => name.replace(/^\w{16}/, "ID"));
  const asked = server.request(0);
  const killed = s.start(["-p", "wait"]);
  await asked;
  killed.child.kill("SIGKILL");
  await killed.finished;
  expect(files().sort()).toEqual(["ID.process", "ID.sock"]);
  expect((await s.run(["-p", "hello"])).stdout).toBe("done\n");
  expect(files()).toEqual([]);
});
