import * as fs from "node:fs";
import type { BlobStore } from "@scorel/blobs/contract";
import type { SessionAnswer } from "@scorel/runner/contract";
import type { ToolOutput, ToolsService } from "@scorel/tools/contract";
import { describe, expect, it, vi } from "vitest";
import { eventually } from "../../eventually.ts";
import { text, toolCall } from "../../model-server.ts";
import { executor, itWith } from "../../optional.ts";
import { processesOf } from "../../processes.ts";
import { sent } from "../skills/setup.ts";
import { type Shop, shop } from "./setup.ts";

/** Longer than any of these programs takes: tests wait for answers, not for this time. */
const patient = { yield_ms: 20_000 };

const greeter = `name = input("Your name? ")
open("out/greeting.txt", "w").write(f"Hello {name}\\n")
print(f"Hello {name}")
`;

describe("an interactive program", () => {
  itWith("python", "returns as soon as it asks for input, and at its end the result of skill_run", async () => {
    await using t = await shop();
    await t.skill("greet", { "greet.py": greeter });
    const began = await asking(t, {
      skill: "greet",
      command: "python3 greet.py",
      output_files: ["out/*.txt"],
      save_as_artifacts: true,
    });
    const { session_id } = began;
    expect(began).toEqual({
      status: "running",
      session_id: expect.stringMatching(/^\w{6}$/),
      output: "Your name? ",
      offset: 0,
      next_offset: 11,
      interaction: { needs_input: true, kind: "prompt", hint: "Your name?" },
    });
    const ended = await t.say({ session_id, write: "Ada", ...patient });
    expect(ended).toEqual({
      status: "exited",
      session_id,
      output: "Hello Ada\n",
      offset: 11,
      next_offset: 21,
      exit_code: 0,
      result: {
        stdout: "Your name? Hello Ada\n",
        stderr: "",
        exit_code: 0,
        timed_out: false,
        duration_ms: expect.any(Number),
        output_files: [expect.objectContaining({ name: "out/greeting.txt", content: "Hello Ada\n" })],
        primary_output: expect.objectContaining({ name: "out/greeting.txt" }),
        artifact_files: [{ name: "out/greeting.txt", version: 0 }],
      },
    });
    const saved = t.artifacts.load("out/greeting.txt");
    expect(saved?.content.toString()).toBe("Hello Ada\n");
    // The input is recorded, so that the run can be replayed.
    const blobs = t.t.kernel.find("blobs") as BlobStore;
    const { stdin } = blobs.readList(saved?.lineage?.run?.sha256 as string) as { stdin: { sha256: string } };
    expect(blobs.read(stdin.sha256)?.toString()).toBe("Ada\n");
    // If requested again, the result is not collected again.
    expect(await t.say({ session_id })).toEqual({ ...ended, output: "", offset: 21 });
    expect(t.artifacts.versions("out/greeting.txt")).toHaveLength(1);
  });

  itWith("python", "may be a REPL", async () => {
    await using t = await shop();
    const { session_id, interaction } = await asking(t, { command: "python3 -i -q" });
    expect(interaction).toEqual({ needs_input: true, kind: "prompt", hint: ">>>" });
    expect(await t.say({ session_id, write: "x = 20; x + 1", ...patient })).toMatchObject({
      output: expect.stringContaining("21\n"),
      interaction: { needs_input: true, kind: "prompt" },
    });
    const { result, exit_code } = await t.say({ session_id, write: "print(x)\n", close: true, ...patient });
    expect([exit_code, result?.stdout]).toEqual([0, "21\n20\n"]);
  });

  itWith("python", "is recognized as waiting even if it does not flush its output", async () => {
    await using t = await shop();
    const command = `python3 -c 'import sys; print("Sure?", end=""); print(sys.stdin.readline() == "yes\\n")'`;
    const { session_id, output } = await asking(t, { command });
    expect(output).toBe("Sure?");
    expect(await t.say({ session_id, write: "yes", ...patient })).toMatchObject({ output: "True\n", exit_code: 0 });
  });

  it("may offer a choice, and continues as long as it is answered", async () => {
    await using t = await shop();
    const game =
      'printf "1) low\\n2) high\\nEnter the number: "; read a; printf "%s, really? " "$a"; read b; echo "$a$b"';
    const { session_id, interaction } = await asking(t, { command: game });
    expect(interaction).toEqual({ needs_input: true, kind: "selection", hint: "Enter the number:" });
    expect(await t.say({ session_id, write: "2", ...patient })).toMatchObject({ output: "2, really? " });
    expect(await t.say({ session_id, write: "", ...patient })).toMatchObject({ output: "2\n", exit_code: 0 });
  });

  itWith("python", "may be a game", async () => {
    await using t = await shop();
    const guess = `while True:
    number = int(input("Guess: "))
    if number == 37: break
    print("higher" if number < 37 else "lower")
print("found")
`;
    await t.skill("guess", { "guess.py": guess });
    const { session_id } = await asking(t, { skill: "guess", command: "python3 guess.py" });
    let [low, high, answer] = [1, 64, ""];
    while (answer !== "found\n") {
      const number = Math.floor((low + high) / 2);
      answer = (await t.say({ session_id, write: String(number), ...patient })).output;
      if (answer.startsWith("higher")) low = number + 1;
      else high = number;
    }
    expect([low, high]).toEqual([37, 37]);
  });

  it("receives stdin immediately, and its input stays open", async () => {
    await using t = await shop();
    const { session_id, output } = await asking(t, {
      command: 'read a; read b; echo "$a $b?"; cat',
      stdin: "one\ntwo\n",
    });
    expect(output).toBe("one two?\n");
    const rest = await t.say({ session_id, write: "no line", close: true, ...patient });
    expect(rest).toMatchObject({ output: "no line", exit_code: 0 });
  });

  it("is waited for until it ends, but no longer than requested", async () => {
    await using t = await shop();
    const quick = await asking(t, { command: "exit 3" });
    expect(quick).toMatchObject({ status: "exited", exit_code: 3, output: "" });
    const { session_id } = await asking(t, { command: 'echo "ready?"; read line; sleep 0.2; exit "$line"' });
    const still = await t.say({ session_id, yield_ms: 1 });
    expect(still).toMatchObject({ status: "running", output: "" });
    expect(await t.say({ session_id, write: "4", ...patient })).toMatchObject({ status: "exited", exit_code: 4 });
  });

  it("must be on the lists, and its skill must be known", async () => {
    await using t = await shop({ allow: ["cat"] });
    await expect(t.begin({ command: "python3 -i" })).rejects.toThrow("python3 is not allowed");
    await expect(t.begin({ skill: "magic", command: "cat" })).rejects.toThrow("unknown skill: magic");
    const { session_id, output } = await asking(t, { command: "cat", stdin: "hello?" });
    expect(output).toBe("hello?");
    expect(await t.say({ session_id, write: "you?", ...patient })).toMatchObject({ output: "you?\n" });
  });
});

