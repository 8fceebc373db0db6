import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { HostAway } from "../../../plugins/terminal/app/host-away.ts";
import { en } from "../../../plugins/terminal/words/en.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("says that the host is back where it has said how to start one, and only there", () => {
  const told: string[] = [];
  const away = new HostAway((text) => void told.push(text), en);
  const look = (connection: "live" | "reconnecting") =>
    away.statusChanged({ connection, retry: { startedBy: "scorel host serve" } } as never);
  look("reconnecting");
  vi.advanceTimersByTime(1_000);
  look("live");
  expect(told).toEqual([]);
  look("reconnecting");
  vi.advanceTimersByTime(2_000);
  look("live");
  look("live");
  expect(told).toEqual([en.startHost("scorel host serve", false), "The host is back."]);
});
