import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventually } from "../eventually.ts";
import { scratch } from "./scorel.ts";

it.runIf(process.platform === "linux")(
  "`scorel up` opens a file that leads to the link, which is gone when the link was used",
  async () => {
    using s = scratch();
    const programs = join(s.home, "programs");
    const opened = join(s.home, "opened");
    mkdirSync(programs);
    const script = `#!/bin/sh\nprintf '%s' "$1" > '${opened}.part' && mv '${opened}.part' '${opened}'\n`;
    writeFileSync(join(programs, "xdg-open"), script, { mode: 0o755 });
    const env = { PATH: `${programs}:${process.env.PATH}`, DISPLAY: ":0" };
    try {
      const { code, stdout } = await s.run(["up", "--port", "0"], { env });
      const [, address = "", secret = ""] = /(http\S+)\/#code=(\S+)/.exec(stdout) ?? [];
      expect([code, stdout]).toEqual([0, expect.stringContaining("Your browser was asked to open the page.")]);
      await eventually(() => expect(existsSync(opened)).toBe(true));
      const file = readFileSync(opened, "utf8");
      expect(file).not.toContain(secret);
      expect(readFileSync(file, "utf8")).toContain(`0;url=${address}/#code=${secret}`);
      const headers = { "Content-Type": "application/json" };
      const body = JSON.stringify({ code: secret });
      expect((await fetch(`${address}/access`, { method: "POST", headers, body })).status).toBe(200);
      expect(existsSync(file)).toBe(false);
    } finally {
      await s.run(["host", "stop"]);
    }
  },
);