describe("the output of an interactive program", () => {
  it("is returned once, shortened to its end, and can be read again by offset", async () => {
    await using t = await shop();
    const { session_id, output } = await asking(t, {
      command: "for i in $(seq 6000); do echo é$i; done; printf '? '; read x",
    });
    const rest = output.endsWith("? ") ? "" : (await t.say({ session_id, ...patient })).output;
    expect(output + rest).toMatch(/\né5999\né6000\n\? $/);
    const first = await t.say({ session_id, offset: 0, yield_ms: 1 });
    expect(first.output.startsWith("é1\né2\n")).toBe(true);
    const second = await t.say({ session_id, offset: first.next_offset, yield_ms: 1 });
    const third = await t.say({ session_id, offset: second.next_offset, yield_ms: 1 });
    expect(first.output + second.output + third.output).toBe(
      `${Array.from({ length: 6000 }, (_, at) => `é${at + 1}\n`).join("")}? `,
    );
    expect(await t.say({ session_id, offset: third.next_offset, yield_ms: 1 })).toMatchObject({
      output: "",
      next_offset: 40_895,
    });
  });

  it("comes with a warning about text that was left out or dropped", async () => {
    await using t = await shop();
    const begin = await asking(t, {
      command: "printf '? '; read x; yes abcdefg | head -c 2000000; printf 'done? '; read y",
    });
    const { session_id } = begin;
    const end = await t.say({ session_id, write: "", ...patient });
    expect(end).toMatchObject({
      output: expect.stringMatching(/done\? $/),
      next_offset: 2_000_008,
      warnings: [expect.stringMatching(/^\d+ bytes before this were left out: offset \d+ begins with them$/)],
    });
    expect(Buffer.byteLength(end.output)).toBeLessThanOrEqual(16_384);
    const early = await t.say({ session_id, offset: 0, yield_ms: 1 });
    expect(early.warnings).toEqual([`${early.offset} bytes before this are no longer kept`]);
    expect(early.offset).toBeGreaterThan(0);
  });

  it("contains no secret, even one that arrives in two chunks", async () => {
    vi.stubEnv("MATH_TOKEN", "abc-secret-of-the-user");
    await using t = await shop({ env: { math: ["MATH_TOKEN"] } });
    const { session_id, output } = await asking(t, {
      command: 'printf "key: %s" "$(echo $MATH_TOKEN | cut -c -9)"; read x; echo "$MATH_TOKEN" | cut -c 10-',
    });
    expect(output).toBe("key: ");
    const { output: rest, result } = await t.say({ session_id, write: "", ...patient });
    expect([rest, result?.stdout]).toEqual(["[redacted]\n", "key: [redacted]\n"]);
    vi.unstubAllEnvs();
  });

  it("is shown to people as it arrives", async () => {
    await using t = await shop();
    const { session_id } = await asking(t, { command: "echo 'ready?'; read x; echo working; read y; echo done" });
    const tool = (t.t.kernel.find("tools") as ToolsService).get("skill_session");
    const seen: unknown[] = [];
    const cancel = new AbortController();
    const go = { session_id, write: "", yield_ms: 20_000 };
    const onUpdate = ({ content }: ToolOutput) => {
      seen.push(content);
      cancel.abort();
    };
    // When the user stops waiting, output that was already shown is in the result, and is returned again.
    await expect(tool?.execute("call", go, cancel.signal, onUpdate)).rejects.toThrow("working");
    expect(seen).toEqual([[{ type: "text", text: "working\n" }]]);
    expect(await t.say({ session_id, write: "", ...patient })).toMatchObject({ output: "working\ndone\n" });
  });

  it("is returned to only one of several concurrent calls", async () => {
    await using t = await shop();
    const { session_id } = await asking(t, {
      command: "printf '? '; read x; for i in 1 2 3; do echo $i; done; printf '? '; read y",
    });
    const polls = [1, 2, 3].map(() => t.say({ session_id, yield_ms: 500 }));
    const all = await Promise.all([t.say({ session_id, write: "", ...patient }), ...polls]);
    const inOrder = all.sort((a, b) => a.offset - b.offset);
    expect(inOrder.map(({ output }) => output).join("")).toBe("1\n2\n3\n? ");
    expect((await t.say({ session_id, offset: 0, yield_ms: 1 })).output).toBe("? 1\n2\n3\n? ");
  });
});

