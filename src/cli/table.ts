type Cell = string | number | boolean | null | undefined | readonly string[];

const shown = (value: Cell): string => {
  if (value === null || value === undefined || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return Array.isArray(value) ? (value as readonly string[]).join(', ') || '-' : String(value);
};

/** Names and values below each other. */
export function fields(values: Record<string, Cell>): string {
  return columns(Object.entries(values).map(([name, value]) => [name, shown(value)]));
}

/** Rows under a line of headings, or a sentence where there are none. */
export function table(rows: Record<string, Cell>[], nothing: string): string {
  if (rows.length === 0) return nothing;
  const headings = Object.keys(rows[0]).map((name) => name.toUpperCase());
  return columns([headings, ...rows.map((row) => Object.values(row).map(shown))]);
}

function columns(lines: string[][]): string {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
