import { expect } from "vitest";
import { scratch } from "../e2e/scorel.ts";
import { eventually } from "../eventually.ts";
import {
  delayUntil,
  gate,
  type RecordedRequest,
  type Script,
  startModelServer,
  text,
  toolCall,
} from "../model-server.ts";
import { confines, executor, itWith } from "../optional.ts";
import { processesOf } from "../processes.ts";

const greeter = `name = input("Your name? ")
open("out/greeting.txt", "w").write(f"Hello {name}\\n")
`;

itWith(
  "python",
  "a model answers a program's question; a program that was lost with a killed process is reported",
  async () => {
    const command = `python3 greet.py ${process.pid}`;
    const begin = toolCall("skill_run", {
      skill: "greet",
      command,
      interactive: true,
      output_files: ["out/*.txt"],
      save_as_artifacts: true,
    });
    const never = gate();
    const script: ((request: RecordedRequest) => ReturnType<Extract<Script, (...given: never[]) => unknown>>)[] = [
      () => begin,
      () => [text("It asks."), delayUntil(never.promise)],
      () => begin,
      (request) => toolCall("skill_session", { session_id: idIn(request), write: "Ada", yield_ms: 20_000 }),
      () => text("Ada is greeted."),
    ];
    await using server = await startModelServer((request, index) => script[index]?.(request) ?? text("Done."));
    using s = scratch();
    s.useModel(server.baseUrlFor("openai-completions"));
    s.file("~/.scorel/skills/greet/SKILL.md", "---\nname: greet\ndescription: Greets people\n---\n\nRun greet.py.\n");
    s.file("~/.scorel/skills/greet/greet.py", greeter);

    const first = s.start(["-p", "greet me", "--sandbox", executor, "--output", "events"]);
    await first.line((line) => line.includes('"text_delta"'));
    expect(processesOf(command)).toHaveLength(1);
    process.kill(first.pid, "SIGKILL");
    await first.finished;
    if (confines) await eventually(() => expect(processesOf(command)).toEqual([]));
    never.open();

    const second = await s.run(["-p", "go on", "--continue", "--sandbox", executor]);
    expect(second).toMatchObject({ code: 0, stdout: "Ada is greeted.\n" });
    const requests = server.requests.map(({ body }) => JSON.stringify(body.messages));
    const lost = `${idIn(server.requests[1] as RecordedRequest)} (greet: ${command}) no longer runs here`;
    expect([requests[1]?.includes(lost), requests[2]?.split(lost).length, requests[4]?.split(lost).length]).toEqual([
      false,
      2,
      2,
    ]);
    expect(requests[4]).toContain('\\"status\\":\\"exited\\"');
    expect((await s.run(["artifact", "get", "out/greeting.txt"])).stdout).toBe("Hello Ada\n");
    // Replays the run with its recorded input.
    const again = await s.run(["artifact", "replay", "out/greeting.txt", "--sandbox", executor]);
    expect([again.code, again.stderr, again.stdout]).toEqual([0, "", expect.any(String)]);
  },
);

/** The session id in the latest result of `skill_run`. */
function idIn({ body }: RecordedRequest): string {
  const ids = [...JSON.stringify(body.messages).matchAll(/\\"session_id\\":\\"(\w+)\\"/g)];
  return ids.at(-1)?.[1] ?? "none";
}
