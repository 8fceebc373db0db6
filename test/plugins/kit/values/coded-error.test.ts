import { describe, expect, it } from "vitest";
import { codeOf, defineErrors, messageOf, reasonOf, ScorelError } from "../../../../plugins/kit/values/coded-error.ts";

const errors = defineErrors({
  TEST_FULL: (a: { path: string }) => `${a.path} is full.`,
  TEST_NAME: { exit: 2, text: (a: { name: string }) => `There is no "${a.name}".` },
  TEST_NOTHING: { exit: 2, text: () => "Name something." },
});

describe("an error of a table", () => {
  it("has its code, message and data, and the exit code of its row", () => {
    const cause = new Error("ENOSPC");
    const full = errors.TEST_FULL({ path: "/tmp" }, { cause });
    expect({ ...full, message: full.message, cause: full.cause, exit: full.exit }).toEqual({
      name: "ScorelError",
      code: "TEST_FULL",
      message: "/tmp is full.",
      data: { path: "/tmp" },
      cause,
      exit: 1,
    });
    expect(
      [errors.TEST_NAME({ name: "x" }), errors.TEST_NOTHING()].map(({ message, exit }) => [message, exit]),
    ).toEqual([
      ['There is no "x".', 2],
      ["Name something.", 2],
    ]);
  });

  it("has one full stop after a reason that ends with one", () => {
    const { TEST_REASON } = defineErrors({ TEST_REASON: (a: { reason: string }) => `It failed: ${a.reason}. Look.` });
    const said = (reason: string) => TEST_REASON({ reason }).message;
    expect(said("it is full; make room, and try again.")).toBe(
      "It failed: it is full; make room, and try again. Look.",
    );
    expect(said("no folder ..")).toBe("It failed: no folder ... Look.");
    expect(said("it waits...")).toBe("It failed: it waits.... Look.");
    expect(defineErrors({ TEST_END: () => "It is full.." }).TEST_END().message).toBe("It is full.");
  });

  it("keeps its exit code when it is created from its code and message, as from an event", () => {
    const { code, message } = errors.TEST_NAME({ name: "x" });
    expect(new ScorelError(code, message).exit).toBe(2);
    expect(new ScorelError("TEST_UNKNOWN", message).exit).toBe(1);
  });
});

describe("the system's error for a disk without room", () => {
  const thrown = (fields: object = {}, message = "ENOSPC: no space left on device, write") =>
    Object.assign(new Error(message), { code: message.split(":")[0], ...fields });

  it("is told in plain words, with the file and its folder if it names one", () => {
    expect([messageOf(thrown()), messageOf(thrown({ path: "/home/you/.scorel/x.json" }))]).toEqual([
      "A file could not be written: no room is left on its disk (ENOSPC). Its new content was not saved; free space, and try again.",
      "/home/you/.scorel/x.json could not be written: no room is left on its disk (ENOSPC). The new content was not saved; free space in /home/you/.scorel, and try again.",
    ]);
    expect(reasonOf(thrown())).toBe("no room is left on its disk: ENOSPC");
  });

  it("is not one of watching files, nor any other", () => {
    const watching = thrown({}, "ENOSPC: System limit for number of file watchers reached, watch '/x'");
    const denied = thrown({}, "EACCES: permission denied, open '/x'");
    expect([messageOf(watching), reasonOf(watching), messageOf(denied), reasonOf(denied)]).toEqual([
      watching.message,
      "ENOSPC",
      denied.message,
      "EACCES",
    ]);
    expect(reasonOf("nothing")).toBe("nothing");
  });
});

it("the code and message of any thrown value can be read", () => {
  const hostile = {
    get code() {
      throw new Error("no");
    },
    toString() {
      throw new Error("no");
    },
  };
  expect([codeOf(errors.TEST_NOTHING()), codeOf({ code: "ENOENT" }), codeOf(null), codeOf(hostile, "X")]).toEqual([
    "TEST_NOTHING",
    "ENOENT",
    "UNEXPECTED",
    "X",
  ]);
  expect([messageOf("text"), messageOf(null), messageOf(hostile)]).toEqual([
    "text",
    "thrown value: null",
    "a thrown value that cannot be read",
  ]);
});
