import { describe, expect, it } from "vitest";
import { type Script, startModelServer, status, text, toolCall, usage } from "../model-server.ts";
import { scratch } from "./scorel.ts";

/** The result of a run with these options, and the number of requests to the model. */
async function limited(script: Script, options: readonly string[]) {
  using s = scratch();
  s.file("a.txt", "a");
  await using server = await startModelServer(script);
  s.useModel(server.baseUrl, "cost = { input = 1000000 }\n");
  const { code, stdout } = await s.run(["-p", "work", "--output", "json", ...options]);
  const { cost, error } = JSON.parse(stdout);
  return { code, requests: server.requests.length, cost, error: error?.code };
}

const round = (dollars: number) => [toolCall("Read", { file_path: "a.txt" }), usage({ input: dollars, output: 0 })];

describe("--max-rounds", () => {
  it("allows no further request, however many commands run at once", async () => {
    const all = await Promise.all([1, 2, 3, 4, 5, 6].map(() => limited(() => round(0), ["--max-rounds", "2"])));
    expect(all.map(({ code, requests }) => [code, requests])).toEqual(Array(6).fill([3, 2]));
  });

  it("counts retried attempts", async () => {
    const overloaded = status(503, { error: { message: "overloaded" } });
    expect(await limited([overloaded, round(0), text("done")], ["--max-rounds", "2"])).toMatchObject({
      code: 3,
      requests: 2,
      error: "PRINT_MAX_ROUNDS",
    });
  });
});

it("--max-cost is exceeded by at most the round that reaches it", async () => {
  expect(await limited([round(1), round(5), text("done")], ["--max-cost", "1.5"])).toEqual({
    code: 3,
    requests: 2,
    cost: 6,
    error: "PRINT_MAX_COST",
  });
});

it("--max-cost says that it does not limit a model whose price is not known", async () => {
  using s = scratch();
  s.file("a.txt", "a");
  await using server = await startModelServer([round(1), round(1), text("done")]);
  s.useModel(server.baseUrl);
  const { code, stdout, stderr } = await s.run(["-p", "work", "--max-cost", "0.1"]);
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: "done\n",
    stderr:
      "The price of this model is not known, so --max-cost does not limit this run. Set `cost` in [model], or use --max-rounds or --timeout.\n",
  });
});
