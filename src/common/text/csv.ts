/** A value of a line. */
export type Cell = string | number | null;

/** Spreadsheets may skip white space before a formula, and read full-width signs as others. */
const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/;

/** A text that spreadsheets do not read as a formula. */
export const inert = (text: string | null): string | null => text && (FORMULA.test(text) ? `'${text}` : text);

/** Lines as CSV with a line end after each. */
export const csv = (lines: readonly (readonly Cell[])[]): string =>
  lines.map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('');

const quoted = (cell: Cell): string => {
  const text = String(cell ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
