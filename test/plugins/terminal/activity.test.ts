import type { SessionView } from "@scorel/host/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Activity } from "../../../plugins/terminal/app/activity.ts";

const view = (running: boolean, asked = 0) =>
  ({
    status: { running },
    live: [],
    requests: Array.from({ length: asked }, () => ({})),
  }) as unknown as SessionView;

function stage() {
  const told = { rung: 0, drawn: 0 };
  const activity = new Activity({ passed: () => told.drawn++, calls: () => told.rung++ });
  return { activity, told };
}

describe("the bell", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("rings when a turn of more than ten seconds ends or asks something, and not for a short one", () => {
    const { activity, told } = stage();
    activity.update(view(true));
    vi.advanceTimersByTime(5_000);
    activity.update(view(true, 1));
    activity.update(view(false));
    expect(told.rung).toBe(0);
    activity.update(view(true));
    vi.advanceTimersByTime(11_000);
    activity.update(view(true, 1));
    expect(told.rung).toBe(1);
    activity.update(view(true));
    activity.update(view(false));
    expect(told.rung).toBe(2);
    activity.end();
  });

  it("writes nothing to the screen while nothing happens", () => {
    const { activity, told } = stage();
    activity.update(view(true));
    vi.advanceTimersByTime(3_000);
    activity.update(view(false));
    vi.advanceTimersByTime(60_000);
    expect(told.drawn).toBe(3);
  });
});
