import { trace } from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { RunRequest } from "@scorel/runner/contract";
import { afterEach, describe, expect, it, vi } from "vitest";
import { shop } from "./setup.ts";

/** The spans that an SDK in this process collects. */
function collector(): InMemorySpanExporter {
  trace.disable();
  const exporter = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  return exporter;
}
afterEach(() => {
  trace.disable();
  vi.unstubAllEnvs();
});

/** The spans of one run, in the order in which they ended. */
async function spansOf(request: Partial<RunRequest> & { command: string }, config: object = {}) {
  const exporter = collector();
  await using t = await shop(config);
  const result = await t.run(request).catch((thrown: Error) => thrown.message);
  const spans = exporter.getFinishedSpans().map(({ name, attributes, status, events }) => {
    const { "scorel.session.id": _session, ...own } = attributes;
    return { name, attributes: own, ...(status.code === 2 && { failed: status.message, noted: events.length }) };
  });
  const plain = JSON.stringify(spans).replaceAll(t.workspace, "<ws>").replaceAll(t.g.home, "<home>");
  return { result, spans: JSON.parse(plain), id: exporter.getFinishedSpans()[0]?.attributes["scorel.session.id"] };
}

describe("the steps of a run", () => {
  it("are spans with attributes and without secrets", async () => {
    vi.stubEnv("MATH_TOKEN", "a-token-of-the-user");
    const { spans, id } = await spansOf(
      {
        command: "echo a-token-of-the-user > out/a.txt",
        inputs: [{ from: "skill://math/SKILL.md" }],
        output_files: ["out/*"],
      },
      { env: { math: ["MATH_TOKEN"] } },
    );
    expect(spans).toEqual([
      { name: "workspace.create", attributes: { exec_id: id, path: "<ws>" } },
      {
        name: "workspace.stage",
        attributes: { host_path: "<home>/.scorel/skills/math", to: "skills/math", mount_used: false },
      },
      {
        name: "workspace.stage",
        attributes: { path: "skill://math/SKILL.md", to: "work/inputs/SKILL.md", mount_used: false },
      },
      {
        name: "workspace.run",
        attributes: { cmd: "echo [redacted] > out/a.txt", cwd: "skills/math", exit_code: 0, timed_out: false },
      },
      { name: "workspace.collect", attributes: { patterns: ["out/*"], count: 1 } },
      { name: "workspace.inline", attributes: { count: 1 } },
    ]);
  });

  it("record errors", async () => {
    const { result, spans } = await spansOf({ command: "true", inputs: [{ from: "host:///etc/passwd" }] });
    expect(spans.at(-1)).toEqual({
      name: "workspace.stage",
      attributes: { path: "host:///etc/passwd" },
      failed: result,
      noted: 1,
    });
    const ended = await spansOf({ command: "sleep 50", timeout: 1 });
    expect(ended.spans[2].attributes).toMatchObject({ exit_code: -1, timed_out: true });
  });

  it("are not recorded when no SDK is registered", async () => {
    await using t = await shop();
    expect((await t.run({ command: "echo hi" })).stdout).toBe("hi\n");
  });
});
