/** Letters of other scripts that look like Latin letters, mapped to those. */
const LOOK_ALIKES = new Map(
  Array.from("аaсcеeоoрpхxуyіiјjѕsԁdһhԛqԝwӏlѵvοoνvαaιiρpϲcϳjıiɡgɑa".matchAll(/(.)(.)/gu), ([, other, latin]) => [
    other,
    latin,
  ]),
);

/** Returns the same text for names that people would confuse: different case or look-alike letters. */
export function lookAlikeKey(name: string): string {
  const plain = name.normalize("NFKC").toLowerCase();
  return Array.from(plain, (letter) => LOOK_ALIKES.get(letter) ?? letter).join("");
}
