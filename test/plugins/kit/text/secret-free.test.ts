import { expect, it } from "vitest";
import { isSecret, secretFree, shownArguments } from "../../../../plugins/kit/text/secret-free.ts";

it("hides values of keys that may be secrets, all headers and environments, and passwords and queries in URLs", () => {
  const value = {
    apiKey: "k",
    nested: [{ password: "p", name: "n" }],
    headers: { accept: "x" },
    env: { HOME: "/h", LIST: ["a"] },
    baseUrl: "https://me:secret@example.com/v1?apikey=secret#secret",
    args: ["--url=http://example.com/?key=secret", "a?b", "see http://me@a.b?x=secret and http://c.d/e"],
    maxTokens: 5,
  };
  expect(secretFree(value)).toEqual({
    apiKey: "[hidden]",
    nested: [{ password: "[hidden]", name: "n" }],
    headers: { accept: "[hidden]" },
    env: { HOME: "[hidden]", LIST: "[hidden]" },
    baseUrl: "https://example.com/v1",
    args: ["--url=http://example.com/", "a?b", "see http://a.b and http://c.d/e"],
    maxTokens: 5,
  });
});

it("hides values of arguments of programs that may be secrets", () => {
  const args = [
    "run",
    "--api-key",
    "k",
    "--token=t",
    "Authorization: Bearer b",
    "-e",
    "DB_PASSWORD=p",
    "--max-tokens=5",
  ];
  expect(secretFree({ servers: [{ args }], allow: ["Read(key:*)"] })).toEqual({
    servers: [
      {
        args: [
          ...["run", "--api-key", "[hidden]", "--token=[hidden]", "Authorization:[hidden]"],
          ...["-e", "DB_PASSWORD=[hidden]", "--max-tokens=5"],
        ],
      },
    ],
    allow: ["Read(key:*)"],
  });
});

it("hides secrets in the named values of options", () => {
  const args = [
    "--env=API_TOKEN=t",
    "--header=Authorization: Bearer b",
    "--env=MODE=fast",
    "--url=http://me:p@a.b/?k=v",
  ];
  expect(shownArguments(args)).toEqual([
    ...["--env=API_TOKEN=[hidden]", "--header=Authorization:[hidden]"],
    ...["--env=MODE=fast", "--url=http://a.b/"],
  ]);
});

it("hides passwords and queries with quotes in addresses", () => {
  const address = "postgres://me:it's-secret@db/x?k='secret'";
  expect(secretFree({ url: address, args: [`--db=${address}`, address] })).toEqual({
    url: "postgres://db/x",
    args: ["--db=postgres://db/x", "postgres://db/x"],
  });
});

it("is a frozen copy at every depth", () => {
  const value = { list: [{ a: 1 }] };
  const copy = secretFree(value) as typeof value;
  expect([copy, copy.list, copy.list[0]].every(Object.isFrozen)).toBe(true);
  expect(Object.isFrozen(value.list)).toBe(false);
});

it("tells which keys may be secrets", () => {
  const names = ["apiKey", "TOKEN", "keyFile", "maxTokens", "env", "name", "cookie"];
  expect(names.filter(isSecret)).toEqual(["apiKey", "TOKEN", "keyFile", "env", "cookie"]);
});