describe("text written to an interactive program", () => {
  it("waits until the program reads, and more text is refused meanwhile", async () => {
    await using t = await shop();
    const { session_id } = await asking(t, {
      command: "echo 'ready?'; until [ -e out/go ]; do sleep 0.02; done; wc -c",
    });
    const much = "x".repeat(400_000);
    expect(await t.say({ session_id, write: much, yield_ms: 1 })).toMatchObject({
      warnings: ["it has not read all that was written to it yet"],
    });
    await expect(t.say({ session_id, write: "more" })).rejects.toThrow("it has not read all of the earlier input");
    fs.writeFileSync(`${t.workspace}/out/go`, "");
    expect(await t.say({ session_id, close: true, ...patient })).toMatchObject({ output: "400001\n", exit_code: 0 });
  });

  it("is reported as unread if the program closed its input", async () => {
    await using t = await shop({}, "local");
    const { session_id } = await asking(t, { command: "exec 0<&-; echo 'ready?'; sleep 100" });
    expect(await t.say({ session_id, write: "yes", yield_ms: 200 })).toMatchObject({
      status: "running",
      warnings: ["it closed its input before it had read all that was written to it"],
    });
    await expect(t.say({ session_id, write: "yes" })).rejects.toThrow("its input is closed");
  });

  it("is refused when it cannot be delivered", async () => {
    await using t = await shop();
    const { session_id } = await asking(t, { command: "echo 'ready?'; cat; until [ -e out/go ]; do sleep 0.02; done" });
    const long = "x".repeat(1024 * 1024 + 1);
    await expect(t.say({ session_id, write: long })).rejects.toThrow("longer than");
    await expect(t.begin({ command: "cat", stdin: long })).rejects.toThrow("longer than");
    await expect(t.say({ session_id, write: "a", kill: true })).rejects.toThrow("Pass either write and close, or kill");
    await t.say({ session_id, close: true, yield_ms: 1 });
    await expect(t.say({ session_id, write: "a" })).rejects.toThrow("its input is closed");
    fs.writeFileSync(`${t.workspace}/out/go`, "");
    await t.say({ session_id, ...patient });
    expect(await t.say({ session_id, write: "a" })).toMatchObject({
      status: "exited",
      warnings: ["it had ended before, so nothing was done to it"],
    });
  });
});

