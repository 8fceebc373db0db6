import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { linkedTo, onAbort, untilAborted } from "../../../../plugins/kit/values/abort.ts";

const reason = new Error("stopped");

describe("work until a signal aborts", () => {
  it("settles like the work, which may also be a plain value", async () => {
    const { signal } = new AbortController();
    const settled = await Promise.allSettled([
      untilAborted(1, signal),
      untilAborted(Promise.resolve(2), signal),
      untilAborted(Promise.reject(reason), signal),
    ]);
    expect(settled).toEqual([
      { status: "fulfilled", value: 1 },
      { status: "fulfilled", value: 2 },
      { status: "rejected", reason },
    ]);
  });

  it("rejects with the signal's reason as soon as it aborts, or when it has", async () => {
    const control = new AbortController();
    const never = new Promise(() => {});
    const waiting = untilAborted(never, control.signal);
    control.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(untilAborted(never, control.signal)).rejects.toBe(reason);
  });

  it("waits for aborted work that settles within its grace, and no longer", async () => {
    const control = new AbortController();
    const last = setTimeout(1, "last words");
    const [inTime, late] = [
      untilAborted(last, control.signal, 60_000),
      untilAborted(new Promise(() => {}), control.signal, 1),
    ];
    control.abort(reason);
    expect(await inTime).toBe("last words");
    await expect(late).rejects.toBe(reason);
  });
});

describe("callbacks of a signal", () => {
  it("run once in their order, without those that were removed, and at once when it has aborted", () => {
    const control = new AbortController();
    const calls: string[] = [];
    onAbort(control.signal, () => calls.push("first"));
    onAbort(control.signal, () => calls.push("removed"))();
    onAbort(control.signal, () => calls.push("second"));
    control.abort();
    onAbort(control.signal, () => calls.push("late"));
    expect(calls).toEqual(["first", "second", "late"]);
  });
});

describe("a signal that is linked to others", () => {
  it("aborts with the first of them, and not after its end", () => {
    const [a, b, c] = [new AbortController(), new AbortController(), new AbortController()];
    const first = linkedTo(a.signal, b.signal);
    const ended = linkedTo(b.signal, c.signal);
    const abandoned = linkedTo(c.signal);
    ended.end();
    abandoned.end(true);
    b.abort(reason);
    expect([first.signal.reason, ended.signal.aborted, abandoned.signal.aborted]).toEqual([reason, false, true]);
  });
});
