import type { Hit } from "@scorel/search/contract";
import { describe, expect, it } from "vitest";
import { startModelServer, text, toolCall, usage } from "../model-server.ts";
import { records, scratch } from "./scorel.ts";

const spent = usage({ input: 400, output: 10, cached: 300 });
const script = [
  [toolCall("Read", { file_path: "cart.js" }), spent],
  [text('It says "Größe".\nNothing more.'), spent],
  [text("Two things."), spent],
];
const hits = (stdout: string) =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Hit);

describe("sessions made by real runs", () => {
  it("can be searched, and a found one can be continued", async () => {
    using s = scratch();
    await using server = await startModelServer(script);
    s.useModel(server.baseUrl);
    s.file("cart.js", "export const größe = 1;\n");
    expect(await s.run(["-p", "What is in it?"])).toMatchObject({ code: 0 });
    const [log = ""] = s.logs();
    const [header, ...events] = records(log);
    const sessionId = String(header?.sessionId);
    const [first, , read, answer] = events.filter(({ type }) => type === "message").map(({ id }) => String(id));

    const { stdout, code } = await s.run(["search", "GRÖSSE".replace("SS", "ß")]);
    expect(code).toBe(0);
    const [head, ...places] = stdout.split("\n");
    expect(head).toMatch(
      new RegExp(`^${sessionId.slice(0, 8)} {2}\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d {2}What is in it\\?$`),
    );
    expect(places).toEqual([
      `  ${read?.slice(0, 8)}  Read       1 export const größe = 1;`,
      `  ${answer?.slice(0, 8)}  assistant  It says "Größe".`,
      "",
    ]);
    const back = await s.run(["session", "rewind", sessionId.slice(0, 8), places[1]?.trim().split(" ")[0] ?? ""]);
    expect(back).toMatchObject({ code: 0, stderr: "" });
    await s.run(["session", "rewind", sessionId, first ?? ""]);
    expect((await s.run(["search", '"größe". nothing more'])).stdout).toContain("(on an abandoned branch)\n");

    await s.run(["session", "rename", sessionId, "Cart", "repair"]);
    const named = hits((await s.run(["search", "cart repair", "--output", "json"])).stdout);
    expect(named).toMatchObject([{ sessionId, title: "Cart repair", who: "name", cwd: s.project }]);
    expect(await s.run(["search", "nothing like it"])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "Nothing was found.\n",
    });
    expect(await s.run(["search", "cart", "--limit", "2000"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("1 to 1000"),
    });
    expect(await s.run(["search", " "])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("nothing to search"),
    });
  });

  it("report their cost; copies report only their own", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer(script);
    s.useModel(server.baseUrl, "\n[model.cost]\ninput = 1\noutput = 10\ncacheRead = 0.1\ncacheWrite = 1\n");
    s.file("cart.js", "one\n");
    await s.run(["-p", "What is in it?"]);
    const [log = ""] = s.logs();
    const sessionId = String(records(log)[0]?.sessionId);
    const one = await s.run(["usage", "--by", "model", "--output", "json"]);
    const row = { calls: 2, input: 200, output: 20, cacheRead: 600, cacheWrite: 0, cost: 0.00046, cachedShare: 0.75 };
    expect(JSON.parse(one.stdout)).toEqual({
      rows: [{ key: "scripted/scripted-model", ...row }],
      total: { key: "total", ...row },
      sessions: 1,
    });
    expect(await s.run(["session", "clone", sessionId])).toMatchObject({ code: 0 });
    expect(JSON.parse((await s.run(["usage", "--output", "json"])).stdout).total).toEqual({ key: "total", ...row });
    await s.run(["--session", sessionId, "-p", "And now?"]);
    const table = await s.run(["usage", "--by", "project", "--since", "1d"]);
    expect(table.stdout).toBe(
      [
        `${"".padEnd(s.project.length)}  calls  input  output  cached     cost`,
        `${s.project}      3   1200      30     75%  $0.0007`,
        `${"1 session".padEnd(s.project.length)}      3   1200      30     75%  $0.0007`,
        "",
      ].join("\n"),
    );
    expect(await s.run(["usage", "--since", "2099-01-01"])).toMatchObject({ code: 0, stdout: "Nothing was spent.\n" });
    expect(await s.run(["usage", "--since", "lately"])).toMatchObject({ code: 2 });
  });

  it("are printed as they are found, and the search ends quietly when its reader closes the output", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer([text("word ".repeat(100))]);
    s.useModel(server.baseUrl);
    await s.run(["-p", "word"]);
    const searching = s.start(["search", "word"], { through: ["sh", "-c", '"$@" | head -1; exit 0', "sh"] });
    expect(await searching.finished).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(/word\n$/) });
  });
});
