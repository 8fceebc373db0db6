/** The demo's task. The demonstration model recognizes only these exact words. */
export const task =
  'The test "a cart\'s total counts every item" fails. Find out why, repair the code, and run the tests again.';