describe("the end of an interactive program", () => {
  it("comes immediately when it is killed, with everything it started, and with its files", async () => {
    await using t = await shop();
    const sleep = `sleep 9${process.pid}.1`;
    const command = `trap '' TERM HUP; echo kept > out/kept; (setsid ${sleep} &); ${sleep} & echo 'ready?'; wait; wait`;
    const { session_id } = await asking(t, { command, output_files: ["out/kept"] });
    await eventually(() => expect(processesOf(sleep)).toHaveLength(2));
    const end = await t.say({ session_id, kill: true });
    expect(end).toMatchObject({
      status: "exited",
      exit_code: -1,
      result: {
        output_files: [expect.objectContaining({ content: "kept\n" })],
        warnings: expect.arrayContaining(["the program was ended: it was killed"]),
      },
    });
    expect(processesOf(sleep)).toEqual([]);
  });

  it("comes with its time limit", async () => {
    await using t = await shop();
    const { session_id } = await asking(t, { command: "echo 'ready?'; sleep 50 & sleep 50", timeout: 1 });
    const { result } = await t.say({ session_id, ...patient });
    expect(result).toMatchObject({ exit_code: -1, timed_out: true, stdout: "ready?\n" });
  });

  it("does not come with the end of the turn, which only ends the waiting", async () => {
    await using t = await shop();
    const cancel = new AbortController();
    const { session_id } = await asking(t, { command: "echo 'ready?'; read x; echo done" });
    const wait = t.say({ session_id, ...patient }, cancel.signal);
    cancel.abort();
    await expect(wait).rejects.toThrow("cancelled");
    expect(await t.say({ session_id, write: "", ...patient })).toMatchObject({ output: "done\n", exit_code: 0 });
  });

  it("comes when the turn is cancelled before its id is known", async () => {
    await using t = await shop();
    const sleep = `sleep 9${process.pid}.3`;
    const cancel = new AbortController();
    const start = expect(t.begin({ command: sleep }, cancel.signal)).rejects.toThrow("cancelled");
    await eventually(() => expect(processesOf(sleep)).toHaveLength(1));
    cancel.abort();
    await start;
    await eventually(() => expect(processesOf(sleep)).toEqual([]));
  });

  it("comes with the end of the session", async () => {
    const sleep = `sleep 9${process.pid}.2`;
    {
      await using t = await shop();
      await t.begin({ command: `echo 'ready?'; setsid ${sleep} & ${sleep}` });
      await eventually(() => expect(processesOf(sleep)).toHaveLength(2));
    }
    expect(processesOf(sleep)).toEqual([]);
  });
});

