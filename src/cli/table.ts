import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

type Cell = string | number | boolean | null | undefined | readonly string[];

/** Text that depends on the width of the terminal. */
export type Layout = (width: number) => string;

const GAP = '  ';

const shown = (value: Cell): string => {
  if (value === null || value === undefined || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return Array.isArray(value) ? (value as readonly string[]).join(', ') || '-' : String(value);
};

/** Names and values, one pair per line. */
export function fields(values: Record<string, Cell>): string {
  const lines = Object.entries(values).map(([name, value]) => [name, shown(value)]);
  return aligned(
    lines,
    naturalWidths(lines).map((width) => ({ width, isNumber: false })),
  );
}

/**
 * Rows under a line of headings, or a sentence where there are no rows. If they are too wide, cells are wrapped at
 * spaces; if that is not enough, each row becomes a block of names and values. Nothing is cut off. The columns named in
 * `numbers` are aligned to the right.
 */
export function table(rows: Record<string, Cell>[], empty: string, numbers: readonly string[] = []): Layout {
  return (width) => {
    if (rows.length === 0) return empty;
    const names = Object.keys(rows[0]);
    const headings = names.map((name) => name.toUpperCase());
    const lines = [headings, ...rows.map((row) => Object.values(row).map(shown))];
    const widths = fittingWidths(lines, width);
    const columns = widths?.map((each, i) => ({ width: each, isNumber: numbers.includes(names[i]) }));
    return columns ? aligned(lines, columns) : rows.map(fields).join('\n\n');
  };
}

/** A layout with some text below it. */
export const below =
  (layout: Layout, text: string): Layout =>
  (width) =>
    `${layout(width)}\n\n${text}`;

const naturalWidths = (lines: string[][]): number[] =>
  lines[0].map((_, column) => lines.reduce((widest, line) => Math.max(widest, stringWidth(line[column])), 0));

/** The width of each column; undefined where not even their longest words fit. */
function fittingWidths(lines: string[][], width: number): number[] | undefined {
  const widths = naturalWidths(lines);
  const minWidths = naturalWidths(lines.map((line) => line.map(longestWord)));
  let excess = widths.reduce((sum, each) => sum + each, GAP.length * (widths.length - 1)) - width;
  while (excess > 0) {
    const [widest] = widths
      .map((_, column) => column)
      .filter((column) => widths[column] > minWidths[column])
      .sort((one, other) => widths[other] - widths[one]);
    if (widest === undefined) return undefined;
    widths[widest]--;
    excess--;
  }
  return widths;
}

const longestWord = (cell: string): string =>
  cell.split(' ').reduce((longest, word) => (stringWidth(word) > stringWidth(longest) ? word : longest), '');

interface Column {
  width: number;
  /** Aligned to the right. */
  isNumber: boolean;
}

function aligned(lines: string[][], columns: readonly Column[]): string {
  return lines.flatMap((line) => wrapped(line, columns)).join('\n');
}

/** One line, or several where cells are wrapped. */
function wrapped(line: string[], columns: readonly Column[]): string[] {
  const cells = line.map((cell, i) =>
    stringWidth(cell) > columns[i].width ? wrapAnsi(cell, columns[i].width).split('\n') : [cell],
  );
  const height = cells.reduce((highest, each) => Math.max(highest, each.length), 0);
  return Array.from({ length: height }, (_, row) =>
    cells
      .map((each, i) => padded(each[row] ?? '', columns[i]))
      .join(GAP)
      .trimEnd(),
  );
}

/** Pads by displayed width; `padEnd` counts UTF-16 units. */
function padded(text: string, { width, isNumber }: Column): string {
  const padding = ' '.repeat(Math.max(0, width - stringWidth(text)));
  return isNumber ? padding + text : text + padding;
}
