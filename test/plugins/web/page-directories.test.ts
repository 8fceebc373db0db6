import { expect, it } from "vitest";
import { Directories } from "../../../plugins/web/page/sidebar/directories.ts";

/** A host that answers each request for a directory when the test says so. */
function slowHost() {
  const answers = new Map<string, (refusal?: Error) => void>();
  const request = (_operation: string, { directory = "/home" }: { directory?: string }) =>
    new Promise<object>((resolve, reject) => {
      answers.set(directory, (refusal) =>
        refusal ? reject(refusal) : resolve({ directory, parent: "/", names: [], roots: ["/"], more: false }),
      );
    });
  const directories = new Directories({ request } as never);
  const answer = async (directory: string, refusal?: Error) => {
    answers.get(directory)?.(refusal);
    await new Promise(setImmediate);
    return [directories.listing.get()?.directory, directories.path.get(), directories.problem.get()];
  };
  return { directories, answer };
}

it("of two directories that were asked for, the later one is shown, also if its answer comes first", async () => {
  const { directories, answer } = slowHost();
  void directories.go();
  expect(await answer("/home")).toEqual(["/home", "/home", undefined]);
  void directories.into("slow");
  void directories.go("/quick");
  expect(await answer("/quick")).toEqual(["/quick", "/quick", undefined]);
  expect(await answer("/home/slow")).toEqual(["/quick", "/quick", undefined]);
});

it("a late refusal says nothing, and that of the latest request stays until another one succeeds", async () => {
  const { directories, answer } = slowHost();
  for (const path of ["/slow", "/gone"]) void directories.go(path);
  expect(await answer("/gone", new Error("It does not exist."))).toEqual([undefined, "", "It does not exist."]);
  expect(await answer("/slow", new Error("too slow"))).toEqual([undefined, "", "It does not exist."]);
  void directories.go("/there");
  expect(await answer("/there")).toEqual(["/there", "/there", undefined]);
});

it("what is typed while a directory is read stays in the field", async () => {
  const { directories, answer } = slowHost();
  void directories.go();
  directories.path.set("/ty");
  expect(await answer("/home")).toEqual(["/home", "/ty", undefined]);
});
