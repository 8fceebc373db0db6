/** Throws an uncaught error when the process that loads it gets SIGUSR2, as if it had a defect. */
process.on("SIGUSR2", () => {
  throw new Error("something broke");
});
