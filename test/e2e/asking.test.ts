import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Part, type RecordedRequest, startModelServer, text, toolCall } from "../model-server.ts";
import { describeWith } from "../optional.ts";
import { terminal } from "./pty.ts";
import { records, type Scratch, scratch } from "./scorel.ts";

const made = (s: Scratch, name: string) => existsSync(join(s.project, name));
/** The messages of a request after the model's last reply. */
function saidLast({ body }: RecordedRequest): { role: string; words: string } {
  const messages: { role: string; content: unknown }[] = body.messages;
  const since = messages.slice(messages.findLastIndex(({ role }) => role === "assistant" || role === "system") + 1);
  const words = since.map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content)));
  return { role: since[0]?.role ?? "", words: words.join("\n") };
}
const answers = (s: Scratch) =>
  s.logs().flatMap((log) => records(log).filter(({ type }) => type === "approval_answer"));

/** A model that makes these calls once for each prompt, and then repeats their results. */
async function modelThat(calls: (told: string) => Part[]) {
  const s = scratch();
  const told: string[] = [];
  const server = await startModelServer((request) => {
    const { role, words } = saidLast(request);
    if (role === "tool") return text(`It says: ${words.slice(0, 60)}\n\n## Plan\n\nWrite it.`);
    told.push(words);
    const wanted = calls(words);
    return wanted.length > 0 ? wanted : text(/is there\?/.test(words) ? "Nothing." : "## The plan\n\nWrite it.");
  });
  s.useModel(server.baseUrl);
  const dispose = async () => {
    s[Symbol.dispose]();
    await server.close();
  };
  return Object.assign(s, { told, [Symbol.asyncDispose]: dispose });
}

const write = (name: string) => toolCall("Write", { file_path: name, content: "text\n" });

describeWith("script", "plan mode in a terminal", () => {
  it("changes nothing until the plan is approved, and then edits without asking", async () => {
    await using s = await modelThat((told) => (/carry it out|go ahead/i.test(told) ? [write("a.txt")] : []));
    await using t = terminal(s, ["--permission", "plan"]);
    await t.shows("> ");
    t.type("go ahead and write\r");
    await t.shows("Denied: in plan mode");
    await t.shows("Carry out this plan?");
    await t.shows("n = no, keep planning (you can add what to change)");
    await t.shows("n] ");
    expect(made(s, "a.txt")).toBe(false);
    t.type("y\r");
    await t.shows("Permission mode: edits");
    await t.shows("It says: Created a.txt");
    expect([made(s, "a.txt"), s.told.at(-1)]).toEqual([
      true,
      expect.stringContaining("The plan is approved. Carry it out."),
    ]);
    t.type("/permission\r");
    await t.shows("mode: edits");
    t.type("/exit\r");
    expect(await t.code).toBe(0);
  }, 30_000);

  it("accepts a remark about the plan, and the approval may keep asking before each change", async () => {
    await using s = await modelThat((told) => (/carry it out/i.test(told) ? [write("b.txt")] : []));
    await using t = terminal(s, ["--permission", "plan"]);
    await t.shows("> ");
    t.type("plan it\r");
    await t.shows("n = no, keep planning");
    await t.shows("n] ");
    t.type("n call the file b.txt\r");
    await t.shows("n = no, keep planning");
    await t.shows("n] ");
    expect(s.told.at(-1)).toContain("call the file b.txt");
    t.type("k\r");
    await t.shows("Permission mode: ask");
    await t.shows("Write this file?");
    await t.shows("+text");
    await t.shows("n] ");
    expect(made(s, "b.txt")).toBe(false);
    t.type("y\r");
    await t.shows("It says: Created b.txt");
    expect(made(s, "b.txt")).toBe(true);
  }, 30_000);

  it("asks nothing after an answer that is no plan", async () => {
    await using s = await modelThat(() => []);
    await using t = terminal(s, ["--permission", "plan"]);
    await t.shows("> ");
    t.type("what is there?\r");
    await t.shows("Nothing.");
    t.type("/permission\r");
    await t.shows("mode: plan");
    expect(t.screen()).not.toContain("Carry out");
    t.type("plan it\r");
    await t.shows("Carry out this plan?");
  }, 30_000);

  it("stays in effect, without a request to the model, when the user answers no", async () => {
    await using s = await modelThat(() => []);
    await using t = terminal(s, ["--permission", "plan"]);
    await t.shows("> ");
    t.type("plan it\r");
    await t.shows("n = no, keep planning");
    await t.shows("n] ");
    t.type("n\r");
    await t.shows("> ");
    t.type("/permission\r");
    await t.shows("mode: plan");
    expect(s.told).toHaveLength(1);
  }, 30_000);
});

describeWith("script", "a question that was open when the process was killed", () => {
  it("is asked again in the reopened session, and the turn goes on with the answer", async () => {
    await using s = await modelThat((told) =>
      /do it/.test(told) ? [toolCall("Bash", { command: "touch made" })] : [],
    );
    {
      await using killed = terminal(s);
      await killed.shows("> ");
      killed.type("do it\r");
      await killed.shows("a = always in this project");
      const folder = join(s.home, ".scorel/sessions");
      const lock = readdirSync(folder).find((name) => name.endsWith(".lock")) as string;
      process.kill((JSON.parse(readFileSync(join(folder, lock), "utf8")) as { pid: number }).pid, "SIGKILL");
      await killed.code;
    }
    expect(answers(s)).toEqual([]);
    await using t = terminal(s, ["--continue"]);
    await t.shows("a = always in this project");
    await t.shows("n] ");
    t.type("n\r");
    await t.shows("It says: Denied: the user said no");
    expect(answers(s)).toMatchObject([{ answer: "n" }]);
    expect(made(s, "made")).toBe(false);
  }, 30_000);
});
