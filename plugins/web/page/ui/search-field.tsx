interface SearchFieldProps {
  /** What the field is for. Shown in it while it is empty, and read out by screen readers. */
  label: string;
  value: string;
  onChange(value: string): void;
}

/** A field for a search text. */
export function SearchField({ label, value, onChange }: SearchFieldProps) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
