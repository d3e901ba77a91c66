import fc from 'fast-check';
import { readRow } from '../../../src/common/db/postgres/fast/wire-client.js';

/** The body of a row's message as PostgreSQL sends it, somewhere in what arrived. */
function messageOf(cells: (string | null)[], before: number, after: number): { bytes: Buffer; length: number } {
  const count = Buffer.alloc(2);
  count.writeInt16BE(cells.length);
  const parts = cells.flatMap((cell) => {
    const text = Buffer.from(cell ?? '');
    const size = Buffer.alloc(4);
    size.writeInt32BE(cell === null ? -1 : text.length);
    return [size, text];
  });
  const body = Buffer.concat([count, ...parts]);
  return {
    bytes: Buffer.concat([Buffer.alloc(before, 0xff), body, Buffer.alloc(after, 0xff)]),
    length: body.length + 4,
  };
}

describe('a row from the wire', () => {
  const cell = fc.option(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.string({ maxLength: 2_000 })));

  it('has the cells that were sent, wherever it stands', () => {
    fc.assert(
      fc.property(fc.array(cell, { maxLength: 40 }), fc.nat(20), fc.nat(20), (cells, before, after) => {
        const { bytes, length } = messageOf(cells, before, after);
        expect(readRow(bytes, before, length).fields).toEqual(cells);
      }),
    );
  });

  it('keeps its cells when the bytes are used again', () => {
    const { bytes, length } = messageOf(['a name that is long enough to be a slice', 'Größe', '日本'], 3, 3);
    const { fields } = readRow(bytes, 3, length);
    bytes.fill(0);
    expect(fields).toEqual(['a name that is long enough to be a slice', 'Größe', '日本']);
  });
});
