import { pipeline, Readable } from 'node:stream';
import { CsvError, parse, type Parser } from 'csv-parse';
import { attributeOf, FeedFailure, noteIgnored, type FeedRow, type FeedRows } from './feed-row.js';

const MAX_COLUMNS = 500;
const MAX_ROW_LENGTH = 1_000_000;

/** Reads CSV or TSV, whose first row names the columns. */
export function delimitedRows(text: AsyncIterable<string>, delimiter: ',' | '\t'): FeedRows {
  const ignored = new Set<string>();
  return { rows: read(text, delimiter, ignored), ignored };
}

async function* read(text: AsyncIterable<string>, delimiter: string, ignored: Set<string>): AsyncGenerator<FeedRow> {
  const parser = parse({
    delimiter,
    // each row may end in another way: the header is often written by hand
    record_delimiter: ['\r\n', '\n', '\r'],
    // rows of another length are rejected one by one
    relax_column_count: true,
    // inches in titles
    relax_quotes: true,
    max_record_size: MAX_ROW_LENGTH,
  });
  // failures reach the loop
  pipeline(Readable.from(bounded(text, parser), { highWaterMark: 1 }), parser, () => undefined);
  let columns: (string | undefined)[] | undefined;
  let number = 0;
  try {
    for await (const record of parser as AsyncIterable<string[]>) {
      number++;
      if (columns) {
        // an empty line
        if (record.length > 1 || record[0] !== '') yield rowOf(columns, record, number);
      } else columns = columnsOf(record, ignored);
    }
  } catch (error) {
    throw error instanceof CsvError ? new FeedFailure(messageOf(error, number)) : error;
  }
  if (!columns) throw new FeedFailure('The file is empty.');
}

/** Ends a row of delimiters alone, which has no end either: the parser does not count empty values. */
async function* bounded(text: AsyncIterable<string>, parser: Parser): AsyncGenerator<string> {
  let [rows, length] = [0, 0];
  for await (const part of text) {
    if (parser.info.records !== rows) [rows, length] = [parser.info.records, 0];
    length += part.length;
    // the parser may have the end of the row, and has not read it yet
    if (length > 2 * MAX_ROW_LENGTH) throw new FeedFailure(tooLong(rows));
    yield part;
  }
}

function columnsOf(header: string[], ignored: Set<string>): (string | undefined)[] {
  if (header.length > MAX_COLUMNS) throw new FeedFailure(`The file has more than ${MAX_COLUMNS} columns.`);
  const seen = new Set<string>();
  const columns = header.map((name) => {
    const attribute = attributeOf(name);
    if (attribute === undefined) noteIgnored(ignored, name);
    else if (attribute === 'additional_image_link' || !seen.has(attribute)) seen.add(attribute);
    else return undefined;
    return attribute;
  });
  if (!seen.has('id'))
    throw new FeedFailure(
      'The first row of the file has no column id. It must name the columns, such as id and title.',
    );
  return columns;
}

function rowOf(columns: (string | undefined)[], record: string[], number: number): FeedRow {
  const values: FeedRow['values'] = {};
  for (const [index, attribute] of columns.entries()) {
    const value = record[index]?.trim();
    if (attribute === undefined || !value) continue;
    // images may have several columns
    values[attribute] = attribute in values ? `${values[attribute] as string},${value}` : value;
  }
  if (record.length === columns.length) return { number, values };
  return {
    number,
    values,
    problem: `Expected ${columns.length} columns as in the first row, got ${record.length}`,
  };
}

const tooLong = (number: number): string =>
  `The file has a row of more than ${MAX_ROW_LENGTH} characters after row ${number}. A quotation mark may lack its end.`;

function messageOf({ code }: CsvError, number: number): string {
  const where = `after row ${number}`;
  if (code === 'CSV_MAX_RECORD_SIZE') return tooLong(number);
  if (code === 'CSV_QUOTE_NOT_CLOSED') return `A quotation mark lacks its end ${where}.`;
  return `The file cannot be read ${where}.`;
}
