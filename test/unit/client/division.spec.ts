import fc from 'fast-check';
import { chunks } from '../../../packages/client/src/batches.js';
import { segmentsOf } from '../../../packages/client/src/uploads.js';

const size = fc.integer({ min: 1, max: 50 });

it('divides a batch without losing, repeating or reordering an operation', () => {
  fc.assert(
    fc.property(fc.array(fc.integer(), { maxLength: 200 }), size, (operations, max) => {
      const found = chunks(operations, max);
      expect(found.flat()).toEqual(operations);
      expect(found.slice(0, -1).every(({ length }) => length === max)).toBe(true);
      expect(found.every(({ length }) => length > 0 && length <= max)).toBe(true);
    }),
  );
});

it('divides a stream into segments of one size, whatever pieces it arrives in', async () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 120 }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(pieces, size, async (content, max) => {
      const segments: Buffer[] = [];
      for await (const segment of segmentsOf(content, max)) segments.push(Buffer.concat(segment));
      expect(Buffer.concat(segments)).toEqual(Buffer.concat(content));
      expect(segments.slice(0, -1).every(({ length }) => length === max)).toBe(true);
      expect(segments.every(({ length }) => length > 0 && length <= max)).toBe(true);
    }),
  );
});
