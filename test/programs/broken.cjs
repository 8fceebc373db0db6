/** Breaks the process that loads it, as a defect would, when it gets a signal. */
process.on("SIGUSR2", () => {
  throw new Error("something broke");
});
