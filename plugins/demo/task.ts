/** The demonstration model plays this task when it is asked in exactly these words. */
export const task =
  'The test "a cart\'s total counts every item" fails. Find out why, repair the code, and run the tests again.';
