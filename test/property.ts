import fc from "fast-check";

/** The seed of all random inputs of this run. `SEED=<number>` in the environment repeats a run. */
export const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

fc.configureGlobal({ seed });

export { fc };
