import { spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Scratch, scratch } from "../e2e/scorel.ts";
import { hang, startModelServer, text, toolCall } from "../model-server.ts";

describe("curl", () => {
  it("creates a session, prompts, follows, answers and cancels it, without the token on a command line", async () => {
    using s = scratch();
    const script = [[toolCall("Bash", { command: "touch made-by-curl" })], [text("done")], [text("so far"), hang()]];
    await using server = await startModelServer(script);
    s.useModel(server.baseUrl);
    await using host = await serve(s);
    const { post, follow } = host;
    const { sessionId } = await post("create_session", { cwd: s.project });
    await post("attend_requests", { sessionId });
    const stream = follow(sessionId);
    await stream.event("subscribed");
    await post("send_message", { sessionId, content: "make a file" });

    const asked = await stream.event("approval_request");
    const { requests } = await post("list_requests", { sessionId });
    expect(requests).toHaveLength(1);
    expect(asked.data).toContain(requests[0].requestId);
    await post("answer_request", { sessionId, requestId: requests[0].requestId, answer: "y" });
    await stream.event("runtime_end");
    expect(statSync(`${s.project}/made-by-curl`).isFile()).toBe(true);

    // A second request resumes after an event of the first, which was cut off.
    const half = stream.seen.findIndex(({ type }) => type === "message");
    stream.cut();
    const again = follow(sessionId, stream.seen[half]?.id);
    expect(JSON.parse((await again.event("subscribed")).data)).toMatchObject({ mode: "stream_resume" });
    await post("send_message", { sessionId, content: "wait" });
    await again.event("text_delta");
    expect(await post("cancel", { sessionId })).toEqual({ cancelled: true });
    await again.event("runtime_end", 2);
    again.cut();
    const { events } = await post("get_events", { sessionId });
    const stored = (list: { data: string }[]) =>
      list.map(({ data }) => JSON.parse(data).event).filter((event) => event?.id !== undefined);
    const heard = [...stored(stream.seen.slice(0, half + 1)), ...stored(again.seen)].map(({ id }) => id);
    const ids = events.map(({ event }: { event: { id: string } }) => event.id);
    expect(heard).toEqual(ids.slice(ids.indexOf(heard[0])));
    await expect(post("send_message", { sessionId })).resolves.toMatchObject({
      error: { code: "HOST_PARAMS_INVALID" },
    });
  });
});

/** Starts a host in the background, and returns functions that send requests with curl. */
async function serve(s: Scratch) {
  const run = async (...words: string[]) => {
    const { code, stdout, stderr } = await s.run(["host", ...words], { guarded: true });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return stdout;
  };
  await run("serve", "--port", "0");
  const rc = (await run("curlrc")).trim();
  const { addresses } = JSON.parse(await run("status", "--json")).state;
  const base = addresses.find((each: { transport: string }) => each.transport === "web").address;
  const token = readFileSync(`${s.home}/.scorel/host/owner.token`, "utf8").trim();
  expect([readFileSync(rc, "utf8").includes(token), statSync(rc).mode & 0o777]).toEqual([true, 0o600]);
  const curl = (...words: string[]) =>
    spawn("curl", ["-sN", "-K", rc, ...words], { stdio: ["ignore", "pipe", "inherit"] });
  const children = new Set<ReturnType<typeof curl>>();
  return {
    post: async (operation: string, params: object) => {
      const child = curl("-d", JSON.stringify(params), `${base}/operations/${operation}`);
      let out = "";
      for await (const chunk of child.stdout) out += chunk;
      return JSON.parse(out);
    },
    follow: (sessionId: string, from?: string) => {
      const after = from === undefined ? [] : ["-H", `Last-Event-ID: ${from}`];
      const child = curl(...after, `${base}/sessions/${sessionId}/events`);
      children.add(child);
      const seen: { id: string; type: string; data: string }[] = [];
      let rest = "";
      let wake = () => {};
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
        const blocks = (rest + chunk).split("\n\n");
        rest = blocks.pop() as string;
        for (const block of blocks) {
          const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1] ?? "";
          if (field("event") !== "") seen.push({ id: field("id"), type: field("event"), data: field("data") });
        }
        wake();
      });
      return {
        seen,
        cut: () => child.kill(),
        event: async (type: string, count = 1) => {
          for (;;) {
            const found = seen.filter((each) => each.type === type);
            if (found.length >= count) return found[count - 1] as (typeof seen)[number];
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
          }
        },
      };
    },
    async [Symbol.asyncDispose]() {
      for (const child of children) child.kill();
      await run("stop");
    },
  };
}
