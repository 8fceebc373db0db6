import type { FilesService } from "@scorel/local/contract";
import { expect, it } from "vitest";
import { judgeElsewhere, withoutLooking } from "../../../plugins/permissions/files/elsewhere.ts";
import { kindOf, leadsTo, namesIn } from "../../../plugins/permissions/files/file-cache.ts";
import { holdsKeys } from "../../../plugins/permissions/files/keys.ts";

const files = {
  realpath: async (path: string) => path.replace("/project/link", "/outside"),
  stat: async (path: string) => (path === "/project" ? { kind: "folder", size: 0 } : undefined),
  list: async () => [{ name: "a.ts", kind: "file" }],
} as unknown as FilesService;

it("the guard asks the executor until all paths are known, and never reads the disk", async () => {
  let rounds = 0;
  const judge = () => {
    rounds++;
    const real = leadsTo("/project/link/a");
    return [real, real && kindOf("/project"), kindOf("/etc"), namesIn("/project")];
  };
  expect(await judgeElsewhere(files, judge)).toEqual(["/outside/a", "folder", undefined, ["a.ts"]]);
  expect(rounds).toBe(3);
});

it("judging fails if an executor does not answer, but not because of a path that cannot exist", async () => {
  const failing = (code: string) => ({
    ...files,
    realpath: () => Promise.reject(Object.assign(new Error("no answer"), { code })),
  });
  await expect(judgeElsewhere(failing("CONNECTION_LOST"), () => leadsTo("/x"))).rejects.toThrow("no answer");
  expect(await judgeElsewhere(failing("ENOTDIR"), () => leadsTo("/x"))).toBeUndefined();
});

it("a call that never stops asking is refused", async () => {
  let count = 0;
  const endless = () => leadsTo(`/project/${++count}`);
  await expect(judgeElsewhere(files, endless)).rejects.toMatchObject({ code: "PERMISSION_ELSEWHERE" });
});

it("settings files elsewhere count as holding keys, since they are not read", () => {
  expect([withoutLooking(() => holdsKeys("/project/.npmrc")), holdsKeys("/project/.npmrc")]).toEqual([true, false]);
});
