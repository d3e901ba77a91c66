import type { ApiError } from '../../common/errors/api-error.js';
import type { FeedFetch, RowProblem } from '../entities/scheduled-feed.entity.js';

const MAX_REJECTED_ROWS = 100;
const MAX_ERRORS_OF_ROW = 5;
const MAX_REJECTIONS = 100;
const MAX_MESSAGE_LENGTH = 300;
const MAX_ID_LENGTH = 100;

/** What a fetch has done so far. Its size does not depend on the file. */
export class FeedReport {
  rows = 0;
  created = 0;
  updated = 0;
  unchanged = 0;
  private rejected = 0;
  private readonly rejections = new Map<string, FeedFetch['rejections'][number]>();
  private readonly rejectedRows: FeedFetch['rejectedRows'] = [];

  constructor(
    private readonly startedAt: string,
    private readonly ignored: () => ReadonlySet<string>,
  ) {}

  /** Counts a row that is not stored. */
  reject(row: number, id: string | null, errors: readonly RowProblem[]): void {
    this.rejected++;
    for (const { code, parameter } of errors) {
      const key = `${code} ${parameter}`;
      const known = this.rejections.get(key);
      if (known) known.count++;
      else if (this.rejections.size < MAX_REJECTIONS) this.rejections.set(key, { code, parameter, count: 1 });
    }
    if (this.rejectedRows.length === MAX_REJECTED_ROWS) return;
    const told = errors
      .slice(0, MAX_ERRORS_OF_ROW)
      .map((each) => ({ ...each, message: cut(each.message, MAX_MESSAGE_LENGTH) }));
    this.rejectedRows.push({ row, id: id === null ? null : cut(id, MAX_ID_LENGTH), errors: told });
  }

  /** The report as it is stored. */
  toFetch(status: FeedFetch['status'], ended: { at: string; error?: string } | null): FeedFetch {
    const { startedAt, rows, created, updated, unchanged, rejected, rejectedRows } = this;
    return {
      status,
      startedAt,
      endedAt: ended?.at ?? null,
      error: ended?.error ?? null,
      rows,
      created,
      updated,
      unchanged,
      rejected,
      ignoredColumns: [...this.ignored()],
      rejections: [...this.rejections.values()].sort((one, other) => other.count - one.count),
      rejectedRows,
    };
  }
}

const cut = (text: string, max: number): string =>
  text.length > max ? `${text.slice(0, max).toWellFormed()}...` : text;

/** An error of a product as the report has it. */
export const problemOf = ({ code, message, detail }: ApiError): RowProblem => ({
  code: String(code),
  message,
  parameter: detail.parameter ?? null,
});
