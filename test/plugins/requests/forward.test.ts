import type { Client, Subscription } from "@scorel/host/contract";
import type { OpenRequest } from "@scorel/requests/contract";
import { describe, expect, it } from "vitest";
import { open } from "./setup.ts";

const question: OpenRequest = { requestId: "question", plugin: "asker", kind: "confirm", title: "Continue?" };

/** A client of another session with open `questions`. `subscribing` runs while it subscribes, `attending` while it attends. */
function otherSession({ subscribing = () => {}, attending = () => {}, questions = [] as OpenRequest[] } = {}) {
  const calls: string[] = [];
  const client = {
    async subscribe() {
      calls.push("subscribe");
      await null;
      subscribing();
      return (async () => void calls.push("unsubscribe")) as Subscription;
    },
    async request(operation: string, { attending: isAttending }: { attending?: boolean }) {
      calls.push(isAttending === undefined ? operation : `${operation} ${isAttending}`);
      attending();
      return { requests: operation === "attend_requests" ? questions : [] };
    },
  };
  return { client: client as unknown as Client, calls };
}

describe("forwarding of another session's questions", () => {
  it("that is cancelled while it begins follows that session no longer", async () => {
    await using t = await open();
    const gone = new Error("cancelled");
    for (const when of ["subscribing", "attending"]) {
      const cancel = new AbortController();
      const { client, calls } = otherSession({ [when]: () => cancel.abort(gone), questions: [question] });
      await expect(t.ctx.requests.forward(client, "child", { signal: cancel.signal })).rejects.toBe(gone);
      await t.run("attend_requests");
      expect([when, calls]).toEqual([
        when,
        ["subscribe", ...(when === "attending" ? ["attend_requests false"] : []), "unsubscribe"],
      ]);
      await t.run("attend_requests", { attending: false });
    }
  });

  it("that cannot begin follows that session no longer", async () => {
    await using t = await open();
    const ended = new Error("the session has ended");
    const { client, calls } = otherSession({
      attending() {
        throw ended;
      },
    });
    await expect(t.ctx.requests.forward(client, "child")).rejects.toBe(ended);
    await t.run("attend_requests");
    expect(calls).toEqual(["subscribe", "attend_requests false", "unsubscribe"]);
  });

  it("ends once, however often it is ended", async () => {
    await using t = await open();
    const cancel = new AbortController();
    const { client, calls } = otherSession();
    const end = await t.ctx.requests.forward(client, "child", { signal: cancel.signal });
    cancel.abort();
    await end();
    expect(calls).toEqual(["subscribe", "attend_requests false", "unsubscribe"]);
  });
});
