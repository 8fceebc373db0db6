import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { itWith } from "../optional.ts";
import { terminal } from "./pty.ts";
import { type Scratch, scratch } from "./scorel.ts";

const open = ["host", "serve", "--port", "0", "--bind", "0.0.0.0", "--insecure"];
const runs = async (s: Scratch) => (await s.run(["host", "status"])).code === 0;
const warning = "Connections to 0.0.0.0 will not be encrypted";

describe("scorel host serve beyond this computer without encryption", () => {
  it("needs --yes where nobody can be asked, and creates no token before", async () => {
    using s = scratch();
    const refused = await s.run(open);
    expect(refused).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(warning) });
    expect(refused.stderr).toContain("add --yes");
    expect([await runs(s), existsSync(join(s.home, ".scorel/host"))]).toEqual([false, false]);
    try {
      expect(await s.run([...open, "--yes"])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("http://0.0.0.0:"),
      });
    } finally {
      await s.run(["host", "stop"]);
    }
  });

  it("asks nothing for this computer, and refuses other addresses without --insecure", async () => {
    using s = scratch();
    try {
      expect((await s.run(["host", "serve", "--port", "0", "--insecure"])).code).toBe(0);
    } finally {
      await s.run(["host", "stop"]);
    }
    const refused = await s.run(["host", "serve", "--port", "0", "--bind", "0.0.0.0"]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("add --tls-cert and --tls-key") });
    expect(await runs(s)).toBe(false);
  });

  itWith("script", "asks in a terminal, where Enter means no", async () => {
    using s = scratch();
    await using no = terminal(s, open);
    await no.shows("Go on? [y/N]");
    no.type("\r");
    expect([await no.code, await runs(s)]).toEqual([2, false]);
    await using yes = terminal(s, open);
    await yes.shows(warning);
    await yes.shows("Go on? [y/N]");
    yes.type("y\r");
    try {
      expect([await yes.code, await runs(s)]).toEqual([0, true]);
    } finally {
      await s.run(["host", "stop"]);
    }
  });
});
