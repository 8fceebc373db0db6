import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { TypedLine } from "../../plugins/chat/typed-line.ts";

/** An input line with this typed text. */
function line(typed: string) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const lines = createInterface({ input, output, terminal: true });
  const own = new TypedLine(lines, output);
  own.want();
  lines.write(typed);
  return { own, lines, [Symbol.dispose]: () => lines.close() };
}

const message = { text: "taken back", isLiteral: true };
const command = { text: "/undo 2", isLiteral: false };

it.each(["!", "/", "!ls -la", "half a line"])(
  "a message of the host is printed before %j, and is not a command",
  (typed) => {
    using t = line(typed);
    expect(t.own.offer(message)).toBe(true);
    expect([t.lines.line, t.lines.cursor]).toEqual([`taken back ${typed}`, 11 + typed.length]);
    expect(t.own.entered(t.lines.line)).toEqual({ text: `taken back ${typed}`, isLiteral: true });
  },
);

it("a command of the host waits until nothing is typed", () => {
  using t = line("!");
  expect([t.own.offer(command), t.lines.line]).toEqual([false, "!"]);
  t.own.drop();
  expect([t.own.offer(command), t.own.entered(t.lines.line)]).toEqual([true, { text: "/undo 2", isLiteral: false }]);
});

it.each([
  ["as wide as before", 10],
  ["wider", 12],
])("is drawn once, below what the shell wrote, when it continues in a terminal that is %s", (_, columns) => {
  const [input, output] = [new PassThrough(), Object.assign(new PassThrough({ encoding: "utf8" }), { columns: 10 })];
  const lines = createInterface({ input, output, terminal: true });
  const own = new TypedLine(lines, output);
  own.want();
  lines.write("a line of two rows");
  output.read();
  own.redraw(() => {
    output.columns = columns;
    if (columns !== 10) output.emit("resize");
  });
  expect(output.read()).toBe(
    `\x1b[1G\x1b[0J> a line of two rows${columns === 10 ? " " : ""}\x1b[${(20 % columns) + 1}G`,
  );
  lines.close();
});
