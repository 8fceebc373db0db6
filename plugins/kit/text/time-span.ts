/** A time span in its two largest units: `2 d 3 h`, `4 min 5 s`. */
export function timeSpan(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  const units: [number, string][] = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3_600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [seconds % 60, "s"],
  ];
  const first = units.findIndex(([value]) => value > 0);
  const shown = units
    .slice(first < 0 ? 3 : first)
    .slice(0, 2)
    .filter(([value], index) => value > 0 || index === 0);
  return shown.map(([value, unit]) => `${value} ${unit}`).join(" ");
}
