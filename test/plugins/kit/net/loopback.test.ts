import { expect, it } from "vitest";
import { isLoopback } from "../../../../plugins/kit/net/loopback.ts";

it("only names that always mean this machine are loopback", () => {
  const here = ["localhost", "api.localhost", "127.0.0.1", "127.9.9.9", "[::1]"];
  const elsewhere = [
    "localhost.example.org",
    "notlocalhost",
    "127.0.0.1.example.org",
    "128.0.0.1",
    "0.0.0.0",
    "[::]",
    "",
  ];
  expect([here.map(isLoopback), elsewhere.map(isLoopback)]).toEqual([here.map(() => true), elsewhere.map(() => false)]);
});