describe("several interactive programs", () => {
  it("are limited to eight, and an unknown id lists the running ones", async () => {
    await using t = await shop();
    await expect(t.say({ session_id: "nobody" })).rejects.toThrow(
      "There is no running program nobody. Start one with skill_run and interactive.",
    );
    const all = await Promise.all(Array.from({ length: 8 }, () => t.begin({ command: "echo 'ready?'; cat" })));
    const ids = all.map(({ session_id }) => session_id);
    await expect(t.begin({ command: "cat" })).rejects.toThrow(/8 interactive programs are already running\..*: \w+, /);
    await expect(t.say({ session_id: "nobody" })).rejects.toThrow(`${ids[0]} (math), ${ids[1]} (math)`);
    await t.say({ session_id: ids[0] as string, kill: true });
    expect(await asking(t, { command: "echo 'ready?'; cat" })).toMatchObject({ status: "running" });
  });

  it("are read in parallel with reading tools, and written to one call at a time", async () => {
    await using t = await shop();
    const tool = t.t.kernel.find("tools")?.get("skill_session");
    const ways = [{}, { kill: true }, { write: "y" }].map((more) => tool?.access({ session_id: "a", ...more }));
    expect(await Promise.all(ways)).toEqual(["read", "read", "exclusive"]);
  });

  it("are shown to people with their output", async () => {
    await using t = await shop();
    const tools = t.t.kernel.find("tools") as ToolsService;
    const command = "printf 'Sure? '; read x; echo $x > out/a; sleep 100";
    const args = { skill: "math", command, interactive: true, output_files: ["out/*"] };
    const begun = await tools.get("skill_run")?.execute("call", args, undefined);
    const { session_id } = JSON.parse(
      begun?.content.map((block) => ("text" in block ? block.text : "")).join("") ?? "",
    );
    const meanwhile = { content: [{ type: "text" as const, text: "{working" }] };
    expect(tools.display("skill_session", { session_id }, meanwhile)).toMatchObject({ text: "{working" });
    const say = async (more: object) => {
      const go = { session_id, yield_ms: 200, ...more };
      return tools.display("skill_session", go, await tools.get("skill_session")?.execute("call", go, undefined));
    };
    expect([tools.display("skill_run", args, begun), await say({ write: "yes" }), await say({ kill: true })]).toEqual([
      { display: "card", title: `math $ ${command}`, status: "done", text: `Sure? \n[runs as ${session_id}]` },
      { display: "card", title: `skill_session ${session_id} < yes`, status: "done", text: `[runs as ${session_id}]` },
      {
        display: "card",
        title: `skill_session ${session_id} kill`,
        status: "done",
        text: "[the program was ended: it was killed; out/a]",
      },
    ]);
  });

  it("are forgotten half an hour after their end", async () => {
    await using t = await shop();
    const { session_id } = await asking(t, { command: "true" });
    expect(await t.say({ session_id })).toMatchObject({ status: "exited" });
    const now = performance.now();
    vi.spyOn(performance, "now").mockImplementation(() => now + 31 * 60_000);
    await asking(t, { command: "true" });
    await expect(t.say({ session_id })).rejects.toThrow("There is no running program");
    vi.restoreAllMocks();
  });
});

describe("a conversation", () => {
  it("reports once that a program ended by itself, and not after its result", async () => {
    const begin = {
      skill: "math",
      command: "echo 'ready?'; until [ -e out/go ]; do sleep 0.02; done; echo bye",
      interactive: true,
    };
    const script = [toolCall("skill_run", begin), text("It runs."), text("I see."), text("Nothing new.")];
    await using t = await shop({}, executor, () => script.shift() ?? text("Done."));
    await (await t.t.agent.send("go")).turn;
    const [id = ""] = Object.keys(t.t.session.projection("interactiveRuns"));
    fs.writeFileSync(`${t.workspace}/out/go`, "");
    await t.say({ session_id: id, ...patient });
    await (await t.t.agent.send("and?")).turn;
    await (await t.t.agent.send("well?")).turn;
    const [, , third, fourth] = t.t.requests.map((request) =>
      sent(request)
        .map(({ text }) => text)
        .join("\n"),
    );
    const news = `The interactive program ${id} (math: ${begin.command}) has ended; skill_session gives its result.`;
    expect(third?.split(news)).toHaveLength(2);
    expect(fourth?.split(news)).toHaveLength(2);
    expect(t.t.session.projection("interactiveRuns")).toEqual({});
  });
});

/** Starts a program and waits until it asks for input or ends. */
async function asking(t: Shop, request: Parameters<Shop["begin"]>[0]): Promise<SessionAnswer> {
  let answer = await t.begin(request);
  while (answer.status === "running" && !answer.interaction) {
    const { output, offset } = answer;
    answer = await t.say({ session_id: answer.session_id, ...patient });
    answer = { ...answer, output: output + answer.output, offset };
  }
  return answer;
}
