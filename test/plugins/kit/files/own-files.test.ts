import { expect, it } from "vitest";
import { ownFileTest } from "../../../../plugins/kit/files/own-files.ts";

const kindOf = ownFileTest(["/home/you/.scorel"]);

it.each([
  ...["auth.json", "auth.json.x.tmp", "logins/mcp.json", "host/owner.token", "run/x.sock", "cache.key"],
  ...["relay/identity.json", "relay/identity.json.x.tmp", "Relay/Identity.json", "push.json"],
])("%s has keys, which no tool may read", (name) => {
  expect(kindOf(`/home/you/.scorel/${name}`)).toBe("secret");
});

it.each(["sessions/x.jsonl", "mcp/server.tools.json", "trust.json", "something-new"])("%s is a record", (name) => {
  expect(kindOf(`/home/you/.scorel/${name}`)).toBe("record");
});

it.each(["config.toml", "instructions.md", "skills/a/SKILL.md"])("%s is written by a person", (name) => {
  expect(kindOf(`/home/you/.scorel/${name}`)).toBe("written");
});

it("other files are not Scorel's", () => {
  expect([kindOf("/home/you/.scorel"), kindOf("/home/you/a.txt"), kindOf("/home/you/.scorelx/auth.json")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
