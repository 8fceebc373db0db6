/** Names the tests that passed only at their second try, at the end of a suite: each is to be mended. */
export default class SecondTries {
  names = [];

  onTestCaseResult(testCase) {
    if (testCase.diagnostic()?.flaky) this.names.push(`${testCase.module.relativeModuleId}: ${testCase.fullName}`);
  }

  onTestRunEnd() {
    for (const name of this.names) console.log(`passed at its second try only: ${name}`);
  }
}
