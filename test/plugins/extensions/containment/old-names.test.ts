import type { HostService } from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import { expect, it } from "vitest";
import { contained } from "../../../harness.ts";
import { testHome, testHost } from "../../host/home.ts";

it("tells an extension once which old names of the host it uses, and what they are called now", async () => {
  using home = testHome();
  const found: string[] = [];
  const read = (host: HostService) => found.push((host as HostService & { sessionsDir: string }).sessionsDir);
  const old = definePlugin({
    id: "old",
    name: "Old",
    version: "1.0.0",
    scope: "host",
    needs: ["host"],
    activate(ctx) {
      read(ctx.host);
      read(ctx.find("host") as HostService);
      ctx.host.connect();
    },
  });
  await using t = await testHost([], [], [contained(old)]);
  expect(found).toEqual([home.session(""), home.session("")]);
  expect(t.kernel.failures).toEqual([
    {
      plugin: "old",
      where: "",
      code: "PLUGIN_OLD_NAME",
      message:
        'Extension "old" uses "host.sessionsDir", an old name that a later version will not have. Use "sessionsDir" of the service "sessionLogs".',
    },
  ]);
});
