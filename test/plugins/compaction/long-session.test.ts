import { expect, it } from "vitest";
import { costOf, fact, playLongSession } from "./long-session.ts";
import { saidIn, window } from "./setup.ts";

it("300 turns never fill the window, keep what was stated in the first, and can mostly be cached", {
  timeout: 60_000,
}, async () => {
  const { requests, compactions, failures } = await playLongSession(300, {});
  const { largest, cacheable } = costOf(requests);
  expect(failures).toEqual([]);
  expect(compactions).toBeGreaterThan(10);
  expect(largest).toBeLessThan(0.85 * window);
  expect(saidIn(requests.at(-1)!)[0]).toContain(fact);
  expect(saidIn(requests.at(-1)!).at(-1)).toMatch(/^tool: .*end$/);
  expect(cacheable).toBeGreaterThan(0.8);
});
