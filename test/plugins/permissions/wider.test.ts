import { describe, expect, it } from "vitest";
import { type Post, post } from "./setup.ts";

async function attended(): Promise<Post> {
  const t = await post({ mode: "ask" });
  await t.request("attend_requests", {});
  return t;
}

/** Asks about each command, declines, and returns the rules that the question offers. */
async function offered(t: Post, commands: readonly string[]): Promise<Record<string, readonly string[]>> {
  const found: [string, readonly string[]][] = [];
  for (const command of commands) {
    const call = t.bash(command);
    const { requestId, data } = await t.question();
    await t.request("answer_request", { requestId, answer: "n" });
    await call;
    found.push([command, (data as { rules: string[] }).rules]);
  }
  return Object.fromEntries(found);
}

describe("what an answer allows in future", () => {
  it("is the command with any further words, where these choose what is tested, built or committed", async () => {
    await using t = await attended();
    const expected = {
      'git commit -m "Say hello"': ["Bash(git commit *)"],
      "git add src/a.ts && git commit --amend --no-edit": ["Bash(git add *)", "Bash(git commit *)"],
      "npm test": ["Bash(npm test *)"],
      "npm run test:unit -- src/a.test.ts": ["Bash(npm run test:unit *)"],
      "pnpm lint": ["Bash(pnpm lint *)"],
      "cargo test --release parser": ["Bash(cargo test *)"],
      "go test ./...": ["Bash(go test *)"],
      "pytest -x tests/test_a.py": ["Bash(pytest *)"],
      "python3 -m pytest -q": ["Bash(python3 -m pytest *)"],
      "npx vitest run src/a.test.ts": ["Bash(npx vitest *)"],
      "node --test test/a.js": ["Bash(node --test *)"],
      "tsc --noEmit -p test": ["Bash(tsc *)"],
      "gh pr view 12": ["Bash(gh pr view *)"],
    };
    expect(await offered(t, Object.keys(expected))).toEqual(expected);
  });

  it("is the exact command, where other words could delete, install, publish or fetch", async () => {
    await using t = await attended();
    const exact = [
      ...["rm a.txt", "git reset --hard", "git push origin main", "git clean -fd", "npm install left-pad"],
      ...["npm publish", "cargo run", "go run ./cmd", "make deploy", "docker run alpine", "kubectl delete pod a"],
    ];
    expect(await offered(t, exact)).toEqual(
      Object.fromEntries(exact.map((command) => [command, [`Bash(${command})`]])),
    );
  });

  it("is the exact command, where it has a part that no wildcard covers", async () => {
    await using t = await attended();
    const exact = [
      ...[
        "git -C sub commit -m x",
        "git commit --template=/etc/issue",
        "./npm test",
        "FOO=1 npm test",
        "npm test > ../out",
      ],
      ...[
        "npm run ../x",
        "tsc --noEmit > errors.txt",
        "pytest -p plugin",
        "npx vitest --config=b.ts",
        "node --test --import=./a.js",
        "eslint --config=/etc/issue src",
        "tsc @words.txt",
      ],
    ];
    expect(await offered(t, exact)).toEqual(
      Object.fromEntries(exact.map((command) => [command, [`Bash(${command})`]])),
    );
  });

  it("does not allow what wildcards leave out", async () => {
    await using t = await attended();
    const commit = t.bash("git commit -m x");
    const { requestId } = await t.question();
    await t.request("answer_request", { requestId, answer: "s" });
    expect(await commit).toBe("runs");
    expect(await t.bash("git commit -a -m y")).toBe("runs");
    expect(await offered(t, ["git commit -m y --template=/etc/issue", "git -c core.editor=x commit"])).toMatchObject({
      "git commit -m y --template=/etc/issue": ["Bash(git commit -m y --template=/etc/issue)"],
    });
  });
});
