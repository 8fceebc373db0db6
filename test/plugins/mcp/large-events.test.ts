import { expect, it } from "vitest";
import { limitedFetch } from "../../../plugins/mcp/wire/http.ts";
import { startHttpServer } from "./http-server.ts";

it.each(["\n", "\r\n", "\r"])("an event is too long even if its lines are short, which end with %j", async (end) => {
  const megabyte = `data: ${"x".repeat(2 ** 20)}${end}`;
  const events = (length: number) => Array.from({ length: 3 }, () => megabyte.repeat(length) + end).join("");
  await using remote = await startHttpServer({ stream: (name) => events(name === "short" ? 15 : 17) });
  const read = async (name: string) => (await (await limitedFetch(`${remote.url}?${name}`)).text()).length;
  expect(await read("short")).toBe(events(15).length);
  await expect(read("long")).rejects.toThrow("it sent a message of more than 16 MB");
});
