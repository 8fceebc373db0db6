const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];

/** A size in bytes for people and models, such as `900 bytes` or `14.2 KiB`. */
export function sizeText(bytes: number): string {
  let [value, unit] = [rounded(bytes), 0];
  for (let exact = bytes; value >= 1024 && unit < UNITS.length - 1; unit++) {
    exact /= 1024;
    value = rounded(exact);
  }
  return `${value} ${value === 1 && unit === 0 ? "byte" : UNITS[unit]}`;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
