import type { Operations } from "@scorel/host/contract";
import type { SessionOptions } from "@scorel/workspace/contract";
import { expectTypeOf, it } from "vitest";
import type { z } from "zod";

type From<T> = T extends (...given: never[]) => infer R ? R : T;

/** The rows of all plugins of Scorel, as their sources define them. */
type Rows = typeof import("../../../plugins/host/clients/operations.ts").operations &
  typeof import("../../../plugins/blobs/operations.ts").operations &
  typeof import("../../../plugins/history/operations.ts").operations &
  typeof import("../../../plugins/inspect/operations.ts").operations &
  typeof import("../../../plugins/transfer/operations.ts").operations &
  From<typeof import("../../../plugins/agent/operations.ts").operations> &
  From<typeof import("../../../plugins/model/operations.ts").operations> &
  From<typeof import("../../../plugins/permissions/operations.ts").operations> &
  From<typeof import("../../../plugins/artifacts/operations.ts").operations> &
  From<typeof import("../../../plugins/checkpoints/operations.ts").operations> &
  From<typeof import("../../../plugins/commands/operations.ts").operations> &
  From<typeof import("../../../plugins/compaction/operations.ts").operations> &
  From<typeof import("../../../plugins/projects/operations.ts").operations> &
  From<typeof import("../../../plugins/prompt/operations.ts").operations> &
  From<typeof import("../../../plugins/requests/operations.ts").operations> &
  From<typeof import("../../../plugins/runner/operations.ts").operations> &
  From<typeof import("../../../plugins/search/operations.ts").operations> &
  From<typeof import("../../../plugins/skills/operations.ts").operations>;

/** The type that a schema describes. */
type Described<S> = Awaited<From<S>> extends infer Z extends z.ZodType ? z.output<Z> : never;

/** A type without `readonly`, which does not matter to callers. */
type Plain<T> = T extends readonly (infer E)[]
  ? Plain<E>[]
  : T extends object
    ? { -readonly [K in keyof T]: Plain<T[K]> }
    : T;

type Same<A, B> = (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2 ? true : false;

/** Without the options of sessions, which are added to the schema when it is used. */
type Own<P, R> = R extends { opens: true } ? Omit<P, keyof SessionOptions> : P;

/** Without the fields for pages, which the host adds to params and results. */
type Unpaged<T, R> = R extends { size: "pages" | "cut" } ? Kept<T, "limit" | "skip" | "more" | "leftOut"> : T;
type Kept<T, K> = { [F in keyof T as string extends F ? never : F extends K ? never : F]: T[F] };

type HostResults = typeof import("../../../plugins/host/clients/operation-results.ts").results;
type ResultOf<O, R> = O extends keyof HostResults ? HostResults[O] : R extends { result: infer S } ? S : never;

type DriftedParams = {
  [O in keyof Rows & keyof Operations]: Same<
    Unpaged<Described<Rows[O]["params"]>, Rows[O]>,
    Unpaged<Own<Operations[O]["params"], Rows[O]>, Rows[O]>
  > extends true
    ? never
    : O;
}[keyof Rows & keyof Operations];

type DriftedResults = {
  [O in keyof Rows & keyof Operations]: Same<
    Unpaged<Described<ResultOf<O, Rows[O]>>, Rows[O]>,
    Unpaged<Operations[O]["result"], Rows[O]>
  > extends true
    ? never
    : O;
}[keyof Rows & keyof Operations];

it("the schema of each operation describes the params and the result that its contract declares", () => {
  // The schemas of these also accept further fields in a message's parts and in an artifact.
  expectTypeOf<DriftedParams>().toEqualTypeOf<"make_again" | "rewrite_queue" | "send_message">();
  expectTypeOf<DriftedResults>().toEqualTypeOf<never>();
});
