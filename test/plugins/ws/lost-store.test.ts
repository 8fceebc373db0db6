import { readFileSync, renameSync, symlinkSync, unlinkSync } from "node:fs";
import { expect, it } from "vitest";
import { TokenCheck } from "../../../plugins/web-server/token-check.ts";
import { folder } from "../../../plugins/web-server/token-store.ts";
import { writeToken } from "../../../plugins/web-server/tokens.ts";
import { eventually } from "../../eventually.ts";
import { testHome } from "../host/home.ts";

it("while the folder of the tokens cannot be reached, no token is valid, and the host goes on", async () => {
  using _home = testHome();
  const token = readFileSync((await writeToken("owner", () => ["admin"])).path, "utf8").trim();
  const failures: unknown[] = [];
  const check = new TokenCheck({ failed: (thrown) => void failures.push(thrown), changed: () => {} });
  const granted = check.grant(token);
  // As when the home is on another computer that does not answer.
  renameSync(folder(), `${folder()}-away`);
  symlinkSync(folder(), folder());
  await eventually(() => expect(granted?.revoked.aborted).toBe(true));
  expect(failures[0]).toMatchObject({ code: "WEB_TOKEN_STORE" });
  expect(check.grant(token)).toBeUndefined();
  unlinkSync(folder());
  renameSync(`${folder()}-away`, folder());
  expect(check.grant(token)).toMatchObject({ name: "owner" });
  check.end();
});
