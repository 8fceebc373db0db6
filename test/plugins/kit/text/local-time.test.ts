import { afterEach, expect, it, vi } from "vitest";
import { localMinute } from "../../../../plugins/kit/text/local-time.ts";

afterEach(() => vi.unstubAllEnvs());

it.each([
  ["UTC", "2026-03-07 01:05"],
  ["Asia/Shanghai", "2026-03-07 09:05"],
  ["America/New_York", "2026-03-06 20:05"],
  ["Asia/Kolkata", "2026-03-07 06:35"],
])("a time is that of the person's clock in %s", (zone, shown) => {
  vi.stubEnv("TZ", zone);
  expect(localMinute(Date.UTC(2026, 2, 7, 1, 5, 59))).toBe(shown);
});
