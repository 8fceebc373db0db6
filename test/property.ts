import fc from "fast-check";

/** What all random inputs of this run follow from. `SEED=<number>` in the environment makes the same ones again. */
export const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

fc.configureGlobal({ seed });

export { fc };
