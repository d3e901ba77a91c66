import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { delimitedRows } from '../../../src/catalogs/feed-files/delimited-rows.js';
import type { FeedRow, FeedRows } from '../../../src/catalogs/feed-files/feed-row.js';
import { feedText } from '../../../src/catalogs/feed-files/feed-text.js';
import { xmlRows } from '../../../src/catalogs/feed-files/xml-rows.js';

/** The bytes in parts of a length. */
async function* inParts(bytes: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += length) yield bytes.subarray(from, from + length);
}

async function rowsOf({ rows }: FeedRows): Promise<FeedRow[]> {
  const found: FeedRow[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

const NAMES = ['id', 'title', 'description', 'color'];
const values = fc
  .string({ unit: 'binary', maxLength: 40 })
  // what XML cannot have; white space around values is cut
  .map((text) =>
    text
      .replaceAll(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
      .replaceAll('\r', '')
      .trim(),
  );
const products = fc.array(fc.tuple(fc.integer({ min: 1, max: 999 }).map(String), values, values, values), {
  minLength: 1,
  maxLength: 20,
});
const partLengths = fc.integer({ min: 1, max: 200 });
/** Rows of one file may end in several ways. */
const lineEnds = fc.array(fc.constantFrom('\r\n', '\n', '\r'), { minLength: 1, maxLength: 3 });

const expected = (rows: string[][]) =>
  rows.map((row) =>
    Object.fromEntries(row.map((value, index) => [NAMES[index], value]).filter(([, value]) => value !== '')),
  );

describe('files', () => {
  const quote = (value: string) => `"${value.replaceAll('"', '""')}"`;

  it.each([[',' as const], ['\t' as const]])('separated by %j are read however they arrive', async (delimiter) => {
    await fc.assert(
      fc.asyncProperty(products, partLengths, fc.boolean(), lineEnds, async (rows, length, packed, ends) => {
        const lines = [NAMES, ...rows.map((row) => row.map(quote))].map((row) => row.join(delimiter));
        const bytes = Buffer.from(`\ufeff${lines.map((line, i) => line + ends[i % ends.length]).join('')}`);
        const text = feedText(inParts(packed ? gzipSync(bytes) : bytes, length));
        const found = await rowsOf(delimitedRows(text, delimiter));
        expect(found.map((row) => row.values)).toEqual(expected(rows));
        expect(found.map(({ number }) => number)).toEqual(rows.map((_, index) => index + 2));
      }),
      { numRuns: 20 },
    );
  });

  it('in XML are read however they arrive', async () => {
    const escape = (value: string) => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    await fc.assert(
      fc.asyncProperty(products, partLengths, async (rows, length) => {
        const items = rows.map((row) =>
          row.map((value, index) => `<g:${NAMES[index]}>${escape(value)}</g:${NAMES[index]}>`),
        );
        const xml = `<rss xmlns:g="http://base.google.com/ns/1.0"><channel>${items.map((each) => `<item>${each.join('\n')}</item>`).join('')}</channel></rss>`;
        const found = await rowsOf(xmlRows(feedText(inParts(Buffer.from(xml), length))));
        expect(found.map((row) => row.values)).toEqual(expected(rows));
      }),
      { numRuns: 20 },
    );
  });

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    'may have elements and columns named %s',
    async (name) => {
      const xml = `<rss><channel><item><id>1</id><${name}>x</${name}></item></channel></rss>`;
      const text = (file: string) => feedText(inParts(Buffer.from(file), 100));
      for (const file of [xmlRows(text(xml)), delimitedRows(text(`id,${name}\n1,x\n`), ',')]) {
        expect((await rowsOf(file)).map((row) => row.values)).toEqual([{ id: '1' }]);
        expect([...file.ignored]).toEqual([name]);
      }
    },
  );

  it('are read no further once their fetch ends, though they have arrived', async () => {
    const file = gzipSync(`id\n${'\n'.repeat(50_000_000)}`);
    const stop = new AbortController();
    let characters = 0;
    async function* counted() {
      for await (const part of feedText(inParts(file, file.length), { signal: stop.signal })) {
        characters += part.length;
        stop.abort();
        yield part;
      }
    }
    // nothing but the header, and no row
    await expect(rowsOf(delimitedRows(counted(), ','))).rejects.toThrow('aborted');
    expect(characters).toBeLessThan(100_000);
  });

  it('have a bound for rows, values and all of it', async () => {
    const long = 'x'.repeat(1_100_000);
    const read = (text: string, maxBytes?: number) => feedText(inParts(Buffer.from(text), 65_536), { maxBytes });
    await expect(rowsOf(delimitedRows(read(`id\n"${long}`), ','))).rejects.toThrow('more than 1000000 characters');
    for (const delimiter of [',', '\t'] as const)
      for (const text of [`id\n${delimiter.repeat(3_000_000)}`, delimiter.repeat(3_000_000)])
        await expect(rowsOf(delimitedRows(read(text), delimiter))).rejects.toThrow('more than 1000000 characters');
    expect(await rowsOf(delimitedRows(read(`id\n${`${','.repeat(900)}\n`.repeat(3_000)}`), ','))).toHaveLength(3_000);
    await expect(rowsOf(delimitedRows(read(`id\n${'a\n'.repeat(1_000)}`, 2_000), ','))).rejects.toThrow('larger than');
    const [row] = await rowsOf(xmlRows(read(`<rss><item><title>${long}</title></item></rss>`)));
    expect(row.values.title.length).toBeLessThan(200_000);
    const nested = `<rss><item>${'<a>'.repeat(200)}${'</a>'.repeat(200)}</item></rss>`;
    await expect(rowsOf(xmlRows(read(nested)))).rejects.toThrow('nests more than');
    await expect(rowsOf(xmlRows(read(`<rss><item id="${long}"/></rss>`)))).rejects.toThrow('not well-formed');
    // each element begins anew
    const attributes = (count: number) => Array.from({ length: count }, (_, n) => `a${n}=""`).join(' ');
    const many = `<rss>${`<item><id ${attributes(600)}>1</id></item>`.repeat(3)}</rss>`;
    expect(await rowsOf(xmlRows(read(many)))).toHaveLength(3);
    const unbounded = `<rss><item ${attributes(10_000)}`;
    await expect(rowsOf(xmlRows(read(unbounded)))).rejects.toThrow('an element with more than 1000 attributes');
  });
});
