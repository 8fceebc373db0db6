/** Letters of other scripts that look like Latin ones, and those. */
const LOOK = new Map(
  Array.from("аaсcеeоoрpхxуyіiјjѕsԁdһhԛqԝwӏlѵvοoνvαaιiρpϲcϳjıiɡgɑa".matchAll(/(.)(.)/gu), ([, other, latin]) => [
    other,
    latin,
  ]),
);

/** The same for names that people take for one: in other case, or with letters that look alike. */
export function alike(name: string): string {
  const plain = name.normalize("NFKC").toLowerCase();
  return Array.from(plain, (letter) => LOOK.get(letter) ?? letter).join("");
}
