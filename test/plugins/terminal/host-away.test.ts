import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { HostAway } from "../../../plugins/terminal/app/host-away.ts";
import { en } from "../../../plugins/terminal/words/en.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("replaces the advice to start a host when the host is back, and says nothing where it gave none", () => {
  const told: string[] = [];
  const tell = (text: string) => {
    told.push(text);
    return () => void told.splice(told.indexOf(text), 1);
  };
  const away = new HostAway(tell, en);
  const look = (connection: "live" | "reconnecting") =>
    away.statusChanged({ connection, retry: { startedBy: "scorel host serve" } } as never);
  look("reconnecting");
  vi.advanceTimersByTime(1_000);
  look("live");
  expect(told).toEqual([]);
  look("reconnecting");
  vi.advanceTimersByTime(2_000);
  expect(told).toEqual([en.startHost("scorel host serve", false)]);
  look("live");
  look("live");
  expect(told).toEqual(["The host is back."]);
});
