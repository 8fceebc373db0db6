import type { BaseContext } from "@scorel/kernel";

export type Context = Pick<BaseContext, "find" | "onDispose">;
